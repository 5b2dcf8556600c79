package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// connID tells a script's connections apart.
func connID(conn *sql.Conn) (id int) {
	_ = conn.Raw(func(dc any) error {
		id = dc.(*scriptdb.Conn).ID
		return nil
	})
	return id
}

// queued waits until so many requests wait for a pool's reaper.
func queued(t *testing.T, db *sql.DB, want int) {
	t.Helper()
	r := reaperOf(db)
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.queue) == want
	}, 10*time.Second, time.Millisecond, "%d requests in the queue", want)
}

// rests waits until a pool's reaper has ended its work.
func rests(t *testing.T, db *sql.DB) {
	t.Helper()
	r := reaperOf(db)
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return !r.busy && len(r.queue) == 0 && r.hangUp == nil
	}, 10*time.Second, time.Millisecond, "the reaper is at work")
}

// full takes a pool's only connection.
func full(t *testing.T, db *sql.DB) *sql.Conn {
	t.Helper()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Ensures that jobs are done one after the other, in the order in which they were asked for, and all
// on one connection, which goes back to the pool.
func TestReaperDoesJobsInOrderOnOneConnection(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	const jobs = 8
	var order, conns []int
	var wg sync.WaitGroup
	entered, leave := make(chan struct{}), make(chan struct{})
	do := func(n int, first bool) {
		started, err := ask(t.Context(), db, nil, func(_ context.Context, conn *sql.Conn) error {
			if first {
				close(entered)
				<-leave
			}
			order, conns = append(order, n), append(conns, connID(conn)) // jobs never run side by side
			return nil
		})
		if !started || err != nil {
			t.Errorf("job %d: started %v, %v", n, started, err)
		}
	}
	wg.Go(func() { do(0, true) })
	<-entered
	for n := 1; n < jobs; n++ {
		wg.Go(func() { do(n, false) })
		queued(t, db, n)
	}
	close(leave)
	wg.Wait()
	rests(t, db)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, order)
	for _, id := range conns {
		require.Equal(t, conns[0], id, "connections: %v", conns)
	}
	require.Zero(t, db.Stats().InUse)
	require.Equal(t, 1, script.Dialed())
}

// Ensures that a job's error is its caller's alone.
func TestReaperReturnsAJobsError(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	broken := errors.New("the job failed")
	started, err := ask(t.Context(), db, nil, func(context.Context, *sql.Conn) error { return broken })
	require.True(t, started)
	require.Equal(t, broken, err)
	started, err = ask(t.Context(), db, nil, func(context.Context, *sql.Conn) error { return nil })
	require.True(t, started)
	require.NoError(t, err)
	rests(t, db)
}

// Ensures that who comes later waits longer, so that not all of those who wait give up their
// connections where one is enough, and nobody for more than the longest patience.
func TestPatienceGrowsWithThePlace(t *testing.T) {
	t.Parallel()
	r := &reaper{busy: true}
	before := time.Duration(0)
	for place := 1; place <= 10; place++ {
		got := r.enter(nil, &request{})
		require.Equal(t, min(time.Duration(place)*patience, longestPatience), got, "place %d", place)
		require.GreaterOrEqual(t, got, before)
		before = got
	}
}

// Ensures that a job for which the pool has no connection is given up, is never done, and that the
// reaper stops waiting when the last one has left, though the pool is still full.
func TestAFullPoolEndsThePatience(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	conn := full(t, db)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			started, err := ask(t.Context(), db, make(chan struct{}), func(context.Context, *sql.Conn) error {
				t.Error("the job was done")
				return nil
			})
			if started || !errors.Is(err, errNoConnection) {
				t.Errorf("got started %v, %v, want false, %v", started, err, errNoConnection)
			}
		})
	}
	wg.Wait()
	left := time.Now()
	rests(t, db) // it no longer waits in the pool's queue
	require.Less(t, time.Since(left), killBound/2, "the reaper is told to hang up")
	require.NoError(t, conn.Close())
	started, err := ask(t.Context(), db, nil, func(context.Context, *sql.Conn) error { return nil })
	require.True(t, started, "the reaper works again")
	require.NoError(t, err)
	rests(t, db)
}

