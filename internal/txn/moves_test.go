package txn

import (
	"database/sql"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// begin begins a transaction that nobody commits.
func begin(t *testing.T, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	return tx
}

// Ensures that moves of one row which follow each other become one, that others do not, and that rows
// are told apart by table and key.
func TestMovesOfOneRowBecomeOne(t *testing.T) {
	t.Parallel()
	tx := begin(t, pool(t, scriptdb.New(nil)))
	defer func() { _ = tx.Rollback() }()
	m := MovesOf(tx)
	row, namesake := RowID{"account", uint64(1)}, RowID{"inventory", uint64(1)}
	_, ok := m.Of(row)
	require.False(t, ok, "nothing has moved yet")
	m.Note(row, 5, 6)
	m.Note(row, 6, 7)
	m.Note(namesake, 1, 2)
	m.Note(RowID{"account", int64(1)}, 8, 9) // another type of key is another table's
	got, ok := m.Of(row)
	require.True(t, ok)
	require.Equal(t, Move{From: 5, To: 7}, got)
	got, _ = m.Of(namesake)
	require.Equal(t, Move{From: 1, To: 2}, got)
	m.Note(row, 20, 21) // the row was deleted and entered again in between
	got, _ = m.Of(row)
	require.Equal(t, Move{From: 20, To: 21}, got)
}

// Ensures that everybody who asks gets the same moves of a transaction, and another's are others.
func TestMovesAreOfOneTransaction(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	one, other := begin(t, db), begin(t, db)
	defer func() { _, _ = one.Rollback(), other.Rollback() }()
	require.Same(t, MovesOf(one), MovesOf(one))
	require.NotSame(t, MovesOf(one), MovesOf(other))
}

// Ensures that the moves keep no transaction alive, and go with it: a process that makes millions of
// transactions must not remember them.
func TestMovesGoWithTheirTransaction(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	keys := make([]weak.Pointer[sql.Tx], 100)
	for i := range keys {
		tx := begin(t, db)
		MovesOf(tx).Note(RowID{"account", i}, 1, 2)
		require.NoError(t, tx.Rollback())
		keys[i] = weak.Make(tx)
		_, there := allMoves.Load(keys[i])
		require.True(t, there)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		for _, k := range keys {
			if _, there := allMoves.Load(k); there {
				return false
			}
		}
		return true
	}, 10*time.Second, time.Millisecond, "moves of transactions that are gone")
}
