package optimistic_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

func ExampleUpdateTx() {
	ctx, db, amount := context.Background(), openShop(), int64(30)
	defer closeShop(db)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		q := shop.New(tx)
		acct, err := q.GetAccount(ctx, 42)
		if err != nil {
			return err
		}
		if acct.Balance < amount {
			return errInsufficientFunds
		}
		deduct := shop.DeductBalanceParams{Balance: acct.Balance - amount, ID: 42, Version: acct.Version}
		if err := optimistic.One(q.DeductBalance(ctx, deduct)); err != nil {
			return err
		}
		return q.InsertLedgerEntry(ctx, shop.InsertLedgerEntryParams{AccountID: 42, Amount: -amount, Memo: "rent"})
	})
	if err != nil {
		log.Print(err)
	}

	// Output:
	// account 42: balance 70, version 8, ledger -30
	// account 43: balance 50, version 1, ledger +0
}

// Only the committed attempt's value is returned, so that nothing leaks out of one that was lost.
func ExampleUpdateTxResult() {
	ctx, db, amount := context.Background(), openShop(), int64(30)
	defer closeShop(db)
	// ---
	balance, err := optimistic.UpdateTxResult(ctx, db, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		q := shop.New(tx)
		acct, err := q.GetAccount(ctx, 43)
		if err != nil {
			return 0, err
		}
		credit := shop.CreditBalanceParams{Balance: acct.Balance + amount, ID: 43, Version: acct.Version}
		return credit.Balance, optimistic.One(q.CreditBalance(ctx, credit))
	})
	fmt.Println(balance, err)

	// Output:
	// 80 <nil>
	// account 42: balance 100, version 7, ledger +0
	// account 43: balance 80, version 2, ledger +0
}

// One takes what RowsAffected returns, so that hand-written SQL needs no more than this.
func ExampleOne_databaseSQL() {
	ctx, db, balance, id, version := context.Background(), openShop(), int64(70), uint64(42), uint64(7)
	defer closeShop(db)
	deduct := func(tx *sql.Tx) error {
		// ---
		res, err := tx.ExecContext(ctx,
			"UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?",
			balance, id, version)
		if err != nil {
			return err
		}
		return optimistic.One(res.RowsAffected())
		// ---
	}
	fmt.Println(optimistic.UpdateTx(ctx, db, func(_ context.Context, tx *sql.Tx) error { return deduct(tx) }))

	// Output:
	// <nil>
	// account 42: balance 70, version 8, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// One turns the row count of a version-checked UPDATE into an error.
func ExampleOne() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	q := shop.New(db)
	// ---
	stale := shop.DeductBalanceParams{Balance: 90, ID: 42, Version: 6} // the row is at version 7
	fmt.Println(optimistic.One(q.DeductBalance(ctx, stale)))

	// Output:
	// sqlcas: conflict: the row has been changed since it was read
	// account 42: balance 100, version 7, ledger +0
	// account 43: balance 50, version 1, ledger +0
}
