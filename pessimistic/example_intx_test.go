package pessimistic_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// Locked rows and other statements in one transaction. UpdateTx reruns the closure after a deadlock.
func ExampleStore_In() {
	ctx, db, id, amount := context.Background(), openShop(), uint64(42), int64(30)
	defer closeShop(db)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, id) // locks it
		if err != nil {
			return err
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
	// account 42: balance 70, version 8
	// account 43: balance 50, version 1
}

// Rows that the transaction is going to need are locked together, in the table's order.
func ExampleStore_LockAll() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := accounts.LockAll(ctx, tx, []uint64{43, 42})
		if err != nil {
			return err
		}
		for _, acct := range rows {
			if acct.Balance >= 100 { // only these are written
				acct.Balance += 10
				if err := accounts.In(tx).Update(ctx, &acct); err != nil {
					return err
				}
			}
		}
		return nil
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 110, version 8
	// account 43: balance 50, version 1
}

// Two free seats for bob. Others who take seats at the same time get other ones, without waiting.
func ExampleStore_Take() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	// ---
	seats := pessimistic.NewStore(db, seatTable)

	taken, err := optimistic.UpdateTxResult(ctx, db, func(ctx context.Context, tx *sql.Tx) ([]Seat, error) {
		free, err := seats.Take(ctx, tx, 2)
		if err != nil {
			return nil, err
		}
		for i := range free {
			free[i].Holder = "bob" // no longer free
			if err := seats.In(tx).Update(ctx, &free[i]); err != nil {
				return nil, err
			}
		}
		return free, nil
	}, sqlcas.WithIsolation(sql.LevelReadCommitted))
	fmt.Println(taken, err)

	// Output:
	// [{2 bob 2} {3 bob 2}] <nil>
}

func ExampleTxStore_Get() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	sum, err := optimistic.UpdateTxResult(ctx, db, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		alice, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return 0, err
		}
		bob, err := accounts.In(tx).Get(ctx, 43) // always in the same order, or by LockAll
		return alice.Balance + bob.Balance, err
	})
	fmt.Println(sum, err)

	// Output:
	// 150 <nil>
}

func ExampleTxStore_Update() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return err
		}
		acct.Balance += 5
		return accounts.In(tx).Update(ctx, &acct)
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 105, version 8
	// account 43: balance 50, version 1
}

// An account stands for its ledger: who corrects an entry touches the account.
func ExampleTxStore_Touch() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return err
		}
		if err := accounts.In(tx).Touch(ctx, &acct); err != nil {
			return err
		}
		return shop.New(tx).InsertLedgerEntry(ctx, shop.InsertLedgerEntryParams{AccountID: 42, Amount: 0, Memo: "rent was for May"})
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 100, version 8
	// account 43: balance 50, version 1
}

// A row that was read without a lock is locked where it turns out to matter.
func ExampleTxStore_Check() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	bob, err := accounts.Get(ctx, 43) // no lock yet
	if err != nil {
		log.Print(err)
	}
	err = optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		if err := accounts.In(tx).Check(ctx, bob); err != nil {
			return sqlcas.Permanent(err) // a rerun would not read bob again
		}
		alice, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return err
		}
		alice.Balance += bob.Balance
		return accounts.In(tx).Update(ctx, &alice)
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 150, version 8
	// account 43: balance 50, version 1
}

func ExampleTxStore_Delete() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	stock := pessimistic.NewStore(db, shop.StockTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		chai, err := stock.In(tx).Get(ctx, 1)
		if err != nil {
			return err
		}
		return stock.In(tx).Delete(ctx, chai)
	})
	fmt.Println(err)

	// Output:
	// <nil>
}
