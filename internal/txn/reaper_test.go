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
