package main

import (
	"context"
	"database/sql"
	"errors"

	"gorm.io/gorm"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// errInsufficientFunds refuses a withdrawal.
var errInsufficientFunds = errors.New("not enough money in the account")

// memo is what the ledger says about a withdrawal.
const memo = "withdrawal"

// withdrawal is what is to be taken, and from where. It is the same for each library.
type withdrawal struct {
	accountID uint64
	amount    int64 // minor units
	// afterRead is called between reading and writing, so that tests and the demonstration can let
	// somebody else write there.
	afterRead func()
}

// withdrawer makes one attempt of a withdrawal on the transaction of optimistic.UpdateTx.
type withdrawer func(ctx context.Context, tx *sql.Tx, w withdrawal) error

// library is one way to talk to the database.
type library struct {
	name     string
	withdraw withdrawer
}

// libraries returns the three alone, beside a Store of sqlc's rows, and under a Store of their own. gorm
// needs its *gorm.DB, which a program opens once; so are the Stores made once.
func libraries(db *sql.DB, g *gorm.DB) []library {
	generated := inStore(optimistic.NewStore(db, shop.AccountTable))
	onSQLX := inStore(optimistic.NewStore(db, sqlxTable()))
	onGorm := inStore(optimistic.NewStore(db, gormTable(g)))
	balance := func(row *shop.Account) *int64 { return &row.Balance }
	balanceOfModel := func(row *account) *int64 { return &row.Balance }
	return []library{
		{"sqlc", withSQLC(shop.New(nil))},
		{"sqlx", withSQLX},
		{"gorm", withGorm(g)},
		{"Store and sqlx", storeAnd(generated, balance, recordWithSQLX)},
		{"Store and gorm", storeAnd(generated, balance, recordWithGorm(g))},
		{"Store by sqlx", storeAnd(onSQLX, balanceOfModel, recordWithSQLX)},
		{"Store by gorm", storeAnd(onGorm, balanceOfModel, recordWithGorm(g))},
	}
}

// withSQLC uses generated code. WithTx, as sqlc generates it, puts queries on the transaction; it
// does not matter what the queries ran on before.
func withSQLC(queries *shop.Queries) withdrawer {
	return func(ctx context.Context, tx *sql.Tx, w withdrawal) error {
		q := queries.WithTx(tx)
		acct, err := q.GetAccount(ctx, w.accountID)
		if err != nil {
			return err
		}
		w.afterRead()
		if acct.Balance < w.amount {
			return errInsufficientFunds
		}
		err = optimistic.One(q.DeductBalance(ctx, shop.DeductBalanceParams{
			Balance: acct.Balance - w.amount, ID: acct.ID, Version: acct.Version,
		}))
		if err != nil {
			return err
		}
		entry := shop.InsertLedgerEntryParams{AccountID: acct.ID, Amount: -w.amount, Memo: memo}
		return q.InsertLedgerEntry(ctx, entry)
	}
}
