package faulttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const (
	// storeCancelShare is which part of the calls of the other storm this one makes, so that both fit
	// into one run; SQLCAS_TEST_CANCELLED is the number before that.
	storeCancelShare = 4
	storeHolders     = 2
	longestHold      = 10 * time.Millisecond
)

// storeStorm is many calls of both Stores whose contexts end at random, on rows that others hold.
type storeStorm struct {
	cancelStorm
	ways []way
	rows []atomic.Int32 // that an operation writes if it is applied
	odd  atomic.Int64   // calls that said what they should not

	refused atomic.Int64 // calls for whose connection the server had no room
}

// together stands in rows for an operation that is written together with others.
const together = -1

// one makes operation n under a context that ends after a random time.
func (c *storeStorm) one(t *testing.T, n int) {
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
	w := c.ways[n/2%len(c.ways)]
	from := rand.Uint64N(cancelAccounts)
	ids := []uint64{from + 1, (from+1+rand.Uint64N(cancelAccounts-1))%cancelAccounts + 1}
	c.rows[n].Store(1)
	if w.name == combining+".Update" {
		c.rows[n].Store(together)
	}
	if strings.HasSuffix(w.name, "UpdateAll") {
		c.rows[n].Store(2)
	}
	start := time.Now()
	err := w.change(ctx, strconv.Itoa(n), ids)
	past := time.Since(start) - limit
	c.mu.Lock()
	c.longest = max(c.longest, past)
	c.mu.Unlock()
	s := saying(ctx, err)
	var server *mysql.MySQLError
	if errors.As(err, &server) && server.Number == 1040 { // the server is behind with closing sessions
		c.refused.Add(1)
		s = failure
	}
	if s == nothing {
		if c.odd.Add(1) <= 10 { // enough to know
			t.Errorf("operation %d, %s: got %v (context: %v), want the context's error", n, w.name, err, ctx.Err())
		}
		s = failure
	}
	c.said[n] = s
	c.counts[s].Add(1)
	c.adapt(s)
}

// run makes all operations on all workers.
func (c *storeStorm) run(t *testing.T) {
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

// hold locks accounts for a while, one after the other, until it is told to end.
func (r *rig) hold(t *testing.T, end <-chan struct{}) {
	for {
		select {
		case <-end:
			return
		default:
		}
		tx, err := r.truth.BeginTx(t.Context(), nil)
		if err != nil {
			t.Error(err)
			return
		}
		id := 1 + rand.IntN(cancelAccounts)
		if _, err := tx.ExecContext(t.Context(), "SELECT 1 FROM account WHERE id = ? FOR UPDATE", id); err == nil {
			time.Sleep(rand.N(longestHold)) // a foreign transaction's work
		}
		_ = tx.Rollback()
	}
}

// Ensures that calls of both Stores, of one row and of two, whose contexts end at random points among
// foreign transactions, leave no part of themselves: each is there whole or not at all, as it
// said, and no lock, no statement and no connection in use outlives them (cases 8, 46 and 48).
func TestStoreCancelledAtRandomPoints(t *testing.T) {
	t.Parallel()
	calls := cancelDefault
	if v := os.Getenv(cancelEnv); v != "" {
		var err error
		calls, err = strconv.Atoi(v)
		require.NoError(t, err, cancelEnv)
	}
	calls /= storeCancelShare
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, cancelAccounts)
		r.leaveTrail(t)
		db := open(t, dial(t, r.cfg))
		warm(t, db, cancelWorkers+16)
		c := &storeStorm{ways: ways(db), rows: make([]atomic.Int32, calls)}
		c.said = make([]said, calls)
		c.window.Store(int64(20 * time.Millisecond)) // it adapts
		end := make(chan struct{})
		var holders sync.WaitGroup
		for range storeHolders {
			holders.Go(func() { r.hold(t, end) })
		}
		start := time.Now()
		c.run(t)
		took := time.Since(start)
		close(end)
		holders.Wait()
		r.quiet(t, db)
		r.assertUnlocked(t)
		r.reconcileStores(t, c)
		show("Stores' calls cancelled at random, %v: %d calls in %v: %d success, %d failed (%d of them "+
			"for want of room on the server), %d unknown; longest past its context %v", s, calls, took.Round(time.Millisecond), c.counts[success].Load(),
			c.counts[failure].Load(), c.refused.Load(), c.counts[unknown].Load(), c.longest.Round(time.Millisecond))
		if n := c.refused.Load(); n > int64(calls/10) {
			t.Errorf("%d of %d calls found no room on the server, where sessions that were left pile up", n, calls)
		}
		if c.longest > foundOut+slack {
			t.Errorf("longest call past its context: got %v, want at most %v", c.longest, foundOut)
		}
		if c.counts[success].Load() == 0 || c.counts[failure].Load() == 0 {
			t.Error("no mix of successes and failures: the contexts did not end at random points")
		}
	})
}

// reconcileStores compares what the calls said with what is in the tables.
func (r *rig) reconcileStores(t *testing.T, c *storeStorm) {
	t.Helper()
	applied := r.appliedAll(t)
	deducted, writes, doubts := 0, 0, 0
	for n, s := range c.said {
		got, whole := applied[strconv.Itoa(n)], int(c.rows[n].Load())
		if whole == together { // those before the last one of a batch leave no trail, and the sums tell
			switch s {
			case success:
				deducted, writes = deducted+1, writes+1
			case unknown:
				doubts++
			}
			continue
		}
		writes += got
		if whole == 1 {
			deducted += got
		}
		if ok := got == 0 && s != success || got == whole && s != failure; !ok {
			t.Errorf("operation %d: said %d, has written %d of %d rows", n, s, got, whole)
		}
	}
	sum, want := r.number(t, "SELECT SUM(balance) FROM account"), cancelAccounts*opening-deducted
	if sum > want || sum < want-doubts {
		t.Errorf("sum of the balances: got %d, want %d, or up to %d less", sum, want, doubts)
	}
	moved := r.number(t, "SELECT SUM(version) FROM account") - cancelAccounts*firstVersion
	if moved-writes != want-sum {
		t.Errorf("sum of the moves of versions: got %d, want %d for each write, and %d for those in doubt", moved, writes, want-sum)
	}
}
