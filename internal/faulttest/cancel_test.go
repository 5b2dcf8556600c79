package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	cancelWorkers  = 64
	cancelAccounts = 12                      // few enough that writers wait for each other's locks
	cancelEnv      = "SQLCAS_TEST_CANCELLED" // another number of calls than cancelDefault
	cancelDefault  = 10_000                  // on each server
)

// transfer moves 1 from one account to the other, with a ledger entry for each.
func transfer(ctx context.Context, tx *sql.Tx, from, to uint64, memo string) error {
	q := shop.New(tx)
	ids := []uint64{from, to}
	slices.Sort(ids) // everybody locks in the same order
	amount := map[uint64]int64{from: -1, to: 1}
	for _, id := range ids {
		a, err := q.GetAccount(ctx, id)
		if err != nil {
			return err
		}
		err = sqlcas.One(q.CreditBalance(ctx, shop.CreditBalanceParams{
			Balance: a.Balance + amount[id], ID: id, Version: a.Version,
		}))
		if err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := note(ctx, tx, id, amount[id], memo); err != nil {
			return err
		}
	}
	return nil
}

// said is what a call reported.
type said uint8

const (
	nothing said = iota
	success
	failure
	unknown
)

// cancelStorm is many calls whose contexts end at random.
type cancelStorm struct {
	db      *sql.DB
	typical time.Duration // of a call that nothing ends
	window  atomic.Int64  // ns; contexts end within it
	said    []said        // by operation
	mu      sync.Mutex
	longest time.Duration // that a call outlived its context
	counts  [4]atomic.Int64
}

// one makes operation n under a context that ends after a random time.
func (c *cancelStorm) one(t *testing.T, n int) {
	limit := time.Duration(rand.Int64N(c.window.Load()))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if n%2 == 0 { // the other way for a context to end
		var stop func()
		ctx, stop = context.WithCancel(t.Context())
		timer := time.AfterFunc(limit, stop)
		defer timer.Stop()
		defer stop()
	}
	from := rand.Uint64N(cancelAccounts)
	to := (from + 1 + rand.Uint64N(cancelAccounts-1)) % cancelAccounts
	start := time.Now()
	err := optimistic.UpdateTx(ctx, c.db, func(ctx context.Context, tx *sql.Tx) error {
		return transfer(ctx, tx, from+1, to+1, strconv.Itoa(n))
	})
	c.mu.Lock()
	c.longest = max(c.longest, time.Since(start)-limit)
	c.mu.Unlock()
	switch {
	case err == nil:
		c.said[n] = success
	case errors.Is(err, sqlcas.ErrOutcomeUnknown):
		c.said[n] = unknown
	case ctx.Err() != nil && errors.Is(err, ctx.Err()), errors.Is(err, context.DeadlineExceeded):
		c.said[n] = failure
	default:
		t.Errorf("operation %d: got %v (context: %v), want the context's error", n, err, ctx.Err())
		c.said[n] = failure
	}
	c.counts[c.said[n]].Add(1)
	c.adapt(c.said[n])
}

// adapt keeps the window where about one call in four succeeds, so that contexts go on ending at
// all points of a call while the storm itself makes calls slower than they were when measured.
func (c *cancelStorm) adapt(s said) {
	window := c.window.Load()
	if s == success {
		window -= window / 32
	} else {
		window += window / 100
	}
	c.window.Store(max(window, int64(time.Millisecond)))
}

// run makes all operations on all workers.
func (c *cancelStorm) run(t *testing.T) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range cancelWorkers {
		wg.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(c.said); n = int(next.Add(1)) - 1 {
				c.one(t, n)
			}
		})
	}
	wg.Wait()
}

