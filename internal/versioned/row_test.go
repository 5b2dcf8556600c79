package versioned

import (
	"database/sql"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// Ensures that what a Get returns is told apart: a row, no row, a row without a version (with NULL
// named and the mend), and any other error as it is.
func TestReadTellsApart(t *testing.T) {
	t.Parallel()
	table := shelf{}.table()
	row, err := Read(table, "a", item{ID: "a", Version: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, item{ID: "a", Version: 1}, row)

	_, err = Read(table, "a", item{}, sql.ErrNoRows)
	require.ErrorIs(t, err, sqlcas.ErrGone)
	require.ErrorIs(t, err, sql.ErrNoRows)
	require.EqualError(t, err, "sqlcas: there is no item a")

	_, err = Read(table, "a", item{ID: "a"}, nil)
	require.ErrorIs(t, err, sqlcas.ErrNoVersion)
	require.ErrorContains(t, err, "version of item a is 0")

	null := errors.New(`sql: Scan error on column index 2, name "version": converting NULL to uint64 is unsupported`)
	_, err = Read(table, "a", item{}, null)
	require.ErrorIs(t, err, sqlcas.ErrNoVersion)
	require.ErrorIs(t, err, null)
	require.ErrorContains(t, err, "version of item a is NULL")

	other := errors.New(`sql: Scan error on column index 1, name "count": converting NULL to int is unsupported`)
	_, err = Read(table, "a", item{}, other)
	require.Equal(t, other, err, "a NULL in another column")

	table.Schema.Zero = true
	_, err = Read(table, "a", item{ID: "a"}, nil)
	require.NoError(t, err, "a table that starts at 0")
}

// Ensures that a closure may change all but key and version, that its error is final, and that a
// version that cannot move is refused.
func TestChangeKeepsToTheRules(t *testing.T) {
	t.Parallel()
	table := shelf{}.table()
	change := func(version uint64, f func(*item) error) (item, error) {
		return Change(table, item{ID: "a", Count: 1, Version: version}, f)
	}
	row, err := change(126, func(i *item) error { i.Count++; return nil })
	require.NoError(t, err)
	require.Equal(t, item{ID: "a", Count: 2, Version: 126}, row)

	_, err = change(127, func(*item) error { return nil })
	require.ErrorIs(t, err, sqlcas.ErrVersionOverflow)
	table.Schema.Max = 0
	_, err = change(math.MaxUint64-1, func(*item) error { return nil })
	require.NoError(t, err)
	_, err = change(math.MaxUint64, func(*item) error { return nil })
	require.ErrorIs(t, err, sqlcas.ErrVersionOverflow)

	_, err = change(1, func(i *item) error { i.ID = "b"; return nil })
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "changed the key of item a (id) to b")
	_, err = change(1, func(i *item) error { i.Version = 9; return nil })
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "changed version of item a from 1 to 9")

	_, err = change(1, func(*item) error { return sqlcas.ErrConflict })
	require.Equal(t, sqlcas.Permanent(sqlcas.ErrConflict), err, "what is retried is for the Store to say")
}

// Ensures that a version proves something only where no new row starts and where it can still move.
func TestTells(t *testing.T) {
	t.Parallel()
	table := shelf{}.table()
	for version, want := range map[uint64]bool{0: false, 1: false, 2: true, 62: true, 63: false, 127: false} {
		require.Equal(t, want, Tells(table, version), "version %d of 127", version)
	}
	table.Schema.Max = 0
	require.True(t, Tells(table, 1<<62))
	require.False(t, Tells(table, math.MaxUint64))
}
