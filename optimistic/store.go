package optimistic

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// Store changes rows of one table by compare-and-swap. It reads a row without locking it, runs a
// closure on it, and writes it if it is still at the version that was read; if not, it does so
// again. It is safe for concurrent use. Make one per table and *sql.DB, and keep it: calls that meet on
// a row in one Store are written together.
//
// In UpdateTx's closure use In(tx): the Store's own methods would work outside of the transaction, and
// are ErrNested there.
type Store[K comparable, R any] struct {
	base   versioned.Base[K, R]
	lines  *lines[K, R]
	shares bool     // rows may be handed from one closure to the next
	record recorder // enters what closures emit; nil without a journal
}

var _ sqlcas.Updater[int, int] = (*Store[int, int])(nil)

// NewStore makes a Store of a table in db. The options hold for every call, before the call's own;
// WithReport is for calls alone. A table that lacks what a Store needs, and options that make no sense, are
// the ErrInvalidArgument of every call.
func NewStore[K comparable, R any](db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option) *Store[K, R] {
	s := &Store[K, R]{base: versioned.NewBase(db, table, false, opts)}
	s.lines = newLines(&s.base)
	s.shares = table.Clone != nil || !refers(reflect.TypeFor[R]())
	return s
}

// Get reads the row, without a lock. It is ErrGone if there is none.
func (s *Store[K, R]) Get(ctx context.Context, key K) (R, error) {
	return s.base.Get(ctx, key)
}

// Update reads the row, runs change on it and writes it, again while other writers are faster, and
// returns it as written. It is two statements, each a transaction of its own: SELECT and UPDATE ...
// WHERE key = ? AND version = ?. A row that the server computes a part of (Table.Computed),
// WithIsolation, sessions that do not commit each statement, and databases other than MySQL and
// MariaDB make it one transaction.
//
// Calls that meet on the row are written together: a leader reads it once, has each closure run, in its
// caller's goroutine, on the row as the one before has left it, writes the last one's, and answers all when
// that is committed. See WithoutCombining. After a loss to another process the next try locks the row, if the
// Table has a GetForUpdate and the call is one that combines: SELECT ... FOR UPDATE, in a transaction. A batch that
// has lost is run again at once, which counts as one attempt of each of its calls. Rows that hold slices, maps or pointers are handed on from one
// closure to the next only if the Table has a Clone.
//
// change may run any number of times, and must touch nothing but the row. Its own error is returned as
// it is, and nothing is written; one that has changed nothing and returns nil has the version moved. It
// must leave key and version alone.
//
// If ctx ends while the UPDATE waits for a lock, the UPDATE is ended by KILL QUERY from another
// connection, and the error is ctx's: nothing was written. If the answer to the UPDATE is lost, its
// session is killed and the row is looked at: if it has not moved, all is done again. What that
// cannot tell is ErrOutcomeUnknown.
//
// With sqlcas.WithOperationID it is one transaction. A replay does not run change, and returns the row as it is by
// now, or a zero row if it is gone. Update and UpdateIfVersion of one row are one operation, of pessimistic.Store too.
//
// Errors: ErrGone, ErrExhausted (with ErrConflict or ErrLocked), ErrNoVersion, ErrVersionOverflow,
// ErrTooManyRows, ErrNoRowCount, ErrOutcomeUnknown, ErrOperationMismatch, ErrNested, ErrInvalidArgument, the server's,
// change's and ctx's. Options: all but those of package pessimistic; WithKey queues.
func (s *Store[K, R]) Update(
	ctx context.Context, key K, change func(row *R) error, opts ...sqlcas.Option,
) (R, error) {
	return s.update(ctx, "Update", &swap[K, R]{key: key, change: change}, opts)
}

// UpdateIfVersion is Update for an edit that was made elsewhere, on a row that was read at version: in
// a browser, say, that sends it back with If-Match. If the row has another version by now, it returns
// the row as it was last seen, and an ErrConflict that is a *sqlcas.ConflictError, whose Actual is 0 if nobody could look
// after the conflict; nothing is retried. Deadlocks and the like are, as in Update. With sqlcas.WithOperationID an edit
// that has been applied and is sent again is a replay and no conflict.
func (s *Store[K, R]) UpdateIfVersion(
	ctx context.Context, key K, version uint64, change func(row *R) error, opts ...sqlcas.Option,
) (R, error) {
	return s.updateIfVersion(ctx, &swap[K, R]{key: key, change: change, detached: true, version: version}, opts)
}

