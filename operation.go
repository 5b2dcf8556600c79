package sqlcas

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
)

// WithOperationID has the call applied once, however often it is made: by a client that retries, a queue
// that delivers twice, a process that starts again. The id is inserted into the table sqlcas_operation in
// the same transaction as the change. A call with an id that is there already changes nothing, does not run
// its closure, and returns nil; WithReport's Replayed tells. The default is no id.
//
// The id is 1 to 255 bytes, compared byte by byte: case, accents and trailing spaces matter. It names the
// request, so that it must come from whoever makes that, and be the same whenever the same is asked for
// again: the Idempotency-Key of an HTTP request, the id of a message or an order. The two mistakes are an id
// that is made anew for each retry, which protects from nothing, and one id for two requests, the second of
// which is then not done. WithFingerprint tells the latter.
//
// An id is kept with what it changed: a row of a Store, or a transaction of RetryTx, which is one target
// whatever it does. For another target, or with another fingerprint, the call is ErrOperationMismatch and
// changes nothing. A call that fails, by its closure's error too, keeps no id, and can be made again with
// it. An id is known for as long as its row stands: see DeleteOperations.
//
// With an id a COMMIT whose answer was lost can be told from one that was not carried out, by the id's row:
// what would be ErrOutcomeUnknown without one is a success or is done again. It remains where the old session
// cannot be ended or the row cannot be read, and the error says why. Calling again with the same id is
// then safe.
//
// It is for RetryTx, optimistic.UpdateTx and the Stores' Update, UpdateIfVersion, UpdateAll and Delete. Retry
// has no transaction, and RetryTxResult no result for a replay: both refuse it, and so do a RetryTx that joins
// another's transaction and NewStore. RetryTx looks for the id before its transaction begins, and again after a
// conflict, and after fn has refused, since another call with the same id may have changed what fn refused; if that
// look fails, its error is joined to what fn returned. fn must have closed its Rows when it returns, since the id is
// inserted behind it on the same connection. Where there is no such table, the error has the statement that creates it.
func WithOperationID(id string) Option {
	return option(func(s *settings.Settings) error {
		switch {
		case id == "":
			return invalid("WithOperationID(\"\"): give the id of the request, or leave the option out")
		case len(id) > operation.MaxID:
			return invalid("WithOperationID: the id has %d bytes, %d are kept: give a hash of it", len(id), operation.MaxID)
		}
		s.OperationID = id
		return nil
	})
}

// WithFingerprint says what the request of WithOperationID asks for: its body, or whatever of it must be the
// same when it is made again, such as account and amount. Its SHA-256 is kept with the id, and a call with
// the same id and another fingerprint, or none where there was one, is ErrOperationMismatch. The default is
// none. Without WithOperationID it is ErrInvalidArgument.
//
// Leave out what differs between two tries of one request: the time, a trace id, the order of a JSON object's
// fields.
func WithFingerprint(request []byte) Option {
	sum := operation.Fingerprint(request)
	return option(func(s *settings.Settings) error {
		s.Fingerprint = sum
		return nil
	})
}

// operation is what the call's id stands for.
func (c *call) operation() operation.Operation {
	s := c.settings
	return operation.Operation{
		ID: s.OperationID, Fingerprint: s.Fingerprint, Target: cmp.Or(s.Target, operation.InTx),
	}
}

// tryTx makes one attempt of RetryTx. A Store looks for the id itself, when it has locked its rows.
func (c *call) tryTx(ctx context.Context, db *sql.DB, fn txn.Closure) ruling {
	if c.settings.OperationID == "" {
		return c.judgeTx(ctx, txn.Run(ctx, db, c.settings, fn))
	}
	op, try := c.operation(), operation.NewAttempt()
	hooks := txn.Hooks{
		Last: func(ctx context.Context, tx *sql.Tx) error { return operation.Insert(ctx, tx, try, op) },
		Resolve: func(ctx context.Context, db txn.DBTX) (bool, error) {
			return operation.Applied(ctx, db, try, op.ID)
		},
	}
	if !c.settings.Store {
		hooks.Before = c.lookForOperation
	}
	res := txn.RunHooked(ctx, db, c.settings, fn, hooks)
	r := c.judgeTx(ctx, res)
	_, taken := res.Err.(*operation.TakenError) // bare, by contract
	switch {
	case c.settings.Store:
	case taken, r.again && r.outcome == OutcomeConflict:
		return c.judgeTaken(ctx, db, r)
	case res.FromClosure && !r.again && r.outcome == OutcomeFailed:
		return c.judgeRefusal(ctx, db, r)
	}
	return r
}

// lookForOperation returns operation.ErrReplayed, or how an operation with the id differs; nil if there is none.
func (c *call) lookForOperation(ctx context.Context, db txn.DBTX) error {
	found, err := operation.Find(ctx, db, c.operation())
	switch {
	case err != nil || !found[0].Applied:
		return err
	case found[0].Mismatch != nil:
		return (*OperationMismatchError)(found[0].Mismatch)
	}
	return operation.ErrReplayed
}

// errTaken is the conflict of an id that somebody else has noted since it was looked for. It is not the server's
// 1062, which the caller would take for a duplicate key of its own, and no row need have been changed.
var errTaken error = &joined{
	text:   "sqlcas: conflict: another call with the same operation id was faster",
	causes: []error{ErrConflict},
}

// judgeOperation decides about errors that are the id's.
func (c *call) judgeOperation(err error) (ruling, bool) {
	switch err := err.(type) { // bare, by contract
	case *operation.TakenError:
		return ruling{outcome: OutcomeConflict, again: true, err: errTaken}, true
	case *OperationMismatchError:
		return ruling{err: err}, true
	}
	if err == operation.ErrReplayed { // bare, by contract
		c.replayed = true
		return ruling{outcome: OutcomeSuccess}, true
	}
	return ruling{}, false
}

// lookTries is how often lookAgain looks where others are in its way.
const lookTries = 3

// lookAgain looks for the id after an attempt, and decides if it is there. A failure says that nobody knows.
func (c *call) lookAgain(ctx context.Context, db *sql.DB) (r ruling, found bool, failure error) {
	for range lookTries {
		failure = txn.Read(ctx, db, c.lookForOperation)
		if failure == nil {
			return ruling{}, false, nil
		}
		if r, found = c.judgeOperation(failure); found {
			return r, true, nil
		}
		if ctx.Err() != nil || !c.settings.ClassOf(failure).Rerun() {
			break
		}
	}
	return ruling{}, false, failure
}

// judgeTaken decides about a note that has met another with the same id, which is there by now, and about a lost swap,
// which may have been lost to that call. If the id is not to be seen, it is a conflict: another attempt may see it, or
// find it deleted.
func (c *call) judgeTaken(ctx context.Context, db *sql.DB, conflict ruling) ruling {
	if r, found, _ := c.lookAgain(ctx, db); found {
		return r
	}
	return conflict
}

// judgeRefusal asks for the id once more before the closure's refusal is believed: another call with the same
// id may have been committed since it was looked for, and have been what the closure refused. Where nobody can
// tell, the error is not the refusal alone.
func (c *call) judgeRefusal(ctx context.Context, db *sql.DB, refused ruling) ruling {
	r, found, failure := c.lookAgain(ctx, db)
	switch {
	case found:
		return r
	case failure != nil:
		failure = fmt.Errorf("and it could not be looked up whether another call with the same operation id "+
			"has been applied meanwhile: %w", failure)
		refused.err = join("", refused.err, failure, ctx.Err(), causeOf(ctx))
	}
	return refused
}
