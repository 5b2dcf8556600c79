package sqlcas

import (
	"context"
	"database/sql"
)

// Schema names what makes a table versioned.
type Schema struct {
	Name    string   // the table, as errors are to call it
	Key     []string // the columns of its primary key, in the key's order
	Version string   // the version column; new rows start at 1

	// Max is the highest version that the column holds. It must be given for any column but a BIGINT
	// UNSIGNED, for which the default, 0, stands: 1<<31 - 1 for an INT. A change that would pass it is
	// ErrVersionOverflow and is not sent: a server without a strict sql_mode would leave the version
	// where it is and report success to every stale writer from then on.
	Max uint64

	// Zero says that rows start at version 0, as those of Rails's lock_version do. The default is
	// that a row value with version 0 was never read from the table, and is ErrNoVersion.
	Zero bool
}

// LockWait says what a locking read does when somebody else holds the row's lock.
type LockWait uint8

const (
	// LockWaits waits, up to the session's innodb_lock_wait_timeout: FOR UPDATE.
	LockWaits LockWait = iota
	// LockNoWait fails at once: FOR UPDATE NOWAIT.
	LockNoWait
	// LockSkipLocked acts as if the row did not exist: FOR UPDATE SKIP LOCKED.
	LockSkipLocked
)

// Table says how to read, swap and lock one row of a versioned table with key K and rows R. It is
// data: a variable that any number of Stores and goroutines share, and that nobody changes.
//
// The functions are one statement each, as sqlc generates them. Two tables of one database table
// may name different columns, so that a swap need not write a BLOB that no closure touches.
type Table[K comparable, R any] struct {
	// Schema is for errors and checks; no SQL is made of it.
	Schema Schema

	// Key and Version read a row value's key and version, and SetVersion writes the latter. Compare
	// orders keys; it returns a negative number, 0 or a positive one. All changes of several rows
	// follow it, so that no two of them wait for each other.
	Key        func(row R) K
	Compare    func(a, b K) int
	Version    func(row R) uint64
	SetVersion func(row *R, version uint64)

	// Clone copies a row value with all that it refers to. The default, nil, is for rows of which a
	// plain copy shares nothing: those without slices, maps and pointers.
	Clone func(row R) R

	// Computed says that the server computes columns of the row when it is written: ON UPDATE,
	// generated columns, triggers. The row is then read again after the swap, in one transaction
	// with it.
	Computed bool

	// Get reads the row, sql.ErrNoRows if there is none. It must read from the primary, and must see
	// every row that Swap can change.
	Get func(ctx context.Context, db DBTX, key K) (R, error)

	// GetForUpdate reads and locks the row, sql.ErrNoRows if there is none; in the way of
	// LockSkipLocked also if it is locked. The default, nil, is a table that is never locked;
	// pessimistic.Store refuses it.
	GetForUpdate func(ctx context.Context, tx *sql.Tx, key K, wait LockWait) (R, error)

	// Swap writes the row where key and version are still the row's own, and moves the version by
	// steps: SET ..., version = version + ? WHERE key = ? AND version = ?. It returns the number of
	// affected rows.
	Swap func(ctx context.Context, db DBTX, row R, steps uint64) (affected int64, err error)

	// Delete deletes the row where key and version are still the row's own, and returns the number
	// of affected rows. The default, nil, is a table whose rows are never deleted.
	Delete func(ctx context.Context, db DBTX, row R) (affected int64, err error)

	// Take reads and locks up to n rows that are free, by FOR UPDATE SKIP LOCKED; what free means is
	// its WHERE clause's to say. The default, nil, is a table that pessimistic.Store.Take refuses.
	Take func(ctx context.Context, tx *sql.Tx, n int) ([]R, error)
}

// Updater changes one row by a closure. optimistic.Store and pessimistic.Store both are one, so that
// code which takes an Updater leaves the strategy to whoever makes it.
//
// change gets the row as it is, changes it, and returns nil to have it written; an error of its own
// is returned as it is, and nothing is written. It may run any number of times and must touch
// nothing but the row. Update returns the row as written, with its new version.
type Updater[K comparable, R any] interface {
	Update(ctx context.Context, key K, change func(row *R) error, opts ...Option) (R, error)
}
