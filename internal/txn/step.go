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

// Step is the read-compute-update of one row.
type Step struct {
	// Read reads the row and computes. It writes nothing.
	Read func(ctx context.Context, db DBTX) error
	// Write sends the swap. It is the only write.
	Write func(ctx context.Context, db DBTX) error
	// Unmoved reports whether the row proves, now that the session of Write has ended, that Write
	// was not applied.
	Unmoved func(ctx context.Context, db DBTX) (bool, error)
}

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

// RunStepInTx is RunStep in a transaction.
func RunStepInTx(ctx context.Context, db *sql.DB, s *settings.Settings, step Step) Result {
	return Run(ctx, db, s, func(ctx context.Context, tx *sql.Tx) error {
		if err := step.Read(ctx, tx); err != nil {
			return err
		}
		return step.Write(ctx, tx)
	})
}

// stepAttempt is the state of one RunStep.
type stepAttempt struct {
	db       *sql.DB
	settings *settings.Settings
	step     Step

	ident identity
	began bool // a statement was sent and answered
}

func (a *stepAttempt) run(ctx context.Context) Result {
	conn, err := a.db.Conn(ctx)
	if err != nil {
		return a.failed(err, false)
	}
	defer func() { _ = conn.Close() }() // after a panic of the closure; else it is closed by then
	err = conn.Raw(func(dc any) (err error) {
		a.ident, err = identify(ctx, dc.(driver.Conn))
		return err
	})
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
	err, doubt := a.write(ctx, conn)
	if !doubt {
		if err == nil {
			return Result{Outcome: Committed}
		}
		return a.failed(err, true)
	}
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // out of the pool with it
	_ = conn.Close()
	return a.settle(ctx, err)
}

// write sends the swap, under a context that does not end with the caller's: a driver whose context
// ends leaves, and the statement goes on waiting for its lock and is applied when it gets it. What
// ends it is KILL QUERY, to which the connection listens. In doubt is a swap that got no answer.
func (a *stepAttempt) write(ctx context.Context, conn *sql.Conn) (err error, doubt bool) {
	if ctx.Done() == nil { // nothing will ever end it
		err = a.step.Write(ctx, conn)
		return err, mysqlerr.Classify(err) == mysqlerr.Lost
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := watchOver(ctx, a.db, a.ident, cancel)
	err = a.step.Write(own, conn)
	killed, failure := s.release()
	if failure != nil && own.Err() != nil {
		return fmt.Errorf("the swap got no answer, and could not be ended: %w", failure), true
	}
	class := mysqlerr.Classify(err)
	switch {
	case class == mysqlerr.Lost || class == mysqlerr.Context:
		return err, true
	case killed && class == mysqlerr.Interrupted:
		return ctx.Err(), false
	case killed:
		a.flush(own, conn)
	}
	return err, false
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

// settle finds out what became of a swap that got no answer.
func (a *stepAttempt) settle(ctx context.Context, err error) Result {
	ctx, cancel := detached(ctx, max(a.settings.CommitTimeout, killBound))
	defer cancel()
	unmoved := false
	lookUp := func(ctx context.Context, conn *sql.Conn) (err error) {
		if err := endSession(ctx, conn, a.ident); err != nil {
			return err
		}
		if err := awaitEnd(ctx, conn, a.ident); err != nil {
			return err
		}
		unmoved, err = a.step.Unmoved(ctx, conn)
		return err
	}
	started, failure := ask(ctx, a.db, nil, lookUp)
	switch {
	case started && failure == nil && unmoved:
		return Result{Err: err, Abort: err, Class: mysqlerr.Lost}
	case failure != nil:
		err = fmt.Errorf("%w; and nothing could tell what became of it: %w", err, failure)
	}
	return Result{Outcome: Unknown, Err: err, Class: mysqlerr.Lost}
}
