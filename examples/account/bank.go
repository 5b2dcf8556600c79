package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// openingBalance is what each account starts with, in minor units.
const openingBalance = 1000_00

// largestTransfer is large enough for some accounts to run dry.
const largestTransfer = openingBalance / 2

// traffic is what a run does to the bank.
type traffic struct {
	accounts, transfers, workers int
	options                      []sqlcas.Option
}

// totals is what the run came to.
type totals struct {
	moved, refused            atomic.Int64
	attempts, most, conflicts atomic.Int64
	elapsed                   time.Duration
}

// openAccounts opens so many accounts and returns their ids.
func openAccounts(ctx context.Context, db *sql.DB, n int) ([]uint64, error) {
	q := shop.New(db)
	ids := make([]uint64, n)
	for i := range ids {
		arg := shop.CreateAccountParams{Owner: fmt.Sprintf("customer %d", i+1), Balance: openingBalance}
		id, err := q.CreateAccount(ctx, arg)
		if err != nil {
			return nil, fmt.Errorf("open account %d: %w", i+1, err)
		}
		ids[i] = uint64(id)
	}
	return ids, nil
}

// exchange lets the workers transfer random amounts between random accounts, some of which are more
// than the payer has. The first error other than that one stops all of them.
func exchange(ctx context.Context, db *sql.DB, ids []uint64, t traffic) (*totals, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sum := &totals{}
	var begun atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range t.workers {
		workers.Go(func() {
			for ctx.Err() == nil && begun.Add(1) <= int64(t.transfers) {
				if err := sum.transfer(ctx, db, ids, t.options); err != nil {
					stop(err)
				}
			}
		})
	}
	workers.Wait()
	sum.elapsed = time.Since(start)
	return sum, context.Cause(ctx)
}

// transfer makes one transfer and counts it.
func (s *totals) transfer(
	ctx context.Context, db *sql.DB, ids []uint64, options []sqlcas.Option,
) error {
	payer := rand.N(len(ids))
	payee := (payer + 1 + rand.N(len(ids)-1)) % len(ids) // anybody else
	var report sqlcas.Report
	all := append([]sqlcas.Option{sqlcas.WithReport(&report)}, options...)
	err := transfer(ctx, db, ids[payer], ids[payee], 1+rand.Int64N(largestTransfer), all...)

	s.attempts.Add(int64(report.Attempts))
	s.conflicts.Add(int64(report.Conflicts))
	for most := s.most.Load(); int64(report.Attempts) > most; most = s.most.Load() {
		s.most.CompareAndSwap(most, int64(report.Attempts))
	}
	var poor *InsufficientFundsError
	switch {
	case errors.As(err, &poor):
		s.refused.Add(1)
	case err != nil:
		return fmt.Errorf("transfer from account %d to %d: %w", ids[payer], ids[payee], err)
	default:
		s.moved.Add(1)
	}
	return nil
}

// audit checks by hand what sqlcas promises: no account is overdrawn, each balance is the opening
// one plus the account's ledger entries, no version moved without an entry, and no money was made
// or lost. It returns what is wrong, and the sum of all balances.
func audit(ctx context.Context, db *sql.DB) (wrong []string, sum int64, err error) {
	q := shop.New(db)
	accounts, err := q.ListAccounts(ctx)
	if err != nil {
		return nil, 0, err
	}
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, a := range accounts {
		sum += a.Balance
		entries, err := q.ListLedgerEntries(ctx, a.ID)
		if err != nil {
			return nil, 0, err
		}
		want := int64(openingBalance)
		for _, e := range entries {
			want += e.Amount
		}
		if a.Balance < 0 {
			fail("account %d is overdrawn: %s", a.ID, money(a.Balance))
		}
		if a.Balance != want {
			fail("account %d has %s, but its ledger makes %s", a.ID, money(a.Balance), money(want))
		}
		if a.Version-1 != uint64(len(entries)) {
			fail("account %d was written %d times, but has %d ledger entries",
				a.ID, a.Version-1, len(entries))
		}
	}
	if want := int64(len(accounts)) * openingBalance; sum != want {
		fail("the accounts hold %s together, but began with %s", money(sum), money(want))
	}
	return wrong, sum, nil
}
