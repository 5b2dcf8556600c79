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

// transfer moves amount (minor units) from one account to another, with a ledger entry for each:
// all four writes or none. It is safe for concurrent use.
//
// The two swaps run in the order of the accounts' ids, whichever of them pays. Each UPDATE locks
// its row until the COMMIT. Were the payer always first, a transfer from 1 to 2 and one from 2 to 1
// would each hold the row that the other waits for: a deadlock, which the server ends by rolling
// one of them back. UpdateTx would run that one again, so the money would be right all the same,
// but the work would be done twice. In one order for all, the second transfer merely waits.
//
// The ledger entries come last, since each takes a shared lock on its account through the foreign
// key; two transfers that both held one would deadlock over the exclusive lock of the swap.
func transfer(
	ctx context.Context, db *sql.DB, from, to uint64, amount int64, opts ...sqlcas.Option,
) error {
	if from == to {
		return fmt.Errorf("%w: from account %d to itself; name two accounts", errBadTransfer, from)
	}
	if amount <= 0 {
		return fmt.Errorf("%w: of %d; give a positive amount", errBadTransfer, amount)
	}
	return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		q := shop.New(tx)
		payer, err := q.GetAccount(ctx, from)
		if err != nil {
			return fmt.Errorf("account %d: %w", from, err)
		}
		payee, err := q.GetAccount(ctx, to)
		if err != nil {
			return fmt.Errorf("account %d: %w", to, err)
		}
		if payer.Balance < amount {
			return &InsufficientFundsError{AccountID: from, Balance: payer.Balance, Amount: amount}
		}
		if err := swapBoth(ctx, q, payer, payee, amount); err != nil {
			return err
		}
		return record(ctx, q, from, to, amount)
	}, opts...)
}

// swapBoth writes both balances, the lower id first.
func swapBoth(ctx context.Context, q *shop.Queries, payer, payee shop.Account, amount int64) error {
	debit := func() error {
		return optimistic.One(q.DeductBalance(ctx, shop.DeductBalanceParams{
			Balance: payer.Balance - amount, ID: payer.ID, Version: payer.Version,
		}))
	}
	credit := func() error {
		return optimistic.One(q.CreditBalance(ctx, shop.CreditBalanceParams{
			Balance: payee.Balance + amount, ID: payee.ID, Version: payee.Version,
		}))
	}
	first, second := debit, credit
	if payee.ID < payer.ID {
		first, second = credit, debit
	}
	if err := first(); err != nil {
		return err
	}
	return second()
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
