package main

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/sqlcas/sqlcas/examples/sandbox"
)

// atOnce has all callers order n units at the same moment.
func atOnce(t *testing.T, stocks []*stock, n int64) []sale {
	t.Helper()
	sales := make([]sale, callers)
	var start, done sync.WaitGroup
	start.Add(callers)
	for i := range sales {
		done.Go(func() {
			start.Done()
			start.Wait()
			way, err := stocks[i%len(stocks)].sell(t.Context(), 1, n)
			if err != nil && !errors.Is(err, errSoldOut) {
				t.Errorf("got %v, want the units or %v", err, errSoldOut)
			}
			sales[i] = sale{wanted: n, sold: err == nil, way: way}
		})
	}
	done.Wait()
	return sales
}

// winners counts orders that got their units.
func winners(sales []sale) (n int) {
	for _, s := range sales {
		if s.sold {
			n++
		}
	}
	return n
}

// Ensures that 64 sellers of two Stores who want more than there is sell each unit once, in orders that get all
// they want or nothing, refuse no order that would have fit, and move each version once for each write.
func TestStockSellsOut(t *testing.T) {
	t.Parallel()
	const stock, buckets = 600, 16
	onServers(t, func(t *testing.T, box *sandbox.Sandbox) {
		stocks := stocked(t, box, 2, buckets, stock)
		put(t, stocks[0], func(int) int64 { return 0 })
		put(t, stocks[0], func(i int) int64 { return stock / buckets * int64(i%2*2) }) // in each second one
		put(t, stocks[0], func(i int) int64 { return int64(i * 5) })                   // 5 a bucket more each
		l := load{stock: stock, orders: 300, largest: 7, workers: callers}
		sales, _, err := trade(t.Context(), stocks, 1, l)
		if err != nil {
			t.Fatal(err)
		}
		buckets := left(t, stocks[0])
		if wrong := audit(buckets, stock, sales, 3); len(wrong) > 0 {
			t.Errorf("got %q, want books that balance", wrong)
		}
		if n := winners(sales); n == len(sales) || sum(buckets) >= int64(l.largest) {
			t.Errorf("got %d of %d orders filled and %d units left, want it sold out", n, len(sales), sum(buckets))
		}
	})
}

// Ensures that of 64 who want the last unit, which lies in any bucket, exactly one gets it, every time.
func TestLastUnit(t *testing.T) {
	t.Parallel()
	const buckets = 8
	onServers(t, func(t *testing.T, box *sandbox.Sandbox) {
		stocks := stocked(t, box, 2, buckets, 0)
		for round := range rounds(box, 25) {
			lucky := rand.N(buckets)
			put(t, stocks[0], func(i int) int64 {
				if i == lucky {
					return 1
				}
				return 0
			})
			sales := atOnce(t, stocks, 1)
			if n := winners(sales); n != 1 || sum(left(t, stocks[0])) != 0 {
				t.Fatalf("round %d: got %d winners and %d units left, want 1 and 0", round, n, sum(left(t, stocks[0])))
			}
		}
	})
}

// Ensures that of 64 who each want the last 3 units, which lie in 3 buckets, exactly one gets them, every time.
func TestLastUnitsOfSeveralBuckets(t *testing.T) {
	t.Parallel()
	const buckets = 6
	onServers(t, func(t *testing.T, box *sandbox.Sandbox) {
		stocks := stocked(t, box, 2, buckets, 0)
		for round := range rounds(box, 12) {
			put(t, stocks[0], func(i int) int64 { return int64(i % 2) })
			sales := atOnce(t, stocks, 3)
			won := slices.DeleteFunc(slices.Clone(sales), func(s sale) bool { return !s.sold })
			if len(won) != 1 || won[0].way != gathered || sum(left(t, stocks[0])) != 0 {
				t.Fatalf("round %d: got winners %v and %v left, want one who gathered all", round, won, left(t, stocks[0]))
			}
		}
	})
}
