package linear

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/schema"
)

// TestMain looks for goroutines that a fault has left, once all servers and pools are closed.
func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }

const (
	callers        = 32 // half of them on each of two Stores
	foreigners     = 4  // by raw SQL
	rowsPerHistory = 8
	callsEach      = 12
	// conns is how many connections a pool has: fewer than it has callers.
	conns = 12
	// hangLimit is how long a history may take, of which each call ends with its context or soon after.
	hangLimit = 60 * time.Second
	// quietLimit is how long faults may go on after the last call has returned.
	quietLimit = 20 * time.Second
)

// opening is how each row begins. Its version is not 1: a Store learns nothing of a row that may be new.
var opening = state{balance: 15, version: 5}

// rig is one server with the shop's tables in a database of the test's own.
type rig struct {
	cfg   *mysql.Config // straight to the server
	truth *sql.DB       // of one connection, which no fault and no KILL hits
	rows  uint64        // that were made
	final map[uint64]state
}

func newRig(t *testing.T, s *mysqltest.Server) *rig {
	t.Helper()
	cfg := s.Config(t, schema.Shop()...)
	cfg.Logger = &mysql.NopLogger{} // lost connections are this package's business
	r := &rig{cfg: cfg, final: map[uint64]state{}}
	r.truth = r.open(t, cfg, 1)
	return r
}

// open returns a pool that must be idle when the test ends.
func (r *rig) open(t *testing.T, cfg *mysql.Config, conns int) *sql.DB {
	t.Helper()
	c, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	t.Cleanup(func() {
		if n := db.Stats().InUse; n != 0 {
			t.Errorf("%d connections are in use at the end", n)
		}
		_ = db.Close()
	})
	return db
}

// pools returns one with the driver's placeholders and one without, whose statements have other packets.
func (r *rig) pools(t *testing.T, addr string) [2]*sql.DB {
	t.Helper()
	var dbs [2]*sql.DB
	for i := range dbs {
		cfg := r.cfg.Clone()
		cfg.Addr, cfg.InterpolateParams = addr, i == 1
		dbs[i] = r.open(t, cfg, conns)
	}
	return dbs
}

// exec runs a statement past all faults.
func (r *rig) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := r.truth.ExecContext(t.Context(), query, args...)
	require.NoError(t, err, query)
}

// number reads one number past all faults.
func (r *rig) number(t *testing.T, query string) int {
	t.Helper()
	var n int
	require.NoError(t, r.truth.QueryRowContext(t.Context(), query).Scan(&n), query)
	return n
}

// make enters rows that no earlier history knows.
func (r *rig) make(t *testing.T) []uint64 {
	t.Helper()
	keys, values := make([]uint64, rowsPerHistory), make([]string, rowsPerHistory)
	for i := range keys {
		r.rows++
		keys[i] = r.rows
		values[i] = fmt.Sprintf("(%d, '%s', %d, %d)", r.rows, opening.writers, opening.balance, opening.version)
	}
	r.exec(t, "INSERT INTO account (id, owner, balance, version) VALUES "+strings.Join(values, ","))
	return keys
}

// running counts the sessions of this database that do anything, the counting one aside.
const running = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() " +
	"AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID() " +
	"AND NOT (COMMAND = 'Killed' AND INFO IS NULL)" // MariaDB lists one so that has nothing more to do

// quiet waits until nothing can write any more.
func (r *rig) quiet(t *testing.T, p *players) {
	t.Helper()
	p.background.Wait()
	for deadline := time.Now().Add(quietLimit); ; time.Sleep(2 * time.Millisecond) {
		p.faults.end()
		used := p.foreign.Stats().InUse
		for _, db := range p.dbs {
			used += db.Stats().InUse
		}
		busy := r.number(t, running)
		if used == 0 && busy == 0 && p.faults.orphans() == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v after the last call %d connections are in use, %d sessions run something, %d have no client",
				quietLimit, used, busy, p.faults.orphans())
		}
	}
}

// players are those who make calls on one rig: two processes, each with a Store, and a foreign one.
type players struct {
	dbs        [2]*sql.DB
	stores     [2]store
	foreign    *sql.DB
	faults     *faults         // nil for none
	background *sync.WaitGroup // what a broken Store does when its caller has gone
}

// play plays one history.
func (r *rig) play(t *testing.T, p *players, seed uint64) *history {
	t.Helper()
	rows := r.make(t)
	h := newHistory(seed, opening)
	all := make([]*caller, 0, callers+foreigners)
	for id := range callers + foreigners {
		c := &caller{
			id: id, rows: rows, known: map[uint64]uint64{},
			rng: rand.New(rand.NewPCG(seed, uint64(id))),
		}
		if c.hasty = id < callers; c.hasty {
			c.store = p.stores[id%2]
		} else {
			c.store = foreign{p.foreign}
		}
		all = append(all, c)
	}
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			<-begin
			c.play(t.Context(), h, callsEach, p.faults.strike)
		})
	}
	close(begin)
	p.wait(t, seed, &wg)
	r.quiet(t, p)
	r.finish(t, h, rows)
	return h
}

// wait returns when all callers have their last answer. A caller who gets none, though his context is long over, is
// told of with the place where he hangs, and let go by cutting his connection.
func (p *players) wait(t *testing.T, seed uint64, wg *sync.WaitGroup) {
	t.Helper()
	all := make(chan struct{})
	go func() { wg.Wait(); close(all) }()
	timer := time.NewTimer(hangLimit)
	defer timer.Stop()
	select {
	case <-all:
		return
	case <-timer.C:
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	t.Errorf("seed %d: a call has no answer after %v, and its context ended after %v at the latest:\n%s",
		seed, hangLimit, patience, calling(string(stacks)))
	p.faults.cut()
	<-all
}

// calling picks the goroutines that are in a call of a Store.
func calling(stacks string) string {
	var in []string
	for one := range strings.SplitSeq(stacks, "\n\n") {
		if strings.Contains(one, ".(*caller).call(") {
			in = append(in, one)
		}
	}
	return strings.Join(in, "\n\n")
}

// finish reads the rows for the last time.
func (r *rig) finish(t *testing.T, h *history, rows []uint64) {
	t.Helper()
	last := &caller{id: callers + foreigners, store: foreign{r.truth}}
	for _, key := range rows {
		in := input{method: get, key: key}
		out := h.record(last.id, in, func() output { return last.call(t.Context(), h, in, false) })
		require.Equal(t, seen, out.answer, "reading row %d past all faults", key)
		r.final[key] = out.row
	}
	h.seal()
}

// unchanged looks whether a row was written after its history had ended.
func (r *rig) unchanged(t *testing.T) {
	t.Helper()
	for key, want := range r.final {
		row, err := foreign{r.truth}.Get(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, want, stateOf(row), "row %d, when all calls had been answered for long", key)
	}
}
