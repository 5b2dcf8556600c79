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
	return s.made().Get(ctx, key)
}

// Update is Store.Update, in a transaction, with emit to enter rows in the journal. emit is for change alone, and
// for its goroutine: what is emitted when change has returned is lost. An error of the server about the entries, such as a
// duplicate key, is the call's own, whichever others it was written with.
func (s *JournalStore[K, R, J]) Update(
	ctx context.Context, key K, change func(row *R, emit func(J)) error, opts ...sqlcas.Option,
) (R, error) {
	w := &swap[K, R]{key: key}
	s.emits(w, change)
	return s.made().update(ctx, "Update", w, opts)
}

// UpdateIfVersion is Store.UpdateIfVersion, in a transaction, with emit as in Update.
func (s *JournalStore[K, R, J]) UpdateIfVersion(
	ctx context.Context, key K, version uint64, change func(row *R, emit func(J)) error, opts ...sqlcas.Option,
) (R, error) {
	w := &swap[K, R]{key: key, detached: true, version: version}
	s.emits(w, change)
	return s.made().updateIfVersion(ctx, w, opts)
}

// UpdateAll is Store.UpdateAll with emit as in Update: a transfer with an entry for each side.
func (s *JournalStore[K, R, J]) UpdateAll(
	ctx context.Context, keys []K, change func(rows map[K]*R, emit func(J)) error, opts ...sqlcas.Option,
) (map[K]R, error) {
	var own func(map[K]*R) ([][]any, error)
	if change != nil {
		own = func(rows map[K]*R) ([][]any, error) {
			return s.values(func(emit func(J)) error { return change(rows, emit) })
		}
	}
	return s.made().updateAll(ctx, keys, own, opts)
}

// made returns the Store; of a JournalStore that was not made by NewJournalStore, one that says so.
func (s *JournalStore[K, R, J]) made() *Store[K, R] {
	if s.store == nil {
		return &Store[K, R]{}
	}
	return s.store
}

// emits has a swap keep what its closure emits, of the last time that it was run. A closure that a batch has
// gone on without may still be emitting, to where nobody looks.
func (s *JournalStore[K, R, J]) emits(w *swap[K, R], change func(row *R, emit func(J)) error) {
	if change == nil {
		return
	}
	w.change = func(row *R) (err error) {
		w.emitted, err = s.values(func(emit func(J)) error { return change(row, emit) })
		return err
	}
}

// values runs a closure, and returns the values of the entries that it emits.
func (s *JournalStore[K, R, J]) values(closure func(emit func(J)) error) ([][]any, error) {
	var entries []J
	if err := closure(func(j J) { entries = append(entries, j) }); err != nil {
		return nil, err
	}
	return versioned.Values(&s.journal, entries)
}

// recorder enters the values of what closures have emitted.
type recorder func(ctx context.Context, db sqlcas.DBTX, entries [][]any) error

func (s *JournalStore[K, R, J]) record(ctx context.Context, db sqlcas.DBTX, entries [][]any) error {
	return versioned.Enter(ctx, db, &s.journal, entries)
}
