package sqlcas

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// The causes that only calls which know the row can tell: those of the Stores.
var (
	// ErrGone says that there is no row with this key, or none any more. It is final: waiting does
	// not bring a row. errors.Is(err, sql.ErrNoRows) is true as well. Returned by every method of a
	// Store, but for Update and Delete of In(tx), to which a row that is gone is a conflict.
	ErrGone = errors.New("sqlcas: no such row")

	// ErrVersionOverflow says that the row's version is at the highest that its column holds, so
	// that no further change can be told from the last. Nothing is written. Widen the column to BIGINT
	// UNSIGNED. Returned by the Stores.
	ErrVersionOverflow = errors.New("sqlcas: the version cannot move any further")

	// ErrNoVersion says that a row has no version: NULL or 0 in the table, or a row value that was
	// never read from it. Returned by the Stores, before anything is written.
	ErrNoVersion = errors.New("sqlcas: the row has no version")

	// ErrNoRowCount says that the driver cannot tell how many rows a swap affected, so that nobody
	// knows whether it won. Returned by One for a negative count, and by the Stores also where the
	// driver has an error in place of a count, joined with ErrOutcomeUnknown where the swap may be
	// durable. Use a driver that counts.
	ErrNoRowCount = errors.New("sqlcas: the driver reports no count of affected rows, " +
		"without which a swap cannot be checked")
)

// ConflictError is the ErrConflict of a Store: it tells which row, and who was where.
type ConflictError struct {
	Table    string
	Key      any    // the row's key, a K of its Table
	Expected uint64 // the version that the change was based on
	Actual   uint64 // the version that the row was then seen to have; 0 if nobody looked, Expected if it has not moved
}

// Error names the row and the versions.
func (e *ConflictError) Error() string {
	switch e.Actual {
	case 0:
		return fmt.Sprintf("sqlcas: conflict: %s %v is no longer at version %d", e.Table, e.Key, e.Expected)
	case e.Expected:
		return fmt.Sprintf("sqlcas: conflict: %s %v is still at version %d, and the swap has found no such row: "+
			"does its WHERE name key and version, with the arguments in that order, and does Get read from the primary?",
			e.Table, e.Key, e.Expected)
	}
	return fmt.Sprintf("sqlcas: conflict: %s %v is at version %d, expected %d", e.Table, e.Key, e.Actual, e.Expected)
}

// Is makes every *ConflictError ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// ConflictErrors are the losers of a change of several rows, in the order of their keys. It is
// ErrConflict, and errors.As finds the first *ConflictError in it.
type ConflictErrors []*ConflictError

// Error names all rows.
func (e ConflictErrors) Error() string {
	texts := make([]string, len(e))
	for i, c := range e {
		texts[i] = c.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the single conflicts.
func (e ConflictErrors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, c := range e {
		errs[i] = c
	}
	return errs
}

// GoneError is the ErrGone of a Store: it tells which row. It is sql.ErrNoRows too.
type GoneError struct {
	Table string
	Key   any // the row's key, a K of its Table
}

// Error names the row.
func (e *GoneError) Error() string { return fmt.Sprintf("sqlcas: there is no %s %v", e.Table, e.Key) }

// Is makes every *GoneError ErrGone and sql.ErrNoRows.
func (e *GoneError) Is(target error) bool { return target == ErrGone || target == sql.ErrNoRows }

// LockedError is the ErrLocked of a pessimistic.Store: it tells which row and, if the server told
// it, whose lock.
type LockedError struct {
	Table  string
	Key    any     // the row's key, a K of its Table
	Holder *Holder // nil where the server does not tell
	Cause  error   // the server's error; nil for SKIP LOCKED, which has none
}

// Error names the row and the holder.
func (e *LockedError) Error() string {
	text := fmt.Sprintf("sqlcas: %s %v is locked by another transaction", e.Table, e.Key)
	if e.Holder != nil {
		text += " (" + e.Holder.String() + ")"
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Is makes every *LockedError ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Unwrap returns the server's error.
func (e *LockedError) Unwrap() error { return e.Cause }

// Holder is a session that holds a lock, as the server describes it.
type Holder struct {
	Session uint64 // its connection id, for SHOW PROCESSLIST and KILL
	User    string
	Host    string // its client's host and port
}

// String names the session as a person would look for it.
func (h *Holder) String() string {
	return fmt.Sprintf("session %d of %s@%s", h.Session, h.User, h.Host)
}
