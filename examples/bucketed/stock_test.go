package main

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// callers is how many want a product at the same time.
const callers = 64

// onServers runs fn on each server and on SQLite, in a database with the table.
func onServers(t *testing.T, fn func(t *testing.T, box *sandbox.Sandbox)) {
	t.Helper()
	prepared := func(t *testing.T, dsn string) {
		box := sandboxtest.Open(t, dsn, callers/2)
		if err := create(t.Context(), box); err != nil {
			t.Fatal(err)
		}
		fn(t, box)
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		prepared(t, "")
	})
	t.Run("servers", func(t *testing.T) {
		t.Parallel()
		sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) { prepared(t, server.DSN) })
	})
}

// rounds is how often to repeat a race: seldom on SQLite, whose only writer makes the others pause.
func rounds(box *sandbox.Sandbox, onServers int) int {
	if box.Embedded {
		return 3
	}
	return onServers
}

// stocked delivers product 1 and opens so many Stores for it.
func stocked(t *testing.T, box *sandbox.Sandbox, stores, buckets, units int) []*stock {
	t.Helper()
	if err := deliver(t.Context(), box.DB, 1, buckets, units); err != nil {
		t.Fatal(err)
	}
	return setup{stores: stores, buckets: buckets}.open(box)
}

// put sets what bucket i of product 1 holds, by swaps: it is a write more.
func put(t *testing.T, s *stock, units func(i int) int64) {
	t.Helper()
	_, err := s.rows.UpdateAll(t.Context(), s.keys(1), func(rows map[key]*Bucket) error {
		for k, b := range rows {
			b.Quantity = units(k.number)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// left reads the buckets of product 1.
func left(t *testing.T, s *stock) []Bucket {
	t.Helper()
	buckets, err := s.read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return buckets
}

// lax is the server's DSN with sessions under READ COMMITTED, where each statement of a transaction sees the
// rows as they are then. MariaDB has called the variable otherwise before 11.1.
func lax(t *testing.T, dsn string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := "transaction_isolation"
	box := sandboxtest.Open(t, dsn, 1)
	if _, err := box.DB.ExecContext(t.Context(), "SELECT @@transaction_isolation"); err != nil {
		name = "tx_isolation"
	}
	cfg.Params = map[string]string{name: "'READ-COMMITTED'"}
	return cfg.FormatDSN()
}

// onTheMove calls fn on each server, with 6 units in the last two of 4 buckets and a stock of which this is
// true: when the first transaction has read the first two buckets, the units are moved there. Sessions are READ
// COMMITTED, so that each statement of a transaction sees the rows as they are by then.
func onTheMove(t *testing.T, fn func(t *testing.T, s *stock)) {
	t.Helper()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		box := sandboxtest.Open(t, lax(t, server.DSN), 8)
		if err := create(t.Context(), box); err != nil {
			t.Fatal(err)
		}
		other := stocked(t, box, 1, 4, 0)[0]
		put(t, other, func(i int) int64 { return int64(i/2) * 3 })
		moves := 0
		table := bucketTable
		table.Get = func(ctx context.Context, db sqlcas.DBTX, k key) (Bucket, error) {
			if _, inTx := db.(*sql.Tx); inTx && k.number == 2 && moves == 0 { // 0 and 1 were read
				moves++
				put(t, other, func(i int) int64 { return int64(1-i/2) * 3 })
			}
			return bucketTable.Get(ctx, db, k)
		}
		fn(t, newStock(box.DB, table, 4))
		if moves != 1 {
			t.Errorf("got %d moves, want 1", moves)
		}
	})
}

// Ensures that an order is not refused while there are enough units, if they are moved from buckets that are yet
// to be looked at to those that were looked at already.
func TestUnitsOnTheMoveAreFound(t *testing.T) {
	t.Parallel()
	onTheMove(t, func(t *testing.T, s *stock) {
		if way, err := s.sell(t.Context(), 1, 6); err != nil || way != gathered {
			t.Errorf("got %d, %v, want all units gathered", way, err)
		}
		if got := left(t, s); sum(got) != 0 {
			t.Errorf("got %v left, want nothing", got)
		}
	})
}

// Ensures that rebalance neither loses nor doubles units that are moved meanwhile, and counts those it has moved
// itself.
func TestRebalanceOfUnitsOnTheMove(t *testing.T) {
	t.Parallel()
	onTheMove(t, func(t *testing.T, s *stock) {
		want := []Bucket{{1, 0, 2, 4}, {1, 1, 2, 4}, {1, 2, 1, 4}, {1, 3, 1, 4}}
		moved, err := s.rebalance(t.Context(), 1)
		if got := left(t, s); err != nil || moved != 2 || !slices.Equal(got, want) {
			t.Errorf("got %d, %v, %v, want 2 units moved, to %v", moved, err, got, want)
		}
	})
}

// Ensures that rebalance spreads what there is as evenly as can be, loses nothing, writes nothing where the
// buckets are even, and says that a product is not there.
func TestRebalance(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, box *sandbox.Sandbox) {
		s := stocked(t, box, 1, 4, 10)[0]
		moved, err := s.rebalance(t.Context(), 1)
		if err != nil || moved != 7 {
			t.Errorf("got %d, %v, want 7 units moved", moved, err)
		}
		want := []Bucket{{1, 0, 3, 2}, {1, 1, 3, 2}, {1, 2, 2, 2}, {1, 3, 2, 2}}
		if got := left(t, s); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if moved, err := s.rebalance(t.Context(), 1); err != nil || moved != 0 || !slices.Equal(left(t, s), want) {
			t.Errorf("got %d, %v, %v, want even buckets left alone", moved, err, left(t, s))
		}
		if total, err := s.total(t.Context(), 1); err != nil || total != 10 {
			t.Errorf("got %d, %v, want 10", total, err)
		}
		if _, err := s.rebalance(t.Context(), 2); !errors.Is(err, sqlcas.ErrGone) {
			t.Errorf("got %v, want %v", err, sqlcas.ErrGone)
		}
	})
}

