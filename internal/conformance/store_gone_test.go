package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// absent is a key that no row has.
const absent = uint64(1) << 40

// checkStoreGone ensures that a key without a row is ErrGone from every method, and sql.ErrNoRows, and
// names the row; after one attempt, without running the closure, and without a write (case 59).
func checkStoreGone(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	_, err := st.Get(t.Context(), absent)
	isGone(t, err, "account", absent)
	for method, change := range changers(t.Context(), st, absent) {
		runs := 0
		var r sqlcas.Report
		err := change(func(*shop.Account) error {
			runs++
			return nil
		}, sqlcas.WithReport(&r))
		isGone(t, err, "account", absent)
		require.Zero(t, runs, "runs of the closure in %s", method)
		require.Equal(t, 1, r.Attempts, method)
	}
	require.Empty(t, log.of("UPDATE"))
	var r sqlcas.Report
	err = st.Delete(t.Context(), shop.Account{ID: absent, Version: 1}, sqlcas.WithReport(&r))
	isGone(t, err, "account", absent)
	require.Equal(t, 1, r.Attempts)

	err = inTx(t, e, st, func(ctx context.Context, in txStore[uint64, shop.Account]) error {
		_, err := in.Get(ctx, absent)
		return err
	}, sqlcas.WithReport(&r))
	isGone(t, err, "account", absent)
	require.Equal(t, 1, r.Attempts)
}

// checkStoreGoneWhileWaiting ensures that a row that a rival deletes while a call waits for it is
// ErrGone, and no conflict that is retried until the budget ends; also where there is one attempt
// alone (case 59).
func checkStoreGoneWhileWaiting(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
		for _, opts := range [][]sqlcas.Option{nil, {sqlcas.WithMaxAttempts(1)}} {
			id := e.account(t)
			h := e.holdBy(t, "DELETE FROM account WHERE id = ?", id)
			ended := h.whenAwaited(e, "account", true)
			err := changers(t.Context(), st, id)[method](plus(1), opts...)
			require.NoError(t, <-ended)
			isGone(t, err, "account", id)
		}
	}
	id := e.account(t)
	row := e.row(t, id)
	ended := e.holdBy(t, "DELETE FROM account WHERE id = ?", id).whenAwaited(e, "account", true)
	err := st.Delete(t.Context(), row)
	require.NoError(t, <-ended)
	isGone(t, err, "account", id)
}

// checkStoreGoneBetween ensures that a row that is deleted between read and swap is ErrGone: at the
// second attempt, or at the first if there is no other (case 59).
func checkStoreGoneBetween(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
		for _, opts := range [][]sqlcas.Option{nil, {sqlcas.WithMaxAttempts(1)}} {
			id := e.account(t)
			runs := 0
			err := changers(t.Context(), st, id)[method](func(a *shop.Account) error {
				runs++
				_, err := e.other.ExecContext(t.Context(), "DELETE FROM account WHERE id = ?", id)
				require.NoError(t, err)
				a.Balance++
				return nil
			}, opts...)
			isGone(t, err, "account", id)
			require.Equal(t, 1, runs, method)
		}
	}
}
