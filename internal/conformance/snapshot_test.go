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

// checkStaleSwap ensures that a stale swap in a transaction that has read before is one conflict,
// whichever way the server says it: 0 rows, or error 1020 with the whole transaction gone. What
// the lost attempt wrote before is not durable, and nor is what it might write after (case 53).
func checkStaleSwap(t *testing.T, e *env) {
	id := e.account(t)
	memo := func(n string) string { return "stale swap " + n }
	clearTrail(t, e)
	attempts := 0
	var shape error
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if attempts == 1 {
			if err := note(ctx, tx, memo("before")); err != nil {
				return err
			}
		}
		affected, err := add(ctx, tx, id, func() {
			if attempts == 1 {
				e.bump(t, id)
			}
		})
		if attempts == 1 {
			shape = err
			require.Zero(t, affected)
			if err != nil { // the server is in autocommit mode by now
				require.Error(t, note(ctx, tx, memo("after")), "sent after the transaction's end")
			}
		}
		return optimistic.One(affected, err)
	})
	require.NoError(t, err)
	require.Equal(t, 2, attempts)
	e.wantShape(t, shape)
	e.want(t, id, opening+rivals+1, 3)
	require.Zero(t, e.trail(t, "stale swap"), "statements of the lost attempt that are durable")

	err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		return optimistic.One(add(ctx, tx, id, func() { e.bump(t, id) }))
	}, sqlcas.WithMaxAttempts(1))
	require.ErrorIs(t, err, sqlcas.ErrConflict, "type of the conflict in this cell's shape")
}

// checkStaleLockingRead ensures the same of FOR UPDATE on a row that was changed after an unrelated
// read had fixed the snapshot: with snapshot isolation that is 1020 and retried, without it the
// read sees the new row at once. Either way the call succeeds on the new version (case 53).
func checkStaleLockingRead(t *testing.T, e *env) {
	unrelated, id := e.account(t), e.account(t)
	clearTrail(t, e)
	attempts := 0
	var shape error
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if attempts == 1 {
			if err := note(ctx, tx, "stale locking read"); err != nil {
				return err
			}
		}
		var n int64
		row := tx.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = ?", unrelated)
		if err := row.Scan(&n); err != nil {
			return err
		}
		if attempts == 1 {
			e.bump(t, id)
		}
		var version uint64
		row = tx.QueryRowContext(ctx, "SELECT balance, version FROM account WHERE id = ? FOR UPDATE", id)
		if err := row.Scan(&n, &version); err != nil {
			shape = err
			return err
		}
		require.EqualValues(t, 2, version, "version under the lock")
		return optimistic.One(shop.New(tx).CreditBalance(ctx,
			shop.CreditBalanceParams{Balance: n + 1, ID: id, Version: version}))
	})
	require.NoError(t, err)
	e.wantShape(t, shape)
	tries, durable := 1, 1
	if e.snapshot {
		tries, durable = 2, 0
	}
	require.Equal(t, tries, attempts)
	require.Equal(t, durable, e.trail(t, "stale locking read"), "durable notes of attempt 1")
	e.want(t, id, opening+rivals+1, 3)
}

// wantShape ensures that a conflict had the shape that this cell is expected to have, so that a
// server whose default changes does not make the check empty unseen.
func (e *env) wantShape(t *testing.T, err error) {
	t.Helper()
	if e.snapshot {
		require.EqualValues(t, 1020, number(err), "shape of a conflict under snapshot isolation: %v", err)
		return
	}
	require.NoError(t, err, "shape of a conflict without snapshot isolation")
}

// note writes a row that tells whether a transaction became durable.
func note(ctx context.Context, tx *sql.Tx, memo string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO trail VALUES (?)", memo)
	return err
}

func clearTrail(t *testing.T, e *env) {
	t.Helper()
	_, err := e.other.ExecContext(t.Context(), "DELETE FROM trail")
	require.NoError(t, err)
}
