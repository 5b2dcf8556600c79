package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Example ensures that a transfer is two balances and two ledger entries, and that one which the
// payer cannot afford is a typed error and leaves no trace.
func Example() {
	ctx := context.Background()
	s, err := sandbox.Open(ctx, "", 2) // embedded SQLite
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = s.Close() }()
	ids, err := openAccounts(ctx, s.DB, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("transfer:", transfer(ctx, s.DB, ids[1], ids[0], 250_00, s.Options...))
	err = transfer(ctx, s.DB, ids[1], ids[0], 750_01, s.Options...)
	var poor *InsufficientFundsError
	fmt.Println("transfer:", err)
	fmt.Println("insufficient funds:", errors.As(err, &poor))
	q := shop.New(s.DB)
	for _, id := range ids {
		a, err := q.GetAccount(ctx, id)
		if err != nil {
			fmt.Println(err)
		}
		entries, err := q.ListLedgerEntries(ctx, id)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("account %d: %s at version %d\n", a.ID, money(a.Balance), a.Version)
		for _, e := range entries {
			fmt.Printf("  ledger: %s %s\n", money(e.Amount), e.Memo)
		}
	}
	// Output:
	// transfer: <nil>
	// transfer: account 2 has 750.00, which is not enough for 750.01
	// insufficient funds: true
	// account 1: 1250.00 at version 2
	//   ledger: 250.00 from account 2
	// account 2: 750.00 at version 2
	//   ledger: -250.00 to account 1
}

// Ensures that transfers which make no sense are refused before any SQL, and that an account which
// does not exist is named.
func TestTransferRefusesBadInput(t *testing.T) {
	t.Parallel()
	if err := transfer(t.Context(), nil, 1, 1, 5); !errors.Is(err, errBadTransfer) {
		t.Errorf("to itself: got %v, want %v", err, errBadTransfer)
	}
	for _, amount := range []int64{0, -5} {
		if err := transfer(t.Context(), nil, 1, 2, amount); !errors.Is(err, errBadTransfer) {
			t.Errorf("of %d: got %v, want %v", amount, err, errBadTransfer)
		}
	}
	s := sandboxtest.Open(t, "", 2)
	err := transfer(t.Context(), s.DB, 41, 42, 5, s.Options...)
	if !errors.Is(err, sql.ErrNoRows) || !strings.HasPrefix(err.Error(), "account 41: ") {
		t.Errorf("got %v, want %v for account 41", err, sql.ErrNoRows)
	}
}

// Ensures on each server that transfers in both directions between few accounts conserve the money,
// explain every balance by the ledger, and never deadlock: an attempt is lost to a conflict or not
// at all.
func TestTransfersConserveMoney(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		s := sandboxtest.Open(t, server.DSN, 16)
		ids, err := openAccounts(t.Context(), s.DB, 3)
		if err != nil {
			t.Fatal(err)
		}
		const transfers = 300
		load := traffic{transfers: transfers, workers: 16, options: s.Options}
		sum, err := exchange(t.Context(), s.DB, ids, load)
		if err != nil {
			t.Fatal(err)
		}
		wrong, _, err := audit(t.Context(), s.DB)
		if err != nil || len(wrong) > 0 {
			t.Errorf("got %v, %v, want books that balance", wrong, err)
		}
		if got := sum.moved.Load() + sum.refused.Load(); got != transfers {
			t.Errorf("got %d transfers, want %d", got, transfers)
		}
		if deadlocks := sum.attempts.Load() - sum.conflicts.Load() - transfers; deadlocks != 0 {
			t.Errorf("got %d attempts lost to something else than a conflict, want none", deadlocks)
		}
		t.Logf("%d moved, %d refused, %d conflicts absorbed, at most %d attempts",
			sum.moved.Load(), sum.refused.Load(), sum.conflicts.Load(), sum.most.Load())
	})
}

// Ensures that the audit sees money that appears, a balance without a ledger entry, an overdrawn
// account and an unseen write.
func TestAuditFindsMistakes(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 2)
	ids, err := openAccounts(t.Context(), s.DB, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE account SET balance = -1 WHERE id = 1", "UPDATE account SET version = 2 WHERE id = 2",
	} {
		if _, err := s.DB.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := audit(t.Context(), s.DB)
	want := []string{
		"account 1 is overdrawn: -0.01", "account 1 has -0.01, but its ledger makes 1000.00",
		"account 2 was written 1 times, but has 0 ledger entries",
		"the accounts hold 999.99 together, but began with 2000.00",
	}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("of accounts %v: got %q, %v, want %q", ids, got, err, want)
	}
}

// Ensures that the program runs on SQLite and prints a table that balances, and that a wrong
// command line is an error.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	args := []string{"-accounts", "4", "-transfers", "50", "-workers", "4"}
	if err := run(t.Context(), args, "", &out, &errOut); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"50 transfers between 4 accounts, 4 at a time, on embedded SQLite ",
		"money        4000.00  now, 4000.00 at first", "balanced     yes",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
	if err := run(t.Context(), []string{"-accounts", "1"}, "", &out, &errOut); err == nil {
		t.Error("got no error for one account, want one")
	}
}
