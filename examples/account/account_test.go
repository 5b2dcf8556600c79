package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Example ensures that a transfer is two balances, with a ledger also two entries, and that one which
// the payer cannot afford is a typed error and leaves no trace.
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
	accounts := optimistic.NewStore(s.DB, sandbox.Table(s, shop.AccountTable), s.Options...)
	fmt.Println("transfer:", transfer(ctx, accounts, ids[1], ids[0], 250_00))
	fmt.Println("with ledger:", transferWithLedger(ctx, s.DB, accounts, ids[1], ids[0], 100_00, s.Options...))
	for _, err := range []error{
		transfer(ctx, accounts, ids[1], ids[0], 650_01),
		transferWithLedger(ctx, s.DB, accounts, ids[1], ids[0], 650_01, s.Options...),
	} {
		var poor *InsufficientFundsError
		fmt.Printf("%v (insufficient funds: %v)\n", err, errors.As(err, &poor))
	}
	for _, id := range ids {
		a, err := accounts.Get(ctx, id)
		if err != nil {
			fmt.Println(err)
		}
		entries, err := shop.New(s.DB).ListLedgerEntries(ctx, id)
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
	// with ledger: <nil>
	// account 2 has 650.00, which is not enough for 650.01 (insufficient funds: true)
	// account 2 has 650.00, which is not enough for 650.01 (insufficient funds: true)
	// account 1: 1350.00 at version 3
	//   ledger: 100.00 from account 2
	// account 2: 650.00 at version 3
	//   ledger: -100.00 to account 1
}

// onAll runs fn for each form, on embedded SQLite and on each server.
func onAll(t *testing.T, conns int, fn func(t *testing.T, s *sandbox.Sandbox, f form)) {
	t.Helper()
	on := func(t *testing.T, dsn string) {
		s := sandboxtest.Open(t, dsn, conns)
		for _, f := range forms(s) {
			t.Run(f.title, func(t *testing.T) { fn(t, s, f) })
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		on(t, "")
	})
	t.Run("servers", func(t *testing.T) {
		sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) { on(t, server.DSN) })
	})
}

// Ensures that transfers which make no sense are refused before any SQL, and that an account which
// does not exist is named, whether it pays or is paid, and nothing is written to the other.
func TestTransferRefusesBadInput(t *testing.T) {
	t.Parallel()
	onAll(t, 2, func(t *testing.T, s *sandbox.Sandbox, f form) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // SQL would fail for that
		if err := f.transfer(ctx, 1, 1, 5); !errors.Is(err, errBadTransfer) {
			t.Errorf("to itself: got %v, want %v", err, errBadTransfer)
		}
		for _, amount := range []int64{0, -5} {
			if err := f.transfer(ctx, 1, 2, amount); !errors.Is(err, errBadTransfer) {
				t.Errorf("of %d: got %v, want %v", amount, err, errBadTransfer)
			}
		}
		ids, err := openAccounts(t.Context(), s.DB, 1)
		if err != nil {
			t.Fatal(err)
		}
		const absent = 1 << 40
		for _, pair := range [][2]uint64{{absent, ids[0]}, {ids[0], absent}} {
			err := f.transfer(t.Context(), pair[0], pair[1], 5)
			if !errors.Is(err, sqlcas.ErrGone) || !errors.Is(err, sql.ErrNoRows) ||
				!strings.Contains(err.Error(), fmt.Sprint(absent)) {
				t.Errorf("from %d to %d: got %v, want %v for account %d", pair[0], pair[1], err, sqlcas.ErrGone, absent)
			}
		}
		wrong, _, err := audit(t.Context(), s.DB, f, ids, make([]book, 1))
		if err != nil || len(wrong) > 0 {
			t.Errorf("got %v, %v, want nothing written", wrong, err)
		}
	})
}