// slowDial is a connector whose connections take their time, or are refused.
type slowDial struct {
	driver.Connector
	takes   time.Duration
	refused error
}

func (d slowDial) Connect(ctx context.Context) (driver.Conn, error) {
	select {
	case <-time.After(d.takes): // a network's time
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if d.refused != nil {
		return nil, d.refused
	}
	return d.Connector.Connect(ctx)
}

// Ensures that a pool which is only slow to connect is waited for: nobody makes room by giving up.
func TestASlowPoolIsWaitedFor(t *testing.T) {
	t.Parallel()
	db := sql.OpenDB(slowDial{Connector: scriptdb.New(nil), takes: 4 * longestPatience})
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(8)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			started, err := ask(t.Context(), db, make(chan struct{}), func(context.Context, *sql.Conn) error { return nil })
			if !started || err != nil {
				t.Errorf("got started %v, %v", started, err)
			}
		})
	}
	wg.Wait()
	rests(t, db)
}

// Ensures that all who wait are told at once when the pool can have no connection at all.
func TestAPoolThatCannotConnect(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	db := sql.OpenDB(slowDial{Connector: scriptdb.New(nil), takes: time.Millisecond, refused: refused})
	defer func() { _ = db.Close() }()
	var wg sync.WaitGroup
	start := time.Now()
	for range 4 {
		wg.Go(func() {
			_, err := ask(t.Context(), db, nil, func(context.Context, *sql.Conn) error { return nil })
			if !errors.Is(err, refused) {
				t.Errorf("got %v, want %v", err, refused)
			}
		})
	}
	wg.Wait()
	require.Less(t, time.Since(start), killBound)
	rests(t, db)
}

// Ensures that a job which nobody waits for is done when the pool has a connection, and not after its
// bound.
func TestAPostedJob(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	conn := full(t, db)
	done, late := make(chan struct{}), make(chan struct{})
	post(db, 2*longestPatience, func(context.Context, *sql.Conn) error {
		close(late)
		return nil
	})
	post(db, time.Minute, func(context.Context, *sql.Conn) error {
		close(done)
		return nil
	})
	queued(t, db, 1) // the bound of the other has passed
	require.NoError(t, conn.Close())
	<-done
	rests(t, db)
	select {
	case <-late:
		t.Error("a job was done after its bound")
	default:
	}
}

