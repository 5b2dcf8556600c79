// Package pessimistic changes rows under FOR UPDATE: the row is locked before it is read, and stays so until
// it is written. Store has the methods of optimistic.Store, so that a program changes its mind about
// a table by changing one constructor.
//
// Lock where a rerun is dear: when many want the same row from several processes, or when the closure
// takes long to compute. Where conflicts are rare, optimistic.Store is cheaper: it holds no lock and
// needs two round trips instead of four. Both may work on one table.
//
// Who does not want to wait gives NoWait, SkipLocked or Wait, and gets ErrLocked on all servers alike.
// LockAll, Take and In(tx) are for transactions of the caller's, by optimistic.UpdateTx; GetOrCreate
// is for rows that may not be there to be locked.
package pessimistic

import (
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// Store changes rows of one table under their locks. It is safe for concurrent use and costs nothing
// to keep: make one per table and *sql.DB.
//
// A Store's swaps check the version as well, so that it can stand beside an optimistic.Store of the
// same table, and so that writers which do not lock are noticed. In UpdateTx's closure use In(tx): the
// Store's own methods would work outside of the transaction, and are ErrNested there.
type Store[K comparable, R any] struct {
	base versioned.Base[K, R]
	lock settings.Lock // how In, LockAll and Take wait
}

var _ sqlcas.Updater[int, int] = (*Store[int, int])(nil)

// NewStore makes a Store of a table in db. The options hold for every call, before the call's own;
// WithReport is for calls alone. A table that lacks what the Store needs, and options that make no sense,
// are the ErrInvalidArgument of every call.
func NewStore[K comparable, R any](db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option) *Store[K, R] {
	set := settings.Peek(opts)
	return &Store[K, R]{
		base: versioned.NewBase(db, table, true, opts),
		lock: lockOf(&set),
	}
}

// Get reads the row as it is, without a lock and without waiting for one. It is ErrGone if there is
// none. To read a row and keep it, use In(tx).Get.
func (s *Store[K, R]) Get(ctx context.Context, key K) (R, error) {
	return s.base.Get(ctx, key)
}

// Update locks the row, runs change on it, writes it and commits, and returns it as written. Deadlocks,
// lock wait timeouts and lost connections before the COMMIT have it all done again.
//
// change may run any number of times, and must touch nothing but the row. Its own error is returned as
// it is, and nothing is written; one that has changed nothing and returns nil has the version moved. It
// must leave key and version alone. Other callers wait for as long as it runs.
//
// With sqlcas.WithOperationID the id is looked for when the row is locked. A replay returns the row as it is
// now, and a zero value if it is gone. UpdateIfVersion and Update of one row are one operation, of
// optimistic.Store too.
//
// Errors: ErrGone, ErrLocked (with NoWait, SkipLocked and Wait, a *sqlcas.LockedError), ErrExhausted,
// ErrNoVersion, ErrVersionOverflow, ErrTooManyRows, ErrNoRowCount, ErrOutcomeUnknown, ErrNested,
// ErrInvalidArgument, ErrOperationMismatch, the server's, change's and ctx's. Options: all, and this
// package's.
func (s *Store[K, R]) Update(
	ctx context.Context, key K, change func(row *R) error, opts ...sqlcas.Option,
) (R, error) {
	return s.update(ctx, "Update", opts, &edit[K, R]{key: key, change: change})
}

// UpdateIfVersion is Update for an edit that was made elsewhere, on a row that was read at version: in
// a browser, say, that sends it back with If-Match. If the row has another version by now, it returns
// the row as it is now, and an ErrConflict that is a *sqlcas.ConflictError; change is then not run. With
// WithOperationID an edit that has been applied and is sent again is a replay and no conflict.
func (s *Store[K, R]) UpdateIfVersion(
	ctx context.Context, key K, version uint64, change func(row *R) error, opts ...sqlcas.Option,
) (R, error) {
	if version == 0 && !s.base.Table.Schema.Zero {
		var zero R
		return zero, versioned.Invalid("UpdateIfVersion: version 0 is that of a row that was never read")
	}
	return s.update(ctx, "UpdateIfVersion", opts, &edit[K, R]{key: key, change: change, detached: true, version: version})
}

// edit is the change of one row.
type edit[K comparable, R any] struct {
	key      K
	change   func(row *R) error
	detached bool // made elsewhere, on a row at version
	version  uint64
	current  R // the row that a detached change was refused for
	refused  bool
}

func (s *Store[K, R]) update(ctx context.Context, method string, opts []sqlcas.Option, e *edit[K, R]) (R, error) {
	var zero R
	c, err := s.start(ctx, method, opts)
	if err != nil {
		return zero, err
	}
	if e.change == nil {
		return zero, versioned.Invalid("%s: the closure is nil", method)
	}
	t := &s.base.Table
	under(&c, t, "", e.key)
	var result R // of the attempt that was committed, or found that there is nothing to do
	err = sqlcas.RetryTx(ctx, s.base.DB, func(ctx context.Context, tx *sql.Tx) error {
		row, err := s.read(ctx, tx, e.key, c.lock)
		result = row
		if err = c.look(ctx, tx, err); err != nil {
			return err
		}
		if actual := t.Version(row); e.detached && actual != e.version {
			e.current, e.refused = row, true
			return sqlcas.Permanent(versioned.Conflict(t, e.key, e.version, actual))
		}
		if row, err = versioned.Change(t, row, e.change); err != nil {
			return err
		}
		result, err = versioned.Swap(ctx, tx, t, row, 1)
		return err
	}, c.opts...)
	switch {
	case err != nil && e.refused:
		return e.current, err
	case err != nil:
		return zero, s.name(e.key, err)
	}
	return result, nil
}

// name says which row's lock was not to be had in all attempts.
func (s *Store[K, R]) name(key K, err error) error {
	var exhausted *sqlcas.ExhaustedError
	var locked *sqlcas.LockedError
	if !errors.As(err, &exhausted) || !errors.Is(exhausted.Last, sqlcas.ErrLocked) || errors.As(err, &locked) {
		return err
	}
	return &sqlcas.ExhaustedError{
		Attempts: exhausted.Attempts, Elapsed: exhausted.Elapsed, Last: s.locked(key, exhausted.Last, nil),
	}
}

// Delete locks and deletes the row if it is still at the version that the row value has. If it has
// another by now, the error is an ErrConflict that is a *sqlcas.ConflictError; if it is gone already,
// ErrGone, which who only wants it away may take for success. With sqlcas.WithOperationID a replay is nil.
func (s *Store[K, R]) Delete(ctx context.Context, row R, opts ...sqlcas.Option) error {
	c, err := s.start(ctx, "Delete", opts)
	if err != nil {
		return err
	}
	t := &s.base.Table
	if t.Delete == nil {
		return versioned.NoDelete(t)
	}
	if err := versioned.Versioned(t, row); err != nil {
		return err
	}
	under(&c, t, "delete", t.Key(row))
	return s.name(t.Key(row), sqlcas.RetryTx(ctx, s.base.DB, func(ctx context.Context, tx *sql.Tx) error {
		now, err := s.read(ctx, tx, t.Key(row), c.lock)
		if err = c.look(ctx, tx, err); err != nil {
			return err
		}
		if t.Version(now) != t.Version(row) {
			return sqlcas.Permanent(versioned.Conflict(t, t.Key(row), t.Version(row), t.Version(now)))
		}
		return versioned.Delete(ctx, tx, t, row)
	}, c.opts...))
}

// call is what the options of one call came to.
type call struct {
	opts []sqlcas.Option
	lock settings.Lock
	op   operation.Operation // its ID is empty if the call has none
}

// start checks what every call needs.
func (s *Store[K, R]) start(ctx context.Context, method string, opts []sqlcas.Option) (call, error) {
	all, set, err := s.base.Start(ctx, method, opts)
	if err != nil {
		return call{}, err
	}
	if err := s.locks(method); err != nil {
		return call{}, err
	}
	return call{
		opts: append(all, settings.ForLockingStore()),
		lock: lockOf(set),
		op:   operation.Operation{ID: set.OperationID, Fingerprint: set.Fingerprint},
	}, nil
}

// locks refuses a table that is never locked.
func (s *Store[K, R]) locks(method string) error {
	if s.base.Table.GetForUpdate == nil {
		return versioned.Invalid("%s: the Table %s has no GetForUpdate: give it one, or use optimistic.Store",
			method, s.base.Table.Schema.Name)
	}
	return nil
}
