package replay

import (
	"context"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// The strategies of the Stores differ in the constructor alone.

func optimisticLines(s Setup) deduct {
	return lineBy(optimistic.NewStore(s.DB, s.table(), s.Options...))
}

func pessimisticLines(s Setup) deduct {
	return lineBy(pessimistic.NewStore(s.DB, s.table(), s.Options...))
}

func optimisticOrders(s Setup) deduct {
	return orderBy(optimistic.NewStore(s.DB, s.table(), s.Options...))
}

func pessimisticOrders(s Setup) deduct {
	return orderBy(pessimistic.NewStore(s.DB, s.table(), s.Options...))
}

// table describes the stock. Without GetForUpdate no Store locks it: an optimistic.Store otherwise does
// in UpdateAll, once it has lost.
func (s Setup) table() sqlcas.Table[uint64, shop.Inventory] {
	t := shop.StockTable
	if s.NoLocks {
		t.GetForUpdate = nil
	}
	return t
}

// take is what happens to a row, whoever runs it.
func take(stock *shop.Inventory, line Line) error {
	if stock.OnHand < line.Quantity {
		return ErrInsufficientStock
	}
	stock.OnHand -= line.Quantity
	return nil
}

// lineBy deducts one order line by a Store's Update.
func lineBy(stock sqlcas.Updater[uint64, shop.Inventory]) deduct {
	return func(ctx context.Context, o Order) (tally, error) {
		var report sqlcas.Report
		line := o.Lines[0]
		_, err := stock.Update(ctx, line.Product, func(row *shop.Inventory) error {
			return take(row, line)
		}, sqlcas.WithReport(&report))
		return tally{report.Attempts, report.Conflicts}, err
	}
}

// store is a Store that changes several products at once; both Stores do.
type store interface {
	UpdateAll(
		ctx context.Context, keys []uint64, change func(map[uint64]*shop.Inventory) error, opts ...sqlcas.Option,
	) (map[uint64]shop.Inventory, error)
}

// orderBy deducts a whole order by a Store's UpdateAll. If a line does not fit, those before it have
// been taken from row values alone: the closure's error has nothing written.
//
// The products are named in the order of the file. UpdateAll puts them in that of their ids, so that two
// orders for the same products do not wait for each other.
func orderBy(stock store) deduct {
	return func(ctx context.Context, o Order) (tally, error) {
		var report sqlcas.Report
		products := make([]uint64, len(o.Lines))
		for i, line := range o.Lines {
			products[i] = line.Product
		}
		_, err := stock.UpdateAll(ctx, products, func(rows map[uint64]*shop.Inventory) error {
			for _, line := range o.Lines {
				if err := take(rows[line.Product], line); err != nil {
					return err
				}
			}
			return nil
		}, sqlcas.WithReport(&report))
		return tally{report.Attempts, report.Conflicts}, err
	}
}
