package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// work adds 1 to the balance of an account and moves its version by 1. Where it returns nil, it has done so
// exactly once.
type work func(ctx context.Context, id uint64) error

// maker makes a work of a pool.
type maker func(db *sql.DB) work

// swapByHand is what a careful person writes without sqlcas: SELECT, and UPDATE where the version is
// still the one that was read, until that affects a row.
func swapByHand(db *sql.DB) work {
	q := shop.New(db)
	return func(ctx context.Context, id uint64) error {
		for {
			a, err := q.GetAccount(ctx, id)
			if err != nil {
				return err
			}
			affected, err := q.SwapAccount(ctx, swapOf(a))
			if err != nil || affected == 1 {
				return err
			}
		}
	}
}

// lockByHand is the same in a transaction that locks the row.
func lockByHand(db *sql.DB) work {
	return func(ctx context.Context, id uint64) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		q := shop.New(tx)
		a, err := q.GetAccountForUpdate(ctx, id)
		if err != nil {
			return err
		}
		affected, err := q.SwapAccount(ctx, swapOf(a))
		if err != nil {
			return err
		}
		if affected != 1 {
			return fmt.Errorf("%d rows affected under the lock of account %d", affected, id)
		}
		return tx.Commit()
	}
}

func swapOf(a shop.Account) shop.SwapAccountParams {
	return shop.SwapAccountParams{Owner: a.Owner, Balance: a.Balance + 1, Steps: 1, ID: a.ID, Version: a.Version}
}

func optimisticStore(db *sql.DB) work { return byStore(optimistic.NewStore(db, shop.AccountTable)) }

// storeAlone never stands in a line.
func storeAlone(db *sql.DB) work {
	return byStore(optimistic.NewStore(db, shop.AccountTable, optimistic.WithoutCombining()))
}

func pessimisticStore(db *sql.DB) work { return byStore(pessimistic.NewStore(db, shop.AccountTable)) }

func byStore(accounts sqlcas.Updater[uint64, shop.Account]) work {
	return func(ctx context.Context, id uint64) error {
		_, err := accounts.Update(ctx, id, func(a *shop.Account) error {
			a.Balance++
			return nil
		})
		return err
	}
}

// callBound is the deadline of a call: far away, so that it never comes, but the driver has to watch
// for it.
const callBound = 30 * time.Second

// withDeadline gives each call a context of its own, as a server gives each request.
func withDeadline(w work) work {
	return func(ctx context.Context, id uint64) error {
		ctx, cancel := context.WithTimeout(ctx, callBound)
		defer cancel()
		return w(ctx, id)
	}
}

// withBackground gives all calls a context that never ends, for which the driver watches nothing.
func withBackground(w work) work {
	return func(_ context.Context, id uint64) error { return w(context.Background(), id) }
}
