package optimistic

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// swap is one row's change: what the attempts of one call are made of.
type swap[K comparable, R any] struct {
	table    *sqlcas.Table[K, R]
	key      K
	change   func(row *R) error
	detached bool   // made elsewhere, on a row at version: a conflict is final
	version  uint64 // of a detached change

	computing atomic.Bool // in the closure, of a call that has the row to itself

	slow    bool // the closure has kept a batch waiting: it is not waited for again
	stale   bool // the row was seen to have another version
	refused bool // the closure returned an error, which is the caller's own whatever it wraps
	hasSeen bool
	lostOne bool // the last swap has found no row
	crossed bool // a swap has lost, or the server has said so: the row is locked for the next try

	op      *operation.Operation // that is applied by the swap; nil if the call has no id
	try     operation.Attempt    // to apply it
	record  recorder             // enters what the closure emits; nil without a journal
	emitted [][]any              // by the last run of the closure: the values of its entries

	unmovedTimes int // times in a row that the row was then read at the same version
	seen         R   // the row as the last attempt has read it
	row          R   // as it is to be written, then as it was

	watched versioned.Watched // the handle that the swap was sent through
	told    txn.Told          // the last attempt's result
}

var _ txn.Step = (*swap[int, int])(nil)

// Read reads the row.
func (w *swap[K, R]) Read(ctx context.Context, db txn.DBTX) error {
	row, err := w.table.Get(ctx, db, w.key)
	return w.found(ctx, db, row, err)
}

// lockingSwap is a swap that locks the row when it reads it.
type lockingSwap[K comparable, R any] struct{ *swap[K, R] }

// Read reads and locks the row.
func (w lockingSwap[K, R]) Read(ctx context.Context, db txn.DBTX) error {
	row, err := w.table.GetForUpdate(ctx, db.(*sql.Tx), w.key, sqlcas.LockWaits)
	return w.found(ctx, db, row, err)
}

func (w *swap[K, R]) found(ctx context.Context, db txn.DBTX, row R, err error) error {
	if row, err = versioned.Read(w.table, w.key, row, err); err != nil {
		return err
	}
	if err := w.lookUp(ctx, db); err != nil {
		return err
	}
	if err := w.still(row); err != nil {
		return err
	}
	w.seen, w.hasSeen, w.stale, w.refused = row, true, false, false
	if actual := w.table.Version(row); w.detached && actual != w.version {
		w.stale = true
		return sqlcas.Permanent(versioned.Conflict(w.table, w.key, w.version, actual))
	}
	return nil
}

// maxStill is how many swaps in a row may find no row at a version that the next read still finds. It is
// more than none because of rows that are deleted and entered anew.
const maxStill = 3

// still stops a call whose swaps find no row while the row stays where it is: it would go on for its
// whole budget. It is a mistake in the Table, or a Get that reads from a replica.
func (w *swap[K, R]) still(row R) error {
	version := w.table.Version(row)
	if !w.lostOne || version != w.table.Version(w.seen) {
		w.unmovedTimes = 0
		return nil
	}
	w.lostOne = false
	if w.unmovedTimes++; w.unmovedTimes < maxStill {
		return nil
	}
	return sqlcas.Permanent(versioned.Conflict(w.table, w.key, version, version))
}

// Compute runs the closure on a copy of the row.
func (w *swap[K, R]) Compute() (err error) {
	w.computing.Store(true)
	defer w.computing.Store(false)
	row := w.seen
	if w.table.Clone != nil {
		row = w.table.Clone(row)
	}
	w.row, err = versioned.Change(w.table, row, w.change)
	w.refused = err != nil
	return err
}

// Write sends the swap.
func (w *swap[K, R]) Write(ctx context.Context, db txn.DBTX) error {
	w.watched = versioned.Watched{DBTX: db}
	row, err := versioned.Swap(ctx, &w.watched, w.table, w.row, 1)
	if err == nil {
		w.row = row
	}
	if err = w.judge(db, err); err != nil {
		return err
	}
	return w.writeMore(ctx, db)
}

