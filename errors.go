package sqlcas

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// Every failure of a call has one of these causes, the error of the caller's own closure, or the
// caller's own context. Compare with errors.Is, which looks through all wrapping.
var (
	// ErrConflict says that somebody else has changed the row since it was read: the version-checked
	// UPDATE affected no row, or MariaDB answered 1020. One returns it; a harness reruns the closure
	// for it, and at the end of its budget returns it inside an *ExhaustedError. UpdateIfVersion and
	// Delete of the Stores return it at once. A Store's is a *ConflictError, or ConflictErrors.
	ErrConflict = errors.New("sqlcas: conflict: the row has been changed since it was read")

	// ErrTooManyRows says that a swap affected more than one row: its predicate does not name one
	// row by a unique key and its version. Returned by One, Retry, RetryTx and the Stores. In a
	// transaction everything is rolled back; a plain Retry, and a Store's swap outside of a
	// transaction, cannot undo what has been written.
	ErrTooManyRows = errors.New("sqlcas: more than one row affected: " +
		"the UPDATE's WHERE must name one row by its key and version")

	// ErrLocked says that somebody else holds the row's lock: a NOWAIT read met it (3572 on MySQL,
	// 1205 on MariaDB), or waiting for it took longer than innodb_lock_wait_timeout each time that
	// the budget allowed. Returned by RetryTx and pessimistic.Store, and by Retry and optimistic.Store
	// for the latter.
	ErrLocked = errors.New("sqlcas: the row is locked by another transaction")

	// ErrExhausted says that the budget of attempts or time ran out before one succeeded. Nothing
	// was applied. Every *ExhaustedError is it. Returned by Retry, RetryTx and the Stores.
	ErrExhausted = errors.New("sqlcas: attempts exhausted")

	// ErrOutcomeUnknown says that the change may or may not have been applied. It is never retried: look
	// at the row, or wait for whoever knows, before doing it again; a call WithOperationID may be made
	// again with the same id. Every *OutcomeUnknownError is it.
	// Returned by RetryTx and the Stores when the answer to a COMMIT or a swap was lost and nothing
	// could tell what had become of it; by Retry whenever the closure ends in a lost connection or an
	// ended context.
	ErrOutcomeUnknown = errors.New("sqlcas: outcome unknown: the change may or may not have been applied")

	// ErrTxAborted says that the closure returned nil although a COMMIT would have made half of what
	// it wanted durable: the server had aborted a statement, a version-checked UPDATE had affected
	// no row, or the closure had tried to end the transaction itself. Nothing was applied. The error
	// that tells which is joined to it. Returned by RetryTx; it is not retried, because it tells of
	// a bug: return such errors from the closure.
	ErrTxAborted = errors.New("sqlcas: commit refused, nothing was applied")

	// ErrOperationMismatch says that the id given to WithOperationID stands for another operation: one on
	// another target, or for another request. Nothing is changed. Every *OperationMismatchError is it. It is final:
	// two requests need two ids. Returned by RetryTx and the Stores.
	ErrOperationMismatch = errors.New("sqlcas: the operation id was given to another operation")

	// ErrNested says that a harness was started inside the closure of another in a way that would
	// multiply the retries or escape the transaction. The text tells the mend. Returned by Retry and
	// the Stores inside any harness (but for Get, which is refused only in a transaction on its own
	// database), and by RetryTx inside a plain Retry, inside of a RetryTx on another
	// database that is itself inside of one on this database, and with the context of a closure that
	// has returned; before any SQL of its own.
	ErrNested = errors.New("sqlcas: nested harness")

	// ErrInvalidArgument says that a call's arguments or options make no sense; the text names the
	// one at fault and the mend. Returned by every function that takes options, before any SQL; by the
	// Stores also later, where a closure, a row value or a function of the Table breaks a rule, and then
	// nothing is committed.
	ErrInvalidArgument = errors.New("sqlcas: invalid argument")
)

// ExhaustedError tells how a call ran out of attempts or time. It is ErrExhausted, and everything
// that its Last error is: errors.Is(err, ErrConflict) tells that it was conflicts that used it up.
type ExhaustedError struct {
	Attempts int           // attempts made
	Elapsed  time.Duration // from the start of the first attempt to the end of the last
	Last     error         // what the last attempt ended with
}

// Error says how many attempts were made and what the last one met.
func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("sqlcas: gave up after %s in %v: %v",
		count(e.Attempts), e.Elapsed.Round(time.Microsecond), e.Last)
}

