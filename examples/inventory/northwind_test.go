package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcas/sqlcas/examples/inventory/replay"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// workers is how many orders the tests on servers have in flight.
const workers = 64

// northwind reads the Northwind files, which are not part of the project: from the folder that
// SQLCAS_TEST_NORTHWIND names, or from where a checkout may have them beside it. It skips the test
// where they are not.
func northwind(t *testing.T) *replay.Data {
	t.Helper()
	dir, given := os.LookupEnv("SQLCAS_TEST_NORTHWIND")
	if !given {
		dir = filepath.FromSlash("../../../shared/data/northwind")
	}
	c := config{
		products: filepath.Join(dir, "products.csv"),
		orders:   filepath.Join(dir, "order-details.csv"),
		rounds:   1,
	}
	data, err := c.read()
	if !given && errors.Is(err, fs.ErrNotExist) {
		t.Skip("NOT RUN, the Northwind files are not here; name the folder with products.csv " +
			"and order-details.csv in SQLCAS_TEST_NORTHWIND")
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sampleData is the sample that ships with the example, enough of it to contend for.
func sampleData(t *testing.T) *replay.Data {
	t.Helper()
	c := config{rounds: 2}
	data, err := c.read()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Ensures on each server that Northwind's order lines, deducted by 64 workers at once by every strategy,
// reconcile for every product: start less accepted is what is left and not negative, version - 1 is
// the number of accepted writes, and no refused line would still fit into what is left.
func TestNorthwindReconciles(t *testing.T) {
	t.Parallel()
	data := northwind(t)
	if len(data.Products) != 77 || len(data.Lines) != 2155 {
		t.Fatalf("got %d products and %d lines, want Northwind's 77 and 2155", len(data.Products),
			len(data.Lines))
	}
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) { reconciles(t, s, data, replay.Strategies()) })
}

// Ensures on each server that Northwind's 830 orders, each taken whole or not at all by the UpdateAll of
// either Store, 64 at a time, reconcile: of every product start less accepted is what is left and not
// negative, and version - 1 is the number of accepted orders that have it; no refused order would still
// fit as a whole into what is left; and no deadlock, nor any other error, reaches a caller.
func TestNorthwindWholeOrdersReconcile(t *testing.T) {
	t.Parallel()
	data := northwind(t)
	if orders := data.WholeOrders(); len(orders) != 830 {
		t.Fatalf("got %d orders, want Northwind's 830", len(orders))
	}
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		reconciles(t, s, data, replay.WholeOrderStrategies())
	})
}

// Ensures the same of the sample, whose lines meet on a few hot products.
func TestSampleReconciles(t *testing.T) {
	t.Parallel()
	data := sampleData(t)
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		reconciles(t, s, data, replay.Strategies())
		t.Run("whole", func(t *testing.T) { reconciles(t, s, data, replay.WholeOrderStrategies()) })
	})
}

// reconciles replays data by each strategy in a database of its own. A deadlock or any other error that
// reached a worker would be the error of Run.
func reconciles(t *testing.T, server sandboxtest.Server, data *replay.Data, strategies []replay.Strategy) {
	var start int64
	for _, p := range data.Products {
		start += p.Stock
	}
	for _, strategy := range strategies {
		t.Run(strategy.Name, func(t *testing.T) {
			s := sandboxtest.Open(t, server.DSN, workers)
			setup := replay.Setup{DB: s.DB, Workers: workers, Options: s.Options, NoLocks: s.Embedded}
			result, err := replay.Run(t.Context(), setup, data, strategy)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range result.Mismatches {
				t.Errorf("does not reconcile: %s", m)
			}
			// Once more from the outside: the sums of the table.
			left, err := shop.New(s.DB).SumStock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if left != start-result.Units {
				t.Errorf("got %d units left, want %d less %d accepted", left, start, result.Units)
			}
			if orders := len(strategy.Orders(data)); result.Accepted+result.Refused != orders || result.Refused == 0 {
				t.Errorf("got %d accepted and %d refused, want %d in all and some refused",
					result.Accepted, result.Refused, orders)
			}
			t.Logf("%s on %s: %d accepted (%d units), %d refused, %d left, %d conflicts absorbed, "+
				"%d attempts lost otherwise, at most %d attempts", strategy.Title, s.About, result.Accepted, result.Units,
				result.Refused, left, result.Conflicts, result.Attempts-result.Orders-result.Conflicts, result.Most)
		})
	}
}

// Ensures that one worker, who takes Northwind in file order, ends where arithmetic does: of the lines 236
// with 3,026 units are accepted and 93 units are left, of the whole orders 95 with 2,059 units, and 1,060
// units are left.
func TestNorthwindInFileOrder(t *testing.T) {
	t.Parallel()
	data := northwind(t)
	lines, _ := replay.Named(replay.Strategies(), "update")
	whole, _ := replay.Named(replay.WholeOrderStrategies(), "store")
	s := sandboxtest.Open(t, "", 1)
	for _, c := range []struct {
		strategy    replay.Strategy
		accepted    int
		units, left int64
	}{{lines, 236, 3026, 93}, {whole, 95, 2059, 1060}} {
		setup := replay.Setup{DB: s.DB, Workers: 1, Options: s.Options, NoLocks: s.Embedded}
		result, err := replay.Run(t.Context(), setup, data, c.strategy)
		if err != nil {
			t.Fatal(err)
		}
		left, err := shop.New(s.DB).SumStock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if result.Accepted != c.accepted || result.Units != c.units || left != c.left || len(result.Mismatches) > 0 {
			t.Errorf("%s: got %d accepted with %d units, %d left, mismatches %v, want %d, %d, %d and none",
				c.strategy.Title, result.Accepted, result.Units, left, result.Mismatches, c.accepted, c.units, c.left)
		}
	}
}
