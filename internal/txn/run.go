package txn

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/witness"
)

var errNoQueryer = errors.New("the driver runs no statement without preparing it")

// Outcome is what became of an attempt.
type Outcome uint8

const (
	// NotApplied means that nothing of the attempt is durable.
	NotApplied Outcome = iota
	// Committed means that all of it is.
	Committed
	// Unknown means that the COMMIT was sent, its answer was lost, and nothing could decide.
	Unknown
)

// Result tells how an attempt ended.
type Result struct {
	Outcome Outcome
	// Err is the closure's error, untouched; or, where the closure had none, the machine's.
	Err error
	// Abort is the first error of the server that forbade the COMMIT, if there was one.
	Abort error
	// Refused says that the closure returned nil although Abort had made a COMMIT impossible, or
	// that Err tells of a closure that did what no closure may do.
	Refused bool
	// Lost says that Abort is a swap that had affected no row.
	Lost bool
	// FromClosure says that Err is the closure's, or that of a Hooks' statement in its transaction.
	FromClosure bool
	// Batch is how many calls' changes were written together; 0 if the attempt was one call's.
	Batch int
	// Class is what Err means, or where Err means nothing of itself, what Abort means.
	Class mysqlerr.Class
}

// Closure is the user's part of a transaction.
type Closure func(ctx context.Context, tx *sql.Tx) error

// beginTries is how often a connection that turns out to be dead before anything was sent on it
// is replaced by another of the pool, which database/sql does as well.
const beginTries = 3

// Run makes one attempt of fn in a transaction on a connection of db.
func Run(ctx context.Context, db *sql.DB, s *settings.Settings, fn Closure) Result {
	return RunHooked(ctx, db, s, fn, Hooks{})
}

// RunHooked is Run with statements of the caller's around the closure's.
func RunHooked(ctx context.Context, db *sql.DB, s *settings.Settings, fn Closure, hooks Hooks) Result {
	for try := 1; ; try++ {
		a := &attempt{db: db, settings: s, fn: fn, hooks: hooks}
		res := a.run(ctx)
		if !a.began && try < beginTries && errors.Is(res.Err, driver.ErrBadConn) {
			continue
		}
		return res
	}
}

// attempt is the state of one Run.
type attempt struct {
	db       *sql.DB
	settings *settings.Settings
	fn       Closure
	hooks    Hooks

	ident identity
	began bool
	clean bool // the connection may go back to the pool

	mu     sync.Mutex
	noWait []error // answers of NOWAIT reads that met a locked row
}

func (a *attempt) run(ctx context.Context) (res Result) {
	conn, err := a.db.Conn(ctx)
	if err != nil {
		return Result{Err: err, Class: a.settings.ClassOf(err)}
	}
	var swaps []swap
	// The connection first goes back to the pool, or out of it, and only then the session that it
	// leaves behind is ended: that needs a connection, and this may have been the pool's last one.
	defer func() {
		_ = conn.Close()
		if a.began && !a.clean {
			res = a.settle(ctx, res, swaps)
		}
	}()
	if err := a.before(ctx, conn); err != nil {
		return Result{Err: err, Class: a.settings.ClassOf(err)}
	}
	res = Result{Err: driver.ErrBadConn, Class: mysqlerr.Lost} // until the connection says otherwise
	_ = conn.Raw(func(dc any) error {
		sess, err := a.begin(ctx, dc.(driver.Conn))
		if err != nil {
			res = Result{Err: err, Class: a.settings.ClassOf(err)}
			return err
		}
		res = a.inside(ctx, dc.(driver.Conn), sess)
		if res.Outcome == Unknown {
			swaps = tellingSwaps(sess.Writes())
		}
		if !a.clean {
			return driver.ErrBadConn // tells the pool to drop the connection
		}
		return nil
	})
	return res
}

// begin opens the transaction. A connection whose BEGIN failed is the pool's to judge.
func (a *attempt) begin(ctx context.Context, dc driver.Conn) (*witness.Session, error) {
	ident, err := identify(ctx, dc)
	if err != nil {
		return nil, err
	}
	a.ident = ident
	if err := ident.unfit(a.settings.IsolationSet); err != nil {
		return nil, err
	}
	opts := &sql.TxOptions{Isolation: a.settings.Isolation}
	return witness.Begin(ctx, dc, a.db.Driver(), opts, a.settings.CommitTimeout, a.verdict)
}

