package replay

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// ErrInsufficientStock refuses an order line: there are fewer units left than it wants. It comes
// out of the closures, and sqlcas hands it through as it is, without a retry.
var ErrInsufficientStock = errors.New("not enough stock")

// Strategy is a way to deduct an order line from stock.
type Strategy struct {
	Name  string // short, for a command line
	Title string // for a table
	Locks bool   // it needs SELECT ... FOR UPDATE, which SQLite does not have

	deduct func(ctx context.Context, db *sql.DB, line Line, opts ...sqlcas.Option) (tally, error)
}

// tally is what one order line took.
type tally struct {
	attempts, conflicts int
}

// Strategies returns all of them, in the order in which they are worth reading.
func Strategies() []Strategy {
	return []Strategy{
		{Name: "update", Title: "Update", deduct: update},
		{Name: "key", Title: "Update + key", deduct: updateWithKey},
		{Name: "tx", Title: "UpdateTx", deduct: updateTx},
		{Name: "forupdate", Title: "FOR UPDATE", Locks: true, deduct: byHand},
	}
}

// Named returns the strategy with that short name.
func Named(name string) (Strategy, bool) {
	all := Strategies()
	i := slices.IndexFunc(all, func(s Strategy) bool { return s.Name == name })
	if i < 0 {
		return Strategy{}, false
	}
	return all[i], true
}

// update is the harness in one call: two statements in autocommit, again if another worker wrote
// the product in between.
func update(ctx context.Context, db *sql.DB, line Line, opts ...sqlcas.Option) (tally, error) {
	var report sqlcas.Report
	q := shop.New(db)
	err := optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
		stock, err := q.GetStock(ctx, line.Product)
		if err != nil {
			return 0, err
		}
		if stock.OnHand < line.Quantity {
			return 0, ErrInsufficientStock
		}
		return q.DeductStock(ctx, shop.DeductStockParams{
			OnHand: stock.OnHand - line.Quantity, ProductID: stock.ProductID, Version: stock.Version,
		})
	}, append(opts, sqlcas.WithReport(&report))...)
	return tally{report.Attempts, report.Conflicts}, err
}

// stockKey names a row of inventory. A type of its own keeps product 7 apart from account 7.
type stockKey struct{ productID uint64 }

// updateWithKey is update, but workers of this process that want the same product queue for it
// instead of racing: the one option makes the difference.
func updateWithKey(
	ctx context.Context, db *sql.DB, line Line, opts ...sqlcas.Option,
) (tally, error) {
	return update(ctx, db, line, append(opts, optimistic.WithKey(stockKey{line.Product}))...)
}

// updateTx does the same in a transaction, which is what a change of several rows needs. A lost
// swap rolls back, and the closure runs again in a new transaction.
func updateTx(ctx context.Context, db *sql.DB, line Line, opts ...sqlcas.Option) (tally, error) {
	var report sqlcas.Report
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		q := shop.New(tx)
		stock, err := q.GetStock(ctx, line.Product)
		if err != nil {
			return err
		}
		if stock.OnHand < line.Quantity {
			return ErrInsufficientStock
		}
		return optimistic.One(q.DeductStock(ctx, shop.DeductStockParams{
			OnHand: stock.OnHand - line.Quantity, ProductID: stock.ProductID, Version: stock.Version,
		}))
	}, append(opts, sqlcas.WithReport(&report))...)
	return tally{report.Attempts, report.Conflicts}, err
}
