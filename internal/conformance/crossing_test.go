package conformance

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// Workers that transfer between few accounts, each call between 2 to 4 of them.
const (
	crossingWorkers  = 32
	crossingAccounts = 8
	oppositeRounds   = 1000
)

// crossingEnv says how long the workers transfer, as a Go duration. The default is 3 s for each Store.
const crossingEnv = "SQLCAS_TEST_CROSSING"

// Ensures that UpdateAll of both Stores never makes a deadlock, in whatever order its keys are given
// (case 32): not of two callers who name the same two rows in opposite orders, a thousand times, and
// not of 32 who all transfer between random ones of eight rows; and that nobody gets any error. The
// server says how many deadlocks it has seen, and has been seen to count one; it is this test's own, so
// that no other test's are among them.
func TestUpdateAllInAnyOrderMakesNoDeadlock(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{interpolate: true}, false)
		e = e.with(open(t, e.cfg.Clone(), crossingWorkers))
		checkDeadlocksAreCounted(t, e)
		for _, c := range []*crossing{
			{store: "optimistic", call: optimistic.NewStore(e.db, shop.AccountTable).UpdateAll, meets: true},
			{store: "pessimistic", call: pessimistic.NewStore(e.db, shop.AccountTable).UpdateAll},
		} {
			c.server = s.Name
			before := deadlocks(t, e)
			c.opposite(t, e)
			c.oppositeDeadlocks = deadlocks(t, e) - before
			c.transfer(t, e)
			c.deadlocks = deadlocks(t, e) - before - c.oppositeDeadlocks
			crossings.add(c)
			require.Empty(t, c.errs, "%s.Store: errors that came to callers", c.store)
			require.Zero(t, c.oppositeDeadlocks, "%s.Store: deadlocks of two callers in opposite orders", c.store)
			require.Zero(t, c.deadlocks, "%s.Store: deadlocks of %d workers", c.store, crossingWorkers)
		}
		e.settled(t)
	})
}

// deadlocks is how many deadlocks the server has resolved since it was started.
func deadlocks(t *testing.T, e *env) (n int) {
	t.Helper()
	query := "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS " +
		"WHERE NAME = 'lock_deadlocks' AND STATUS = 'enabled'"
	if e.server.MariaDB() {
		query = "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'"
	}
	var name string
	row := e.other.QueryRowContext(t.Context(), query)
	require.NoError(t, row.Scan(&name, &n), "the server's count of deadlocks")
	return n
}

// checkDeadlocksAreCounted makes one by hand: a count that stays at zero says nothing if it always does.
func checkDeadlocksAreCounted(t *testing.T, e *env) {
	t.Helper()
	before := deadlocks(t, e)
	first, second := e.account(t), e.account(t)
	tx, err := e.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	require.EqualValues(t, 1213, number(transfer(t.Context(), e, t, tx, first, second, true)))
	require.NoError(t, tx.Rollback())
	require.Equal(t, before+1, deadlocks(t, e), "deadlocks after one made by hand")
}

// crossing is what one Store did on one server.
type crossing struct {
	server, store string
	call          updateAll
	meets         bool // two closures can run on the same row at once

	calls, attempts, most int // calls that succeeded, their attempts, and those of the unluckiest
	wall, slowest         time.Duration
	errs                  []error // that came to callers
	deadlocks             int     // that the server counted
	oppositeDeadlocks     int
}

// updateAll is the method of either Store.
type updateAll = func(
	context.Context, []uint64, func(map[uint64]*shop.Account) error, ...sqlcas.Option,
) (map[uint64]shop.Account, error)

// opposite has two callers name two rows in opposite orders, at the same time.
func (c *crossing) opposite(t *testing.T, e *env) {
	t.Helper()
	a, b := e.account(t), e.account(t)
	for range oppositeRounds {
		var arrived [2]chan struct{}
		for i := range arrived {
			arrived[i] = make(chan struct{})
		}
		var wg sync.WaitGroup
		var errs [2]error
		for i, keys := range [][]uint64{{a, b}, {b, a}} {
			wg.Go(func() {
				// Where nothing is locked while a closure runs, both have read before either writes.
				var once sync.Once
				meet := func() { once.Do(func() { close(arrived[i]); <-arrived[1-i] }) }
				if !c.meets {
					meet()
				}
				_, errs[i] = c.call(t.Context(), keys, func(rows map[uint64]*shop.Account) error {
					meet()
					rows[keys[0]].Balance--
					rows[keys[1]].Balance += 2
					return nil
				})
				meet() // whoever failed before the closure does not keep the other waiting
			})
		}
		wg.Wait()
		require.NoError(t, errs[0], "%s.Store", c.store)
		require.NoError(t, errs[1], "%s.Store", c.store)
	}
	e.want(t, a, opening+oppositeRounds, 1+2*oppositeRounds)
	e.want(t, b, opening+oppositeRounds, 1+2*oppositeRounds)
}

