package replay_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sqlcas/sqlcas/examples/inventory/replay"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
)

const (
	someProducts = "productID,productName,unitsInStock\n1,Tea,10\n2,Milk,2\n"
	twoProducts  = "productID,productName,unitsInStock\n1,Tea,100\n2,Milk,100\n"
	someOrders   = "orderID,productID,quantity\n70,1,6\n70,2,3\n71,1,6\n72,1,4\n72,2,2\n"
)

// Example ensures that one worker takes the lines in file order: 6 of 10 are sold, the next 6 do
// not fit, the 4 after them do. Of whole orders the first is refused, for the milk, and the second
// gets its 6 and the third its 4 and 2.
func Example() {
	ctx := context.Background()
	s, err := sandbox.Open(ctx, "", 1) // embedded SQLite
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = s.Close() }()
	data, err := replay.Read(
		replay.Source{Name: "products.csv", Reader: strings.NewReader(someProducts)},
		replay.Source{Name: "orders.csv", Reader: strings.NewReader(someOrders)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, strategy := range slices.Concat(replay.Strategies(), replay.WholeOrderStrategies()) {
		if strategy.Locks {
			continue
		}
		setup := replay.Setup{DB: s.DB, Workers: 1, Options: s.Options, NoLocks: s.Embedded}
		result, err := replay.Run(ctx, setup, data, strategy)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-12s accepted %d (%d units), refused %d, attempts %d, mismatches %d\n",
			strategy.Title, result.Accepted, result.Units, result.Refused, result.Attempts,
			len(result.Mismatches))
	}
	// Output:
	// Update       accepted 3 (12 units), refused 2, attempts 5, mismatches 0
	// Update + key accepted 3 (12 units), refused 2, attempts 5, mismatches 0
	// UpdateTx     accepted 3 (12 units), refused 2, attempts 5, mismatches 0
	// Store        accepted 3 (12 units), refused 2, attempts 5, mismatches 0
	// Store        accepted 2 (12 units), refused 1, attempts 3, mismatches 0
}

// manyLines is two products that everybody wants, twice over; each whole order wants both.
func manyLines(t *testing.T) *replay.Data {
	t.Helper()
	var orders strings.Builder
	orders.WriteString("orderID,productID,quantity\n")
	for i := range 200 {
		fmt.Fprintf(&orders, "%d,%d,%d\n", i/2, 1+i%2, 1+i%3)
	}
	data, err := replay.Read(
		replay.Source{Name: "p", Reader: strings.NewReader(twoProducts)},
		replay.Source{Name: "o", Reader: strings.NewReader(orders.String())})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Ensures that many workers on two hot rows reconcile on embedded SQLite, each strategy starting
// from fresh stock, and that progress is told once per order.
func TestRunReconcilesOnSQLite(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 16)
	data := manyLines(t)
	for _, strategy := range slices.Concat(replay.Strategies(), replay.WholeOrderStrategies()) {
		if strategy.Locks {
			continue
		}
		orders := len(strategy.Orders(data))
		var done atomic.Int64
		setup := replay.Setup{
			DB: s.DB, Workers: 16, Options: s.Options, NoLocks: s.Embedded, Done: func() { done.Add(1) },
		}
		result, err := replay.Run(t.Context(), setup, data, strategy)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range result.Mismatches {
			t.Errorf("%s: %s", strategy.Title, m)
		}
		if result.Accepted+result.Refused != orders || result.Refused == 0 {
			t.Errorf("%s: got %d accepted and %d refused, want %d in all and some refused",
				strategy.Title, result.Accepted, result.Refused, orders)
		}
		if done.Load() != int64(orders) {
			t.Errorf("%s: got progress of %d orders, want %d", strategy.Title, done.Load(), orders)
		}
	}
}

// Ensures that what is neither accepted nor refused stops the replay and names the line: here the
// row locks that SQLite does not have.
func TestRunStopsAtAnError(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 4)
	byHand, _ := replay.Named(replay.Strategies(), "forupdate")
	_, err := replay.Run(t.Context(), replay.Setup{DB: s.DB, Workers: 1}, manyLines(t), byHand)
	want := "FOR UPDATE: o:2 (order 0, 1 units of product 1): "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want an error that starts with %q", err, want)
	}
}

// Ensures that an interrupted replay ends with the interruption, not with the error of the line
// that it cut off.
func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 4)
	ctx, cancel := context.WithCancel(t.Context())
	update, _ := replay.Named(replay.Strategies(), "update")
	setup := replay.Setup{DB: s.DB, Workers: 4, Options: s.Options, NoLocks: s.Embedded, Done: cancel}
	_, err := replay.Run(ctx, setup, manyLines(t), update)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// Ensures that a replay without workers is an error, not a replay that never ends.
func TestRunRefusesNoWorkers(t *testing.T) {
	t.Parallel()
	_, err := replay.Run(t.Context(), replay.Setup{}, &replay.Data{}, replay.Strategy{})
	if want := "replay: 0 workers: give at least 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
