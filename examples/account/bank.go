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
}

// book is what the callers were told about one account: the transfers that returned nil.
type book struct {
	net, writes atomic.Int64
}

// totals is what a run came to.
type totals struct {
	moved, refused            atomic.Int64
	attempts, most, conflicts atomic.Int64
	elapsed                   time.Duration
	books                     []book // one an account, in the order of ids
}

// openAccounts opens so many accounts and returns their ids.
func openAccounts(ctx context.Context, db *sql.DB, n int) ([]uint64, error) {
	q := shop.New(db)
	ids := make([]uint64, n)
	for i := range ids {
		arg := shop.InsertAccountParams{Owner: fmt.Sprintf("customer %d", i+1), Balance: openingBalance}
		id, err := q.InsertAccount(ctx, arg)
		if err != nil {
			return nil, fmt.Errorf("open account %d: %w", i+1, err)
		}
		ids[i] = uint64(id)
	}
	return ids, nil
}

// exchange lets the workers transfer random amounts between random accounts, some of which are more
// than the payer has. The first error other than that one stops all of them.
func exchange(ctx context.Context, f form, ids []uint64, t traffic) (*totals, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sum := &totals{books: make([]book, len(ids))}
	var begun atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range t.workers {
		workers.Go(func() {
			for ctx.Err() == nil && begun.Add(1) <= int64(t.transfers) {
				if err := sum.transfer(ctx, f, ids); err != nil {
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
func (s *totals) transfer(ctx context.Context, f form, ids []uint64) error {
	payer := rand.N(len(ids))
	payee := (payer + 1 + rand.N(len(ids)-1)) % len(ids) // anybody else
	amount := 1 + rand.Int64N(largestTransfer)
	var report sqlcas.Report
	err := f.transfer(ctx, ids[payer], ids[payee], amount, sqlcas.WithReport(&report))

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
		return fmt.Errorf("%s: from account %d to %d: %w", f.title, ids[payer], ids[payee], err)
	default:
		s.moved.Add(1)
		s.books[payer].add(-amount)
		s.books[payee].add(amount)
	}
	return nil
}

func (b *book) add(amount int64) {
	b.net.Add(amount)
	b.writes.Add(1)
}

// audit checks by hand what sqlcas promises: no account is overdrawn, each balance is the opening one
// plus what the callers were told, the version moved once per transfer, the ledger of a form that has
// one tells the same story, and no money was made or lost. It returns what is wrong, and the sum of
// all balances.
func audit(
	ctx context.Context, db *sql.DB, f form, ids []uint64, books []book,
) (wrong []string, sum int64, err error) {
	q := shop.New(db)
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for i, id := range ids {
		a, err := q.GetAccount(ctx, id)
		if err != nil {
			return nil, 0, fmt.Errorf("account %d: %w", id, err)
		}
		sum += a.Balance
		writes := books[i].writes.Load()
		if a.Balance < 0 {
			fail("account %d is overdrawn: %s", id, money(a.Balance))
		}
		if want := openingBalance + books[i].net.Load(); a.Balance != want {
			fail("account %d has %s, but its transfers make %s", id, money(a.Balance), money(want))
		}
		if a.Version-1 != uint64(writes) {
			fail("account %d was written %d times, but took part in %d transfers", id, a.Version-1, writes)
		}
		entries, err := q.ListLedgerEntries(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		ledger := int64(openingBalance)
		for _, e := range entries {
			ledger += e.Amount
		}
		switch {
		case !f.ledger && len(entries) > 0:
			fail("account %d has %d ledger entries that nobody wrote", id, len(entries))
		case f.ledger && a.Balance != ledger:
			fail("account %d has %s, but its ledger makes %s", id, money(a.Balance), money(ledger))
		case f.ledger && int64(len(entries)) != writes:
			fail("account %d took part in %d transfers, but has %d ledger entries", id, writes, len(entries))
		}
	}
	if want := int64(len(ids)) * openingBalance; sum != want {
		fail("the accounts hold %s together, but began with %s", money(sum), money(want))
	}
	return wrong, sum, nil
}
