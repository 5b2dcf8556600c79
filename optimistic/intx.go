package optimistic

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas/internal/versioned"
)

// TxStore is a Store in a transaction of the caller's, usually that of UpdateTx, which commits, retries
// and tells conflicts from failures: return the errors of all methods from its closure. It is for one
// goroutine, as the transaction is.
type TxStore[K comparable, R any] struct{ rows versioned.InTx[K, R] }

// In returns the Store for use in tx.
func (s *Store[K, R]) In(tx *sql.Tx) *TxStore[K, R] {
	return &TxStore[K, R]{versioned.NewInTx(&s.base, tx, s.read, s.lock)}
}

// Get reads the row, without a lock. It is ErrGone if there is none.
func (s *TxStore[K, R]) Get(ctx context.Context, key K) (R, error) { return s.rows.Get(ctx, key) }

// Update swaps the row if it is still at the row value's version. On success the row value has the new
// version, and can be changed and saved again; on ErrConflict it is as it was, and conflicts again.
// A row value that the transaction itself has outdated, being another copy, is ErrInvalidArgument.
func (s *TxStore[K, R]) Update(ctx context.Context, row *R) error { return s.rows.Update(ctx, row) }

// Touch moves the row's version and changes nothing else, so that everybody who had read the row
// conflicts: for a row that stands for others, such as an order for its lines. It is counted once: a row
// that this transaction has moved already, by Touch or Update, is left at that; a row value that is
// another copy of it stays at its version. ErrConflict says that the row is no longer at the row value's
// version, ErrGone that it is not there.
func (s *TxStore[K, R]) Touch(ctx context.Context, row *R) error { return s.rows.Touch(ctx, row) }

// Check makes sure that the row is still as it was read and stays so until the transaction ends: it
// locks the row by FOR UPDATE. It is for a row on which the decision rests and that is not itself
// changed, and takes a Table with GetForUpdate. ErrConflict says that another writer has changed the
// row; a change of this transaction's own is none.
func (s *TxStore[K, R]) Check(ctx context.Context, row R) error { return s.rows.Check(ctx, row) }

// Delete deletes the row if it is still at the row value's version, else it is ErrConflict; that is
// also the error if the row is gone.
func (s *TxStore[K, R]) Delete(ctx context.Context, row R) error { return s.rows.Delete(ctx, row) }