// transfer has many callers transfer between random accounts, and ensures that each call succeeded,
// that the sum is what it was, and that each version tells the number of writes.
func (c *crossing) transfer(t *testing.T, e *env) {
	t.Helper()
	ids := make([]uint64, crossingAccounts)
	for i := range ids {
		ids[i] = e.account(t)
	}
	workers := make([]*crossingWorker, crossingWorkers)
	began := time.Now()
	end := began.Add(crossingTime(t))
	var wg sync.WaitGroup
	for i := range workers {
		w := &crossingWorker{Rand: rand.New(rand.NewPCG(uint64(i), 32)), writes: map[uint64]uint64{}}
		workers[i] = w
		wg.Go(func() {
			for w.err == nil && time.Now().Before(end) {
				w.transfer(t.Context(), c, ids)
			}
		})
	}
	wg.Wait()
	c.wall = time.Since(began)
	writes := map[uint64]uint64{}
	for _, w := range workers {
		if w.err != nil {
			c.errs = append(c.errs, w.err)
		}
		c.calls += w.calls
		c.attempts += w.attempts
		c.most, c.slowest = max(c.most, w.most), max(c.slowest, w.slowest)
		for id, n := range w.writes {
			writes[id] += n
		}
	}
	sum := int64(0)
	for _, id := range ids {
		a, err := shop.New(e.other).GetAccount(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, 1+writes[id], a.Version, "version of account %d after %d writes", id, writes[id])
		sum += a.Balance
	}
	require.EqualValues(t, crossingAccounts*opening, sum, "sum of all balances")
}

// crossingWorker is one caller of many.
type crossingWorker struct {
	*rand.Rand
	calls, attempts, most int
	slowest               time.Duration
	writes                map[uint64]uint64
	err                   error
}

// transfer takes from one account and gives to up to three others.
func (w *crossingWorker) transfer(ctx context.Context, c *crossing, ids []uint64) {
	keys := slices.Clone(ids)
	w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:2+w.IntN(3)]
	amount := w.Int64N(10)
	var r sqlcas.Report
	began := time.Now()
	_, w.err = c.call(ctx, keys, func(rows map[uint64]*shop.Account) error {
		for _, k := range keys[1:] {
			rows[keys[0]].Balance -= amount
			rows[k].Balance += amount
		}
		return nil
	}, sqlcas.WithReport(&r))
	took := time.Since(began)
	if w.err != nil {
		return
	}
	w.calls++
	w.attempts += r.Attempts
	w.most, w.slowest = max(w.most, r.Attempts), max(w.slowest, took)
	for _, k := range keys {
		w.writes[k]++
	}
}

// crossingTime reads the environment.
func crossingTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(crossingEnv)
	if text == "" {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, crossingEnv)
	return d
}

// crossingTable collects the crossings of a run.
type crossingTable struct {
	mu   sync.Mutex
	done []*crossing
}

var crossings = &crossingTable{}

func (ct *crossingTable) add(c *crossing) {
	ct.mu.Lock()
	defer ct.mu.Unlock()
	ct.done = append(ct.done, c)
}

// print writes one row per server and Store.
func (ct *crossingTable) print(w io.Writer) {
	ct.mu.Lock()
	defer ct.mu.Unlock()
	if len(ct.done) == 0 {
		return
	}
	slices.SortFunc(ct.done, func(a, b *crossing) int {
		return slices.Compare([]string{a.server, a.store}, []string{b.server, b.store})
	})
	fmt.Fprintf(w, "\nconformance: UpdateAll of 2 to 4 random ones of %d accounts, %d workers; "+
		"2 callers in opposite orders, %d times\n", crossingAccounts, crossingWorkers, oppositeRounds)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "server\tStore\ttime\tcalls\tcalls/s\tattempts per call\tmost\tslowest call\t"+
		"errors to callers\tdeadlocks on the server\tin opposite orders")
	for _, c := range ct.done {
		fmt.Fprintf(table, "\n%s\t%s\t%v\t%d\t%.0f\t%.2f\t%d\t%v\t%d\t%d\t%d",
			c.server, c.store, c.wall.Round(100*time.Millisecond), c.calls, float64(c.calls)/c.wall.Seconds(),
			float64(c.attempts)/float64(max(c.calls, 1)), c.most, c.slowest.Round(time.Millisecond),
			len(c.errs), c.deadlocks, c.oppositeDeadlocks)
	}
	fmt.Fprintln(table)
	_ = table.Flush()
}