// measure finds how long a call takes under the same contention when nothing ends it.
func (c *cancelStorm) measure(t *testing.T) {
	times := make([]time.Duration, 4*cancelWorkers)
	var wg sync.WaitGroup
	for w := range cancelWorkers {
		wg.Go(func() {
			for i := w; i < len(times); i += cancelWorkers {
				start := time.Now()
				from := uint64(i % cancelAccounts)
				move := func(ctx context.Context, tx *sql.Tx) error {
					return transfer(ctx, tx, from+1, (from+1)%cancelAccounts+1, "measured")
				}
				err := optimistic.UpdateTx(t.Context(), c.db, move)
				if err != nil {
					t.Error(err)
				}
				times[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	slices.Sort(times)
	c.typical = times[len(times)/2]
	c.window.Store(2 * int64(c.typical))
}

// Ensures that updates of two rows and two ledger entries whose contexts end at random points leave
// no part of themselves: each is there whole or not at all, as its call said, no lock outlives them
// by 2 s, and nothing stays in use (case 46).
func TestCancelledAtRandomPoints(t *testing.T) {
	t.Parallel()
	calls := cancelDefault
	if v := os.Getenv(cancelEnv); v != "" {
		var err error
		calls, err = strconv.Atoi(v)
		require.NoError(t, err, cancelEnv)
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, cancelAccounts)
		db := open(t, dial(t, r.cfg))
		db.SetMaxIdleConns(cancelWorkers)
		db.SetMaxOpenConns(cancelWorkers + 16)
		c := &cancelStorm{db: db, said: make([]said, calls)}
		c.measure(t)
		start := time.Now()
		c.run(t)
		took := time.Since(start)
		r.assertUnlocked(t)
		assertIdle(t, db)
		r.reconcile(t, c)
		const ms = time.Millisecond
		show("cancelled at random, %v: %d calls in %v, typical %v: %d success, %d failed, %d unknown; "+
			"longest past its context %v", s, calls, took.Round(ms), c.typical.Round(ms),
			c.counts[success].Load(), c.counts[failure].Load(), c.counts[unknown].Load(),
			c.longest.Round(ms))
		if c.longest > lockGrace {
			t.Errorf("longest call past its context: got %v, want at most %v", c.longest, lockGrace)
		}
		if c.counts[success].Load() == 0 || c.counts[failure].Load() == 0 {
			t.Error("no mix of successes and failures: the contexts did not end at random points")
		}
	})
}

// reconcile compares what the calls said with what is in the tables.
func (r *rig) reconcile(t *testing.T, c *cancelStorm) {
	t.Helper()
	if got := r.number(t, "SELECT SUM(balance) FROM account"); got != cancelAccounts*opening {
		t.Errorf("sum of the balances: got %d, want %d: half a transfer is durable",
			got, cancelAccounts*opening)
	}
	apart := r.number(t, fmt.Sprintf("SELECT COUNT(*) FROM account WHERE balance - %d <> "+
		"(SELECT COALESCE(SUM(amount), 0) FROM ledger_entry WHERE account_id = account.id)", opening))
	if apart != 0 {
		t.Errorf("%d accounts whose balance is not their ledger's sum, want none", apart)
	}
	apart = r.number(t, "SELECT COUNT(*) FROM account WHERE version - "+strconv.Itoa(firstVersion)+" <> "+
		"(SELECT COUNT(*) FROM ledger_entry WHERE account_id = account.id)")
	if apart != 0 {
		t.Errorf("%d accounts with more or fewer swaps than ledger entries, want none", apart)
	}
	rows, err := r.truth.QueryContext(t.Context(),
		"SELECT memo, COUNT(*) FROM ledger_entry WHERE memo <> 'measured' GROUP BY memo")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	entries := make([]int, len(c.said))
	for rows.Next() {
		var n, count int
		require.NoError(t, rows.Scan(&n, &count))
		entries[n] = count
	}
	require.NoError(t, rows.Err())
	for n, said := range c.said {
		ok := entries[n] == 0 && said != success || entries[n] == 2 && said != failure
		if !ok {
			t.Errorf("operation %d: said %d, has %d ledger entries", n, said, entries[n])
		}
	}
}
