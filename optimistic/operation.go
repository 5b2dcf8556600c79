package optimistic

import (
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
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

// lookUp looks for the swap's operation, and reads the row as it is now if it has been applied.
func (w *swap[K, R]) lookUp(ctx context.Context, db txn.DBTX) error {
	if w.op == nil {
		return nil
	}
	err := versioned.LookUp(ctx, db, *w.op)
	if err != operation.ErrReplayed { // bare, by contract
		return err
	}
	// A row that was read before need not show what was applied in between.
	row, missing := present(w.table.Get(ctx, db, w.key))
	if missing != nil {
		return missing
	}
	w.row = row
	return err
}

// present makes a row that is gone the zero value, which is what a replay returns then.
func present[R any](row R, err error) (R, error) {
	if errors.Is(err, sql.ErrNoRows) {
		var zero R
		return zero, nil
	}
	return row, err
}

// orReplayed looks once more for the operation of a call that has found its row gone, or at another version than
// the one it was made for or has read: it may be that this very operation had been applied by another call.
func (s *Store[K, R]) orReplayed(ctx context.Context, w *swap[K, R], res txn.Result) txn.Result {
	lost := res.Class == mysqlerr.Conflict || errors.Is(res.Err, sqlcas.ErrConflict) || errors.Is(res.Err, sqlcas.ErrGone)
	if w.op == nil || res.Outcome != txn.NotApplied || !lost {
		return res
	}
	err := txn.Read(ctx, s.base.DB, func(ctx context.Context, db txn.DBTX) error {
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
			return false, txn.ErrNothingEntered
		}
		return operation.Applied(ctx, db, try, ops[0].ID)
	}
}