// writesMore reports whether the swap is not all that is written, so that it takes a transaction.
func (w *swap[K, R]) writesMore() bool { return w.op != nil || w.record != nil }

// writeMore writes what belongs to the swap: first the row is locked by it, and then entered what may refer to it.
func (w *swap[K, R]) writeMore(ctx context.Context, db txn.DBTX) error {
	if w.record != nil {
		if err := w.record(ctx, db, w.emitted); err != nil {
			return err
		}
	}
	if w.op == nil {
		return nil
	}
	return operation.Insert(ctx, db, w.try, *w.op)
}

// Resolver tells by the operation's id.
func (w *swap[K, R]) Resolver() func(context.Context, txn.DBTX) (bool, error) {
	if w.op == nil {
		return nil
	}
	return resolve(w.try, []operation.Operation{*w.op})
}

// removal is the DELETE of a row that was read before.
type removal[K comparable, R any] struct{ *swap[K, R] }

// Read looks for the operation, if there is one.
func (w removal[K, R]) Read(ctx context.Context, db txn.DBTX) error { return w.lookUp(ctx, db) }

// Compute does nothing.
func (removal[K, R]) Compute() error { return nil }

// Write sends the DELETE.
func (w removal[K, R]) Write(ctx context.Context, db txn.DBTX) error {
	w.watched = versioned.Watched{DBTX: db}
	if err := w.judge(db, versioned.Delete(ctx, &w.watched, w.table, w.seen)); err != nil {
		return err
	}
	return w.writeMore(ctx, db)
}

// judge marks errors: what a rerun would not mend, and what does not tell whether the swap was applied.
func (w *swap[K, R]) judge(db txn.DBTX, err error) error {
	if err == nil {
		return nil
	}
	w.crossed = w.crossed || mysqlerr.Classify(err) == mysqlerr.Conflict
	if errors.Is(err, sqlcas.ErrConflict) {
		w.lostOne, w.crossed = true, true
		if w.detached {
			return sqlcas.Permanent(err)
		}
	}
	return judged(db, &w.watched, err)
}

// judged marks an error that does not tell whether the swap was applied. In a transaction the COMMIT will
// tell.
func judged(db txn.DBTX, watched *versioned.Watched, err error) error {
	if _, inTx := db.(*sql.Tx); inTx || err == nil || answered(err) || !watched.Sent() {
		return err
	}
	return &txn.InDoubtError{Cause: err}
}

// answered reports whether the server has told what became of the swap.
func answered(err error) bool {
	if errors.Is(err, sqlcas.ErrConflict) || errors.Is(err, sqlcas.ErrTooManyRows) ||
		errors.Is(err, sqlcas.ErrInvalidArgument) {
		return true
	}
	switch mysqlerr.Classify(err) {
	case mysqlerr.Other, mysqlerr.Lost, mysqlerr.Context:
		return false
	}
	return true
}

// Unmoved reports whether the row proves that the swap was not applied.
func (w *swap[K, R]) Unmoved(ctx context.Context, db txn.DBTX) (bool, error) {
	return unmoved(ctx, db, w.table, w.key, w.table.Version(w.seen), 1)
}

// unmoved reports whether the row proves that no swap from the version by so many steps was applied: it is at the
// version, or between that and where the swap would have taken it at once. Others may have moved it so far by now.
func unmoved[K comparable, R any](
	ctx context.Context, db txn.DBTX, t *sqlcas.Table[K, R], key K, version, steps uint64,
) (bool, error) {
	row, err := t.Get(ctx, db, key)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	now := t.Version(row)
	return err == nil && now >= version && now-version < steps && versioned.Tells(t, version), err
}

// lost is what an error about a conflict is to be explained by: the version that the change was
// based on.
func (w *swap[K, R]) lost() []versioned.Seen[K] {
	switch {
	case w.detached && w.version > 0:
		return []versioned.Seen[K]{{Key: w.key, Version: w.version}}
	case w.hasSeen || w.detached:
		return []versioned.Seen[K]{{Key: w.table.Key(w.seen), Version: w.table.Version(w.seen)}}
	}
	return nil
}
