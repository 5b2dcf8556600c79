package conformance

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// checkGetOrCreateMany ensures that many callers who all find no row, create it and then change it under
// its lock end with one row that has all changes, and that no deadlock reaches anyone: none is even met,
// since nobody locks a gap.
func checkGetOrCreateMany(t *testing.T, e *env, _ strategy) {
	const callers = 6
	pairs.put(t, e, 1)
	key := itemKey{"new", 1}
	var met deadlockCounter
	st := pessimistic.NewStore(e.db, pairs.table(), sqlcas.WithObserver(&met))
	all := meetingOf(callers)
	errs := make(chan error, callers)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			met := false
			row, err := st.GetOrCreate(t.Context(), key, func(ctx context.Context, db sqlcas.DBTX) error {
				if !met { // all have found the row missing
					met = true
					all.attend()
				}
				_, err := db.ExecContext(ctx, "INSERT INTO item_pair (name, part) VALUES (?, ?)", key.Name, key.Part)
				return err
			})
			if err == nil && (row.itemKey != key || row.Version == 0) {
				err = errors.New("GetOrCreate returned another row")
			}
			if err == nil {
				_, err = st.Update(t.Context(), key, grow)
			}
			errs <- err
		})
	}
	wg.Wait()
	for range callers {
		require.NoError(t, <-errs)
	}
	require.Zero(t, met.n.Load(), "deadlocks")
	require.Equal(t, item{itemKey: key, N: callers, Version: 1 + callers}, pairs.read(t, e, key))
}

// checkGetOrCreateFails ensures that GetOrCreate returns a row that is there without calling create, and
// leaves it unlocked; that create's own error is returned as the very value, and so is a duplicate of
// another row's key, which is not the row that was asked for; and that a create that does not make the
// row is refused, and leaves none.
func checkGetOrCreateFails(t *testing.T, e *env, _ strategy) {
	key := itemKey{"old", 1}
	pairs.put(t, e, 1, key)
	st := pessimistic.NewStore(e.db, pairs.table())
	row, err := st.GetOrCreate(t.Context(), key, func(context.Context, sqlcas.DBTX) error {
		t.Error("create was called")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, pairs.read(t, e, key), row)
	require.True(t, e.unlocked(t, "SELECT * FROM item_pair"))

	other := itemKey{"new", 1}
	_, err = st.GetOrCreate(t.Context(), other, func(context.Context, sqlcas.DBTX) error { return errClosure })
	require.True(t, err == errClosure, "GetOrCreate returned %v, not the very value", err)
	calls := 0
	_, err = st.GetOrCreate(t.Context(), other, func(context.Context, sqlcas.DBTX) error {
		calls++
		return nil
	})
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "there is still no item_pair {new 1}")
	require.Equal(t, 1, calls)
	_, err = st.GetOrCreate(t.Context(), other, func(ctx context.Context, db sqlcas.DBTX) error {
		_, err := db.ExecContext(ctx, "INSERT INTO item_pair (name, part) VALUES ('stray', 1)")
		return err
	})
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.Zero(t, e.count(t, "item_pair WHERE name = 'stray'"), "a row under another key")
	_, err = st.GetOrCreate(t.Context(), other, func(ctx context.Context, db sqlcas.DBTX) error {
		_, err := db.ExecContext(ctx, "INSERT INTO item_pair (name, part) VALUES (?, ?)", key.Name, key.Part)
		return err
	})
	require.EqualValues(t, 1062, number(err), "%v", err)
	_, err = st.GetOrCreate(t.Context(), other, nil)
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "closure is nil")
}

// checkGetOrCreateCommits ensures that a row is durable, and not locked, when GetOrCreate returns it, also
// in sessions that do not commit each statement by themselves.
func checkGetOrCreateCommits(t *testing.T, e *env, _ strategy) {
	for _, autocommit := range []string{"1", "0"} {
		pairs.put(t, e, 1)
		key := itemKey{"new", 1}
		st := pessimistic.NewStore(e.tuned(t, "autocommit", autocommit).db, pairs.table())
		row, err := st.GetOrCreate(t.Context(), key, func(ctx context.Context, db sqlcas.DBTX) error {
			_, err := db.ExecContext(ctx, "INSERT INTO item_pair (name, part) VALUES (?, ?)", key.Name, key.Part)
			return err
		})
		require.NoError(t, err)
		require.Equal(t, item{itemKey: key, Version: 1}, row)
		require.Equal(t, 1, e.count(t, "item_pair"), "rows, with autocommit=%s", autocommit)
		require.True(t, e.unlocked(t, "SELECT * FROM item_pair"), "the row is locked, with autocommit=%s", autocommit)
	}
}
