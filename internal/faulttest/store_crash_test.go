package faulttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const storeCrashWorkers = 32

// work is a worker that changes accounts in one of the Stores' ways, until the run stops.
func (c *crashRun) work(t *testing.T, worker int) {
	w := ways(c.db)[worker%4]
	for n := 0; !c.stop.Load(); n++ {
		memo := fmt.Sprintf("%d/%d", worker, n)
		from := uint64((worker + n) % crashRows)
		ctx, cancel := context.WithTimeout(t.Context(), crashCallTime)
		start := time.Now()
		err := w.change(ctx, memo, []uint64{from + 1, (from+3)%crashRows + 1})
		cancel()
		s := c.heard(err, time.Since(start))
		c.mu.Lock()
		c.said[memo] = s
		c.mu.Unlock()
	}
}

// assassin kills sessions of the pool, be they idle or in mid-statement, until it is told to end.
func (r *rig) assassin(t *testing.T, end <-chan struct{}) (killed int) {
	tick := time.NewTicker(4 * time.Millisecond) // an administrator's own pace
	defer tick.Stop()
	for {
		select {
		case <-end:
			return killed
		case <-tick.C:
		}
		var id int
		err := r.truth.QueryRowContext(t.Context(), "SELECT COALESCE(MAX(ID), 0) FROM ("+
			"SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID() "+
			"ORDER BY RAND() LIMIT 1) AS one").Scan(&id)
		if err != nil || id == 0 {
			continue // it may have killed its own other session
		}
		if _, err := r.truth.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err == nil {
			killed++
		}
	}
}

// compareStores checks the trail against what the calls said.
func (r *rig) compareStores(t *testing.T, c *crashRun) {
	t.Helper()
	applied := r.appliedAll(t)
	deducted, writes := 0, 0
	for memo, said := range c.said {
		var worker, n int
		_, err := fmt.Sscanf(memo, "%d/%d", &worker, &n)
		require.NoError(t, err)
		got, whole := applied[memo], 1+worker%2 // every other way is an UpdateAll
		writes += got
		if whole == 1 {
			deducted += got
		}
		if ok := got == 0 && said != success || got == whole && said != failure; !ok {
			t.Errorf("operation %s: said %d, has written %d of %d rows", memo, said, got, whole)
		}
	}
	if got := r.number(t, "SELECT SUM(balance) FROM account"); got != crashRows*opening-deducted {
		t.Errorf("sum of the balances: got %d, want %d", got, crashRows*opening-deducted)
	}
	if got := r.number(t, "SELECT SUM(version) FROM account"); got != crashRows*firstVersion+writes {
		t.Errorf("sum of the versions: got %d, want %d", got, crashRows*firstVersion+writes)
	}
}

// Ensures that a server which is killed and started again in mid run of both Stores' calls, and sessions
// that are killed one by one before and after, make no call hang and no answer false: every call is a
// success, a clean failure or an unknown outcome, and the trail has what was said.
func TestServerKilledUnderStores(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, restartable, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, crashRows)
		r.leaveTrail(t)
		c := &crashRun{db: open(t, dial(t, r.cfg)), said: map[string]said{}}
		c.db.SetMaxIdleConns(storeCrashWorkers)
		var wg, killer sync.WaitGroup
		for w := range storeCrashWorkers {
			wg.Go(func() { c.work(t, w) })
		}
		end, killed := make(chan struct{}), 0
		killer.Go(func() { killed = r.assassin(t, end) })
		progress := func() {
			target := c.successes.Load() + crashEachSide
			eventually(t, 20*time.Second, "the workers get on", func() bool { return c.successes.Load() >= target })
		}
		progress()
		require.NoError(t, s.Kill())
		require.NoError(t, s.Start(t.Context()))
		progress()
		close(end)
		killer.Wait()
		c.stop.Store(true)
		wg.Wait()
		show("Stores on a server that is killed and restarted, %v: %d sessions killed besides; %d successes, "+
			"%d clean failures, %d unknown; longest call %v", s, killed, c.successes.Load(), c.failures.Load(),
			c.unknowns.Load(), c.longest.Round(time.Millisecond))
		if c.longest > crashCallTime+foundOut {
			t.Errorf("longest call: got %v, want at most %v", c.longest, crashCallTime+foundOut)
		}
		if c.failures.Load()+c.unknowns.Load() == 0 {
			t.Error("no call noticed the crash")
		}
		r.quiet(t, c.db)
		r.assertUnlocked(t)
		r.compareStores(t, c)
	})
}
