package conformance

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// checkStoreUpdate ensures that Update runs the closure once on the row as it is, applies it once,
// moves the version by one, and returns the row as it then is in the table; and that Get returns the
// same.
func checkStoreUpdate(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	for n := range 2 {
		var r sqlcas.Report
		var seen []shop.Account
		before := e.row(t, id)
		row, err := st.Update(t.Context(), id, func(a *shop.Account) error {
			seen = append(seen, *a)
			a.Balance++
			return nil
		}, sqlcas.WithReport(&r))
		require.NoError(t, err)
		require.Equal(t, []shop.Account{before}, seen, "rows that the closure got")
		require.Equal(t, 1, r.Attempts)
		e.want(t, id, int64(opening+1+n), uint64(2+n))
		require.Equal(t, e.row(t, id), row)
		got, err := st.Get(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, row, got)
	}
}

// checkStoreUnchanged ensures that a closure that changes nothing has the version moved, in one
// attempt, whether the driver counts found or changed rows: it has decided to leave the row as it is.
func checkStoreUnchanged(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var r sqlcas.Report
	row, err := st.Update(t.Context(), id, plus(0), sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.EqualValues(t, 2, row.Version)
	rows, err := st.UpdateAll(t.Context(), []uint64{id}, func(map[uint64]*shop.Account) error { return nil })
	require.NoError(t, err)
	require.EqualValues(t, 3, rows[id].Version)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening, 3)
}

// checkStoreWaiter ensures that a call that meets a rival's uncommitted change of its row waits, and is
// applied once on top of what the rival has left: on his change if he commits, and on the row as it was
// if he rolls back. What the closure decides on is the row that is then written (case 13).
func checkStoreWaiter(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	for _, commits := range []bool{true, false} {
		id := e.account(t)
		ended := e.hold(t, id).whenAwaited(e, "account", commits)
		var seen int64
		row, err := st.Update(t.Context(), id, func(a *shop.Account) error {
			seen = a.Balance
			a.Balance++
			return nil
		})
		require.NoError(t, err, "the rival commits: %v", commits)
		require.NoError(t, <-ended)
		base, version := int64(opening), uint64(2)
		if commits {
			base, version = base+rivals, version+1
		}
		require.Equal(t, base, seen, "balance that the last closure got; the rival commits: %v", commits)
		e.want(t, id, base+1, version)
		require.Equal(t, e.row(t, id), row)
	}
}

// checkStoreConflict ensures that rivals who get in between read and swap cost an attempt each, that
// every attempt gets the row afresh, and that all writes are in the row, each once (case 13).
func checkStoreConflict(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var r sqlcas.Report
	var seen []uint64
	row, err := st.Update(t.Context(), id, func(a *shop.Account) error {
		seen = append(seen, a.Version)
		if len(seen) <= s.losses {
			e.bump(t, id)
		}
		a.Balance++
		return nil
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3}[:s.losses+1], seen, "versions that the closure got")
	require.Equal(t, s.losses+1, r.Attempts)
	require.Equal(t, s.losses, r.Conflicts)
	e.want(t, id, opening+int64(s.losses)*rivals+1, uint64(s.losses)+2)
	require.Equal(t, e.row(t, id), row)
}

// checkStoreExhausted ensures that the budget's end with conflicts is ErrExhausted, tells of the row,
// of the version that the last attempt had read and of the one that the row then had, and that nothing
// was applied.
func checkStoreExhausted(t *testing.T, e *env, s strategy) {
	table := shop.AccountTable
	table.GetForUpdate = nil // a row that cannot be locked is lost again and again
	st := s.accounts(e.db, table)
	id := e.account(t)
	var r sqlcas.Report
	_, err := st.Update(t.Context(), id, func(a *shop.Account) error {
		e.bump(t, id)
		a.Balance++
		return nil
	}, sqlcas.WithMaxAttempts(3), sqlcas.WithReport(&r))
	var exhausted *sqlcas.ExhaustedError
	require.ErrorAs(t, err, &exhausted)
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.Equal(t, 3, exhausted.Attempts)
	require.Equal(t, 3, r.Attempts)
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 3, Actual: 4})
	e.want(t, id, opening+3*rivals, 4)
}

