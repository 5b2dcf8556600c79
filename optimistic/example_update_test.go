package optimistic_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

func ExampleUpdate() {
	ctx, db, amount := context.Background(), openShop(), int64(30)
	defer closeShop(db)
	q := shop.New(db)
	// ---
	err := optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
		acct, err := q.GetAccount(ctx, 42)
		if err != nil {
			return 0, err
		}
		if acct.Balance < amount {
			return 0, errInsufficientFunds
		}
		return q.DeductBalance(ctx, shop.DeductBalanceParams{Balance: acct.Balance - amount, ID: 42, Version: acct.Version})
	})
	if err != nil {
		log.Print(err)
	}

	// Output:
	// account 42: balance 70, version 8, ledger +0
	// account 43: balance 50, version 1, ledger +0
}

// A refusal of the closure comes back as it is, and nothing is written.
func ExampleUpdate_refused() {
	ctx, db, amount := context.Background(), openShop(), int64(101)
	defer closeShop(db)
	q := shop.New(db)
	// ---
	err := optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
		acct, err := q.GetAccount(ctx, 42)
		if err != nil {
			return 0, err
		}
		if acct.Balance < amount {
			return 0, errInsufficientFunds
		}
		return q.DeductBalance(ctx, shop.DeductBalanceParams{Balance: acct.Balance - amount, ID: 42, Version: acct.Version})
	})
	fmt.Println(err == errInsufficientFunds)

	// Output:
	// true
	// account 42: balance 100, version 7, ledger +0
	// account 43: balance 50, version 1, ledger +0
}
