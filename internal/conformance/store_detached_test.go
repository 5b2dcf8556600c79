package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// checkIfVersion ensures that UpdateIfVersion takes the version that the edit was based on, the old one,
// and returns the row with the new one, which the next edit then takes; so that who edits by version
// never has to guess which of the two to send (case 68).
func checkIfVersion(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	old := e.row(t, id).Version
	for n := range 3 {
		row, err := st.UpdateIfVersion(t.Context(), id, old, plus(1))
		require.NoError(t, err)
		require.Equal(t, old+1, row.Version)
		e.want(t, id, int64(opening+1+n), old+1)
		require.Equal(t, e.row(t, id), row)
		current, err := st.UpdateIfVersion(t.Context(), id, old, plus(1))
		require.ErrorIs(t, err, sqlcas.ErrConflict, "the old version was taken twice")
		require.Equal(t, row, current)
		old = row.Version
	}
}

// checkIfVersionStale ensures that UpdateIfVersion of a version that is no longer the row's returns the
// row as it is now and a conflict that names both versions, without running the closure, without a
// retry and without a write.
func checkIfVersionStale(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	e.bump(t, id)
	e.bump(t, id)
	for _, version := range []uint64{1, 2, 4} {
		var r sqlcas.Report
		row, err := st.UpdateIfVersion(t.Context(), id, version, func(*shop.Account) error {
			t.Errorf("the closure was run for version %d", version)
			return nil
		}, sqlcas.WithReport(&r))
		isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: version, Actual: 3})
		require.NotErrorIs(t, err, sqlcas.ErrExhausted)
		require.Equal(t, e.row(t, id), row)
		require.Equal(t, 1, r.Attempts)
	}
	require.Empty(t, log.of("UPDATE"))
	e.want(t, id, opening+2*rivals, 3)
}

// checkIfVersionWaiter ensures the same of a rival who is at the row when the call comes, and commits.
func checkIfVersionWaiter(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	ended := e.hold(t, id).whenAwaited(e, "account", true)
	var r sqlcas.Report
	row, err := st.UpdateIfVersion(t.Context(), id, 1, plus(1), sqlcas.WithReport(&r))
	require.NoError(t, <-ended)
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})
	require.Equal(t, e.row(t, id), row)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+rivals, 2)
}

// checkIfVersionBetween ensures the same of a rival who gets in between read and swap.
func checkIfVersionBetween(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var r sqlcas.Report
	row, err := st.UpdateIfVersion(t.Context(), id, 1, func(a *shop.Account) error {
		e.bump(t, id)
		a.Balance = 0
		return nil
	}, sqlcas.WithReport(&r))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})
	require.NotErrorIs(t, err, sqlcas.ErrExhausted)
	require.Equal(t, e.row(t, id), row)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+rivals, 2)
}

// checkSavedAgain ensures that a row value that has lost a conflict stays what it was, so that saving
// it again conflicts again, and so does deleting it: the loser has to read afresh.
func checkSavedAgain(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	stale, err := st.Get(t.Context(), id)
	require.NoError(t, err)
	stale.Balance = 0
	mine := stale
	e.bump(t, id)
	for range 2 {
		err := inTx(t, e, st, func(ctx context.Context, in txStore[uint64, shop.Account]) error {
			return in.Update(ctx, &mine)
		}, sqlcas.WithMaxAttempts(2))
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.Equal(t, stale, mine, "the row value after the conflict")
	}
	require.ErrorIs(t, st.Delete(t.Context(), mine), sqlcas.ErrConflict)
	e.want(t, id, opening+rivals, 2)
}

// checkDelete ensures that Delete deletes a row that is still at the row value's version; that one that
// has moved stays as its last writer left it, with a conflict that names both versions and is not
// retried; and that one that is gone already is ErrGone (cases 58 and 59).
func checkDelete(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	stale := e.row(t, id)
	e.bump(t, id)
	var r sqlcas.Report
	err := st.Delete(t.Context(), stale, sqlcas.WithReport(&r))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})
	require.NotErrorIs(t, err, sqlcas.ErrExhausted)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+rivals, 2)

	fresh := e.row(t, id)
	require.NoError(t, st.Delete(t.Context(), fresh, sqlcas.WithReport(&r)))
	require.Equal(t, 1, r.Attempts)
	require.Zero(t, e.count(t, "account WHERE id = ?", id))
	isGone(t, st.Delete(t.Context(), fresh), "account", id)
}

// checkDeleteInTx ensures the same of Delete in a transaction of the caller's (case 58).
func checkDeleteInTx(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	stale := e.row(t, id)
	e.bump(t, id)
	err := inTx(t, e, st, func(ctx context.Context, in txStore[uint64, shop.Account]) error {
		return in.Delete(ctx, stale)
	}, sqlcas.WithMaxAttempts(1))
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	e.want(t, id, opening+rivals, 2)

	err = inTx(t, e, st, func(ctx context.Context, in txStore[uint64, shop.Account]) error {
		row, err := in.Get(ctx, id)
		require.NoError(t, err)
		require.NoError(t, in.Delete(ctx, row))
		_, err = in.Get(ctx, id)
		isGone(t, err, "account", id)
		require.Equal(t, 1, e.count(t, "account WHERE id = ?", id), "seen by others before the commit")
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, e.count(t, "account WHERE id = ?", id))
}
