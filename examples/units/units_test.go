package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// onServers runs fn on each server, in a database with units of the products 1, 2, 3, ...
func onServers(t *testing.T, products, stock int, fn func(t *testing.T, db *sql.DB)) {
	t.Helper()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		s := sandboxtest.Open(t, server.DSN, 32)
		if err := enter(t.Context(), s.DB, products, stock); err != nil {
			t.Fatal(err)
		}
		fn(t, s.DB)
	})
}

// Ensures on each server that many workers who want more than there is sell no unit twice, give an order
// all of its units or none, write each sold unit once, and refuse no order that would have fit; and that
// no deadlock or lock wait timeout is met on the way: an attempt is lost to units in other hands or not at
// all.
func TestUnitsAreSoldOnce(t *testing.T) {
	t.Parallel()
	onServers(t, 3, 60, func(t *testing.T, db *sql.DB) {
		l := load{products: 3, stock: 60, orders: 150, workers: 32, largest: 5}
		sum, err := trade(t.Context(), db, l)
		if err != nil {
			t.Fatal(err)
		}
		wrong, err := audit(t.Context(), db, sum.sales)
		if err != nil || len(wrong) > 0 {
			t.Errorf("got %v, %v, want books that balance", wrong, err)
		}
		if sum.accepted == l.orders || sum.units < 3*60-3*(l.largest-1) {
			t.Errorf("got %d orders with %d units, want most units sold and some orders refused",
				sum.accepted, sum.units)
		}
		if others := sum.attempts.Load() - sum.conflicts.Load() - int64(l.orders); others != 0 {
			t.Errorf("got %d attempts lost to something else than units in other hands, want none", others)
		}
		t.Logf("%d accepted with %d units, %d conflicts absorbed, at most %d attempts",
			sum.accepted, sum.units, sum.conflicts.Load(), sum.most.Load())
	})
}

// Ensures on each server that of many who want the last unit at the same time one gets it, and the others
// are told that it is sold out.
func TestLastUnit(t *testing.T) {
	t.Parallel()
	const callers = 16
	onServers(t, 2, 1, func(t *testing.T, db *sql.DB) {
		sales := make([]sale, callers)
		var start, done sync.WaitGroup
		start.Add(callers)
		for i := range callers {
			done.Go(func() {
				start.Done()
				start.Wait() // all at once
				units, err := sell(t.Context(), db, 2, 1, uint64(i+1))
				if err != nil && !errors.Is(err, errSoldOut) {
					t.Errorf("got %v, want the unit or %v", err, errSoldOut)
				}
				sales[i] = sale{order: uint64(i + 1), product: 2, wanted: 1, units: units}
			})
		}
		done.Wait()
		if got := slices.DeleteFunc(slices.Clone(sales), func(s sale) bool { return s.units == nil }); len(got) != 1 {
			t.Errorf("got %v, want one sale", got)
		}
		wrong, err := audit(t.Context(), db, sales)
		if err != nil || len(wrong) > 0 {
			t.Errorf("got %v, %v, want books that balance", wrong, err)
		}
	})
}

// onAttemptEnd tells how each attempt of a call has ended.
type onAttemptEnd chan sqlcas.AttemptEnd

func (c onAttemptEnd) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context {
	return ctx
}

func (c onAttemptEnd) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	select {
	case c <- a:
	default:
	}
}

func (onAttemptEnd) CallEnd(context.Context, sqlcas.CallEnd) {}

// Ensures on each server that an order is not refused for units that another order holds and then gives
// back, that it gets them then, and that it is refused at once if it would not fit even so.
func TestHeldUnitsAreNotSold(t *testing.T) {
	t.Parallel()
	onServers(t, 1, 3, func(t *testing.T, db *sql.DB) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // for a Take that waits
		defer cancel()
		rival, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rival.Rollback() }()
		held, err := pessimistic.NewStore(db, unitsOf(1)).Take(t.Context(), rival, 2)
		if err != nil || len(held) != 2 {
			t.Fatalf("got %v, %v, want 2 units", held, err)
		}
		if _, err := sell(ctx, db, 1, 4, 7); !errors.Is(err, errSoldOut) {
			t.Errorf("4 of 3 units: got %v, want %v", err, errSoldOut)
		}
		ended := make(onAttemptEnd, 1)
		type result struct {
			units []uint64
			err   error
		}
		sold := make(chan result, 1)
		go func() {
			units, err := sell(ctx, db, 1, 2, 8, sqlcas.WithObserver(ended))
			sold <- result{units, err}
		}()
		select {
		case first := <-ended:
			if first.Outcome != sqlcas.OutcomeConflict {
				t.Errorf("first attempt: got %v, %v, want a conflict", first.Outcome, first.Err)
			}
		case got := <-sold:
			t.Fatalf("got %+v before an attempt has ended", got)
		}
		if err := rival.Rollback(); err != nil {
			t.Fatal(err)
		}
		if got := <-sold; got.err != nil || len(got.units) != 2 {
			t.Errorf("got %v, %v, want the 2 units that were given back", got.units, got.err)
		}
	})
}

