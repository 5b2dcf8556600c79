package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// inAccounts is a Store of accounts in a transaction.
type inAccounts = txStore[uint64, shop.Account]

// checkSavedTwice ensures that Update gives the row value its new version, so that one value can be
// changed and saved twice in one transaction without a conflict with itself (case 15).
func checkSavedTwice(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var row shop.Account
	var r sqlcas.Report
	err := inTx(t, e, st, func(ctx context.Context, in inAccounts) (err error) {
		if row, err = in.Get(ctx, id); err != nil {
			return err
		}
		for n := range 2 {
			row.Balance++
			if err := in.Update(ctx, &row); err != nil {
				return err
			}
			require.EqualValues(t, 2+n, row.Version)
			e.want(t, id, opening, 1) // nothing is durable yet
		}
		again, err := in.Get(ctx, id)
		require.Equal(t, row, again, "the row as the transaction reads it")
		return err
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+2, 3)
	require.Equal(t, e.row(t, id), row)
}

// checkOwnCopy ensures that a second copy of a row, which the transaction itself has outdated by saving or
// touching the first, is ErrInvalidArgument with a text that says so, from Update and from Delete: it is a
// bug of the closure, which no rerun would mend, and neither a conflict nor an overwrite.
func checkOwnCopy(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	calls := map[string]func(context.Context, inAccounts, *shop.Account) error{
		"Update": func(ctx context.Context, in inAccounts, row *shop.Account) error { return in.Update(ctx, row) },
		"Touch":  func(ctx context.Context, in inAccounts, row *shop.Account) error { return in.Touch(ctx, row) },
		"Delete": func(ctx context.Context, in inAccounts, row *shop.Account) error { return in.Delete(ctx, *row) },
	}
	for _, first := range []string{"Update", "Touch"} {
		for _, then := range []string{"Update", "Delete"} {
			var r sqlcas.Report
			err := inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
				row, err := in.Get(ctx, id)
				require.NoError(t, err)
				other := row
				row.Balance = 0
				require.NoError(t, calls[first](ctx, in, &row))
				return calls[then](ctx, in, &other)
			}, sqlcas.WithReport(&r))
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, "%s, %s", first, then)
			require.NotErrorIs(t, err, sqlcas.ErrConflict, "%s, %s", first, then)
			require.ErrorContains(t, err, "another copy", "%s, %s", first, then)
			require.Equal(t, 1, r.Attempts, "%s, %s", first, then)
			e.want(t, id, opening, 1)
		}
	}
}

// checkSideWrite ensures that a statement of the closure's own that moves the version behind a row value,
// as one that counts something in the row does, makes saving that value a conflict, and never an
// overwrite of what was counted; and that the value can be saved if it is read after that (case 16).
func checkSideWrite(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	const count = "UPDATE account SET balance = balance + 7, version = version + 1 WHERE id = ?"
	for _, readsAfter := range []bool{false, true} {
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			in := st.In(tx)
			row, err := in.Get(ctx, id)
			require.NoError(t, err)
			_, err = tx.ExecContext(ctx, count, id)
			require.NoError(t, err)
			if readsAfter {
				row, err = in.Get(ctx, id)
				require.NoError(t, err)
			}
			row.Balance++
			return in.Update(ctx, &row)
		}, sqlcas.WithMaxAttempts(2))
		if readsAfter {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		e.want(t, id, opening, 1)
	}
	e.want(t, id, opening+8, 3)
}

// checkTouch ensures that Touch moves the version by one and nothing else, also when the row value has
// been changed meanwhile; that it is counted once in a transaction, be it by the same value, by another
// copy, or after an Update; and that whoever had read the row before conflicts.
func checkTouch(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	before := e.row(t, id)
	err := inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		row, err := in.Get(ctx, id)
		require.NoError(t, err)
		other := row
		row.Balance, row.Owner = 0, "nobody"
		for _, touched := range []*shop.Account{&row, &other, &row} {
			require.NoError(t, in.Touch(ctx, touched))
		}
		require.EqualValues(t, 2, row.Version)
		require.EqualValues(t, 1, other.Version, "version of the copy, which may be older than what was written")
		return nil
	})
	require.NoError(t, err)
	e.want(t, id, opening, 2)
	require.Equal(t, before.Owner, e.row(t, id).Owner)

	err = inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		row, err := in.Get(ctx, id)
		require.NoError(t, err)
		other := row
		row.Balance++
		require.NoError(t, in.Update(ctx, &row))
		require.NoError(t, in.Touch(ctx, &other), "after an Update of another copy")
		return in.Touch(ctx, &row)
	})
	require.NoError(t, err)
	e.want(t, id, opening+1, 3)
	_, err = st.UpdateIfVersion(t.Context(), id, before.Version, plus(1))
	require.ErrorIs(t, err, sqlcas.ErrConflict)
}

// checkTouchStale ensures that Touch of a row that a rival has moved is a conflict that names both
// versions, and that it moves nothing.
func checkTouchStale(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	stale := e.row(t, id)
	e.bump(t, id)
	err := inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		return in.Touch(ctx, &stale)
	}, sqlcas.WithMaxAttempts(1))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})
	require.EqualValues(t, 1, stale.Version)
	e.want(t, id, opening+rivals, 2)
}

// checkTouchUndone ensures that a Touch that a ROLLBACK TO SAVEPOINT has undone is not taken for done:
// the next Touch moves the version again.
func checkTouchUndone(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		in := st.In(tx)
		row, err := in.Get(ctx, id)
		require.NoError(t, err)
		undone := row
		_, err = tx.ExecContext(ctx, "SAVEPOINT before_touch")
		require.NoError(t, err)
		require.NoError(t, in.Touch(ctx, &undone))
		_, err = tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT before_touch")
		require.NoError(t, err)
		return in.Touch(ctx, &row)
	})
	require.NoError(t, err)
	e.want(t, id, opening, 2)
}

// checkCheck ensures that Check of a row that is as it was read locks it until the transaction ends, so
// that a later writer waits, and writes nothing; that it passes for a row that this transaction itself
// has changed, by whichever copy; and that it is a conflict if a rival has changed it.
func checkCheck(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	read := e.row(t, id)
	written := make(chan error, 1)
	err := inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		require.NoError(t, in.Check(ctx, read))
		go func() {
			_, err := e.other.Exec("UPDATE account SET balance = 0, version = version + 1 WHERE id = ?", id)
			written <- err
		}()
		require.NoError(t, e.awaitWaiter("account"))
		e.want(t, id, opening, 1)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, <-written)
	e.want(t, id, 0, 2)

	err = inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		return in.Check(ctx, read)
	}, sqlcas.WithMaxAttempts(1))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})

	err = inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		row, err := in.Get(ctx, id)
		require.NoError(t, err)
		other := row
		require.NoError(t, in.Update(ctx, &row))
		require.NoError(t, in.Check(ctx, other), "the copy that was read before")
		return in.Check(ctx, row)
	})
	require.NoError(t, err)
	e.want(t, id, 0, 3)
}