// Is makes every *ExhaustedError ErrExhausted.
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// Unwrap returns the last attempt's error.
func (e *ExhaustedError) Unwrap() error { return e.Last }

// OutcomeUnknownError tells why an outcome is unknown. It is ErrOutcomeUnknown and its Cause.
type OutcomeUnknownError struct {
	Cause error // the lost connection, the ended deadline or the ended context
}

// Error says what made the outcome unknown.
func (e *OutcomeUnknownError) Error() string {
	return fmt.Sprintf("%v: %v", ErrOutcomeUnknown, e.Cause)
}

// Is makes every *OutcomeUnknownError ErrOutcomeUnknown.
func (e *OutcomeUnknownError) Is(target error) bool { return target == ErrOutcomeUnknown }

// Unwrap returns the cause.
func (e *OutcomeUnknownError) Unwrap() error { return e.Cause }

// OperationMismatchError tells what was done under an operation id before. It is ErrOperationMismatch.
type OperationMismatchError struct {
	ID           string
	Target       string // what the call was to change, such as "account 7"
	StoredTarget string // what was changed under the id
	Differs      string // "target", "fingerprint" or "target and fingerprint"
}

// Error names the id and both targets. Fingerprints mean nothing to people, and are left out.
func (e *OperationMismatchError) Error() string {
	text := fmt.Sprintf("%v: under %q there is one on %s", ErrOperationMismatch, e.ID, e.StoredTarget)
	if e.Target != e.StoredTarget {
		text += ", this one is on " + e.Target
	}
	if e.Differs != "target" {
		text += ", for another request (the fingerprints differ)"
	}
	return text + ": give each request an id of its own"
}

// Is makes every *OperationMismatchError ErrOperationMismatch.
func (e *OperationMismatchError) Is(target error) bool { return target == ErrOperationMismatch }

// Permanent marks err as one that must not be retried, whatever it wraps: a closure that has seen
// a conflict and knows that trying again is no use returns Permanent(err). The harness hands its
// caller err itself, without the mark. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// One turns the row count of a version-checked UPDATE or DELETE into an error: nil for exactly one
// row, ErrConflict for none, ErrTooManyRows for more. It takes what sqlc's :execrows methods
// return, so that a call can be wrapped whole:
//
//	if err := sqlcas.One(q.DeductBalance(ctx, args)); err != nil {
//		return err
//	}
//
// A non-nil err is returned as it is, and a negative count, which drivers give when they cannot
// count, is ErrNoRowCount.
func One(affected int64, err error) error {
	switch {
	case err != nil:
		return err
	case affected == 1:
		return nil
	case affected == 0:
		return ErrConflict
	case affected < 0:
		return fmt.Errorf("%w (it says %d)", ErrNoRowCount, affected)
	}
	return fmt.Errorf("%w (%d rows)", ErrTooManyRows, affected)
}

// Inserted turns the error of an INSERT of a row that the caller takes to be new into ErrConflict if there
// is a row with its primary key: somebody else has inserted it since, so read it and decide again. A nil
// error, and any other, such as that of another unique key, is returned as it is. The server's own error
// stays within.
//
//	if err := sqlcas.Inserted(q.InsertCoupon(ctx, args)); err != nil {
//		return err
//	}
func Inserted(err error) error {
	if mysqlerr.DuplicatePrimary(err) {
		return &joined{text: fmt.Sprintf("%v: the row is there already: %v", ErrConflict, err), causes: []error{ErrConflict, err}}
	}
	return err
}

// joined is an error with one text and several causes, all of which errors.Is and errors.As find.
type joined struct {
	text   string
	causes []error
}

func (e *joined) Error() string   { return e.text }
func (e *joined) Unwrap() []error { return e.causes }

// join says the sentence, and is all of the causes; nil ones are left out.
func join(sentence string, causes ...error) error {
	e := &joined{}
	texts := make([]string, 0, len(causes))
	for _, c := range causes {
		if c == nil {
			continue
		}
		e.causes = append(e.causes, c)
		if t := c.Error(); len(texts) == 0 || !strings.Contains(texts[len(texts)-1], t) {
			texts = append(texts, t)
		}
	}
	if sentence != "" {
		sentence += ": "
	}
	e.text = sentence + strings.Join(texts, "; ")
	return e
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalidArgument}, args...)...)
}
