package optimistic_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

// A Store is made once, for a table of a pool, and shared by all of the program.
func ExampleNewStore() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	// ---
	accounts := optimistic.NewStore(db, shop.AccountTable, sqlcas.WithMaxAttempts(100))
	stock := optimistic.NewStore(db, shop.StockTable)
	// ---
	alice, err := accounts.Get(ctx, 42)
	chai, err2 := stock.Get(ctx, 1)
	fmt.Println(alice.Owner, err, chai.Name, err2)

	// Output:
	// alice <nil> Chai <nil>
}

func ExampleStore_Get() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	acct, err := accounts.Get(ctx, 42)
	fmt.Println(acct.Owner, acct.Balance, acct.Version, err)

	_, err = accounts.Get(ctx, 44)
	fmt.Println(err, errors.Is(err, sqlcas.ErrGone))

	// Output:
	// alice 100 7 <nil>
	// sqlcas: there is no account 44 true
}

func ExampleStore_Update() {
	ctx, db, id, amount := context.Background(), openShop(), uint64(42), int64(30)
	defer closeShop(db)
	// ---
	accounts := optimistic.NewStore(db, shop.AccountTable)

	acct, err := accounts.Update(ctx, id, func(a *shop.Account) error {
		if a.Balance < amount {
			return errInsufficientFunds
		}
		a.Balance -= amount
		return nil
	})
	if err != nil {
		log.Print(err)
	}
	// ---
	fmt.Println(acct.Owner, "has", acct.Balance, "left, at version", acct.Version)

	// Output:
	// alice has 70 left, at version 8
	// account 42: balance 70, version 8, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// The closure's own error comes back as it is, and nothing is written.
func ExampleStore_Update_refused() {
	ctx, db := context.Background(), openShop()
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	_, err := accounts.Update(ctx, 42, func(a *shop.Account) error {
		if a.Balance < 1000 {
			return errInsufficientFunds
		}
		a.Balance -= 1000
		return nil
	})
	fmt.Println(err == errInsufficientFunds)

	// Output:
	// true
	// account 42: balance 100, version 7, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// What Update sends: two statements, each a transaction of its own. When another writer is faster, the
// second affects no row, and both are sent again.
func ExampleStore_Update_sql() {
	script := scriptdb.Shop() // a database that keeps a log
	db := script.Open()
	defer db.Close()
	ctx, accounts := context.Background(), optimistic.NewStore(db, shop.AccountTable)
	// ---
	_, err := accounts.Update(ctx, 42, func(a *shop.Account) error {
		a.Balance -= 30
		return nil
	})
	for _, statement := range script.Sent() {
		fmt.Println(statement)
	}
	fmt.Println(err)

	// Output:
	// SELECT id, owner, balance, version FROM account WHERE id = 42
	// UPDATE account SET owner = 'alice', balance = 70, version = version + 1 WHERE id = 42 AND version = 7
	// <nil>
}

// Someone has edited an account that he had read at version 6, in a form, say. It is at version 7 by
// now: he is to look at it again, and gets it.
func ExampleStore_UpdateIfVersion() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	acct, err := accounts.UpdateIfVersion(ctx, 42, 6, func(a *shop.Account) error {
		a.Owner = "Alice"
		return nil
	})
	var conflict *sqlcas.ConflictError
	if errors.As(err, &conflict) {
		fmt.Printf("based on version %d, but now: version %d, owner %s\n", conflict.Expected, acct.Version, acct.Owner)
	}

	// Output:
	// based on version 6, but now: version 7, owner alice
}

// A transfer: both rows, or none.
func ExampleStore_UpdateAll() {
	ctx, db, from, to, amount := context.Background(), openShop(), uint64(42), uint64(43), int64(30)
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	rows, err := accounts.UpdateAll(ctx, []uint64{from, to}, func(rows map[uint64]*shop.Account) error {
		if rows[from].Balance < amount {
			return errInsufficientFunds
		}
		rows[from].Balance -= amount
		rows[to].Balance += amount
		return nil
	})
	if err != nil {
		log.Print(err)
	}
	// ---
	fmt.Println(rows[from].Owner, rows[from].Balance, rows[to].Owner, rows[to].Balance)

	// Output:
	// alice 70 bob 80
	// account 42: balance 70, version 8, ledger +0
	// account 43: balance 80, version 2, ledger +0
}

// Only the row that was looked at is deleted, not what somebody else has made of it since.
func ExampleStore_Delete() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	stock := optimistic.NewStore(db, shop.StockTable)
	// ---
	chai, err := stock.Get(ctx, 1)
	if err != nil {
		log.Print(err)
	}
	switch err := stock.Delete(ctx, chai); {
	case errors.Is(err, sqlcas.ErrGone): // somebody else has deleted it
	case errors.Is(err, sqlcas.ErrConflict): // it has changed: look again
	case err != nil:
		log.Print(err)
	}
	// ---
	_, err = stock.Get(ctx, 1)
	fmt.Println(err)

	// Output:
	// sqlcas: there is no inventory 1
}