// Ensures on each server that Take finds the free units without going over those that are sold, which is
// what both columns of the index are for.
func TestTakeReadsNoSoldUnits(t *testing.T) {
	t.Parallel()
	const stock, free = 300, 3
	onServers(t, 2, stock, func(t *testing.T, db *sql.DB) {
		_, err := db.ExecContext(t.Context(), "UPDATE unit SET order_id = 1, version = 2 WHERE product_id = 1 "+
			"ORDER BY id LIMIT ?", stock-free)
		if err != nil {
			t.Fatal(err)
		}
		err = optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			before, err := entriesRead(ctx, tx)
			if err != nil {
				return err
			}
			units, err := pessimistic.NewStore(db, unitsOf(1)).Take(ctx, tx, free)
			if err != nil {
				return err
			}
			after, err := entriesRead(ctx, tx)
			if len(units) != free || units[0].ID != stock-free+1 {
				t.Errorf("got %v, want the last %d units of product 1", units, free)
			}
			if after-before > 2*free+2 {
				t.Errorf("got %d index entries read for %d units", after-before, free)
			}
			return err
		}, sqlcas.WithIsolation(sql.LevelReadCommitted))
		if err != nil {
			t.Fatal(err)
		}
	})
}

// entriesRead is how many index entries the session has read.
func entriesRead(ctx context.Context, tx *sql.Tx) (sum int, err error) {
	rows, err := tx.QueryContext(ctx, "SHOW SESSION STATUS WHERE Variable_name IN "+
		"('Handler_read_key', 'Handler_read_next', 'Handler_read_prev', 'Handler_read_first')")
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		var n int
		if err := rows.Scan(&name, &n); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, rows.Err()
}

// Ensures on each server that the descriptor is a whole one: either Store reads and changes a unit, says
// that one is gone, conflicts on a stale version, and a lock is met in each of the three ways.
func TestDescriptor(t *testing.T) {
	t.Parallel()
	onServers(t, 1, 2, func(t *testing.T, db *sql.DB) {
		o, p := optimistic.NewStore(db, unitsOf(1)), pessimistic.NewStore(db, unitsOf(1))
		assign := func(order uint64) func(*Unit) error {
			return func(u *Unit) error {
				u.OrderID = sql.Null[uint64]{V: order, Valid: order > 0}
				return nil
			}
		}
		want := Unit{ID: 1, ProductID: 1, OrderID: sql.Null[uint64]{V: 1<<63 - 1, Valid: true}, Version: 2}
		if got, err := o.Update(t.Context(), 1, assign(1<<63-1)); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		if got, err := o.Get(t.Context(), 1); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		want = Unit{ID: 1, ProductID: 1, Version: 3}
		if got, err := p.Update(t.Context(), 1, assign(0)); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		if _, err := p.Update(t.Context(), 3, assign(5)); !errors.Is(err, sqlcas.ErrGone) {
			t.Errorf("got %v, want %v", err, sqlcas.ErrGone)
		}
		got, err := p.UpdateIfVersion(t.Context(), 1, 2, assign(5))
		if !errors.Is(err, sqlcas.ErrConflict) || got != want {
			t.Errorf("got %+v, %v, want %+v and %v", got, err, want, sqlcas.ErrConflict)
		}
		rival, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rival.Rollback() }()
		if _, err := p.LockAll(t.Context(), rival, []uint64{2}); err != nil {
			t.Fatal(err)
		}
		for _, how := range []sqlcas.Option{
			pessimistic.NoWait(), pessimistic.SkipLocked(), pessimistic.Wait(time.Millisecond),
		} {
			if _, err := p.Update(t.Context(), 2, assign(5), how); !errors.Is(err, sqlcas.ErrLocked) {
				t.Errorf("got %v, want %v", err, sqlcas.ErrLocked)
			}
		}
	})
}

// Ensures on a server that the audit sees a unit that was sold twice, one that has another order or none, an
// unseen write, half an order, and an order that was refused although there were units.
func TestAuditFindsMistakes(t *testing.T) {
	t.Parallel()
	onServers(t, 1, 4, func(t *testing.T, db *sql.DB) {
		for _, statement := range []string{
			"UPDATE unit SET order_id = 5, version = 2 WHERE id = 1",
			"UPDATE unit SET order_id = 6, version = 3 WHERE id = 2",
			"UPDATE unit SET order_id = 9, version = 2 WHERE id = 3",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		got, err := audit(t.Context(), db, []sale{
			{5, 1, 1, []uint64{1}},
			{6, 1, 2, []uint64{2}},
			{7, 1, 1, []uint64{2}},
			{8, 1, 1, nil},
			{10, 1, 2, nil},
		})
		want := []string{
			"order 6 wanted 2 units and got 1",
			"unit 2 was sold twice: to order 6 and order 7",
			"unit 2 of product 1 was sold to order 7 for product 1, but has order 6",
			"unit 2 was sold 1 times, but written 2 times",
			"unit 3 has order 9, which was not told so",
			"unit 3 was sold 0 times, but written 1 times",
			"order 8 for 1 units of product 1 was refused, but 1 are left",
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
}

// Ensures on each server that the program runs and that what it prints balances.
func TestRun(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		var out, errOut bytes.Buffer
		args := []string{"-stock", "20", "-orders", "30", "-workers", "4"}
		if err := run(t.Context(), args, server.DSN, &out, &errOut); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"30 orders of 1 to 5 units, 4 at a time, for 2 products with 20 units each,\non M",
			"balanced   yes: no unit was sold twice, and no refused order would have fit\n",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("got %q, want %q in it", out.String(), want)
			}
		}
	})
}

// Ensures that without a server the program says what it needs one for, and that a wrong command line is
// an error.
func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	if err := run(t.Context(), nil, "", &out, &errOut); !errors.Is(err, errNoServer) {
		t.Errorf("got %v, want %v", err, errNoServer)
	}
	for _, args := range [][]string{{"-stock", "0"}, {"more"}, {"-workers", "-1"}} {
		if err := run(t.Context(), args, "", &out, &errOut); err == nil || errors.Is(err, errNoServer) {
			t.Errorf("%v: got %v, want it refused", args, err)
		}
	}
}
