package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
	crashTxWorkers    = 32
	crashPlainWorkers = 8
	crashRows         = 8               // accounts, and products, that the workers share
	crashCallTime     = 5 * time.Second // each call's context
	crashEachSide     = 300             // successes before the crash, and after it
)

var restartable = mysqltest.Options{Restartable: true}

// crashRun is what the workers of one server do and are told.
type crashRun struct {
	db                   *sql.DB
	stop                 atomic.Bool
	successes            atomic.Int64
	failures, unknowns   atomic.Int64
	plainDone, plainOpen [crashRows]atomic.Int64 // successes and unknown outcomes by product
	mu                   sync.Mutex
	said                 map[string]said // by memo
	longest              time.Duration
}

// heard notes a call's answer, and pauses a worker whose server is away.
func (c *crashRun) heard(err error, took time.Duration) said {
	c.mu.Lock()
	c.longest = max(c.longest, took)
	c.mu.Unlock()
	switch {
	case err == nil:
		c.successes.Add(1)
		return success
	case errors.Is(err, sqlcas.ErrOutcomeUnknown):
		c.unknowns.Add(1)
		return unknown
	}
	c.failures.Add(1)
	time.Sleep(5 * time.Millisecond) // the caller's own pause; a refused dial comes back at once
	return failure
}

// transact is a worker that deducts from accounts with UpdateTx.
func (c *crashRun) transact(t *testing.T, worker int) {
	for n := 0; !c.stop.Load(); n++ {
		id, memo := uint64((worker+n)%crashRows+1), fmt.Sprintf("%d/%d", worker, n)
		ctx, cancel := context.WithTimeout(t.Context(), crashCallTime)
		start := time.Now()
		err := optimistic.UpdateTx(ctx, c.db, func(ctx context.Context, tx *sql.Tx) error {
			if err := take(ctx, tx, id); err != nil {
				return err
			}
			return note(ctx, tx, id, -1, memo)
		})
		cancel()
		s := c.heard(err, time.Since(start))
		c.mu.Lock()
		c.said[memo] = s
		c.mu.Unlock()
	}
}

// update is a worker that deducts from products with plain Update.
func (c *crashRun) update(t *testing.T, worker int) {
	for n := 0; !c.stop.Load(); n++ {
		row := (worker + n) % crashRows
		ctx, cancel := context.WithTimeout(t.Context(), crashCallTime)
		start := time.Now()
		err := optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
			q := shop.New(c.db)
			p, err := q.GetStock(ctx, uint64(row+1))
			if err != nil {
				return 0, err
			}
			return q.DeductStock(ctx, shop.DeductStockParams{
				OnHand: p.OnHand - 1, ProductID: p.ProductID, Version: p.Version,
			})
		})
		cancel()
		switch c.heard(err, time.Since(start)) {
		case success:
			c.plainDone[row].Add(1)
		case unknown:
			c.plainOpen[row].Add(1)
		}
	}
}

// Ensures that a server which is killed and started again in mid run makes no call hang and no
// answer false: every call is a success, a clean failure or an unknown outcome, and the sums agree
// with what was said.
func TestServerKilledInMidRun(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, restartable, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, crashRows)
		for i := range crashRows {
			r.exec(t, "INSERT INTO inventory (product_id, name, on_hand) VALUES (?, 'product', ?)",
				i+1, opening)
		}
		c := &crashRun{db: open(t, dial(t, r.cfg)), said: map[string]said{}}
		c.db.SetMaxIdleConns(crashTxWorkers)
		var wg sync.WaitGroup
		for w := range crashTxWorkers {
			wg.Go(func() { c.transact(t, w) })
		}
		for w := range crashPlainWorkers {
			wg.Go(func() { c.update(t, w) })
		}
		progress := func() {
			target := c.successes.Load() + crashEachSide
			eventually(t, 20*time.Second, "the workers get on", func() bool {
				return c.successes.Load() >= target
			})
		}
		progress()
		require.NoError(t, s.Kill())
		require.NoError(t, s.Start(t.Context()))
		progress()
		c.stop.Store(true)
		wg.Wait()
		show("killed and restarted, %v: %d successes, %d clean failures, %d unknown; longest call %v", s,
			c.successes.Load(), c.failures.Load(), c.unknowns.Load(), c.longest.Round(time.Millisecond))
		if c.longest > crashCallTime+slack {
			t.Errorf("longest call: got %v, want at most %v", c.longest, crashCallTime)
		}
		if c.failures.Load()+c.unknowns.Load() == 0 {
			t.Error("no call noticed the crash")
		}
		assertIdle(t, c.db)
		r.assertUnlocked(t)
		r.compare(t, c)
	})
}

