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

// workers is how many lines the tests on servers have in flight.
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
	c := config{rounds: 3}
	data, err := c.read()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Ensures on each server that Northwind's order lines, deducted by 64 workers at once through
// Update, Update with a key, UpdateTx and by hand, reconcile for every product: start less accepted
// is what is left and not negative, version - 1 is the number of accepted writes, and no refused
// line would still fit into what is left.
func TestNorthwindReconciles(t *testing.T) {
	t.Parallel()
	data := northwind(t)
	if len(data.Products) != 77 || len(data.Lines) != 2155 {
		t.Fatalf("got %d products and %d lines, want Northwind's 77 and 2155", len(data.Products),
			len(data.Lines))
	}
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) { reconciles(t, s, data) })
}

// Ensures the same of the sample, whose lines meet on a few hot products.
func TestSampleReconciles(t *testing.T) {
	t.Parallel()
	data := sampleData(t)
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) { reconciles(t, s, data) })
}

// reconciles replays data by each strategy in a database of its own.
func reconciles(t *testing.T, server sandboxtest.Server, data *replay.Data) {
	var start int64
	for _, p := range data.Products {
		start += p.Stock
	}
	for _, strategy := range replay.Strategies() {
		t.Run(strategy.Name, func(t *testing.T) {
			s := sandboxtest.Open(t, server.DSN, workers)
			setup := replay.Setup{DB: s.DB, Workers: workers, Options: s.Options}
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
			if result.Accepted+result.Refused != len(data.Lines) || result.Refused == 0 {
				t.Errorf("got %d accepted and %d refused, want %d in all and some refused",
					result.Accepted, result.Refused, len(data.Lines))
			}
			t.Logf("%s on %s: %d accepted (%d units), %d refused, %d left, "+
				"%d conflicts absorbed, at most %d attempts", strategy.Title, s.About,
				result.Accepted, result.Units, result.Refused, left, result.Conflicts, result.Most)
		})
	}
}

// Ensures that one worker, who takes Northwind's lines in file order, ends where arithmetic does:
// 236 lines with 3,026 units accepted, 93 units left.
func TestNorthwindInFileOrder(t *testing.T) {
	t.Parallel()
	data := northwind(t)
	s := sandboxtest.Open(t, "", 1)
	update, _ := replay.Named("update")
	result, err := replay.Run(t.Context(), replay.Setup{DB: s.DB, Workers: 1, Options: s.Options},
		data, update)
	if err != nil {
		t.Fatal(err)
	}
	left, err := shop.New(s.DB).SumStock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if result.Accepted != 236 || result.Units != 3026 || left != 93 || len(result.Mismatches) > 0 {
		t.Errorf("got %d lines with %d units accepted, %d left, mismatches %v, "+
			"want 236, 3026, 93 and none", result.Accepted, result.Units, left, result.Mismatches)
	}
}
