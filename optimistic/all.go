package optimistic

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// UpdateAll changes several rows in one transaction: it reads all of them, runs change once on the
// map of them, and swaps them all in the table's order, or none. It returns the rows as written, by
// the keys that were asked for. While another writer is faster at any of the rows, it is all done
// again, and then, if the Table has a GetForUpdate, with the rows locked in that order: the more rows,
// the more others there are to lose to.
//
// Every row is swapped, changed or not, since the decision rests on all. A key that is given twice
// counts once, and keys that differ only in what the column's collation ignores share one row: they
// are the same pointer in the map. change must not add, remove or replace rows. No keys are no SQL:
// change is not run.
//
// With sqlcas.WithOperationID a replay returns the rows as they are by now, without those that are gone; all keys
// together are what the id stands for.
//
// A row that is not there is ErrGone. If the budget ends with conflicts, errors.As finds a
// sqlcas.ConflictErrors that names all rows which others had changed. Other errors and options are
// those of UpdateTx.
func (s *Store[K, R]) UpdateAll(
	ctx context.Context, keys []K, change func(rows map[K]*R) error, opts ...sqlcas.Option,
) (map[K]R, error) {
	var own func(map[K]*R) ([][]any, error)
	if change != nil {
		own = func(rows map[K]*R) ([][]any, error) { return nil, change(rows) }
	}
	return s.updateAll(ctx, keys, own, opts)
}

// updateAll is UpdateAll with a closure that also returns what it has emitted.
func (s *Store[K, R]) updateAll(
	ctx context.Context, keys []K, change func(map[K]*R) ([][]any, error), opts []sqlcas.Option,
) (map[K]R, error) {
	all, set, err := s.base.Start(ctx, "UpdateAll", opts)
	if err != nil {
		return nil, err
	}
	if change == nil {
		return nil, versioned.Invalid("UpdateAll: the closure is nil")
	}
	if len(keys) == 0 {
		return map[K]R{}, versioned.NoSQL(ctx, all)
	}
	u := s.newUpdates(keys, change, set)
	if u.op != nil {
		all = append(slices.Clip(all), settings.ForTarget(u.op.Target))
	}
	err = sqlcas.RetryTx(ctx, s.base.DB, u.run, all...)
	if err != nil && !u.all.Refused {
		_, err = versioned.ExplainAll(ctx, &s.base, u.all.Seen, err)
	}
	if err != nil {
		return nil, err
	}
	return u.rows, nil
}

// updates is one call of UpdateAll.
type updates[K comparable, R any] struct {
	store   *Store[K, R]
	all     *versioned.All[K, R]
	op      *operation.Operation   // nil if the call has no id
	read    versioned.Reader[K, R] // the next time
	emitted [][]any                // by the last run of the closure
	rows    map[K]R
}

func (s *Store[K, R]) newUpdates(
	keys []K, change func(map[K]*R) ([][]any, error), set *settings.Settings,
) *updates[K, R] {
	t := &s.base.Table
	u := &updates[K, R]{store: s, read: s.read}
	u.all = &versioned.All[K, R]{Table: t, Keys: versioned.Sorted(t, keys), LookUp: u.lookUp}
	u.all.Change = func(rows map[K]*R) (err error) {
		u.emitted, err = change(rows)
		return err
	}
	u.op = operationOf(set, func() string { return versioned.Target(t, "", u.all.Keys...) })
	return u
}

// run makes one attempt. RetryTx enters the operation.
func (u *updates[K, R]) run(ctx context.Context, tx *sql.Tx) (err error) {
	own := u.read
	if u.all.Table.GetForUpdate != nil {
		u.read = u.store.lock // the next time
	}
	u.rows, err = u.all.Run(ctx, tx, own)
	if errors.Is(err, sqlcas.ErrGone) {
		err = cmp.Or(u.lookUp(ctx, tx), err)
	}
	switch {
	case err == operation.ErrReplayed: // bare, by contract
		return u.replayed(ctx, tx, own)
	case err == nil && u.store.record != nil:
		return u.store.record(ctx, tx, u.emitted)
	}
	return err
}

// lookUp looks for the operation.
func (u *updates[K, R]) lookUp(ctx context.Context, tx *sql.Tx) error {
	if u.op == nil {
		return nil
	}
	return versioned.LookUp(ctx, tx, *u.op)
}

// replayed reads the rows as they are now, of those that there are.
func (u *updates[K, R]) replayed(ctx context.Context, tx *sql.Tx, read versioned.Reader[K, R]) error {
	u.rows = map[K]R{}
	for _, key := range u.all.Keys {
		row, err := read(ctx, tx, key)
		if err == nil {
			u.rows[key] = row
		} else if !errors.Is(err, sqlcas.ErrGone) {
			return err
		}
	}
	return operation.ErrReplayed
}

// read reads a row in a transaction, without a lock.
func (s *Store[K, R]) read(ctx context.Context, tx *sql.Tx, key K) (R, error) {
	row, err := s.base.Table.Get(ctx, tx, key)
	return versioned.Read(&s.base.Table, key, row, err)
}

// lock reads and locks a row in a transaction.
func (s *Store[K, R]) lock(ctx context.Context, tx *sql.Tx, key K) (R, error) {
	row, err := s.base.Table.GetForUpdate(ctx, tx, key, sqlcas.LockWaits)
	return versioned.Read(&s.base.Table, key, row, err)
}