// Ensures on each server, and on SQLite, that transfers in both directions between few accounts conserve
// the money, explain every balance by what the callers were told and by the ledger, and never deadlock:
// an attempt is lost to a conflict or not at all; under FOR UPDATE none is lost.
func TestTransfersConserveMoney(t *testing.T) {
	t.Parallel()
	onAll(t, 16, func(t *testing.T, s *sandbox.Sandbox, f form) {
		ids, err := openAccounts(t.Context(), s.DB, 3)
		if err != nil {
			t.Fatal(err)
		}
		const transfers = 200
		sum, err := exchange(t.Context(), f, ids, traffic{transfers: transfers, workers: 16})
		if err != nil {
			t.Fatal(err)
		}
		wrong, _, err := audit(t.Context(), s.DB, f, ids, sum.books)
		if err != nil || len(wrong) > 0 {
			t.Errorf("got %v, %v, want books that balance", wrong, err)
		}
		if sum.moved.Load()+sum.refused.Load() != transfers || sum.refused.Load() == 0 {
			t.Errorf("got %d moved and %d refused, want %d in all and some refused",
				sum.moved.Load(), sum.refused.Load(), transfers)
		}
		lost := sum.attempts.Load() - transfers
		if others := lost - sum.conflicts.Load(); others != 0 && !s.Embedded {
			t.Errorf("got %d attempts lost to something else than a conflict, want none", others)
		}
		if strings.HasSuffix(f.title, "FOR UPDATE") && lost != 0 {
			t.Errorf("got %d attempts lost under FOR UPDATE, want none", lost)
		}
		t.Logf("%d moved, %d refused, %d conflicts absorbed, at most %d attempts",
			sum.moved.Load(), sum.refused.Load(), sum.conflicts.Load(), sum.most.Load())
	})
}

// errLedgerFull is what the ledger is made to fail with.
const errLedgerFull = "the ledger is full"

// Ensures that a ledger entry which cannot be written takes the balances back with it: that is what one
// transaction is for.
func TestNoTransferWithoutItsLedger(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 2)
	ids, err := openAccounts(t.Context(), s.DB, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.DB.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE INSERT ON ledger_entry "+
		"WHEN NEW.amount > 0 BEGIN SELECT RAISE(ABORT, '"+errLedgerFull+"'); END") // at the second of two
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms(s) {
		if !f.ledger {
			continue
		}
		err := f.transfer(t.Context(), ids[0], ids[1], 5)
		if err == nil || !strings.Contains(err.Error(), errLedgerFull) {
			t.Errorf("got %v, want %q", err, errLedgerFull)
		}
		wrong, _, err := audit(t.Context(), s.DB, f, ids, make([]book, 2))
		if err != nil || len(wrong) > 0 {
			t.Errorf("got %v, %v, want nothing written", wrong, err)
		}
	}
}

// Ensures that the audit sees money that appears, a balance that the callers or the ledger do not
// explain, an overdrawn account and an unseen write.
func TestAuditFindsMistakes(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 2)
	ids, err := openAccounts(t.Context(), s.DB, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE account SET balance = -1 WHERE id = 1", "UPDATE account SET version = 2 WHERE id = 2",
		"INSERT INTO ledger_entry (account_id, amount, memo) VALUES (3, 0, 'nothing')",
	} {
		if _, err := s.DB.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	always := []string{
		"account 1 is overdrawn: -0.01", "account 1 has -0.01, but its transfers make 1000.00",
		"account 2 was written 1 times, but took part in 0 transfers",
		"the accounts hold 1999.99 together, but began with 3000.00",
	}
	for _, c := range []struct {
		form form
		more []string
	}{
		{form{ledger: true}, []string{
			"account 1 has -0.01, but its ledger makes 1000.00",
			"account 3 took part in 0 transfers, but has 1 ledger entries",
		}},
		{form{}, []string{"account 3 has 1 ledger entries that nobody wrote"}},
	} {
		got, _, err := audit(t.Context(), s.DB, c.form, ids, make([]book, 3))
		want := slices.Sorted(slices.Values(append(c.more, always...)))
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("ledger %v: got %q, %v, want %q", c.form.ledger, got, err, want)
		}
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
	want := "50 transfers between 4 accounts, 4 at a time, on embedded SQLite "
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %q, want it to start with %q", out.String(), want)
	}
	for _, title := range []string{"\nUpdateAll  ", "\nUpdateTx with ledger  "} {
		_, row, _ := strings.Cut(out.String(), title)
		if row, _, _ = strings.Cut(row, "\n"); !strings.HasSuffix(row, "  yes: 4000.00 now as at first") {
			t.Errorf("got row %q of %q, want it balanced", row, title)
		}
	}
	if err := run(t.Context(), []string{"-accounts", "1"}, "", &out, &errOut); err == nil {
		t.Error("got no error for one account, want one")
	}
}
