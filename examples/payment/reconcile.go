package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// openAccounts makes accounts that have money for about four fifths of what is asked of each, and returns them.
func openAccounts(ctx context.Context, db *sql.DB, n int, asked []payment) ([]shop.Account, error) {
	accounts := make([]shop.Account, n)
	for i := range accounts {
		a := shop.Account{ID: uint64(i + 1), Owner: fmt.Sprintf("owner %d", i+1), Version: 1}
		for _, p := range asked {
			if p.account == a.ID {
				a.Balance += p.amount * 4 / 5
			}
		}
		_, err := db.ExecContext(ctx, "INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)", a.ID, a.Owner, a.Balance)
		if err != nil {
			return nil, fmt.Errorf("account %d: %w", a.ID, err)
		}
		accounts[i] = a
	}
	return accounts, nil
}

// findings is what the database says.
type findings struct {
	applied         int   // payments with a ledger entry
	ledger, balance int64 // what the entries, and the balances' changes, add up to
	wrong           []string
}

// reconcile compares what the senders were told with the ledger, the operation ids and the accounts.
func reconcile(ctx context.Context, db *sql.DB, open []shop.Account, all []told) (f findings, err error) {
	entries, err := f.audit(ctx, db, open)
	if err != nil {
		return f, err
	}
	ids, err := operationIDs(ctx, db)
	if err != nil {
		return f, err
	}
	for _, t := range all {
		id := t.operationID()
		own := entries[id]
		f.compare(t, own, ids[id])
		if len(own) > 0 {
			f.applied++
		}
		delete(entries, id)
	}
	for memo := range entries {
		f.note("the ledger has %q, which nobody asked for", memo)
	}
	if len(ids) != f.applied {
		f.note("%d operation ids for %d payments", len(ids), f.applied)
	}
	return f, nil
}

// compare checks one payment.
func (f *findings) compare(t told, entries []shop.ListLedgerEntriesRow, known bool) {
	paid, refused, first := 0, 0, 0
	for _, o := range t.outcomes {
		switch {
		case o.paid:
			paid++
			if !o.replayed {
				first++
			}
		case o.refused:
			refused++
		}
	}
	switch n := len(entries); {
	case n > 1:
		f.note("payment %s was made %d times", t.key, n)
	case n == 0 && paid > 0:
		f.note("payment %s was not made, and its sender told that it was", t.key)
	case n == 1 && refused > 0:
		f.note("payment %s was made, and its sender told that it was refused", t.key)
	case first > 1:
		f.note("payment %s was new to %d requests", t.key, first)
	case known != (n == 1):
		f.note("payment %s: %d ledger entries, its operation id is there: %v", t.key, n, known)
	}
	for _, e := range entries {
		if e.AccountID != t.account || e.Amount != -t.amount {
			f.note("payment %s took %d from account %d, not %d from %d", t.key, -e.Amount, e.AccountID, t.amount, t.account)
		}
	}
}

// audit compares the accounts with their ledgers, and returns the entries by their memo.
func (f *findings) audit(
	ctx context.Context, db *sql.DB, open []shop.Account,
) (map[string][]shop.ListLedgerEntriesRow, error) {
	entries := map[string][]shop.ListLedgerEntriesRow{}
	q := shop.New(db)
	for _, was := range open {
		now, err := q.GetAccount(ctx, was.ID)
		if err != nil {
			return nil, fmt.Errorf("account %d: %w", was.ID, err)
		}
		ledger, err := q.ListLedgerEntries(ctx, was.ID)
		if err != nil {
			return nil, fmt.Errorf("the ledger of account %d: %w", was.ID, err)
		}
		var sum int64
		for _, e := range ledger {
			entries[e.Memo] = append(entries[e.Memo], e)
			sum += e.Amount
		}
		f.ledger += sum
		f.balance += now.Balance - was.Balance
		if was.Balance+sum != now.Balance || now.Balance < 0 {
			f.note("account %d had %d and has %d, its ledger makes %d", was.ID, was.Balance, now.Balance, was.Balance+sum)
		}
		if writes := now.Version - was.Version; writes != uint64(len(ledger)) {
			f.note("account %d was written %d times, and has %d ledger entries", was.ID, writes, len(ledger))
		}
	}
	return entries, nil
}

func (f *findings) note(format string, args ...any) {
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// operationIDs reads the library's own table, which programs have no need to look at.
func operationIDs(ctx context.Context, db *sql.DB) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT id FROM sqlcas_operation")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	ids := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return ids, rows.Err()
}

// report prints what the run came to.
func report(out io.Writer, sum totals, f findings) error {
	var sent, lost, replays, unheard, refused, open int
	for _, t := range sum.told {
		answered := false
		for i, o := range t.outcomes {
			sent, lost = sent+o.sent, lost+o.lost
			if o.replayed {
				replays++
			}
			if o.replayed && len(t.outcomes) == 1 {
				unheard++
			}
			if o.refused && i == 0 {
				refused++
			}
			answered = answered || o.paid || o.refused
		}
		if !answered {
			open++
		}
	}
	verdict := "yes: each payment was made once or refused, as its sender was told"
	if len(f.wrong) > 0 {
		verdict = "NO"
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nasked for\t%d\tpayments, in %.1f s\n", len(sum.told), sum.elapsed.Seconds())
	fmt.Fprintf(w, "requests\t%d\t%d of them without an answer, and sent again\n", sent, lost)
	fmt.Fprintf(w, "applied\t%d\tpayments\n", f.applied)
	fmt.Fprintf(w, "refused\t%d\tpayments: not enough money\n", refused)
	fmt.Fprintf(w, "unanswered\t%d\tpayments whose senders have lost patience\n", open)
	fmt.Fprintf(w, "replays\t%d\trequests for a payment that was made before: %d times its answer had been lost\n",
		replays, unheard)
	fmt.Fprintf(w, "ledger\t%s\tits sum\n", money(f.ledger))
	fmt.Fprintf(w, "balances\t%s\ttheir change\n", money(f.balance))
	fmt.Fprintf(w, "balanced\t%s\n", verdict)
	return w.Flush()
}

// money writes minor units as people do.
func money(amount int64) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d", sign, amount/100, amount%100)
}
