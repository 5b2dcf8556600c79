package optimistic

import (
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// operationOf returns what a call's id stands for, or nil if it has none.
func operationOf(set *settings.Settings, target func() string) *operation.Operation {
	if set.OperationID == "" {
		return nil
	}
	return &operation.Operation{ID: set.OperationID, Fingerprint: set.Fingerprint, Target: target()}
}

// lookUp looks for the swap's operation, in the transaction in which its row was read before.
func (w *swap[K, R]) lookUp(ctx context.Context, db txn.DBTX) error {
	if w.op == nil {
		return nil
	}
	return versioned.LookUp(ctx, db, *w.op)
}

// orReplayed looks once more for the operation of a call that has found its row gone, or at another version than
// the one it was made for: it may be that this very operation had been applied by another call.
func (s *Store[K, R]) orReplayed(ctx context.Context, w *swap[K, R], res txn.Result) txn.Result {
	if w.op == nil || res.Outcome != txn.NotApplied || !errors.Is(res.Err, sqlcas.ErrGone) &&
		!(w.detached && errors.Is(res.Err, sqlcas.ErrConflict)) {
		return res
	}
	err := txn.Read(ctx, s.base.DB, func(ctx context.Context, db txn.DBTX) error {
		row, err := s.base.Table.Get(ctx, db, w.key)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		w.row = row // as it is now; or none
		return w.lookUp(ctx, db)
	})
	if err == nil {
		return res
	}
	return txn.Result{Err: err, FromClosure: true, Class: s.base.Settings().ClassOf(err)}
}

// resolve tells after a lost COMMIT whether it was carried out, by any one of the operations that it entered.
func resolve(try operation.Attempt, ops []operation.Operation) func(context.Context, txn.DBTX) (bool, error) {
	return func(ctx context.Context, db txn.DBTX) (bool, error) {
		if len(ops) == 0 {
			return false, errors.New("no call that was written with this one had an operation id")
		}
		return operation.Applied(ctx, db, try, ops[0].ID)
	}
}
