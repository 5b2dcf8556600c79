package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// lockingRead reads a row that is locked, and returns the server's answer.
type lockingRead func(context.Context, *sql.Tx) error

// noWaitReads are the ways in which a program meets a locked row under NOWAIT. The id is that of an
// account and of a product.
func noWaitReads(id uint64) map[string]lockingRead {
	const query = "SELECT version FROM account WHERE id = ? FOR UPDATE NOWAIT"
	var v uint64
	return map[string]lockingRead{
		"as text": func(ctx context.Context, tx *sql.Tx) error {
			return tx.QueryRowContext(ctx, strings.Replace(query, "?", fmt.Sprint(id), 1)).Scan(&v)
		},
		"with an argument": func(ctx context.Context, tx *sql.Tx) error {
			return tx.QueryRowContext(ctx, query, id).Scan(&v)
		},
		"by sqlc's code, which starts with a comment": func(ctx context.Context, tx *sql.Tx) error {
			_, err := shop.New(tx).GetStockForUpdateNoWait(ctx, id)
			return err
		},
		"in Rows.Next, with a tracer's comment": func(ctx context.Context, tx *sql.Tx) error {
			rows, err := tx.QueryContext(ctx, query+" /* traceparent='00-1' */", id)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() { // to the error
			}
			return rows.Err()
		},
		"prepared": func(ctx context.Context, tx *sql.Tx) error {
			stmt, err := tx.PrepareContext(ctx, query)
			if err != nil {
				return err
			}
			defer stmt.Close()
			return stmt.QueryRowContext(ctx, id).Scan(&v)
		},
	}
}

// checkNoWait ensures that a NOWAIT read of a locked row is ErrLocked at once on every server,
// though they number it differently, and that a closure that handles it can go on and commit,
// however the read was sent (case 30).
func checkNoWait(t *testing.T, e *env) {
	locked, free := e.account(t), e.account(t)
	stock := shop.InsertStockParams{ProductID: locked, Name: "locked", OnHand: 1}
	require.NoError(t, shop.New(e.other).InsertStock(t.Context(), stock))
	h := e.hold(t, locked)
	const take = "UPDATE inventory SET on_hand = 0 WHERE product_id = ?"
	_, err := h.tx.ExecContext(t.Context(), take, locked)
	require.NoError(t, err)
	version := uint64(1)
	for name, read := range noWaitReads(locked) {
		requireLockedAtOnce(t, e, name, read)
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			if err := optimistic.One(add(ctx, tx, free, nil)); err != nil {
				return err
			}
			if err := read(ctx, tx); number(err) == 0 {
				return fmt.Errorf("%s: a locked row was read: %w", name, err)
			}
			return optimistic.One(add(ctx, tx, free, nil))
		})
		require.NoError(t, err, "%s: commit after a handled NOWAIT", name)
		version += 2
		e.want(t, free, opening+int64(version)-1, version)
	}
	h.rollback(t)
}

// requireLockedAtOnce ensures that a call whose read meets a locked row ends at the first attempt,
// without waiting, with ErrLocked and the server's own error.
func requireLockedAtOnce(t *testing.T, e *env, name string, read lockingRead) {
	t.Helper()
	attempts := 0
	began := time.Now()
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		return read(ctx, tx)
	})
	require.ErrorIs(t, err, sqlcas.ErrLocked, name)
	require.NotErrorIs(t, err, sqlcas.ErrExhausted, name)
	require.Less(t, time.Since(began), lockWait/2, name)
	require.Equal(t, 1, attempts, name)
	want := uint16(3572)
	if e.server.MariaDB() {
		want = 1205
	}
	require.Equal(t, want, number(err), "%s: number of the server's error in %v", name, err)
}
