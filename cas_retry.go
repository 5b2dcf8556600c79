package sqlcas

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
)

// Attempt makes one try of a read-compute-update: it reads a row with its version, computes, and
// sends the version-checked UPDATE, whose number of affected rows it returns. The UPDATE must be its
// only write and its last statement: Retry cannot take it back when something behind it fails, and
// would do it again. Whatever writes more is for RetryTx.
//
// An attempt may be run any number of times, so that it must read afresh each time and keep nothing
// of an earlier try: appending to a slice of the caller's, say, keeps what a lost attempt has put
// there.
type Attempt func(ctx context.Context) (affected int64, err error)

// DBTX is what queries are run on: *sql.DB, *sql.Conn and *sql.Tx all fit. It is the same set of
// methods as the DBTX that sqlc generates.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

var (
	_ DBTX = (*sql.DB)(nil)
	_ DBTX = (*sql.Conn)(nil)
	_ DBTX = (*sql.Tx)(nil)
)

// Retry runs attempt until it affects exactly one row, with a random, growing, bounded pause
// before each new try. It returns nil as soon as one attempt has affected one row.
//
// An attempt that affects no row has lost to another writer and is run again; so is one that ends
// in ErrConflict, a deadlock (1213), a lock wait timeout (1205) or MariaDB's 1020. Any other error
// of attempt is returned as it is, as is one marked Permanent. At the end of the budget, by default
// 30 s, the error is an *ExhaustedError. If ctx ends first, the error is ctx's, joined with the
// last conflict.
//
// Retry does not see which statement of the attempt failed. A lost connection or an ended context
// that comes out of it may mean that the UPDATE is applied all the same: an UPDATE that waits for a
// lock on the server goes on waiting after its caller has left. Such an error is joined with
// ErrOutcomeUnknown and not retried. It has to be recognisable: an attempt that flattens it by %v
// hides that the outcome is unknown. Where that matters, use RetryTx.
//
// Inside the closure of another harness Retry returns ErrNested. It is safe for concurrent use.
func Retry(ctx context.Context, attempt Attempt, opts ...Option) error {
	switch {
	case ctx == nil:
		return invalid("Retry: the context is nil: give context.Background() if there is no other")
	case attempt == nil:
		return invalid("Retry: the attempt is nil")
	}
	c, err := newCall(opts)
	if err != nil {
		return err
	}
	s := c.settings
	if !s.Store && s.Alone {
		return invalid("WithoutCombining is for a Store: a plain Retry shares nothing, leave it out")
	}
	if !s.Store && (s.CommitSet || s.IsolationSet) {
		return invalid("WithCommitTimeout and WithIsolation are for transactions: use RetryTx, or leave them out")
	}
	if !s.Store && s.OperationID != "" {
		return invalid("WithOperationID is for transactions, which note the id with the change: use RetryTx, or a Store")
	}
	if f := txn.Enclosing(ctx); f != nil {
		return nestedPlain(f)
	}
	return c.run(ctx, func(ctx context.Context) ruling {
		if !s.Store { // whose closures get no context
			ctx = txn.EnterPlain(ctx)
		}
		affected, err := attempt(ctx)
		if told, ok := err.(*txn.Told); ok { // bare, by contract
			c.batch = told.Batch
			return c.judgeTx(ctx, told.Result)
		}
		if err == nil {
			err = One(affected, nil)
		}
		return c.judgePlain(ctx, err)
	})
}

