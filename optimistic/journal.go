package optimistic

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// JournalStore is a Store whose closures also say what is to be entered in a journal: a debit with its ledger entry,
// both or neither. The entries are written after the row, in the same transaction, and those of calls that
// meet on a row by one INSERT, so that a hot row stays hot. It is safe for concurrent use. Make one per table and
// *sql.DB, and keep it.
//
// The entries of a closure that refuses, panics or loses are not written. Entries stand in the order in which
// they were emitted, and those of calls that were written together in the order in which their changes were
// made, so that an AUTO_INCREMENT key tells it.
type JournalStore[K comparable, R, J any] struct {
	store   *Store[K, R]
	journal sqlcas.Journal[J]
}

// NewJournalStore makes a JournalStore of a table and its journal in db. Options are those of NewStore. A journal or
// table that lacks what is needed is the ErrInvalidArgument of every call.
func NewJournalStore[K comparable, R, J any](
	db *sql.DB, table sqlcas.Table[K, R], journal sqlcas.Journal[J], opts ...sqlcas.Option,
) *JournalStore[K, R, J] {
	s := &JournalStore[K, R, J]{NewStore(db, table, opts...), journal}
	if err := versioned.NoJournal(&s.journal); err != nil {
		s.store.base.Spoil(err)
	}
	s.store.record, s.store.lines.record = s.record, s.record
	return s
}

// Get reads the row, without a lock. It is ErrGone if there is none.
func (s *JournalStore[K, R, J]) Get(ctx context.Context, key K) (R, error) {
	return s.store.Get(ctx, key)
}

// Update is Store.Update, in a transaction, with emit to enter rows in the journal. emit is for change alone, and
// for its goroutine: what is emitted when change has returned is lost. An error of the server about the entries, such as a
// duplicate key, is the call's own, whichever others it was written with.
func (s *JournalStore[K, R, J]) Update(
	ctx context.Context, key K, change func(row *R, emit func(J)) error, opts ...sqlcas.Option,
) (R, error) {
	w := &swap[K, R]{key: key}
	emits(w, change)
	return s.store.update(ctx, "Update", w, opts)
}

// UpdateIfVersion is Store.UpdateIfVersion, in a transaction, with emit as in Update.
func (s *JournalStore[K, R, J]) UpdateIfVersion(
	ctx context.Context, key K, version uint64, change func(row *R, emit func(J)) error, opts ...sqlcas.Option,
) (R, error) {
	w := &swap[K, R]{key: key, detached: true, version: version}
	emits(w, change)
	return s.store.updateIfVersion(ctx, w, opts)
}

// UpdateAll is Store.UpdateAll with emit as in Update: a transfer with an entry for each side.
func (s *JournalStore[K, R, J]) UpdateAll(
	ctx context.Context, keys []K, change func(rows map[K]*R, emit func(J)) error, opts ...sqlcas.Option,
) (map[K]R, error) {
	var own func(map[K]*R) (any, error)
	if change != nil {
		own = func(rows map[K]*R) (any, error) {
			var entries []J
			err := change(rows, func(j J) { entries = append(entries, j) })
			return entries, err
		}
	}
	return s.store.updateAll(ctx, keys, own, opts)
}

// emits has a swap keep what its closure emits, of the last time that it was run. A closure that a batch has
// gone on without may still be emitting, to where nobody looks.
func emits[K comparable, R, J any](w *swap[K, R], change func(row *R, emit func(J)) error) {
	if change == nil {
		return
	}
	w.change = func(row *R) error {
		var entries []J
		err := change(row, func(j J) { entries = append(entries, j) })
		w.emitted = entries
		return err
	}
}

// recorder enters what closures have emitted, each a []J or nil.
type recorder func(ctx context.Context, db sqlcas.DBTX, emitted []any) error

func (s *JournalStore[K, R, J]) record(ctx context.Context, db sqlcas.DBTX, emitted []any) error {
	var all []J
	for _, e := range emitted {
		entries, _ := e.([]J)
		all = append(all, entries...)
	}
	return versioned.Enter(ctx, db, &s.journal, all)
}