// Ensures that an order takes units from the bucket that was drawn, from another that has enough, or from
// several of which the emptiest go first; that it is refused with what there is; and that what makes no sense
// is.
func TestSellFindsUnits(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, box *sandbox.Sandbox) {
		s := stocked(t, box, 1, 3, 0)[0]
		s.buckets = 1 // draw the first; the other two are there
		put(t, &stock{db: s.db, rows: s.rows, buckets: 3}, func(i int) int64 { return int64(2*i + 2) })
		for _, step := range []struct {
			n    int64
			want way
		}{{2, fromFirst}, {6, fromOther}, {4, fromOther}} {
			if got, err := s.sell(t.Context(), 1, step.n); err != nil || got != step.want {
				t.Errorf("%d units: got %v, %v, want %v", step.n, got, err, step.want)
			}
		}
		s.buckets = 3
		put(t, s, func(i int) int64 { return int64(3 - i) })
		few := &stock{db: s.db, rows: s.rows, buckets: 1}
		if _, err := few.sell(t.Context(), 1, 4); err == nil || errors.Is(err, errSoldOut) {
			t.Errorf("got %v, want it said that there are buckets where it does not look", err)
		}
		if got, err := s.sell(t.Context(), 1, 4); err != nil || got != gathered {
			t.Errorf("got %v, %v, want it gathered", got, err)
		}
		if got := left(t, s); sum(got) != 2 || got[0].Quantity != 2 {
			t.Errorf("got %v, want 2 units in the fullest bucket", got)
		}
		_, err := s.sell(t.Context(), 1, 3)
		if !errors.Is(err, errSoldOut) || err.Error() != "3 units of product 1: not enough units left: 2" {
			t.Errorf("got %v, want %v with what there is", err, errSoldOut)
		}
		if err := s.gather(t.Context(), 1, 3); !errors.Is(err, errSoldOut) {
			t.Errorf("got %v, want %v", err, errSoldOut)
		}
		if _, err := s.sell(t.Context(), 1, 0); err == nil || errors.Is(err, errSoldOut) {
			t.Errorf("0 units: got %v, want it refused as what it is", err)
		}
		if _, err := s.sell(t.Context(), 2, 1); !errors.Is(err, sqlcas.ErrGone) {
			t.Errorf("no such product: got %v, want %v", err, sqlcas.ErrGone)
		}
	})
}

// Ensures on each server that the descriptor is a whole one: each Store changes a bucket and conflicts on a
// stale version, and a lock is met in each of the two ways that do not wait.
func TestDescriptor(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		box := sandboxtest.Open(t, server.DSN, 4)
		if err := create(t.Context(), box); err != nil {
			t.Fatal(err)
		}
		stocked(t, box, 1, 2, 5)
		o, p := optimistic.NewStore(box.DB, bucketTable), pessimistic.NewStore(box.DB, bucketTable)
		minus := func(b *Bucket) error {
			b.Quantity--
			return nil
		}
		if got, err := o.Update(t.Context(), key{1, 0}, minus); err != nil || got != (Bucket{1, 0, 4, 2}) {
			t.Errorf("got %v, %v, want 4 units at version 2", got, err)
		}
		if got, err := p.Update(t.Context(), key{1, 0}, minus); err != nil || got != (Bucket{1, 0, 3, 3}) {
			t.Errorf("got %v, %v, want 3 units at version 3", got, err)
		}
		if _, err := p.UpdateIfVersion(t.Context(), key{1, 0}, 2, minus); !errors.Is(err, sqlcas.ErrConflict) {
			t.Errorf("got %v, want %v", err, sqlcas.ErrConflict)
		}
		rival, err := box.DB.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rival.Rollback() }()
		if _, err := p.LockAll(t.Context(), rival, []key{{1, 1}}); err != nil {
			t.Fatal(err)
		}
		for _, how := range []sqlcas.Option{pessimistic.NoWait(), pessimistic.SkipLocked()} {
			if _, err := p.Update(t.Context(), key{1, 1}, minus, how); !errors.Is(err, sqlcas.ErrLocked) {
				t.Errorf("got %v, want %v", err, sqlcas.ErrLocked)
			}
		}
	})
}