// compare checks the tables against what the calls said.
func (r *rig) compare(t *testing.T, c *crashRun) {
	t.Helper()
	rows, err := r.truth.QueryContext(t.Context(),
		"SELECT memo, COUNT(*) FROM ledger_entry GROUP BY memo")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	entries := map[string]int{}
	for rows.Next() {
		var memo string
		var n int
		require.NoError(t, rows.Scan(&memo, &n))
		entries[memo] = n
	}
	require.NoError(t, rows.Err())
	for memo, said := range c.said {
		n := entries[memo]
		if n > 1 || n == 0 && said == success || n == 1 && said == failure {
			t.Errorf("operation %s: said %d, applied %d times", memo, said, n)
		}
	}
	apart := r.number(t, fmt.Sprintf("SELECT COUNT(*) FROM account "+
		"WHERE version - %[1]d <> %[2]d - balance OR version - %[1]d <> "+
		"(SELECT COUNT(*) FROM ledger_entry WHERE account_id = account.id)", firstVersion, opening))
	require.Zero(t, apart, "accounts whose swaps, balance and ledger do not agree")
	for i := range crashRows {
		swaps := int64(r.number(t, "SELECT version - 1 FROM inventory WHERE product_id = ?", i+1))
		taken := opening - int64(r.number(t, "SELECT on_hand FROM inventory WHERE product_id = ?", i+1))
		done, open := c.plainDone[i].Load(), c.plainOpen[i].Load()
		if taken != swaps || swaps < done || swaps > done+open {
			t.Errorf("product %d: %d swaps, %d taken, %d said, %d unknown; "+
				"want said <= swaps = taken <= said + unknown", i+1, swaps, taken, done, open)
		}
	}
}

// Ensures that after a restart of the server nothing is killed that is not ours: session numbers
// start again, and the lost session's may be somebody else's by now (case 44).
func TestRestartedServerKeepsItsSessions(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, restartable, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		restartUnderACall(t, s, r, r)
	})
}

// restartUnderACall kills and restarts the server in mid-transaction of a call over the way of over,
// gives the session's number to a bystander, and looks whether the bystander lives and the call is
// applied once. r is the same database by the straight way.
func restartUnderACall(t *testing.T, s *mysqltest.Server, r, over *rig) {
	t.Helper()
	for range 60 { // so that the session's number is one that the restart has not used up
		conn, err := open(t, dial(t, over.cfg)).Conn(t.Context())
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
	db := open(t, dial(t, over.cfg))
	var bystander *sql.Conn
	attempts := 0
	err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if err := take(ctx, tx, 1); err != nil {
			return err
		}
		if attempts == 1 {
			id, err := sessionID(ctx, tx)
			if err != nil {
				return err
			}
			require.NoError(t, s.Kill())
			require.NoError(t, s.Start(t.Context()))
			bystander = over.session(t, id)
		}
		return note(ctx, tx, 1, -1, "restarted")
	})
	require.NoError(t, err)
	require.Equal(t, 2, attempts, "attempts")
	var one int
	err = bystander.QueryRowContext(t.Context(), "SELECT 1").Scan(&one)
	require.NoError(t, err, "the session that has the lost one's number must live")
	require.Equal(t, 1, r.swaps(t, 1))
}

// session opens sessions until one has this number.
func (r *rig) session(t *testing.T, want int) *sql.Conn {
	t.Helper()
	db := open(t, dial(t, r.cfg))
	for {
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		var id int
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id))
		switch {
		case id == want:
			return conn
		case id > want:
			t.Fatalf("session %d is taken: the server is at %d", want, id)
		}
	}
}
