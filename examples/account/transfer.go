package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// errBadTransfer refuses a transfer that makes no sense, before any SQL.
var errBadTransfer = errors.New("bad transfer")

// InsufficientFundsError refuses a transfer that the payer cannot afford. A caller finds it with
// errors.As: sqlcas hands the closure's errors through as they are.
type InsufficientFundsError struct {
	AccountID       uint64
	Balance, Amount int64 // minor units
}

// Error names the account and what it lacks.
func (e *InsufficientFundsError) Error() string {
	return fmt.Sprintf("account %d has %s, which is not enough for %s",
		e.AccountID, money(e.Balance), money(e.Amount))
}

// store is what transfer needs of a Store of accounts. An *optimistic.Store and a *pessimistic.Store
// both have it.
type store interface {
	UpdateAll(
		ctx context.Context, ids []uint64, change func(map[uint64]*shop.Account) error, opts ...sqlcas.Option,
	) (map[uint64]shop.Account, error)
}

// transfer moves amount (minor units) from one account to another: both balances or none. It is safe
// for concurrent use.
//
// UpdateAll is all there is to it where nothing but the balances has to change. It reads and writes the
// accounts in the order of their ids, whichever of them pays, so that a transfer from 1 to 2 and one
// from 2 to 1 do not each hold the row that the other waits for.
//
// A ledger has no place here. The closure may run again, and must touch nothing but its rows; an entry
// that is written after UpdateAll has returned is another transaction, and a program that dies between
// the two has moved money that no entry explains. That is what transferWithLedger is for.
func transfer(
	ctx context.Context, accounts store, from, to uint64, amount int64, opts ...sqlcas.Option,
) error {
	if err := sensible(from, to, amount); err != nil {
		return err
	}
	_, err := accounts.UpdateAll(ctx, []uint64{from, to}, func(rows map[uint64]*shop.Account) error {
		return move(rows[from], rows[to], amount)
	}, opts...)
	return err
}

// txStore is what transferWithLedger needs of a Store of accounts. Both Stores have it, with an In that
// returns a type of its own, T.
type txStore[T rows] interface{ In(tx *sql.Tx) T }

// rows is a Store in a transaction.
type rows interface {
	Get(ctx context.Context, id uint64) (shop.Account, error)
	Update(ctx context.Context, row *shop.Account) error
}

// transferWithLedger is transfer with a ledger entry for each account, in the same transaction: all
// four writes or none. It is safe for concurrent use. db is the Store's.
//
// It does by hand, in UpdateTx, what UpdateAll does, and then what UpdateAll has no room for:
//
//   - Both accounts are read, and both are written, in the order of their ids. Each UPDATE locks its row
//     until the COMMIT, and so does each Get of a pessimistic.Store. In one order for all, the second of
//     two transfers waits; otherwise they may deadlock, and one is rolled back and run again.
//   - The ledger entries come last. Each INSERT takes a shared lock on its account through the foreign
//     key. Two transfers that both held one would deadlock over the exclusive lock of the swap; who has
//     swapped first holds that already.
func transferWithLedger[T rows](
	ctx context.Context, db *sql.DB, store txStore[T], from, to uint64, amount int64, opts ...sqlcas.Option,
) error {
	if err := sensible(from, to, amount); err != nil {
		return err
	}
	return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		accounts := store.In(tx)
		lower, err := accounts.Get(ctx, min(from, to))
		if err != nil {
			return err
		}
		higher, err := accounts.Get(ctx, max(from, to))
		if err != nil {
			return err
		}
		payer, payee := &lower, &higher
		if to < from {
			payer, payee = &higher, &lower
		}
		if err := move(payer, payee, amount); err != nil {
			return err
		}
		if err := accounts.Update(ctx, &lower); err != nil {
			return err
		}
		if err := accounts.Update(ctx, &higher); err != nil {
			return err
		}
		return record(ctx, shop.New(tx), from, to, amount)
	}, opts...)
}

// sensible refuses what no transfer can be made of.
func sensible(from, to uint64, amount int64) error {
	if from == to {
		return fmt.Errorf("%w: from account %d to itself; name two accounts", errBadTransfer, from)
	}
	if amount <= 0 {
		return fmt.Errorf("%w: of %d; give a positive amount", errBadTransfer, amount)
	}
	return nil
}

// move is the transfer itself, on row values. It is the same whatever runs it.
func move(payer, payee *shop.Account, amount int64) error {
	if payer.Balance < amount {
		return &InsufficientFundsError{AccountID: payer.ID, Balance: payer.Balance, Amount: amount}
	}
	payer.Balance -= amount
	payee.Balance += amount
	return nil
}

// record writes the two ledger entries.
func record(ctx context.Context, q *shop.Queries, from, to uint64, amount int64) error {
	for _, entry := range []shop.InsertLedgerEntryParams{
		{AccountID: from, Amount: -amount, Memo: fmt.Sprintf("to account %d", to)},
		{AccountID: to, Amount: amount, Memo: fmt.Sprintf("from account %d", from)},
	} {
		if err := q.InsertLedgerEntry(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

// money shows minor units as people write them.
func money(minor int64) string {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return fmt.Sprintf("%s%d.%02d", sign, minor/100, minor%100)
}
