package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// A closure may run again, on another row. What it tells by a variable outside it must set in each run: a fee
// that an earlier run has found would stay.
func Example_captured() {
	ctx, db := context.Background(), scriptdb.Shop().Open()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	var fee int64
	acct, err := accounts.Update(ctx, 42, func(a *shop.Account) error {
		fee = 0 // in each run anew
		if a.Balance < 1000 {
			fee = 5
		}
		a.Balance -= 30 + fee
		return nil
	})
	fmt.Println(acct.Balance, fee, err)

	// Output:
	// 65 5 <nil>
}

// deltaIn is the guarded UPDATE that docs/hot-rows.md shows.
func deltaIn(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/hot-rows.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)<!-- delta -->\n```sql\n(.*?);\n```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, 1, "docs/hot-rows.md shows one")
	return found[0][1]
}

// Ensures what docs/hot-rows.md says of a guarded delta: it deducts and moves the version, so that a Store which
// has read before conflicts; with too few units and without the row alike it affects none; and one that does not
// move the version is overwritten.
func TestDeltaBesideAStore(t *testing.T) {
	t.Parallel()
	delta := deltaIn(t)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db := open(t, s.Config(t, append(schema.Shop(), "INSERT INTO inventory VALUES (1, 'Chai', 10, 7)")...), 4)
		stock := optimistic.NewStore(db, shop.StockTable)
		send := func(query string, args ...any) int64 {
			res, err := db.ExecContext(t.Context(), query, args...)
			require.NoError(t, err)
			n, err := res.RowsAffected()
			require.NoError(t, err)
			return n
		}
		plus := func(p *shop.Inventory) error {
			p.OnHand++
			return nil
		}
		require.EqualValues(t, 1, send(delta, 3, 1, 3))
		row, err := stock.UpdateIfVersion(t.Context(), 1, 7, plus)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.Equal(t, shop.Inventory{ProductID: 1, Name: "Chai", OnHand: 7, Version: 8}, row)
		require.Zero(t, send(delta, 8, 1, 8), "too few")
		require.Zero(t, send(delta, 1, 2, 1), "no such row")

		mute := strings.Replace(delta, ", version = version + 1", "", 1)
		require.NotEqual(t, delta, mute)
		require.EqualValues(t, 1, send(mute, 3, 1, 3))
		row, err = stock.UpdateIfVersion(t.Context(), 1, 8, plus) // decided on 7 units
		require.NoError(t, err, "nobody has noticed")
		require.EqualValues(t, 5, row.OnHand)
	})
}

// Ensures what docs/hot-rows.md says of UNSIGNED columns: a guard that subtracts is error 1690 where it should
// be false, as is a delta without one, and a guard that compares is not.
func TestDeltaOfAnUnsignedColumn(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db := open(t, s.Config(t, "CREATE TABLE item (id INT NOT NULL PRIMARY KEY, n INT UNSIGNED NOT NULL) ENGINE=InnoDB",
			"INSERT INTO item VALUES (1, 2)"), 4)
		for query, want := range map[string]uint16{
			"UPDATE item SET n = n - 3 WHERE id = 1":                1690,
			"UPDATE item SET n = n - 3 WHERE id = 1 AND n - 3 >= 0": 1690,
			"UPDATE item SET n = n - 3 WHERE id = 1 AND n >= 3":     0,
		} {
			res, err := db.ExecContext(t.Context(), query)
			require.Equal(t, want, number(err), "%s: %v", query, err)
			if err == nil {
				n, err := res.RowsAffected()
				require.NoError(t, err)
				require.Zero(t, n)
			}
		}
	})
}

// guest is a call and what has become of it.
type guest struct {
	err    error
	report sqlcas.Report
}

// meet has n callers meet on account 42 while another one reads it, who is the last of those returned. Each
// deducts 1. It also returns how many UPDATEs were sent.
func meet(t *testing.T, db *sql.DB, n int) (guests []guest, updates int) {
	t.Helper()
	reading, gate, table := make(chan struct{}), make(chan struct{}), shop.AccountTable
	var first atomic.Bool
	table.Get = func(ctx context.Context, db sqlcas.DBTX, id uint64) (shop.Account, error) {
		if first.CompareAndSwap(false, true) {
			close(reading)
			<-gate
		}
		return shop.AccountTable.Get(ctx, db, id)
	}
	var swaps atomic.Int64
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
		swaps.Add(1)
		return shop.AccountTable.Swap(ctx, db, a, steps)
	}
	accounts := optimistic.NewStore(db, table)
	guests = make([]guest, n+1)
	var all sync.WaitGroup
	enter := func(ctx context.Context, g *guest) {
		all.Go(func() {
			_, g.err = accounts.Update(ctx, 42, plus(-1), sqlcas.WithReport(&g.report))
		})
	}
	enter(t.Context(), &guests[n])
	<-reading
	for i := range n {
		ctx := &inLine{Context: t.Context(), in: make(chan struct{})}
		enter(ctx, &guests[i])
		<-ctx.in
	}
	close(gate)
	all.Wait()
	return guests, int(swaps.Load())
}

// Ensures what docs/hot-rows.md says of Report.Batch and of small pools: with one connection many who meet are
// written with one commit, so that the commits are the sum of 1/Batch over the calls, where 0 counts as 1.
func TestOneConnectionServesAHotRow(t *testing.T) {
	t.Parallel()
	const n = 40
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{interpolate: true}, false)
		_, err := e.other.ExecContext(t.Context(), "INSERT INTO account VALUES (42, 'alice', 100, 7)")
		require.NoError(t, err)
		e.db.SetMaxOpenConns(1)
		guests, updates := meet(t, e.db, n)
		commits := 0.0
		for _, g := range guests {
			require.NoError(t, g.err)
			commits += 1 / float64(max(g.report.Batch, 1))
		}
		require.InDelta(t, updates, commits, 1e-6)
		require.Equal(t, 2, updates)
		require.Equal(t, shop.Account{ID: 42, Owner: "alice", Balance: 100 - n - 1, Version: 7 + n + 1}, e.row(t, 42))
	})
}

// Ensures what docs/hot-rows.md says of a pool without a connection to spare: a call whose UPDATE still waits
// for a lock when its context ends gives up its own connection, is ended, and has written nothing.
func TestOneConnectionEndsAWait(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{interpolate: true}, false)
		_, err := e.other.ExecContext(t.Context(), "INSERT INTO account VALUES (42, 'alice', 100, 7)")
		require.NoError(t, err)
		e.db.SetMaxOpenConns(1)
		rival := e.hold(t, 42)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err = optimistic.NewStore(e.db, shop.AccountTable).Update(ctx, 42, plus(-1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		rival.rollback(t)
		e.want(t, 42, 100, 7)
		e.settled(t)
	})
}
