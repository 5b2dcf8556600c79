package main

import (
	"slices"
	"testing"

	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Ensures that the reconciliation sees a payment that was made twice, or not as its sender was told, one that
// nobody asked for, an id without its payment and a payment without its id, a balance that the ledger does not
// explain, and an unseen write.
func TestReconcileFindsMistakes(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		db := opened(t, s.DSN)
		for _, statement := range []string{
			`INSERT INTO ledger_entry (account_id, amount, memo) VALUES (1, -5, 'payment twice'), (1, -5, 'payment twice'),
				(1, -5, 'payment refused'), (1, -5, 'payment new'), (1, -6, 'payment other'),
				(2, -5, 'stray'), (2, -5, 'payment bare')`,
			`INSERT INTO sqlcas_operation VALUES
				('payment twice', '', '', '', NOW(6)), ('payment refused', '', '', '', NOW(6)),
				('payment new', '', '', '', NOW(6)), ('payment other', '', '', '', NOW(6)),
				('payment only id', '', '', '', NOW(6)), ('stray id', '', '', '', NOW(6))`,
			"UPDATE account SET balance = 90, version = 4 WHERE id = 2",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		paid, refused := outcome{paid: true}, outcome{refused: true}
		ask := func(key string, account uint64, outcomes ...outcome) told {
			return told{payment{key: key, account: account, amount: 5}, outcomes}
		}
		open := []shop.Account{{ID: 1, Balance: 100, Version: 1}, {ID: 2, Balance: 100, Version: 1}}
		got, err := reconcile(t.Context(), db, open, []told{
			ask("twice", 1, paid), ask("refused", 1, refused), ask("new", 1, paid, paid), ask("other", 1, paid),
			ask("bare", 2, paid), ask("absent", 1, paid), ask("only id", 1, outcome{}), ask("unanswered", 1, outcome{}),
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"account 1 had 100 and has 100, its ledger makes 74",
			"account 1 was written 0 times, and has 5 ledger entries",
			"account 2 was written 3 times, and has 2 ledger entries",
			"payment twice was made 2 times",
			"payment refused was made, and its sender told that it was refused",
			"payment new was new to 2 requests",
			"payment other took 6 from account 1, not 5 from 1",
			"payment bare: 1 ledger entries, its operation id is there: false",
			"payment absent was not made, and its sender told that it was",
			"payment only id: 0 ledger entries, its operation id is there: true",
			`the ledger has "stray", which nobody asked for`,
			"6 operation ids for 5 payments",
		}
		if !slices.Equal(got.wrong, want) {
			t.Errorf("got %q, want %q", got.wrong, want)
		}
	})
}
