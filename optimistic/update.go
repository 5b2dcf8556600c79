// Package optimistic changes rows by compare-and-swap on a version column: read the row with its
// version, compute, UPDATE ... WHERE key = ? AND version = ?, and do it again if another writer was
// faster.
//
// Store is what most programs want: made of a sqlcas.Table, it changes a row by a closure on the row,
// in two statements whose outcome it knows. UpdateAll changes several rows, all or none,
// UpdateIfVersion takes edits that were made elsewhere, and In(tx) is the Store in a transaction.
//
// UpdateTx runs a closure that sends SQL of its own in a transaction: several tables, a ledger entry.
// Update is the whole harness for a single UPDATE, and does not know the outcome when a connection is
// lost. WithKey lets the callers of this process queue for a hot row instead of racing for it.
package optimistic

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
)

// Update reruns attempt, with bounded backoff, until it affects exactly one row. It is
// sqlcas.Retry, whose contract it has, under the name of what it is for.
//
// Update cannot tell what became of an UPDATE whose connection or context ended: the error is then
// joined with sqlcas.ErrOutcomeUnknown. UpdateTx can.
func Update(ctx context.Context, attempt sqlcas.Attempt, opts ...sqlcas.Option) error {
	return sqlcas.Retry(ctx, attempt, opts...)
}

// UpdateTx runs fn in a transaction and commits it, again and in a new one while there is a
// conflict. It is sqlcas.RetryTx, whose contract it has.
func UpdateTx(
	ctx context.Context, db *sql.DB, fn func(ctx context.Context, tx *sql.Tx) error, opts ...sqlcas.Option,
) error {
	return sqlcas.RetryTx(ctx, db, fn, opts...)
}

// UpdateTxResult is UpdateTx for closures with a result: it returns the value of the attempt that
// was committed. It is sqlcas.RetryTxResult, whose contract it has.
func UpdateTxResult[T any](
	ctx context.Context, db *sql.DB, fn func(ctx context.Context, tx *sql.Tx) (T, error), opts ...sqlcas.Option,
) (T, error) {
	return sqlcas.RetryTxResult(ctx, db, fn, opts...)
}

// One is sqlcas.One: nil for exactly one affected row, sqlcas.ErrConflict for none,
// sqlcas.ErrTooManyRows for more. It takes the results of sqlc's :execrows methods.
func One(affected int64, err error) error { return sqlcas.One(affected, err) }
