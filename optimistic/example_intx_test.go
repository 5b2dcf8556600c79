package optimistic_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// A Store and other statements in one transaction. UpdateTx reruns the closure when Update conflicts.
func ExampleStore_In() {
	ctx, db, id, amount := context.Background(), openShop(), uint64(42), int64(30)
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, id)
		if err != nil {
			return err
		}
		if acct.Balance < amount {
			return errInsufficientFunds
		}
		acct.Balance -= amount
		if err := accounts.In(tx).Update(ctx, &acct); err != nil {
			return err
		}
		return shop.New(tx).InsertLedgerEntry(ctx, shop.InsertLedgerEntryParams{AccountID: id, Amount: -amount, Memo: "rent"})
	})
	if err != nil {
		log.Print(err)
	}

	// Output:
	// account 42: balance 70, version 8, ledger -30
	// account 43: balance 50, version 1, ledger +0
}

func ExampleTxStore_Get() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	sum, err := optimistic.UpdateTxResult(ctx, db, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		alice, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return 0, err
		}
		bob, err := accounts.In(tx).Get(ctx, 43)
		return alice.Balance + bob.Balance, err
	})
	fmt.Println(sum, err)

	// Output:
	// 150 <nil>
}

// After Update the row value has the new version, and can be changed and saved again.
func ExampleTxStore_Update() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		in := accounts.In(tx)
		acct, err := in.Get(ctx, 42)
		if err != nil {
			return err
		}
		acct.Balance -= 30
		if err := in.Update(ctx, &acct); err != nil {
			return err
		}
		acct.Balance += 5 // at version 8 by now
		return in.Update(ctx, &acct)
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 75, version 9, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// An order stands for its lines: who adds one touches the order, so that everybody who decides by the
// lines of the order conflicts.
func ExampleTxStore_Touch() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	orders := optimistic.NewStore(db, orderTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		order, err := orders.In(tx).Get(ctx, 7)
		if err != nil {
			return err
		}
		if err := orders.In(tx).Touch(ctx, &order); err != nil { // before the line: it locks the order
			return err
		}
		return addLine(ctx, tx, order.ID, 1, 5)
	})
	if err != nil {
		log.Print(err)
	}
	// ---
	order, err := orders.Get(ctx, 7)
	fmt.Println("the order is at version", order.Version, err)

	// Output:
	// the order is at version 4 <nil>
}

// Whether the order may have the line depends on the account, which is not changed by that: Check
// makes sure that it is still as it was read, and stays so until the transaction ends.
func ExampleTxStore_Check() {
	ctx, db, price := context.Background(), openShop(), int64(90)
	defer db.Close()
	orders := optimistic.NewStore(db, orderTable)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return err
		}
		order, err := orders.In(tx).Get(ctx, 7)
		if err != nil {
			return err
		}
		if acct.Balance < price {
			return errInsufficientFunds
		}
		if err := accounts.In(tx).Check(ctx, acct); err != nil {
			return err
		}
		if err := orders.In(tx).Touch(ctx, &order); err != nil {
			return err
		}
		return addLine(ctx, tx, order.ID, 1, 5)
	})
	fmt.Println(err)

	// Output:
	// <nil>
}

// The product goes, and the account is paid for what was left of it.
func ExampleTxStore_Delete() {
	ctx, db, price := context.Background(), openShop(), int64(2)
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	stock := optimistic.NewStore(db, shop.StockTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return err
		}
		chai, err := stock.In(tx).Get(ctx, 1)
		if err != nil {
			return err
		}
		acct.Balance += chai.OnHand * price
		if err := accounts.In(tx).Update(ctx, &acct); err != nil {
			return err
		}
		return stock.In(tx).Delete(ctx, chai)
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 300, version 8, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// In the closure of UpdateTx a Store's own methods would work outside of the transaction: they refuse,
// and name the mend.
func ExampleStore_In_nested() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		_, err := accounts.Get(ctx, 42) // for accounts.In(tx).Get(ctx, 42)
		return err
	})
	fmt.Println(errors.Is(err, sqlcas.ErrNested))
	fmt.Println(err)

	// Output:
	// true
	// sqlcas: nested harness: Get would work outside of the transaction whose closure calls it: use the Store's In(tx)
}
