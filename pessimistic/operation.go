package pessimistic

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// under has a call be the operation that its id stands for, if it has one. kind and keys are as in
// operation.Target.
func under[K comparable, R any](c *call, t *sqlcas.Table[K, R], kind string, keys ...K) {
	if c.op.ID == "" {
		return
	}
	c.op.Target = versioned.Target(t, kind, keys...)
	c.opts = append(c.opts, settings.ForTarget(c.op.Target))
}

// look looks for the call's id, once its rows are locked or one of them is gone, which locked then says. It
// returns operation.ErrReplayed if the operation has been applied, and locked if not. No read before the lock
// may be a plain one: it would fix the snapshot, and a row that was changed since could not be locked
// where the server has snapshot isolation (1020). And who has waited for the lock of a call with the same id
// sees that one's id here.
func (c *call) look(ctx context.Context, tx *sql.Tx, locked error) error {
	if c.op.ID == "" || locked != nil && !errors.Is(locked, sqlcas.ErrGone) {
		return locked
	}
	return cmp.Or(versioned.LookUp(ctx, tx, c.op), locked)
}
