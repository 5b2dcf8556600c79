package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// errSoldOut refuses an order: there are fewer units left than it wants.
var errSoldOut = errors.New("not enough units left")

// countFree counts units that are not sold, but no further than to n.
const countFree = "SELECT COUNT(*) FROM " +
	"(SELECT 1 FROM unit WHERE product_id = ? AND order_id IS NULL LIMIT ?) AS free"

// sell gives n units of a product to an order, all of them or none, and returns their ids. If fewer than n
// are left it is errSoldOut. It is safe for concurrent use.
//
// Take locks n units that nobody else holds, so that orders for the same product run side by side. It
// runs under READ COMMITTED: under REPEATABLE READ it would also lock the gaps that it has looked into,
// and who enters new units would wait for the order.
//
// If Take comes back with fewer than n, units may be sold, or merely held by another order, which may yet
// be rolled back. To refuse for the latter would turn customers away from a full shelf. So sell counts: a
// plain read, which sees the units that others hold as the free ones that they still are. If there are
// enough, somebody is in the way, and the transaction is run again: ErrConflict, with which UpdateTx lets
// go of the units that it did get, waits a little and starts anew.
func sell(
	ctx context.Context, db *sql.DB, product uint64, n int, order uint64, opts ...sqlcas.Option,
) ([]uint64, error) {
	units := pessimistic.NewStore(db, unitsOf(product))
	opts = append([]sqlcas.Option{sqlcas.WithIsolation(sql.LevelReadCommitted)}, opts...)
	return optimistic.UpdateTxResult(ctx, db, func(ctx context.Context, tx *sql.Tx) ([]uint64, error) {
		taken, err := units.Take(ctx, tx, n)
		if err != nil {
			return nil, err
		}
		if len(taken) < n {
			return nil, short(ctx, tx, product, n)
		}
		ids := make([]uint64, n)
		for i, unit := range taken {
			unit.OrderID = sql.Null[uint64]{V: order, Valid: true}
			if err := units.In(tx).Update(ctx, &unit); err != nil {
				return nil, err
			}
			ids[i] = unit.ID
		}
		return ids, nil
	}, opts...)
}

// short tells units that are sold from units that others hold.
func short(ctx context.Context, tx *sql.Tx, product uint64, n int) error {
	var free int
	if err := tx.QueryRowContext(ctx, countFree, product, n).Scan(&free); err != nil {
		return err
	}
	if free < n {
		return fmt.Errorf("%d units of product %d: %w: %d", n, product, errSoldOut, free)
	}
	return fmt.Errorf("%d units of product %d are held by other orders: %w", n, product, sqlcas.ErrConflict)
}
