package pessimistic_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/pessimistic"
)

func ExampleNoWait() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	credit := func(a *shop.Account) error {
		a.Balance += 30
		return nil
	}
	defer lockedByAnother(db, 42)()
	// ---
	_, err := accounts.Update(ctx, 42, credit, pessimistic.NoWait())
	fmt.Println(errors.Is(err, sqlcas.ErrLocked))

	// Output:
	// true
}

// A row that is locked and one that is not there are told apart.
func ExampleSkipLocked() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	credit := func(a *shop.Account) error {
		a.Balance += 30
		return nil
	}
	defer lockedByAnother(db, 42)()
	// ---
	for _, id := range []uint64{42, 43, 44} {
		_, err := accounts.Update(ctx, id, credit, pessimistic.SkipLocked())
		fmt.Println(id, err)
	}

	// Output:
	// 42 sqlcas: account 42 is locked by another transaction
	// 43 <nil>
	// 44 sqlcas: there is no account 44
}

// A lock that is not free in time is an error that tells whose it is, if the server tells.
func ExampleWait() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	credit := func(a *shop.Account) error {
		a.Balance += 30
		return nil
	}
	defer lockedByAnother(db, 42)()
	// ---
	_, err := accounts.Update(ctx, 42, credit, pessimistic.Wait(50*time.Millisecond))
	var locked *sqlcas.LockedError
	if errors.As(err, &locked) && locked.Holder != nil {
		fmt.Println(locked.Table, locked.Key, "is locked by", locked.Holder)
	}

	// Output:
	// account 42 is locked by session 1 of app@10.0.0.7:50001
}
