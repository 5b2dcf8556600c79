package main

import (
	"context"
	"database/sql"
	_ "embed" // for the table
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas"
)

//go:embed unit.sql
var createUnit string

// load is what a run does to the shop.
type load struct {
	products, stock, orders, workers, largest int
}

// sale is an order and what became of it.
type sale struct {
	order, product uint64
	wanted         int
	units          []uint64 // none if it was refused
}

// totals is what a run came to.
type totals struct {
	sales           []sale // one an order
	attempts, most  atomic.Int64
	conflicts       atomic.Int64
	accepted, units int
	elapsed         time.Duration
}

// enter makes the table, and enters so many units of each of the products 1, 2, 3, ...
func enter(ctx context.Context, db *sql.DB, products, stock int) error {
	if _, err := db.ExecContext(ctx, createUnit); err != nil {
		return fmt.Errorf("create table unit: %w", err)
	}
	for product := range products {
		for range stock {
			if _, err := db.ExecContext(ctx, "INSERT INTO unit (product_id) VALUES (?)", product+1); err != nil {
				return fmt.Errorf("product %d: %w", product+1, err)
			}
		}
	}
	return nil
}

// trade lets the workers sell until all orders are through. The first error other than a refusal stops
// all of them.
func trade(ctx context.Context, db *sql.DB, l load) (*totals, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sum := &totals{sales: make([]sale, l.orders)}
	var next atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range l.workers {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1)
				if i > int64(l.orders) {
					return
				}
				s := sale{order: uint64(i), product: 1 + rand.Uint64N(uint64(l.products)), wanted: 1 + rand.N(l.largest)}
				if err := sum.sell(ctx, db, &s); err != nil {
					stop(err)
					return
				}
				sum.sales[i-1] = s
			}
		})
	}
	workers.Wait()
	sum.elapsed = time.Since(start)
	for _, s := range sum.sales {
		if len(s.units) > 0 {
			sum.accepted++
			sum.units += len(s.units)
		}
	}
	return sum, context.Cause(ctx)
}

// sell takes one order through and counts it.
func (t *totals) sell(ctx context.Context, db *sql.DB, s *sale) (err error) {
	var report sqlcas.Report
	s.units, err = sell(ctx, db, s.product, s.wanted, s.order, sqlcas.WithReport(&report))
	t.attempts.Add(int64(report.Attempts))
	t.conflicts.Add(int64(report.Conflicts))
	for most := t.most.Load(); int64(report.Attempts) > most; most = t.most.Load() {
		t.most.CompareAndSwap(most, int64(report.Attempts))
	}
	if err != nil && !errors.Is(err, errSoldOut) {
		return fmt.Errorf("order %d: %w", s.order, err)
	}
	return nil
}

// audit compares the table with what the callers were told: each unit was sold once or not at all, to the
// order that was told so; an order got all that it wanted or nothing; and no refused order would have fit,
// then or now, since stock only falls. It returns what is wrong.
func audit(ctx context.Context, db *sql.DB, sales []sale) (wrong []string, err error) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	soldTo := map[uint64]sale{}
	for _, s := range sales {
		if len(s.units) != 0 && len(s.units) != s.wanted {
			fail("order %d wanted %d units and got %d", s.order, s.wanted, len(s.units))
		}
		for _, id := range s.units {
			if other, ok := soldTo[id]; ok {
				fail("unit %d was sold twice: to order %d and order %d", id, other.order, s.order)
			}
			soldTo[id] = s
		}
	}
	rows, err := db.QueryContext(ctx, "SELECT id, product_id, order_id, version FROM unit ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	left := map[uint64]int{}
	for rows.Next() {
		u, err := scanUnit(rows)
		if err != nil {
			return nil, err
		}
		s, sold := soldTo[u.ID]
		want := uint64(0)
		if sold {
			want = 1
		}
		switch {
		case sold && (!u.OrderID.Valid || u.OrderID.V != s.order || u.ProductID != s.product):
			fail("unit %d of product %d was sold to order %d for product %d, but has order %d",
				u.ID, u.ProductID, s.order, s.product, u.OrderID.V)
		case !sold && u.OrderID.Valid:
			fail("unit %d has order %d, which was not told so", u.ID, u.OrderID.V)
		}
		if u.Version-1 != want {
			fail("unit %d was sold %d times, but written %d times", u.ID, want, u.Version-1)
		}
		if !u.OrderID.Valid {
			left[u.ProductID]++
		}
	}
	for _, s := range sales {
		if len(s.units) == 0 && s.wanted <= left[s.product] {
			fail("order %d for %d units of product %d was refused, but %d are left",
				s.order, s.wanted, s.product, left[s.product])
		}
	}
	return wrong, rows.Err()
}
