package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
)

// Ensures that the audit sees a unit that was sold twice or lost, an order that was refused although it would have
// fit, a bucket that is overdrawn, and a write that no order accounts for.
func TestAuditFindsMistakes(t *testing.T) {
	t.Parallel()
	balanced := []sale{
		{wanted: 3, sold: true, way: fromFirst},
		{wanted: 4, sold: true, way: gathered},
		{wanted: 4},
	}
	for _, test := range []struct {
		name    string
		buckets []Bucket
		stock   int64
		sales   []sale
		want    []string
	}{
		{"balanced", []Bucket{{1, 0, 2, 4}, {1, 1, 1, 3}}, 10, balanced, nil},
		{"a unit lost", []Bucket{{1, 0, 2, 4}, {1, 1, 0, 3}}, 10, balanced, []string{
			"7 units were sold and 2 are left, of 10",
		}},
		{"refused", []Bucket{{1, 0, 2, 4}, {1, 1, 2, 3}}, 11, balanced, []string{
			"an order for 4 units was refused, but 4 are left",
		}},
		{"overdrawn", []Bucket{{1, 0, 4, 4}, {1, 1, -1, 3}}, 10, balanced, []string{
			"bucket 1 holds -1 units",
		}},
		{"an unseen write", []Bucket{{1, 0, 2, 5}, {1, 1, 1, 3}}, 10, balanced, []string{
			"the orders that were told so have made -1 writes more than the versions show",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := audit(test.buckets, test.stock, test.sales, 1); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Ensures on SQLite and on each server that the program runs and that what it prints balances.
func TestRun(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, dsn, on string) {
		var out, errOut bytes.Buffer
		args := []string{"-stock", "40", "-orders", "30", "-workers", "4", "-buckets", "3", "-stores", "2"}
		if err := run(t.Context(), args, dsn, &out, &errOut); err != nil {
			t.Fatal(err)
		}
		head := "30 orders of 1 to 5 units, 4 at a time, for a product with 40 units,\non " + on
		if !strings.HasPrefix(out.String(), head) || errOut.Len() > 0 {
			t.Errorf("got %q, %q, want %q first and no complaint", out.String(), errOut.String(), head)
		}
		if yes := strings.Count(out.String(), "  yes\n"); yes != 8 {
			t.Errorf("got %d ways that balance, want 8:\n%s", yes, out.String())
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		check(t, "", "embedded SQLite")
	})
	t.Run("servers", func(t *testing.T) {
		t.Parallel()
		sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) { check(t, server.DSN, "M") })
	})
}

// Ensures that a wrong command line is an error.
func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-stock", "0"}, {"more"}, {"-buckets", "-1"}, {"-nothing"}} {
		var out, errOut bytes.Buffer
		if err := run(t.Context(), args, "", &out, &errOut); err == nil || out.Len() > 0 {
			t.Errorf("%v: got %v and %q, want it refused", args, err, out.String())
		}
	}
}
