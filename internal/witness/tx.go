package witness

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// tx ends the transaction of a session. It sends COMMIT and ROLLBACK as statements, because
// driver.Tx has no context: on a network that has stalled its Commit blocks until the read timeout
// of the connection, which by default is never.
type tx struct {
	conn  *sessionConn
	inner driver.Tx
	ctx   context.Context // for its values only
}

// Commit is called by database/sql once no statement and no rows of the transaction are open, so
// that all errors have been noted.
func (t *tx) Commit() error {
	if !t.conn.mayCommit.Load() {
		t.conn.rec.forbid(ErrEndedByClosure)
	}
	if abort := t.conn.rec.aborted(); abort != nil {
		t.rollback()
		return abort
	}
	err := t.send("COMMIT", t.inner.Commit)
	t.conn.mu.Lock()
	t.conn.commitSent, t.conn.commitErr = true, err
	t.conn.ended = err == nil
	t.conn.mu.Unlock()
	if err != nil && t.conn.IsValid() {
		t.rollback() // the server said no, which does not always end the transaction
	}
	return err
}

// Rollback is called by the runner, by database/sql when the context has ended, and by closures
// that should not.
func (t *tx) Rollback() error {
	if !t.conn.mayRollback.Load() && t.ctx.Err() == nil {
		t.conn.rec.forbid(ErrEndedByClosure)
	}
	return t.rollback()
}

// rollback is best effort: a connection on which it fails is not used again, and the server ends
// the transaction with the session. Galera is known to answer 1213 to a ROLLBACK after a failed
// certification.
func (t *tx) rollback() error {
	if !t.conn.IsValid() {
		return driver.ErrBadConn
	}
	err := t.send("ROLLBACK", t.inner.Rollback)
	t.conn.mu.Lock()
	t.conn.ended = err == nil && (!t.conn.commitSent || t.conn.commitErr == nil)
	t.conn.mu.Unlock()
	return err
}

// send runs a statement under the session's bound, whatever became of the caller's context.
// Drivers that run no statement without preparing it end the transaction in their own way.
func (t *tx) send(statement string, fallback func() error) error {
	execer, ok := t.conn.inner.(driver.ExecerContext)
	if !ok {
		return fallback()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), t.conn.bound)
	defer cancel()
	_, err := execer.ExecContext(ctx, statement, nil)
	switch {
	case errors.Is(err, driver.ErrSkip):
		return fallback()
	case err != nil && ctx.Err() != nil:
		return &NoAnswerError{Statement: statement, Bound: t.conn.bound}
	}
	return err
}

// NoAnswerError says that the bound of a COMMIT or ROLLBACK ran out. It does not unwrap to
// context.DeadlineExceeded, which would pass for the caller's own deadline.
type NoAnswerError struct {
	Statement string
	Bound     time.Duration
}

// Error names the statement and its bound.
func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("no answer to %s within %v", e.Statement, e.Bound)
}