// Ensures that nobody waits for longer than his patience while a pool stays full, also when there is always
// somebody who waits, so that the reaper is never told to hang up.
func TestAFullPoolTriesNobodysPatience(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	conn := full(t, db)
	const within = killBound / 2
	var wg sync.WaitGroup
	end := time.Now().Add(killBound + killBound/2) // longer than the reaper waits for a connection
	for range 4 {
		wg.Go(func() {
			for time.Now().Before(end) {
				ctx, cancel := context.WithTimeout(t.Context(), 4*killBound)
				start := time.Now()
				started, err := ask(ctx, db, make(chan struct{}), func(context.Context, *sql.Conn) error { return nil })
				if took := time.Since(start); took > within {
					t.Errorf("waited %v for a connection, want some %v: started %v, %v", took, longestPatience, started, err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	require.NoError(t, conn.Close())
	rests(t, db)
}

// Ensures that a job is withdrawn when its context ends, or when what it was to end is over, before a
// connection was there, and that it is never done then.
func TestAJobIsWithdrawn(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	conn := full(t, db)
	never := func(context.Context, *sql.Conn) error {
		t.Error("the job was done")
		return nil
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	started, err := ask(ended, db, nil, never)
	require.False(t, started)
	require.ErrorIs(t, err, context.Canceled)
	over := make(chan struct{})
	close(over)
	started, err = ask(t.Context(), db, over, never)
	require.False(t, started)
	require.NoError(t, err, "what was to be ended has ended")
	rests(t, db)
	require.NoError(t, conn.Close())
}

// Ensures that a job which has begun is waited for, whatever ends meanwhile: its caller must not go on
// while it works on the caller's session.
func TestAJobThatHasBegunIsWaitedFor(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	ctx, cancel := context.WithCancel(t.Context())
	over, begun, leave := make(chan struct{}), make(chan struct{}), make(chan struct{})
	done := make(chan bool, 1)
	go func() {
		started, _ := ask(ctx, db, over, func(context.Context, *sql.Conn) error {
			close(begun)
			<-leave
			return nil
		})
		done <- started
	}()
	<-begun
	cancel()
	close(over)
	select {
	case <-done:
		close(leave)
		t.Fatal("the caller has left while its job is under way")
	case <-time.After(2 * longestPatience):
	}
	close(leave)
	require.True(t, <-done, "started")
	rests(t, db)
}

// Ensures that a job is done again on another connection if the one it got turns out to be dead, that
// the dead one is not used again, and that it is given up after a few.
func TestAJobIsDoneAgainOnAnotherConnection(t *testing.T) {
	t.Parallel()
	for _, dead := range []error{driver.ErrBadConn, mysql.ErrInvalidConn} {
		for deaths, fails := range map[int]bool{0: false, beginTries - 1: false, beginTries: true} {
			script := scriptdb.New(nil)
			db := pool(t, script)
			var conns []int
			started, err := ask(t.Context(), db, nil, func(_ context.Context, conn *sql.Conn) error {
				conns = append(conns, connID(conn))
				if len(conns) <= deaths {
					_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // as a lost connection is found out
					return dead
				}
				return nil
			})
			require.True(t, started)
			require.Equal(t, fails, err != nil, "%d dead connections: %v", deaths, err)
			if fails {
				require.ErrorIs(t, err, dead)
			}
			require.Len(t, conns, min(deaths+1, beginTries))
			for i, id := range conns {
				require.Equal(t, i+1, id, "connections: %v", conns)
			}
			rests(t, db)
			require.Zero(t, db.Stats().InUse)
			require.Equal(t, min(deaths, beginTries), script.Closed(), "closed connections")
		}
	}
}

// Ensures that a job whose context has ended in its midst is not done again, that the connection, on
// which something may still be under way, is closed, and that the next job gets another.
func TestAJobThatHasRunOutOfTime(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	ctx, cancel := context.WithCancel(t.Context())
	begun, runs := make(chan struct{}), 0
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := ask(ctx, db, nil, func(ctx context.Context, conn *sql.Conn) error {
			runs++
			close(begun)
			queued(t, db, 1)
			cancel()
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
	<-begun
	started, err := ask(t.Context(), db, nil, func(_ context.Context, conn *sql.Conn) error {
		require.Equal(t, 2, connID(conn))
		return nil
	})
	require.True(t, started)
	require.NoError(t, err)
	wg.Wait()
	require.Equal(t, 1, runs)
	rests(t, db)
}

// Ensures that pools have reapers of their own, and that one goes with its pool.
func TestAReaperGoesWithItsPool(t *testing.T) {
	t.Parallel()
	one, other := scriptdb.New(nil).Open(), scriptdb.New(nil).Open()
	require.Same(t, reaperOf(one), reaperOf(one))
	require.NotSame(t, reaperOf(one), reaperOf(other))
	gone := make(chan struct{})
	runtime.AddCleanup(reaperOf(one), func(c chan struct{}) { close(c) }, gone)
	require.NoError(t, errors.Join(one.Close(), other.Close()))
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, 10*time.Second, time.Millisecond, "the reaper of a pool that is gone")
}
