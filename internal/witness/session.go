package witness

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrEndedByClosure is the abort cause of a closure that called Commit or Rollback on its *sql.Tx.
var ErrEndedByClosure = errors.New("the closure called Commit or Rollback on its transaction: leave that out, " +
	"also as defer tx.Rollback(); it is committed when the closure returns nil, and rolled back otherwise")

// Session is one transaction on one watched connection. Its methods are for the runner's
// goroutine; the Tx is for the closure.
type Session struct {
	// Tx is a genuine transaction of database/sql.
	Tx *sql.Tx

	db   *sql.DB
	conn *sessionConn
}

// Begin starts a transaction on dc, which it borrows: Close ends the borrowing, dc stays open. The
// end of ctx rolls the transaction back. COMMIT and ROLLBACK each take bound at most; a connection
// that does not answer in time is not to be used again (see Valid).
func Begin(
	ctx context.Context, dc driver.Conn, drv driver.Driver, opts *sql.TxOptions, bound time.Duration, verdict Verdict,
) (*Session, error) {
	conn := &sessionConn{bound: bound, closed: make(chan struct{})}
	conn.rec = &record{verdict: verdict}
	conn.Conn = Conn{inner: dc, hook: conn.rec}
	conn.rec.valid = conn.IsValid
	db := sql.OpenDB(&connector{conn: conn, drv: drv})
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(-1)
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &Session{Tx: tx, db: db, conn: conn}, nil
}

// Fate is what became of a transaction that Commit was asked for.
type Fate struct {
	Sent bool  // COMMIT was sent; false: it was refused, or ctx had ended, and all is rolled back
	Err  error // why it was refused, or what the COMMIT ended with; nil: committed
}

// Commit commits unless something forbids it. A COMMIT that was sent and not answered leaves the
// outcome open: Fate.Err is then the driver's error.
func (s *Session) Commit() Fate {
	s.conn.mayCommit.Store(true)
	err := s.Tx.Commit()
	if !s.await() {
		err = errors.Join(err, driver.ErrBadConn)
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	if s.conn.commitSent {
		return Fate{Sent: true, Err: s.conn.commitErr}
	}
	if abort := s.Aborted(); abort != nil {
		return Fate{Err: abort}
	}
	return Fate{Err: err}
}

// Rollback rolls back, whoever else may be doing so, and waits for the end of it.
func (s *Session) Rollback() {
	s.conn.mayRollback.Store(true)
	_ = s.Tx.Rollback() // what matters of it is noted on the connection
	s.await()
}

// Close ends the session. It must follow Commit or Rollback.
func (s *Session) Close() { _ = s.db.Close() }

// Aborted returns the first error that forbids a COMMIT, or nil.
func (s *Session) Aborted() error { return s.conn.rec.aborted() }

// Forbid makes a later Commit fail with err, unless something else had forbidden it before.
func (s *Session) Forbid(err error) { s.conn.rec.forbid(err) }

// Owe makes a later Commit impossible for who has been told err and returns nil, unless a ROLLBACK TO
// SAVEPOINT or Forgive comes between.
func (s *Session) Owe(err error) { s.conn.rec.owe(err) }

// Owed returns the first error that is owed, or nil.
func (s *Session) Owed() error {
	s.conn.rec.mu.Lock()
	defer s.conn.rec.mu.Unlock()
	return s.conn.rec.owed
}

// Changes counts the statements so far that may have changed a row.
func (s *Session) Changes() int {
	s.conn.rec.mu.Lock()
	defer s.conn.rec.mu.Unlock()
	return s.conn.rec.changes
}

// Moved reports whether the transaction may have changed the connection's default schema.
func (s *Session) Moved() bool {
	s.conn.rec.mu.Lock()
	defer s.conn.rec.mu.Unlock()
	return s.conn.rec.moved
}

// Mark returns the place of the next write, for Forgive.
func (s *Session) Mark() int {
	s.conn.rec.mu.Lock()
	defer s.conn.rec.mu.Unlock()
	return len(s.conn.rec.writes)
}

// Forgive forgets the UPDATEs since mark that affected no row: whoever sent them knows of it.
func (s *Session) Forgive(mark int) {
	s.conn.rec.mu.Lock()
	defer s.conn.rec.mu.Unlock()
	s.conn.rec.forgive(min(mark, len(s.conn.rec.writes)))
}

// Writes returns what the transaction has written, in order. It is not complete if a part has been
// taken back to a savepoint, or if it is too much to remember.
func (s *Session) Writes() (writes []Write, complete bool) {
	s.conn.rec.mu.Lock()
	defer s.conn.rec.mu.Unlock()
	return s.conn.rec.writes, !s.conn.rec.partial
}

// Clean reports whether the borrowed connection may go back to its pool: it works, and the
// transaction on it has certainly ended.
func (s *Session) Clean() bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.ended && s.conn.IsValid()
}

// await waits until database/sql has let go of the connection. When ctx ends, that happens on a
// goroutine of database/sql.
func (s *Session) await() bool {
	select { // no timer where none is needed
	case <-s.conn.closed:
		return true
	default:
	}
	timer := time.NewTimer(s.conn.bound + time.Second)
	defer timer.Stop()
	select {
	case <-s.conn.closed:
		return true
	case <-timer.C:
		return false
	}
}

// connector hands out its one connection, once.
type connector struct {
	conn *sessionConn
	drv  driver.Driver
	used atomic.Bool
}

func (c *connector) Connect(context.Context) (driver.Conn, error) {
	if c.used.Swap(true) {
		return nil, driver.ErrBadConn
	}
	return c.conn, nil
}

func (c *connector) Driver() driver.Driver { return c.drv }

// sessionConn is the watched connection of one session.
type sessionConn struct {
	Conn
	rec         *record
	bound       time.Duration
	mayCommit   atomic.Bool
	mayRollback atomic.Bool
	closeOnce   sync.Once
	closed      chan struct{} // closed when database/sql is done with the connection

	mu         sync.Mutex
	ended      bool // the server confirmed the end of the transaction
	commitSent bool
	commitErr  error
}

// BeginTx starts the transaction in the way of the driver; how it ends is up to tx.
func (c *sessionConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	inner, err := c.Conn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &tx{conn: c, inner: inner, ctx: ctx}, nil
}

// Close gives the connection back; it belongs to the user's pool, which alone may close it.
func (c *sessionConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}
