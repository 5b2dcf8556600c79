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
// If ctx ends, the row may have been created or not.
func (s *Store[K, R]) GetOrCreate(
	ctx context.Context, key K, create func(ctx context.Context, db sqlcas.DBTX) error, opts ...sqlcas.Option,
) (R, error) {
	var zero R
	c, err := s.start(ctx, "GetOrCreate", opts)
	if err != nil {
		return zero, err
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
	failed := sqlcas.RetryTx(ctx, s.base.DB, func(ctx context.Context, tx *sql.Tx) error {
		return create(ctx, tx)
	}, c.opts...)
	if failed != nil && !mysqlerr.Duplicate(failed) && !errors.Is(failed, sqlcas.ErrOutcomeUnknown) {
		return zero, failed
	}
	row, err = s.base.Read(ctx, key)
	if failed != nil && err != nil {
		return zero, failed // it was another unique key's duplicate, or nobody knows
	}
	return row, err
}