// RetryTx runs fn in a transaction of its own and commits it when fn returns nil. While fn or the
// server reports a conflict, it rolls back, pauses, and runs fn again in another transaction: only
// a new one sees what the other writer has written.
//
// fn returns the ErrConflict of One for a version-checked UPDATE that affected no row, wrapped by %w if
// at all. Conflicts, deadlocks (1213), lock wait timeouts (1205), MariaDB's 1020 and connections lost
// before the COMMIT are retried, also when fn has wrapped them or returned another error because of
// them. Everything else that fn returns is returned as it is, after a rollback. If fn panics or calls
// runtime.Goexit, the transaction is rolled back and the panic goes on.
//
// fn gets a genuine *sql.Tx, for sqlc's WithTx, sqlx or gorm. All of it is watched. Once the server
// has aborted a statement, nothing more of the transaction is sent: after a deadlock the server has
// left the transaction, and what followed would be durable at once, each statement for itself. If
// fn returns nil nevertheless, nothing is committed and the error is ErrTxAborted. It is also that
// if a version-checked UPDATE of the form SET v = v + 1 ... WHERE key = ? AND v = ? has affected no
// row and fn, having forgotten One, returns nil. A swap that may lose on purpose stands behind a
// SAVEPOINT: ROLLBACK TO it when it has lost.
//
// fn must not end the transaction, be it by tx.Commit, by defer tx.Rollback() or by a statement that
// commits, or that hides what it does (several in one text, PREPARE and EXECUTE of SQL): that is
// refused, and ErrTxAborted as well. It must use tx and not db, and must not keep anything of an attempt
// that was lost; see RetryTxResult for values. Statements prepared on the *sql.DB cannot be moved into
// the transaction by Tx.Stmt: prepare them on tx.
//
// If the answer to the COMMIT is lost, the old session is killed and the truth is looked up where a
// version-checked UPDATE of the transaction allows it. What cannot be decided is
// ErrOutcomeUnknown, and never retried. WithOperationID decides nearly all of it, and has fn applied once
// whoever calls how often. At the end of the budget, by default 30 s, the error is an
// *ExhaustedError. If ctx ends first, it is ctx's error, joined with the last conflict.
//
// Called with the ctx of another RetryTx's fn and the same db, it joins: fn becomes a part of that
// transaction, and what it returns is for the outer fn to return in turn. If a joined fn fails after
// it has changed something, the outer transaction can no longer be committed. The options of the
// outer call hold; of the joined one's only WithReport does. With another db the two are
// independent: if the outer fn is rerun, the inner transaction is done again. A call that is given
// another context than fn's does not know that it is inside of fn.
//
// What a stored procedure does is its own: one that commits, or has a handler that swallows a lock
// wait timeout, gets around all of this.
//
// RetryTx is safe for concurrent use; the tx of one attempt is for one goroutine at a time, and all
// that use it must have ended when fn returns.
func RetryTx(
	ctx context.Context, db *sql.DB, fn func(ctx context.Context, tx *sql.Tx) error, opts ...Option,
) error {
	switch {
	case ctx == nil:
		return invalid("RetryTx: the context is nil: give context.Background() if there is no other")
	case db == nil:
		return invalid("RetryTx: the *sql.DB is nil")
	case fn == nil:
		return invalid("RetryTx: the closure is nil")
	}
	c, err := newCall(opts)
	if err != nil {
		return err
	}
	if c.settings.Alone && !c.settings.Store {
		return invalid("WithoutCombining is for a Store: RetryTx shares no transaction, leave it out")
	}
	if enclosing := txn.Enclosing(ctx); enclosing != nil {
		if outer, innermost := enclosing.On(db); outer != nil {
			if !innermost {
				return fmt.Errorf("%w: RetryTx would join a transaction around that of another database, "+
					"whose retries would repeat it: do it outside of the inner one", ErrNested)
			}
			return c.join(ctx, outer, fn)
		}
		if enclosing.WithinPlain() {
			return fmt.Errorf("%w: RetryTx inside the closure of a plain Retry would multiply the retries: "+
				"use one RetryTx around both", ErrNested)
		}
	}
	return c.run(ctx, func(ctx context.Context) ruling {
		return c.tryTx(ctx, db, fn)
	})
}

// RetryTxResult is RetryTx for closures with a result. It returns the value of the attempt that
// was committed, never one of an attempt that was lost; with an error it returns the zero value. It
// refuses WithOperationID: a replay has no result.
func RetryTxResult[T any](
	ctx context.Context, db *sql.DB, fn func(ctx context.Context, tx *sql.Tx) (T, error), opts ...Option,
) (T, error) {
	var value, zero T
	if fn == nil {
		return zero, invalid("RetryTxResult: the closure is nil")
	}
	if settings.Peek(opts).OperationID != "" {
		return zero, invalid("RetryTxResult with WithOperationID: an operation that was applied before is not run, " +
			"and has no result: use RetryTx and read what you need afterwards")
	}
	err := RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) (err error) {
		value, err = fn(ctx, tx)
		return err
	}, opts...)
	if err != nil {
		return zero, err
	}
	return value, nil
}

