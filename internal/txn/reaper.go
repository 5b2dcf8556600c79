package txn

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// A job is something to do about a session from another connection of its pool.
type job func(ctx context.Context, conn *sql.Conn) error

// reaper does the jobs of one pool, one after the other on one connection. When a row that many
// wait for stays locked, all of them ask at the same moment, and the pool may be full of just them:
// each freeing its own connection, and all sharing the first that can be had, none waits long.
type reaper struct {
	mu        sync.Mutex
	queue     []*request
	busy      bool
	connected bool
	hangUp    context.CancelFunc // ends the wait for a connection
}

type request struct {
	ctx   context.Context
	job   job
	begun bool
	err   error
	done  chan struct{}
	ended context.CancelFunc // of ctx, for a job that nobody waits for; else nil
}

// finish tells that the request has been dealt with.
func (q *request) finish() {
	if q.ended != nil {
		q.ended()
	}
	close(q.done)
}

// patience is how long the first of those who ask waits for a full pool to give the reaper a connection;
// the second waits twice as long, and so on up to the longest. Who has lost patience closes his own
// connection, which makes room in the pool for the reaper's; it takes only one to do so. A pool that is not
// full is only slow to connect, and is waited for.
const (
	patience        = 10 * time.Millisecond
	longestPatience = 50 * time.Millisecond
)

// errNoConnection says that the reaper got no connection in time.
var errNoConnection = errors.New("the pool has no connection free to end the statement from")

// reapers finds the reaper of a pool, by a weak key so that it keeps no closed pool in memory.
var reapers sync.Map // weak.Pointer[sql.DB] -> *reaper

func reaperOf(db *sql.DB) *reaper {
	key := weak.Make(db)
	if r, ok := reapers.Load(key); ok {
		return r.(*reaper)
	}
	r, loaded := reapers.LoadOrStore(key, &reaper{})
	if !loaded {
		runtime.AddCleanup(db, func(k weak.Pointer[sql.DB]) { reapers.Delete(k) }, key)
	}
	return r.(*reaper)
}

// ask has the job done, under ctx, and returns its error. A job that has not been started when ctx
// ends, when over is closed, or when the pool has had no connection to start it on for longer than the
// caller's patience, never will be; started says so. With a nil over the caller has no connection to
// give up, and all the patience that ctx leaves him.
func ask(ctx context.Context, db *sql.DB, over <-chan struct{}, j job) (started bool, err error) {
	r := reaperOf(db)
	q := &request{ctx: ctx, job: j, done: make(chan struct{})}
	wait := r.enter(db, q)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-q.done:
			return q.begun, q.err
		case <-ctx.Done():
			err = ctx.Err()
		case <-over:
		case <-timer.C:
			if over == nil || r.works() || !isFull(db) {
				timer.Reset(wait)
				continue
			}
			err = errNoConnection
		}
		if r.withdraw(q) {
			return false, err
		}
		<-q.done // it has been taken up
		return q.begun, q.err
	}
}

// post has a job done some time before the bound, or not at all, and does not wait for it.
func post(db *sql.DB, bound time.Duration, j job) {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	r := reaperOf(db)
	q := &request{ctx: ctx, ended: cancel, done: make(chan struct{}), job: func(ctx context.Context, conn *sql.Conn) error {
		ctx, stop := context.WithTimeout(ctx, killBound) // one that hangs does not keep its connection for long
		defer stop()
		return j(ctx, conn)
	}}
	r.enter(db, q)
	context.AfterFunc(ctx, func() { r.withdraw(q) })
}

// enter queues a request and returns the patience of its place.
func (r *reaper) enter(db *sql.DB, q *request) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, q)
	if !r.busy {
		r.busy = true
		go r.work(db)
	}
	return min(patience*time.Duration(len(r.queue)), longestPatience)
}

// isFull reports whether the pool cannot open another connection.
func isFull(db *sql.DB) bool {
	s := db.Stats()
	return s.MaxOpenConnections > 0 && s.OpenConnections >= s.MaxOpenConnections
}

func (r *reaper) works() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.connected
}

// withdraw takes back a request, unless it was taken up. The last one to leave ends the wait.
func (r *reaper) withdraw(q *request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.queue, q)
	if i < 0 {
		return false
	}
	r.queue = slices.Delete(r.queue, i, i+1)
	if len(r.queue) == 0 && r.hangUp != nil {
		r.hangUp()
	}
	return true
}

// next takes up the oldest request. When there is none, the work is over.
func (r *reaper) next() *request {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 {
		r.busy, r.connected = false, false
		return nil
	}
	q := r.queue[0]
	r.queue = r.queue[1:]
	return q
}

// work does all requests and ends. It asks for a connection before it takes up any, so that those
// who do not want to wait so long can withdraw.
func (r *reaper) work(db *sql.DB) {
	var conn *sql.Conn
	for {
		if conn == nil {
			if conn = r.connect(db); conn == nil && r.waited() {
				continue // nobody is taken up without a connection, as he could not withdraw then
			}
		}
		q := r.next()
		if q == nil {
			break
		}
		conn = q.do(db, conn)
		if conn != nil && !r.waited() { // who is told that his job is done finds the pool at rest
			_ = conn.Close()
			conn = nil
		}
		q.finish()
	}
	if conn != nil {
		_ = conn.Close()
	}
}

// connect gets a connection while anybody waits for one, or none. What keeps the pool from connecting at
// all is told to all who wait.
func (r *reaper) connect(db *sql.DB) *sql.Conn {
	ctx, cancel := context.WithTimeout(context.Background(), killBound)
	defer cancel()
	r.mu.Lock()
	r.connected, r.hangUp = false, cancel
	if len(r.queue) == 0 {
		cancel()
	}
	r.mu.Unlock()
	conn, err := db.Conn(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected, r.hangUp = err == nil, nil
	if err == nil {
		return conn
	}
	if ctx.Err() == nil {
		for _, q := range r.queue {
			q.err = err
			q.finish()
		}
		r.queue = nil
	}
	return nil
}

// waited reports whether anybody is waiting.
func (r *reaper) waited() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue) > 0
}

// do does the job, on another connection if the one given turns out to be dead, and returns the
// connection for the next.
func (q *request) do(db *sql.DB, conn *sql.Conn) *sql.Conn {
	for range beginTries {
		if conn == nil {
			if conn, q.err = db.Conn(q.ctx); q.err != nil {
				return nil
			}
		}
		q.begun, q.err = true, q.job(q.ctx, conn)
		switch mysqlerr.Classify(q.err) {
		case mysqlerr.Lost, mysqlerr.Context: // the driver has closed it, or is about to
			_ = conn.Close()
			conn = nil
		}
		if conn != nil || q.ctx.Err() != nil {
			break
		}
	}
	return conn
}
