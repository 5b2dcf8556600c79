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

// ErrInsufficientStock refuses an order: there are fewer units left than it wants. It comes out of
// the closures, and sqlcas hands it through as it is, without a retry.
var ErrInsufficientStock = errors.New("not enough stock")

// Strategy is a way to deduct an order from stock.
type Strategy struct {
	Name  string // short, for a command line
	Title string // for a table
	Locks bool   // it needs SELECT ... FOR UPDATE, which SQLite does not have
	Whole bool   // it takes whole orders; the others take each order line for an order

	// prepare is called once per replay, the deduct that it returns by all workers.
	prepare func(s Setup) deduct
}

// deduct takes an order out of stock, or refuses it with ErrInsufficientStock.
type deduct func(ctx context.Context, o Order) (tally, error)

// tally is what one order took.
type tally struct {
	attempts, conflicts int
}

// Strategies returns those that take order lines, in the order in which they are worth reading.
func Strategies() []Strategy {
	return []Strategy{
		{Name: "update", Title: "Update", prepare: byLine(update)},
		{Name: "key", Title: "Update + key", prepare: byLine(updateWithKey)},
		{Name: "tx", Title: "UpdateTx", prepare: byLine(updateTx)},
		{Name: "store", Title: "Store", prepare: optimisticLines},
		{Name: "locked", Title: "Store locked", Locks: true, prepare: pessimisticLines},
		{Name: "forupdate", Title: "FOR UPDATE", Locks: true, prepare: byLine(byHand)},
	}
}

// WholeOrderStrategies returns those that take whole orders.
func WholeOrderStrategies() []Strategy {
	return []Strategy{
		{Name: "store", Title: "Store", Whole: true, prepare: optimisticOrders},
		{Name: "locked", Title: "Store locked", Whole: true, Locks: true, prepare: pessimisticOrders},
	}
}

// Named returns the one of the strategies with that short name.
func Named(all []Strategy, name string) (Strategy, bool) {
	i := slices.IndexFunc(all, func(s Strategy) bool { return s.Name == name })
	if i < 0 {
		return Strategy{}, false
	}
	return all[i], true
}

// Orders returns the data as the strategy takes it.
func (s Strategy) Orders(d *Data) []Order {
	if s.Whole {
		return d.WholeOrders()
	}
	return d.EachLine()
}

// byLine makes a prepare of a function that deducts one order line.
func byLine(
	f func(ctx context.Context, db *sql.DB, line Line, opts ...sqlcas.Option) (tally, error),
) func(s Setup) deduct {
	return func(s Setup) deduct {
		opts := slices.Clip(s.Options) // so that workers who append to them do not share what is behind them
		return func(ctx context.Context, o Order) (tally, error) { return f(ctx, s.DB, o.Lines[0], opts...) }
	}
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