// inside calls the closure and ends the transaction. On a panic or Goexit only the deferred part
// runs: it rolls back, and the stack goes on unwinding.
func (a *attempt) inside(ctx context.Context, dc driver.Conn, sess *witness.Session) Result {
	a.began = true
	ended := false
	frame := &Frame{outer: Enclosing(ctx), db: a.db, tx: sess.Tx, ident: a.ident, sess: sess}
	defer func() {
		frame.end()
		if !ended {
			sess.Rollback()
		}
		if sess.Moved() {
			forget(dc)
		}
		a.clean = sess.Clean()
		sess.Close()
	}()
	err := a.fn(context.WithValue(ctx, frameKey{}, frame), sess.Tx)
	frame.end()
	if err != nil {
		sess.Rollback()
		ended = true
		return a.afterError(err, sess.Aborted())
	}
	writes, _ := sess.Writes()
	lost := cmp.Or(lostSwap(writes), sess.Owed())
	if lost != nil {
		sess.Forbid(lost)
	}
	if err := a.last(ctx, sess); err != nil {
		sess.Rollback()
		ended = true
		return a.afterError(err, sess.Aborted())
	}
	fate := sess.Commit()
	ended = true
	res := a.afterCommit(fate, sess.Aborted())
	res.Lost = lost != nil && res.Abort == lost
	return res
}

// afterError judges a closure that returned an error. Where the error says nothing of itself, be
// it the closure's own, flattened by %v, or a consequence of an earlier one (a SAVEPOINT that went
// with a deadlock), what the server had said before decides.
func (a *attempt) afterError(err, abort error) Result {
	class := a.classOf(err)
	if !class.Rerun() && class != mysqlerr.LockNoWait && class != mysqlerr.Context && abort != nil {
		class = a.classOf(abort)
	}
	if class == mysqlerr.Lost && (abort == nil || a.classOf(abort) != mysqlerr.Lost) {
		class = mysqlerr.Other // the closure lost a connection of somebody else's
	}
	refused := abort != nil && errors.Is(err, abort) && witness.IsMisuse(abort)
	return Result{Err: err, FromClosure: true, Abort: abort, Refused: refused, Class: class}
}

// afterCommit judges a COMMIT, as far as that can be done without asking anybody.
func (a *attempt) afterCommit(fate witness.Fate, abort error) Result {
	if fate.Err == nil {
		return Result{Outcome: Committed}
	}
	class := a.classOf(fate.Err)
	if !fate.Sent {
		return Result{Err: fate.Err, Abort: abort, Refused: abort != nil, Class: class}
	}
	if class.Refusal() {
		return Result{Err: fate.Err, Abort: fate.Err, Class: class}
	}
	return Result{Outcome: Unknown, Err: fate.Err, Class: class}
}

// classOf is the settings' classifier, but knows which lock errors came from NOWAIT reads.
func (a *attempt) classOf(err error) mysqlerr.Class {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.noWait {
		if mysqlerr.Same(e, err) {
			return mysqlerr.LockNoWait
		}
	}
	return a.settings.ClassOf(err)
}

// noWaitRead finds NOWAIT as the last word of a SELECT. Comments may stand before it, as in the
// queries of sqlc, and after it, where tracers put theirs.
var noWaitRead = regexp.MustCompile(`(?is)^(?:[\s(]|--[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*SELECT\b.*` +
	`\bNOWAIT\b(?:[\s;)]|--[^\n]*|#[^\n]*|/\*.*?\*/)*$`)

// verdict is asked by the witness about every error.
func (a *attempt) verdict(query string, err error) bool {
	if mysqlerr.Classify(err) == mysqlerr.LockTimeout && noWaitRead.MatchString(query) {
		a.mu.Lock()
		a.noWait = append(a.noWait, err)
		a.mu.Unlock()
		return a.ident.rollsBack // innodb_rollback_on_timeout: this one has undone everything as well
	}
	return a.settings.Aborts(err)
}

// detached gives the runner's own statements a context of their own.
func detached(ctx context.Context, bound time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), bound)
}
