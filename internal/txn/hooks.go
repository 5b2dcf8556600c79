package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/witness"
)

// Hooks are statements of a harness around those of a closure. Any of them may be nil.
type Hooks struct {
	// Before runs on the attempt's connection before the transaction begins, so that it fixes no snapshot:
	// what the closure reads after a lock that it had to wait for is then as new as the lock. Its error ends
	// the attempt, and the Result carries it untouched.
	Before func(ctx context.Context, db DBTX) error

	// Last runs as the transaction's last statement, when nothing forbids the COMMIT. Its error is as the
	// closure's would be.
	Last func(ctx context.Context, tx *sql.Tx) error

	// Resolve tells, after a COMMIT whose answer was lost, whether it was carried out. The session that had
	// sent it has been ended by then, and may still be ending: a locking read waits for that. It runs in
	// place of the look at the rows that the closure has swapped, outside of a transaction, on another
	// connection that is dropped afterwards, and has the rest of the commit timeout, which its locks wait
	// for as well. An error leaves the outcome unknown and says why.
	Resolve func(ctx context.Context, db DBTX) (applied bool, err error)
}

// ErrNothingEntered is what Resolve returns where the transaction has entered nothing that could tell. The rows that it
// has swapped are looked at then.
var ErrNothingEntered = errors.New("nothing was entered that could tell")

// errMoved forbids the COMMIT of a closure that has changed what the statement of Last would mean.
var errMoved = errors.New("the closure has sent USE: the operation id is kept in the default database that its " +
	"connection was opened with, so name the database in the statements instead")

// before runs the hook of that name. A session that does not commit each statement would keep what it has
// read for its snapshot.
func (a *attempt) before(ctx context.Context, conn *sql.Conn) error {
	if a.hooks.Before == nil {
		return nil
	}
	var ident identity
	err := conn.Raw(func(dc any) (err error) {
		ident, err = identify(ctx, dc.(driver.Conn))
		return err
	})
	if err == nil {
		err = ident.unfit(false)
	}
	switch {
	case err != nil:
		return err
	case ident.autocommit || !ident.known():
		return a.hooks.Before(ctx, conn)
	}
	return inReadTx(ctx, conn, func() error { return a.hooks.Before(ctx, conn) })
}

// last runs the hook of that name.
func (a *attempt) last(ctx context.Context, sess *witness.Session) error {
	if a.hooks.Last == nil {
		return nil
	}
	if sess.Moved() {
		sess.Forbid(errMoved)
	}
	if sess.Aborted() != nil {
		return nil // Commit says so
	}
	return a.hooks.Last(ctx, sess.Tx)
}

// resolve finds out what became of a COMMIT by the hook of that name.
func (a *attempt) resolve(ctx context.Context, res Result) Result {
	ctx, cancel := detached(ctx, max(a.settings.CommitTimeout, killBound))
	defer cancel()
	applied, err := a.askHook(ctx)
	switch {
	case err != nil:
		if a.ident.known() {
			endLater(a.db, a.ident)
		}
		res.Err = fmt.Errorf("%w; and nothing could tell what became of it: %w", res.Err, err)
		return res
	case applied:
		return Result{Outcome: Committed}
	}
	return Result{Outcome: NotApplied, Err: res.Err, Abort: res.Err, Class: mysqlerr.Lost}
}

// askHook ends the session of the COMMIT and asks the hook.
func (a *attempt) askHook(ctx context.Context) (applied bool, err error) {
	if !a.ident.known() {
		return false, errors.New("no session of this database can be ended from another")
	}
	connected := false
	err = aside(ctx, a.db, func(conn *sql.Conn) (err error) {
		connected = true
		defer discard(conn) // its lock wait timeout is not the user's
		applied, err = a.askHookOn(ctx, conn)
		return err
	})
	if !connected {
		err = fmt.Errorf("the old session could not be ended, for want of a connection: %w", err)
	}
	return applied, err
}

func (a *attempt) askHookOn(ctx context.Context, conn *sql.Conn) (applied bool, err error) {
	if err := endSession(ctx, conn, a.ident); err != nil {
		return false, fmt.Errorf("the old session could not be ended: %w", err)
	}
	if err := a.sameSchema(ctx, conn); err != nil {
		return false, err
	}
	start := time.Now()
	if err := boundLockWaits(ctx, conn); err != nil {
		return false, fmt.Errorf("the wait for its locks could not be bounded: %w", err)
	}
	applied, err = a.hooks.Resolve(ctx, conn)
	waited := time.Since(start).Round(time.Millisecond)
	switch mysqlerr.Classify(err) {
	case mysqlerr.LockTimeout:
		err = fmt.Errorf("what it has written was locked for %v: %w", waited, err)
	case mysqlerr.Context:
		err = fmt.Errorf("what it has written was not to be read within %v, as if it were locked: %w", waited, err)
	}
	return applied, err
}

// sameSchema refuses to ask in another default database than the one that the transaction had: nothing of
// it would be found there.
func (a *attempt) sameSchema(ctx context.Context, conn *sql.Conn) error {
	var here identity
	err := conn.Raw(func(dc any) (err error) {
		here, err = identify(ctx, dc.(driver.Conn))
		return err
	})
	if err == nil && here.schema != a.ident.schema {
		err = fmt.Errorf("the transaction was in the database %q, and this connection is in %q", a.ident.schema, here.schema)
	}
	return err
}
