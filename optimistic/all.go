package optimistic

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
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
// A row that is not there is ErrGone. If the budget ends with conflicts, errors.As finds a
// sqlcas.ConflictErrors that names all rows which others had changed. Other errors and options are
// those of UpdateTx.
func (s *Store[K, R]) UpdateAll(
	ctx context.Context, keys []K, change func(rows map[K]*R) error, opts ...sqlcas.Option,
) (map[K]R, error) {
	all, _, err := s.base.Start(ctx, "UpdateAll", opts)
	if err != nil {
		return nil, err
	}
	if change == nil {
		return nil, versioned.Invalid("UpdateAll: the closure is nil")
	}
	if len(keys) == 0 {
		return map[K]R{}, versioned.NoSQL(ctx, all)
	}
	t := &s.base.Table
	a := &versioned.All[K, R]{Table: t, Keys: versioned.Sorted(t, keys), Change: change}
	read := s.read
	rows, err := sqlcas.RetryTxResult(ctx, s.base.DB, func(ctx context.Context, tx *sql.Tx) (map[K]R, error) {
		own := read
		if t.GetForUpdate != nil {
			read = s.lock // the next time
		}
		return a.Run(ctx, tx, own)
	}, all...)
	if err != nil && !a.Refused {
		_, err = versioned.ExplainAll(ctx, &s.base, a.Seen, err)
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
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
