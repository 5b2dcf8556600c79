package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// rollsBackOnTimeout makes a lock wait timeout undo the whole transaction.
var rollsBackOnTimeout = mysqltest.Options{Flags: []string{"--innodb-rollback-on-timeout=ON"}}

// Ensures that where a lock wait timeout undoes the whole transaction a NOWAIT read does not make
// half of it durable: MariaDB numbers its answer 1205 as well, and undoes as much. Returned, it is
// ErrLocked at once; handled, nothing that came before or after is committed, and the error is
// ErrTxAborted. MySQL's 3572 leaves the transaction as it is (case 30).
func TestNoWaitWhereATimeoutRollsBack(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, rollsBackOnTimeout, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		locked, free := e.account(t), e.account(t)
		stock := shop.InsertStockParams{ProductID: locked, Name: "locked", OnHand: 1}
		require.NoError(t, shop.New(e.other).InsertStock(t.Context(), stock))
		h := e.hold(t, locked)
		const take = "UPDATE inventory SET on_hand = 0 WHERE product_id = ?"
		_, err := h.tx.ExecContext(t.Context(), take, locked)
		require.NoError(t, err)
		undone := noWaitUndoes(t, e, locked)
		require.Equal(t, s.MariaDB(), undone, "NOWAIT undoes all; if not, this test shows nothing")

		version := uint64(1)
		for name, read := range noWaitReads(locked) {
			requireLockedAtOnce(t, e, name, read)
			attempts := 0
			err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
				attempts++
				require.NoError(t, optimistic.One(add(ctx, tx, free, nil)))
				require.NoError(t, note(ctx, tx, name+": before"))
				require.NotZero(t, number(read(ctx, tx)), "%s: a locked row was read", name)
				_ = note(ctx, tx, name+": after") // whether it is sent or not
				return nil
			})
			durable := 0
			if undone {
				require.ErrorIs(t, err, sqlcas.ErrTxAborted, name)
				require.EqualValues(t, 1205, number(err), "%s: the swallowed error is not in %v", name, err)
			} else {
				require.NoError(t, err, name)
				durable = 2
				version++
			}
			require.Equal(t, 1, attempts, name)
			require.Equal(t, durable, e.trail(t, name), "%s: durable notes", name)
			e.want(t, free, opening+int64(version)-1, version)
		}
		h.rollback(t)
		e.settled(t)
	})
}

// noWaitUndoes reports whether what a program by hand has written is gone after a NOWAIT read of
// the locked account.
func noWaitUndoes(t *testing.T, e *env, locked uint64) bool {
	t.Helper()
	tx, err := e.other.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, note(t.Context(), tx, "by hand"))
	const query = "SELECT id FROM account WHERE id = ? FOR UPDATE NOWAIT"
	row := tx.QueryRowContext(t.Context(), query, locked)
	require.NotZero(t, number(row.Scan(new(uint64))))
	require.NoError(t, tx.Commit())
	return e.trail(t, "by hand") == 0
}