func nestedPlain(f *txn.Frame) error {
	if f.Plain() {
		return fmt.Errorf("%w: Retry inside the closure of another would multiply the retries: "+
			"do the inner work directly, once", ErrNested)
	}
	return fmt.Errorf("%w: a plain Retry inside the closure of RetryTx would write outside of its transaction: "+
		"use the tx that the closure was given, and return One's error", ErrNested)
}

// join makes fn a part of the transaction that is under way.
func (c *call) join(ctx context.Context, outer *txn.Frame, fn txn.Closure) error {
	if c.settings.IsolationSet {
		return invalid("WithIsolation on a RetryTx that joins the transaction of another: " +
			"set it on the outermost one")
	}
	if c.settings.OperationID != "" {
		return invalid("WithOperationID on a RetryTx that joins the transaction of another, and is applied only if " +
			"that is: give the id to the outermost call")
	}
	c.joined = true
	c.attempts = 1
	defer c.tell()
	err := outer.Join(ctx, fn)
	if errors.Is(err, txn.ErrEnded) {
		return fmt.Errorf("%w: %w: give it a context from outside of the closure", ErrNested, err)
	}
	return err
}

// judgePlain decides what an attempt of Retry comes to.
func (c *call) judgePlain(ctx context.Context, err error) ruling {
	if r, done := judgeKnown(err); done {
		return r
	}
	class := c.settings.ClassOf(err)
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		class = mysqlerr.Context // told by its cause alone
	}
	switch class {
	case mysqlerr.Lost, mysqlerr.Context:
		return ruling{outcome: OutcomeUnknown, err: c.unknown(ctx, err)}
	}
	return judgeClass(class, err)
}

// judgeTx decides what an attempt of RetryTx comes to.
func (c *call) judgeTx(ctx context.Context, res txn.Result) ruling {
	if deadline, ok := ctx.Deadline(); ok && res.Err != nil && !time.Now().Before(deadline) {
		select { // a dial that ctx's deadline ends says so a moment before ctx does
		case <-ctx.Done():
		case <-time.After(time.Second): // or it never does
		}
	}
	if r, done := c.judgeOperation(res.Err); done {
		return r
	}
	switch {
	case res.Outcome == txn.Committed:
		return ruling{outcome: OutcomeSuccess}
	case res.Outcome == txn.Unknown:
		return ruling{outcome: OutcomeUnknown, err: c.unknown(ctx, res.Err)}
	case ctx.Err() != nil &&
		(!res.FromClosure || res.Class == mysqlerr.Context || isAfterTheEnd(res.Err)):
		return ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, res.Err)}
	case res.Lost:
		return ruling{err: join("", ErrTxAborted, res.Abort, ErrConflict)}
	case res.Refused && res.FromClosure:
		return ruling{err: join("", ErrTxAborted, res.Err)}
	case res.Refused:
		return ruling{err: join("", ErrTxAborted, res.Abort)}
	}
	if res.FromClosure {
		if r, done := judgeKnown(res.Err); done {
			return r
		}
	}
	err := res.Err
	if res.Class.Rerun() && c.settings.ClassOf(err) != res.Class && res.Abort != nil {
		err = join("", err, res.Abort) // err alone would not tell why it is retried
	}
	r := judgeClass(res.Class, err)
	if !r.again && !res.FromClosure && c.last != nil {
		r.err = join("", r.err, c.last) // a dial that was refused, after a connection was lost
	}
	return r
}

// isAfterTheEnd reports whether an error is what database/sql says to statements and to rows after the end of their
// context. Of rows it has no error that could be compared.
func isAfterTheEnd(err error) bool {
	return errors.Is(err, sql.ErrTxDone) || err != nil && strings.HasSuffix(err.Error(), "sql: Rows are closed")
}
