package pessimistic

import (
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// UpdateAll changes several rows in one transaction: it locks all of them in the table's order, runs
// change once on the map of them, and writes them all, or none. It returns the rows as written, by the
// keys that were asked for.
//
// Every row is written, changed or not, since the decision rests on all. A key that is given twice
// counts once, and keys that differ only in what the column's collation ignores share one row: they
// are the same pointer in the map. change must not add, remove or replace rows. No keys are no SQL:
// change is not run.
//
// A row that is not there is ErrGone. Two callers that spell keys differently may lock in another
// order; the deadlock is absorbed. Other errors and options are those of Update. With sqlcas.WithOperationID a
// replay returns the rows as they are now, without those that are gone; the target is all keys together.
func (s *Store[K, R]) UpdateAll(
	ctx context.Context, keys []K, change func(rows map[K]*R) error, opts ...sqlcas.Option,
) (map[K]R, error) {
	c, err := s.start(ctx, "UpdateAll", opts)
	if err != nil {
		return nil, err
	}
	if change == nil {
		return nil, versioned.Invalid("UpdateAll: the closure is nil")
	}
	if len(keys) == 0 {
		return map[K]R{}, versioned.NoSQL(ctx, c.opts)
	}
	t := &s.base.Table
	sorted := versioned.Sorted(t, keys)
	under(&c, t, "", sorted...)
	var result map[K]R
	var asked K
	err = sqlcas.RetryTx(ctx, s.base.DB, func(ctx context.Context, tx *sql.Tx) (err error) {
		var looked error // what the look for the id came to, with all rows locked
		a := &versioned.All[K, R]{Table: t, Keys: sorted, Change: func(rows map[K]*R) error {
			if looked = c.look(ctx, tx, nil); looked != nil {
				result = values(rows)
				return looked
			}
			return change(rows)
		}}
		rows, err := a.Run(ctx, tx, func(ctx context.Context, tx *sql.Tx, key K) (R, error) {
			asked = key
			return s.read(ctx, tx, key, c.lock)
		})
		switch {
		case looked != nil:
			return looked // and not marked as the closure's
		case err == nil:
			result = rows
		case !a.Refused && errors.Is(err, sqlcas.ErrGone):
			if err = c.look(ctx, tx, err); err == operation.ErrReplayed { // bare, by contract
				if result, looked = s.present(ctx, tx, sorted); looked != nil {
					return looked
				}
			}
		}
		return err
	}, c.opts...)
	if err != nil {
		return nil, s.name(asked, err)
	}
	return result, nil
}

// values are the rows themselves.
func values[K comparable, R any](rows map[K]*R) map[K]R {
	all := make(map[K]R, len(rows))
	for k, row := range rows {
		all[k] = *row
	}
	return all
}

// present reads those of the rows that are there.
func (s *Store[K, R]) present(ctx context.Context, tx *sql.Tx, keys []K) (map[K]R, error) {
	rows := make(map[K]R, len(keys))
	for _, key := range keys {
		row, err := s.base.Table.Get(ctx, tx, key)
		row, err = versioned.Read(&s.base.Table, key, row, err)
		switch {
		case err == nil:
			rows[key] = row
		case !errors.Is(err, sqlcas.ErrGone):
			return nil, err
		}
	}
	return rows, nil
}

// LockAll locks and reads rows in a transaction of the caller's, usually that of UpdateTx, in the
// table's order whatever that of keys, so that no two callers wait for each other. Call it once in a
// transaction, with all keys: a second call may lock out of order. A row that is not there is ErrGone,
// one that is locked waits or is ErrLocked, as NewStore's options say. Change the rows by In(tx).Update; of
// keys that name one row under the column's collation, give one.
func (s *Store[K, R]) LockAll(ctx context.Context, tx *sql.Tx, keys []K) (map[K]R, error) {
	if err := s.usable(ctx, "LockAll", tx); err != nil {
		return nil, err
	}
	rows := make(map[K]R, len(keys))
	for _, key := range versioned.Sorted(&s.base.Table, keys) {
		row, err := s.read(ctx, tx, key, s.lock)
		if err != nil {
			return nil, err
		}
		rows[key] = row
	}
	return rows, nil
}

// Take locks and reads up to n rows that are free, in a transaction of the caller's: units of stock,
// jobs of a queue. What is free is for the table's Take query to say; rows that others hold are
// skipped, so that takers do not wait for each other. Fewer than n rows, also none, mean that no more
// are free now. Change them by In(tx).Update, so that they are no longer free when the transaction has
// ended. Under REPEATABLE READ the query also locks the gaps that it has looked into: give UpdateTx
// WithIsolation(sql.LevelReadCommitted).
func (s *Store[K, R]) Take(ctx context.Context, tx *sql.Tx, n int) ([]R, error) {
	if err := s.usable(ctx, "Take", tx); err != nil {
		return nil, err
	}
	t := &s.base.Table
	switch {
	case t.Take == nil:
		return nil, versioned.Invalid("Take: the Table %s has no Take", t.Schema.Name)
	case n < 1:
		return nil, versioned.Invalid("Take(%d): take at least 1", n)
	}
	rows, err := t.Take(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	if len(rows) > n {
		return nil, versioned.Invalid("Take(%d): the query of %s returned %d rows: give it a LIMIT", n, t.Schema.Name, len(rows))
	}
	for _, row := range rows {
		if err := versioned.Versioned(t, row); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (s *Store[K, R]) usable(ctx context.Context, method string, tx *sql.Tx) error {
	if err := s.base.Bad(); err != nil {
		return err
	}
	if ctx == nil || tx == nil {
		return versioned.Invalid("%s: the context or the *sql.Tx is nil: give those of the closure of UpdateTx", method)
	}
	if err := s.base.Owns(ctx, method, tx); err != nil {
		return err
	}
	return s.locks(method)
}