// Delete deletes the row if it is still at the version that the row value has. If it has another by
// now, the error is an ErrConflict that is a *sqlcas.ConflictError, and nothing is retried; if it is
// gone already, ErrGone, which who only wants it away may take for success. With sqlcas.WithOperationID it is one
// transaction, and a replay is nil.
func (s *Store[K, R]) Delete(ctx context.Context, row R, opts ...sqlcas.Option) error {
	all, set, err := s.base.Start(ctx, "Delete", opts)
	if err != nil {
		return err
	}
	if s.base.Table.Delete == nil {
		return versioned.NoDelete(&s.base.Table)
	}
	if err := versioned.Versioned(&s.base.Table, row); err != nil {
		return err
	}
	d := &swap[K, R]{table: &s.base.Table, key: s.base.Table.Key(row), seen: row, detached: true}
	d.op = operationOf(set, func() string { return versioned.Target(&s.base.Table, "delete", d.key) })
	run := stepRunner(set.IsolationSet || d.op != nil)
	err = sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
		d.try = operation.NewAttempt()
		return d.tell(s.orReplayed(ctx, d, run(ctx, s.base.DB, set, removal[K, R]{d})))
	}, all...)
	if err == nil {
		return nil
	}
	_, err = versioned.Explain(ctx, &s.base, d.lost(), err)
	return err
}

func (s *Store[K, R]) updateIfVersion(ctx context.Context, w *swap[K, R], opts []sqlcas.Option) (R, error) {
	if w.version == 0 && !s.base.Table.Schema.Zero {
		var zero R
		return zero, versioned.Invalid("UpdateIfVersion: version 0 is that of a row that was never read")
	}
	return s.update(ctx, "UpdateIfVersion", w, opts)
}

// update runs a swap until it lands or must not.
func (s *Store[K, R]) update(ctx context.Context, method string, w *swap[K, R], opts []sqlcas.Option) (R, error) {
	var zero R
	all, set, err := s.base.Start(ctx, method, opts)
	if err != nil {
		return zero, err
	}
	if w.change == nil {
		return zero, versioned.Invalid("%s: the closure is nil", method)
	}
	w.table, w.record = &s.base.Table, s.record
	w.op = operationOf(set, func() string { return versioned.Target(&s.base.Table, "", w.key) })
	queues := !w.detached && s.shares && w.key == w.key && combines(set, opts) // NaN would never be found again
	err = sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
		if queues && !w.slow {
			return w.tell(s.orReplayed(ctx, w, s.inLine(ctx, set, w)))
		}
		return w.tell(s.orReplayed(ctx, w, s.plain(ctx, set, w, queues)))
	}, all...)
	if err == nil {
		return w.row, nil
	}
	switch {
	case w.stale:
		return w.seen, err
	case w.refused:
		return zero, err
	}
	current, err := versioned.Explain(ctx, &s.base, w.lost(), err)
	switch {
	case w.detached && len(current) == 1:
		return current[0], err
	case w.detached && w.hasSeen && errors.Is(err, sqlcas.ErrConflict):
		return w.seen, err
	}
	return zero, err
}

// plain has a call work alone. Who has lost to another process locks the row at the next try, if he may: that process
// may be at it without a pause.
func (s *Store[K, R]) plain(ctx context.Context, set *settings.Settings, w *swap[K, R], locks bool) txn.Result {
	if w.op != nil {
		w.try = operation.NewAttempt()
	}
	if locks && w.crossed && w.table.GetForUpdate != nil {
		return txn.RunStepInTx(ctx, s.base.DB, set, lockingSwap[K, R]{w})
	}
	return stepRunner(w.table.Computed || set.IsolationSet || w.writesMore())(ctx, s.base.DB, set, w)
}

// inLine has a call meet those who want the same row. Who is alone in line works alone.
func (s *Store[K, R]) inLine(ctx context.Context, set *settings.Settings, w *swap[K, R]) txn.Result {
	ln, m := s.lines.enter(ctx, w)
	if m != nil {
		return m.await()
	}
	defer ln.leave(w)
	return s.plain(ctx, set, w, true)
}

// combines reports whether a call may share its transaction with others: not if it wants one of its own.
func combines(set *settings.Settings, opts []sqlcas.Option) bool {
	if set.Alone || set.Gate != nil || len(opts) == 0 {
		return !set.Alone && set.Gate == nil
	}
	own := settings.Peek(opts)
	return !own.IsolationSet && !own.CommitSet && own.Classify == nil
}

// tell hands a Result through Retry.
func (w *swap[K, R]) tell(res txn.Result) (int64, error) {
	w.told.Result = res
	return 0, &w.told
}

// stepRunner is how attempts are made: in a transaction or not.
func stepRunner(inTx bool) func(context.Context, *sql.DB, *settings.Settings, txn.Step) txn.Result {
	if inTx {
		return txn.RunStepInTx
	}
	return txn.RunStep
}

// refers reports whether a plain copy of a value of the type may share something that can be changed. Such rows of a
// Table without Clone are not handed on: what a closure has done that refuses would be found by the next.
func refers(t reflect.Type) bool {
	if t == reflect.TypeFor[time.Time]() {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
