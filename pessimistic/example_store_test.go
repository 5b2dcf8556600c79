package pessimistic_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// Options given here hold for all calls, In and LockAll included.
func ExampleNewStore() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	// ---
	accounts := pessimistic.NewStore(db, shop.AccountTable, pessimistic.Wait(200*time.Millisecond))
	// ---
	acct, err := accounts.Get(ctx, 42)
	fmt.Println(acct.Owner, err)

	// Output:
	// alice <nil>
}

// Get neither locks nor waits.
func ExampleStore_Get() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	defer lockedByAnother(db, 42)()
	// ---
	accounts := pessimistic.NewStore(db, shop.AccountTable)

	acct, err := accounts.Get(ctx, 42)
	fmt.Println(acct.Owner, acct.Balance, acct.Version, err)

	// Output:
	// alice 100 7 <nil>
}

func ExampleStore_Update() {
	ctx, db, id, amount := context.Background(), openShop(), uint64(42), int64(30)
	defer closeShop(db)
	// ---
	accounts := pessimistic.NewStore(db, shop.AccountTable)

	acct, err := accounts.Update(ctx, id, func(a *shop.Account) error { // the row is locked
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
	// account 42: balance 70, version 8
	// account 43: balance 50, version 1
}

// An edit that was made on version 6 of a row that is at version 7 by now.
func ExampleStore_UpdateIfVersion() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	acct, err := accounts.UpdateIfVersion(ctx, 42, 6, func(a *shop.Account) error {
		a.Owner = "Alice"
		return nil
	})
	fmt.Println(errors.Is(err, sqlcas.ErrConflict), acct.Owner, acct.Version)

	// Output:
	// true alice 7
}

// A transfer. The accounts are locked in the order of their ids, so that two transfers in opposite
// directions are no deadlock.
func ExampleStore_UpdateAll() {
	ctx, db, from, to, amount := context.Background(), openShop(), uint64(43), uint64(42), int64(30)
	defer closeShop(db)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	_, err := accounts.UpdateAll(ctx, []uint64{from, to}, func(rows map[uint64]*shop.Account) error {
		if rows[from].Balance < amount {
			return errInsufficientFunds
		}
		rows[from].Balance -= amount
		rows[to].Balance += amount
		return nil
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 130, version 8
	// account 43: balance 20, version 2
}

func ExampleStore_Delete() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	stock := pessimistic.NewStore(db, shop.StockTable)
	// ---
	chai, err := stock.Get(ctx, 1)
	if err != nil {
		log.Print(err)
	}
	fmt.Println(stock.Delete(ctx, chai))
	fmt.Println(stock.Delete(ctx, chai))

	// Output:
	// <nil>
	// sqlcas: there is no inventory 1
}

// A product that may not be known yet is to be locked: it is created first, unlocked, if it is not
// there. Locking reads of a missing row do not exclude each other, and those who then insert it deadlock.
func ExampleStore_GetOrCreate() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	stock := pessimistic.NewStore(db, shop.StockTable)
	// ---
	_, err := stock.GetOrCreate(ctx, 2, func(ctx context.Context, db sqlcas.DBTX) error {
		return shop.New(db).InsertStock(ctx, shop.InsertStockParams{ProductID: 2, Name: "Chang"})
	})
	if err != nil {
		log.Print(err)
	}
	chang, err := stock.Update(ctx, 2, func(p *shop.Inventory) error {
		p.OnHand += 24
		return nil
	})
	fmt.Println(chang.Name, chang.OnHand, err)

	// Output:
	// Chang 24 <nil>
}
