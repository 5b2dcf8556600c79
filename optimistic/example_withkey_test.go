package optimistic_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

func ExampleWithKey() {
	ctx, db, id := context.Background(), openShop(), uint64(1)
	defer db.Close()
	var attempts atomic.Int64
	q := shop.New(db)
	deduct := func(ctx context.Context) (int64, error) {
		attempts.Add(1)
		stock, err := q.GetStock(ctx, id)
		if err != nil {
			return 0, err
		}
		return q.DeductStock(ctx, shop.DeductStockParams{OnHand: stock.OnHand - 2, ProductID: id, Version: stock.Version})
	}
	// ---
	type stockKey struct{ ProductID uint64 } // names the row, and no other table's

	var workers sync.WaitGroup
	for range 40 {
		workers.Go(func() {
			if err := optimistic.Update(ctx, deduct, optimistic.WithKey(stockKey{id})); err != nil {
				log.Print(err)
			}
		})
	}
	workers.Wait()
	fmt.Println(attempts.Load(), "attempts for 40 orders")

	// Output:
	// 40 attempts for 40 orders
}
