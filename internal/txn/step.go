package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// DBTX is what a Step's statements are run on: the root package's DBTX under another name.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Step is the read-compute-update of one row. It is an interface, and not functions, because a Store makes one for each
// call.
type Step interface {
	// Read reads the row. It writes nothing.
	Read(ctx context.Context, db DBTX) error
	// Compute is the user's part.
	Compute() error
	// Write sends the swap. It is the only write. An error that is not the server's, and that came after
	// the swap was sent, is an InDoubtError.
	Write(ctx context.Context, db DBTX) error
	// Unmoved reports whether the row proves, now that the session of Write has ended, that Write
	// was not applied.
	Unmoved(ctx context.Context, db DBTX) (bool, error)
}

// Resolver is a Step that can tell after a COMMIT whose answer was lost whether it was carried out.
type Resolver interface {
	// Resolver returns Hooks.Resolve; nil if the Step cannot tell this time.
	Resolver() func(ctx context.Context, db DBTX) (applied bool, err error)
}

// InDoubtError marks an error of Write that leaves open whether the swap was applied.
type InDoubtError struct{ Cause error }

// Error is the cause's.
func (e *InDoubtError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *InDoubtError) Unwrap() error { return e.Cause }

// Told hands a Result through Retry's Attempt, which returns an error: the Store's attempts know what
// became of them, and Retry is not to guess.
type Told struct{ Result }

// Error is never shown: Retry takes the Result out.
func (t *Told) Error() string { return "a Store's attempt ended" }

// RunStep makes one attempt of step: two statements on one connection, of which the second commits
// itself. On a connection, database/sql never executes a statement again. Where a statement does not
// commit itself, or could not be ended from outside, it is a transaction instead.
func RunStep(ctx context.Context, db *sql.DB, s *settings.Settings, step Step) Result {
	for try := 1; ; try++ {
		a := &stepAttempt{db: db, settings: s, step: step}
		res := a.run(ctx)
		if !a.began && try < beginTries && errors.Is(res.Err, driver.ErrBadConn) {
			continue
		}
		return res
	}
}

// Read runs a read outside of any transaction of the caller's. A session that does not commit each statement
// would keep its snapshot, and show others the row as it was then; there it is a transaction.
func Read(ctx context.Context, db *sql.DB, read func(ctx context.Context, db DBTX) error) error {
	var err error
	for range beginTries {
		if err = readOnce(ctx, db, read); !errors.Is(err, driver.ErrBadConn) {
			break
		}
	}
	return err
}

func readOnce(ctx context.Context, db *sql.DB, read func(ctx context.Context, db DBTX) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var ident identity
	err = conn.Raw(func(dc any) (err error) {
		ident, err = identify(ctx, dc.(driver.Conn))
		return err
	})
	if err == nil {
		err = ident.unfit(false)
	}
	if err != nil {
		return err
	}
	if ident.autocommit || !ident.known() {
		return read(ctx, conn)
	}
	return inReadTx(ctx, conn, func() error { return read(ctx, conn) })
}

// inReadTx reads in a transaction. It is begun and ended by statements: sql.Tx's Rollback takes no context, and would wait
// for ever for a server that has gone without a word.
func inReadTx(ctx context.Context, conn *sql.Conn, read func() error) error {
	if _, err := conn.ExecContext(ctx, "START TRANSACTION"); err != nil {
		return err
	}
	defer func() {
		if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
			discard(conn) // it must not go back into the pool with a snapshot
		}
	}()
	return read()
}

// RunStepInTx is RunStep in a transaction.
func RunStepInTx(ctx context.Context, db *sql.DB, s *settings.Settings, step Step) Result {
	var hooks Hooks
	if r, ok := step.(Resolver); ok {
		hooks.Resolve = r.Resolver()
	}
	return RunHooked(ctx, db, s, func(ctx context.Context, tx *sql.Tx) error {
		if err := step.Read(ctx, tx); err != nil {
			return err
		}
		if err := step.Compute(); err != nil {
			return err
		}
		return step.Write(ctx, tx)
	}, hooks)
}

// stepAttempt is the state of one RunStep.
type stepAttempt struct {
	db       *sql.DB
	settings *settings.Settings
	step     Step

	ident  *identity // that of a connection, whose calls share it
	began  bool      // a statement was sent and answered
	leash  leash
	sentry sentry
}

