package pessimistic

import (
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// GetOrCreate reads the row, and if there is none has create insert it and reads it then. It is for
// rows that are to be locked but may not exist yet: a locking read of a missing row locks the gap that
// it would stand in, and two who then insert are a deadlock.
//
// create runs in a transaction of its own and must be one INSERT; if another was faster, its
// duplicate-key error (1062) is no error. It may run any number of times. The row comes back unlocked.
// If ctx ends, the row may have been created or not; calling again is safe, and WithOperationID is refused.
func (s *Store[K, R]) GetOrCreate(
	ctx context.Context, key K, create func(ctx context.Context, db sqlcas.DBTX) error, opts ...sqlcas.Option,
) (R, error) {
	var zero R
	c, err := s.start(ctx, "GetOrCreate", opts)
	if err != nil {
		return zero, err
	}
	if c.op.ID != "" {
		return zero, versioned.Invalid("GetOrCreate: it may be called again as it is: leave WithOperationID out")
	}
	if create == nil {
		return zero, versioned.Invalid("GetOrCreate: the closure is nil")
	}
	row, err := s.base.Read(ctx, key)
	switch {
	case err == nil:
		return row, versioned.NoSQL(ctx, c.opts)
	case !errors.Is(err, sqlcas.ErrGone):
		return zero, err
	}
	row, err = sqlcas.RetryTxResult(ctx, s.base.DB, func(ctx context.Context, tx *sql.Tx) (R, error) {
		if err := create(ctx, tx); err != nil {
			return zero, err
		}
		row, err := s.base.Table.Get(ctx, tx, key)
		if errors.Is(err, sql.ErrNoRows) {
			return zero, versioned.Invalid("GetOrCreate: create returned nil, and there is still no %s %v: "+
				"it must insert the row with this key", s.base.Table.Schema.Name, key)
		}
		return versioned.Read(&s.base.Table, key, row, err)
	}, c.opts...)
	if mysqlerr.Duplicate(err) || errors.Is(err, sqlcas.ErrOutcomeUnknown) {
		if found, failed := s.base.Read(ctx, key); failed == nil {
			return found, nil // else it was another unique key's duplicate, or nobody knows
		}
	}
	return row, err
}
