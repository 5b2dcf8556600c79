package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

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