// checkStoreMany ensures that callers who meet on one row all succeed, that the sum of their changes
// is in the row, and that the version has moved once for each.
func checkStoreMany(t *testing.T, e *env, s strategy) {
	const callers, calls = 4, 5
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	errs := make(chan error, callers*calls)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range calls {
				_, err := st.Update(t.Context(), id, plus(1))
				errs <- err
			}
		})
	}
	wg.Wait()
	for range callers * calls {
		require.NoError(t, <-errs)
	}
	e.want(t, id, opening+callers*calls, 1+callers*calls)
}

// Ensures that Stores of different strategies change one row at the same time without losing a change: a
// Store that locks checks the version as well, and one that does not is checked by the same version.
func TestStoresStandBesideEachOther(t *testing.T) {
	t.Parallel()
	const callers, calls = 2, 10
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		e := newEnv(t, server, mode{interpolate: true}, false)
		id := e.account(t)
		var wg sync.WaitGroup
		errs := make(chan error, len(strategies)*callers*calls)
		for _, s := range strategies {
			st := s.accounts(e.db, shop.AccountTable)
			for range callers {
				wg.Go(func() {
					for range calls {
						_, err := st.Update(t.Context(), id, plus(1))
						errs <- err
					}
				})
			}
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		n := len(strategies) * callers * calls
		e.want(t, id, int64(opening+n), uint64(1+n))
		e.settled(t)
	})
}

// checkStoreDeadline ensures that a caller whose context ends while somebody else holds the row learns
// that nothing was applied, and soon; that no write lands when the row is free; and that a context that
// has ended already costs no statement.
func checkStoreDeadline(t *testing.T, e *env, s strategy) {
	const callers, patience = 4, 50 * time.Millisecond
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	e.bump(t, id)
	e.warm(t, callers+1) // one to end the others' statements from
	h := e.hold(t, id)
	errs := make(chan error, callers)
	began := time.Now()
	for range callers {
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := st.Update(ctx, id, plus(1))
			errs <- err
		}()
	}
	for range callers {
		err := <-errs
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	}
	require.Less(t, time.Since(began), lockWait/2)
	h.rollback(t)
	e.bump(t, id) // behind whatever was left waiting for the row
	e.want(t, id, opening+2*rivals, 3)

	e, log := e.logged(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.accounts(e.db, shop.AccountTable).Update(ctx, id, plus(1))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, log.words())
}

// checkStoreLockTimeout ensures that a row that stays locked for longer than the session may wait is
// ErrLocked, within ErrExhausted at the end of the budget, and that the call succeeds if there is
// another attempt.
func checkStoreLockTimeout(t *testing.T, e *env, s strategy) {
	id := e.account(t)
	h := e.hold(t, id)
	st := s.accounts(e.impatient(t).db, shop.AccountTable)
	_, err := st.Update(t.Context(), id, plus(1), sqlcas.WithMaxAttempts(1))
	require.ErrorIs(t, err, sqlcas.ErrLocked)
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.EqualValues(t, 1205, number(err))
	if s.locks { // which knows for which row's lock it has waited
		once := sqlcas.WithMaxAttempts(1)
		_, allErr := st.UpdateAll(t.Context(), []uint64{id}, func(map[uint64]*shop.Account) error { return nil }, once)
		for _, err := range []error{err, allErr, st.Delete(t.Context(), shop.Account{ID: id, Version: 1}, once)} {
			var locked *sqlcas.LockedError
			require.ErrorAs(t, err, &locked)
			require.Equal(t, "account", locked.Table)
			require.Equal(t, id, locked.Key)
		}
	}
	h.rollback(t)
	_, err = st.Update(t.Context(), id, plus(1), sqlcas.WithMaxAttempts(1))
	require.NoError(t, err)
	e.want(t, id, opening+1, 2)
}