func (a *stepAttempt) run(ctx context.Context) Result {
	conn, err := a.db.Conn(ctx)
	if err != nil {
		return a.failed(err, false)
	}
	defer func() { _ = conn.Close() }() // after a panic of the closure; else it is closed by then
	err = conn.Raw(func(dc any) error {
		known, err := meet(ctx, dc.(driver.Conn))
		if err == nil {
			a.ident = &known.ident
		}
		return err
	})
	if err == nil {
		err = a.ident.unfit(false)
	}
	if err != nil {
		return a.failed(err, false)
	}
	if !a.ident.known() || !a.ident.autocommit {
		_ = conn.Close()
		a.began = true // whatever comes is the transaction's
		return RunStepInTx(ctx, a.db, a.settings, a.step)
	}
	if err := a.step.Read(ctx, conn); err != nil {
		return a.failed(err, true)
	}
	a.began = true
	if err := a.step.Compute(); err != nil {
		return a.failed(err, true)
	}
	if err := ctx.Err(); err != nil {
		return a.failed(err, true)
	}
	err, doubt := a.write(ctx, conn)
	if !doubt {
		if err == nil {
			return Result{Outcome: Committed}
		}
		return a.failed(err, true)
	}
	discard(conn)
	return a.settle(ctx, err)
}

// discard takes a connection out of its pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}

// write sends the swap, under a context that does not end with the caller's: a driver whose context
// ends leaves, and the statement goes on waiting for its lock and is applied when it gets it. What
// ends it is KILL QUERY, to which the connection listens. In doubt is a swap that got no answer.
func (a *stepAttempt) write(ctx context.Context, conn *sql.Conn) (err error, doubt bool) {
	own := ctx
	s := &a.sentry
	if ctx.Done() != nil { // else nothing will ever end it
		a.leash.parent, a.leash.done = ctx, make(chan struct{})
		own = &a.leash
		defer a.leash.end()
	}
	s.db, s.ident, s.giveUp = a.db, a.ident, a.leash.end
	s.watch(ctx)
	returned := false
	defer func() {
		if !returned { // a panic or Goexit in the table's code
			s.release()
			discard(conn)
		}
	}()
	err = a.step.Write(own, conn)
	returned = true
	killed, failure := s.release()
	class := mysqlerr.Classify(err)
	doubt = class == mysqlerr.Lost || class == mysqlerr.Context || inDoubt(err)
	switch {
	case failure != nil && doubt:
		return fmt.Errorf("the swap got no answer, and could not be ended: %w", failure), true
	case failure != nil: // the answer came after all, and is believed
		discard(conn)
	case killed && class == mysqlerr.Interrupted:
		return fmt.Errorf("the swap was still waiting, for a lock that is, and was ended: %w", ctx.Err()), false
	case killed && !doubt:
		a.flush(own, conn)
	}
	return err, doubt
}

func inDoubt(err error) bool {
	if err == nil { // errors.As would make its target all the same
		return false
	}
	var doubt *InDoubtError
	return errors.As(err, &doubt)
}

// flush takes up a KILL QUERY that came after the statement it was meant for. Servers drop one that
// finds the session idle; a statement without effect makes sure.
func (a *stepAttempt) flush(ctx context.Context, conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(ctx, killBound)
	defer cancel()
	_, _ = conn.ExecContext(ctx, "DO 0")
}

// failed is the Result of an attempt of which nothing was applied.
func (a *stepAttempt) failed(err error, fromClosure bool) Result {
	return Result{Err: err, FromClosure: fromClosure, Class: a.settings.ClassOf(err)}
}

// settle finds out what became of a swap that got no answer. Who has left already does not wait long.
func (a *stepAttempt) settle(ctx context.Context, err error) Result {
	bound := max(a.settings.CommitTimeout, killBound)
	if ctx.Err() != nil {
		bound = killBound
	}
	ctx, cancel := detached(ctx, bound)
	defer cancel()
	unmoved, failure := a.lookUp(ctx)
	switch {
	case failure != nil:
		endLater(a.db, *a.ident)
		err = fmt.Errorf("%w; and nothing could tell what became of it: %w", err, failure)
	case unmoved:
		return Result{Err: err, Abort: err, Class: mysqlerr.Lost}
	}
	return Result{Outcome: Unknown, Err: err, Class: mysqlerr.Lost}
}

// lookUp ends the swap's session and looks at the row. It is a transaction, so that it sees what is
// committed by now, whatever was on the connection before, and so that proxies send it to the primary.
// No lock is asked for: nothing is on its way any more, and somebody else may hold the row for long.
func (a *stepAttempt) lookUp(ctx context.Context) (unmoved bool, err error) {
	err = aside(ctx, a.db, func(conn *sql.Conn) error {
		if err := endSession(ctx, conn, *a.ident); err != nil {
			return err
		}
		if err := awaitEnd(ctx, conn, *a.ident); err != nil {
			return err
		}
		return inReadTx(ctx, conn, func() (err error) {
			unmoved, err = a.step.Unmoved(ctx, conn)
			return err
		})
	})
	return unmoved, err
}
