package main

import (
	"context"
	"database/sql"

	"gorm.io/gorm"

	"github.com/sqlcas/sqlcas/optimistic"
)

// accounts is what storeAnd needs of a Store of accounts with rows R.
type accounts[R any] interface {
	Get(ctx context.Context, id uint64) (R, error)
	Update(ctx context.Context, row *R) error
}

// balance points to the balance of a row, whichever struct it is read into.
type balance[R any] func(row *R) *int64

// recorder writes the ledger entry of a withdrawal, by whichever library.
type recorder func(ctx context.Context, tx *sql.Tx, w withdrawal) error

// storeAnd puts a Store and a library side by side on one transaction: the Store reads the row, swaps it
// where nobody was faster, and returns ErrConflict where somebody was; the library does the rest. There is
// no row count to look at, and no version in any statement of one's own.
func storeAnd[R any](in func(tx *sql.Tx) accounts[R], of balance[R], record recorder) withdrawer {
	return func(ctx context.Context, tx *sql.Tx, w withdrawal) error {
		acct, err := in(tx).Get(ctx, w.accountID)
		if err != nil {
			return err
		}
		w.afterRead()
		if *of(&acct) < w.amount {
			return errInsufficientFunds
		}
		*of(&acct) -= w.amount
		if err := in(tx).Update(ctx, &acct); err != nil {
			return err
		}
		return record(ctx, tx, w)
	}
}

// inStore makes an in of an optimistic.Store.
func inStore[R any](s *optimistic.Store[uint64, R]) func(tx *sql.Tx) accounts[R] {
	return func(tx *sql.Tx) accounts[R] { return s.In(tx) }
}

// recordWithSQLX inserts the entry by sqlx.
func recordWithSQLX(ctx context.Context, tx *sql.Tx, w withdrawal) error {
	_, err := onSqlx(tx).NamedExecContext(ctx,
		"INSERT INTO ledger_entry (account_id, amount, memo) VALUES (:account, :amount, :memo)",
		map[string]any{"account": w.accountID, "amount": -w.amount, "memo": memo})
	return err
}

// recordWithGorm inserts the entry by gorm.
func recordWithGorm(g *gorm.DB) recorder {
	return func(ctx context.Context, tx *sql.Tx, w withdrawal) error {
		return onGorm(ctx, g, tx).Create(&ledgerEntry{AccountID: w.accountID, Amount: -w.amount, Memo: memo}).Error
	}
}
