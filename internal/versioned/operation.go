package versioned

import (
	"context"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
)

// Target is what an operation on rows of the table changes; kind is as in operation.Target.
func Target[K comparable, R any](t *sqlcas.Table[K, R], kind string, keys ...K) string {
	all := make([]any, len(keys))
	for i, key := range keys {
		all[i] = key
	}
	return operation.Target(t.Schema.Name, kind, all...)
}

// LookUp looks for an operation, and returns what Ruled does.
func LookUp(ctx context.Context, db sqlcas.DBTX, op operation.Operation) error {
	found, err := operation.Find(ctx, db, op)
	if err != nil {
		return err
	}
	return Ruled(found[0])
}

// Ruled returns what a call with an operation that was looked up comes to: nil if it is to be done,
// operation.ErrReplayed, bare, if it has been, and an *sqlcas.OperationMismatchError if another one has been under its
// id.
func Ruled(f operation.Finding) error {
	switch {
	case f.Mismatch != nil:
		return (*sqlcas.OperationMismatchError)(f.Mismatch)
	case f.Applied:
		return operation.ErrReplayed
	}
	return nil
}
