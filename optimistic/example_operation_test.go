package optimistic_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// A payment that is asked for twice, by a client that has had no answer to the first request, is made once.
func ExampleStore_Update_operationID() {
	ctx, db := context.Background(), openNotingShop()
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	pay := func(idempotencyKey string, amount int64) error {
		var report sqlcas.Report
		acct, err := accounts.Update(ctx, 42, func(a *shop.Account) error {
			if a.Balance < amount {
				return errInsufficientFunds
			}
			a.Balance -= amount
			return nil
		},
			sqlcas.WithOperationID("payment/"+idempotencyKey),
			sqlcas.WithFingerprint(fmt.Append(nil, amount)),
			sqlcas.WithReport(&report))
		if err == nil {
			fmt.Printf("balance %d, replayed: %v\n", acct.Balance, report.Replayed)
		}
		return err
	}

	_ = pay("7f3a", 30)
	_ = pay("7f3a", 30) // once more
	err := pay("7f3a", 31)
	fmt.Println(errors.Is(err, sqlcas.ErrOperationMismatch)) // another request, with the id of the first
	// ---

	// Output:
	// balance 70, replayed: false
	// balance 70, replayed: true
	// true
	// account 42: balance 70, version 8, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// An operation that was refused can be made again with its id.
func ExampleStore_Update_operationRefused() {
	ctx, db := context.Background(), openNotingShop()
	defer closeShop(db)
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	pay := func() error {
		_, err := accounts.Update(ctx, 43, func(a *shop.Account) error {
			if a.Balance < 80 {
				return errInsufficientFunds
			}
			a.Balance -= 80
			return nil
		}, sqlcas.WithOperationID("payment/99c1"))
		return err
	}

	fmt.Println(pay())
	_, err := accounts.Update(ctx, 43, func(a *shop.Account) error { a.Balance += 40; return nil })
	fmt.Println(err, pay())

	// Output:
	// insufficient funds
	// <nil> <nil>
	// account 42: balance 100, version 7, ledger +0
	// account 43: balance 10, version 3, ledger +0
}
