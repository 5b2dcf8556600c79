package main

import (
	"context"
	"database/sql"
	_ "embed" // for the table
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/optimistic"
)

//go:embed bucket.sql
var createBucket string

// load is what a run sells.
type load struct {
	stock, orders, largest, workers int
}

// setup is one way to sell it.
type setup struct {
	name    string
	stores  int  // that the workers share; calls of different ones do not meet, as those of processes do not
	alone   bool // each change is written by itself
	buckets int
}

// setups are the ways to compare: each with one row and with several.
func setups(stores, workers, buckets int) []setup {
	var all []setup
	for _, s := range []setup{
		{name: "one Store", stores: 1},
		{name: fmt.Sprintf("%d Stores, as in so many processes", stores), stores: stores},
		{name: "a Store for each worker", stores: workers},
		{name: "one Store that does not combine", stores: 1, alone: true},
	} {
		for _, s.buckets = range []int{1, buckets} {
			all = append(all, s)
		}
	}
	return all
}

// open makes the Stores of a setup.
func (s setup) open(box *sandbox.Sandbox) []*stock {
	opts := append([]sqlcas.Option(nil), box.Options...)
	if s.alone {
		opts = append(opts, optimistic.WithoutCombining())
	}
	stocks := make([]*stock, s.stores)
	for i := range stocks {
		stocks[i] = newStock(box.DB, sandbox.Table(box, bucketTable), s.buckets, opts...)
	}
	return stocks
}

// create makes the table.
func create(ctx context.Context, box *sandbox.Sandbox) error {
	ddl := createBucket
	if box.Embedded { // SQLite has neither of them
		ddl = strings.NewReplacer(" COMMENT 'sqlcas:version'", "", " ENGINE=InnoDB", "").Replace(ddl)
	}
	if _, err := box.DB.ExecContext(ctx, ddl); err != nil {
		return fmt.Errorf("create table stock_bucket: %w", err)
	}
	return nil
}

// deliver enters a product with its buckets: all units lie in the first.
func deliver(ctx context.Context, db *sql.DB, product uint64, buckets, units int) error {
	for i := range buckets {
		_, err := db.ExecContext(ctx, "INSERT INTO stock_bucket (product_id, bucket, quantity) VALUES (?, ?, ?)",
			product, i, units)
		if err != nil {
			return fmt.Errorf("product %d, bucket %d: %w", product, i, err)
		}
		units = 0
	}
	return nil
}

// sale is an order and what became of it.
type sale struct {
	wanted int64
	sold   bool
	way    way
}

// trade lets workers sell a product out of the stocks, each out of one of them, until all orders are through.
// The first error other than a refusal stops all.
func trade(ctx context.Context, stocks []*stock, product uint64, l load) ([]sale, time.Duration, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sales := make([]sale, l.orders)
	var next atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for w := range l.workers {
		mine := stocks[w%len(stocks)]
		workers.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(l.orders) {
					return
				}
				s := sale{wanted: 1 + rand.Int64N(int64(l.largest))}
				var err error
				s.way, err = mine.sell(ctx, product, s.wanted)
				if err != nil && !errors.Is(err, errSoldOut) {
					stop(fmt.Errorf("order %d for %d units: %w", i, s.wanted, err))
					return
				}
				s.sold = err == nil
				sales[i] = s
			}
		})
	}
	workers.Wait()
	return sales, time.Since(start), context.Cause(ctx)
}

// audit compares a product's buckets with what the callers were told: what was sold and what is left make up
// what there was; no refused order would have fit, then or now, since stock only falls; no bucket is overdrawn;
// and each was written once for each order that was taken from it. writes are those that were no orders: each
// moved all buckets. It returns what is wrong.
func audit(buckets []Bucket, stock int64, sales []sale, writes int) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	left := sum(buckets)
	var sold int64
	want := writes * len(buckets)
	for _, s := range sales {
		switch {
		case !s.sold && s.wanted <= left:
			fail("an order for %d units was refused, but %d are left", s.wanted, left)
		case s.sold && s.way == gathered:
			sold += s.wanted
			want += len(buckets)
		case s.sold:
			sold += s.wanted
			want++
		}
	}
	if sold+left != stock {
		fail("%d units were sold and %d are left, of %d", sold, left, stock)
	}
	for _, b := range buckets {
		if b.Quantity < 0 {
			fail("bucket %d holds %d units", b.Number, b.Quantity)
		}
		want -= int(b.Version - 1)
	}
	if want != 0 {
		fail("the orders that were told so have made %d writes more than the versions show", want)
	}
	return wrong
}
