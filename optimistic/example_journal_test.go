package optimistic_test

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Posting is an entry of the ledger.
type Posting struct {
	Account uint64
	Amount  int64
	Memo    string
}

// newLedger makes the JournalStore of the accounts and their ledger.
func newLedger(db *sql.DB) *optimistic.JournalStore[uint64, shop.Account, Posting] {
	return optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[Posting]{
		Table:   "ledger_entry",
		Columns: []string{"account_id", "amount", "memo"},
		Values:  func(p Posting) []any { return []any{p.Account, p.Amount, p.Memo} },
	})
}

// A debit and its entry in the ledger: both or neither, and once, however often it is asked for.
func ExampleJournalStore_Update() {
	ctx, db := context.Background(), openNotingShop()
	defer closeShop(db)
	accounts := newLedger(db)
	// ---
	debit := func(amount int64, id string) error {
		_, err := accounts.Update(ctx, 42, func(a *shop.Account, emit func(Posting)) error {
			emit(Posting{Account: a.ID, Amount: -amount, Memo: id})
			if a.Balance < amount {
				return errInsufficientFunds // then there is no entry either
			}
			a.Balance -= amount
			return nil
		}, sqlcas.WithOperationID(id))
		return err
	}
	fmt.Println(debit(30, "order 1"), debit(30, "order 1"), debit(500, "order 2"))

	// Output:
	// <nil> <nil> insufficient funds
	// account 42: balance 70, version 8, ledger -30
	// account 43: balance 50, version 1, ledger +0
}

// A transfer with an entry for each side.
func ExampleJournalStore_UpdateAll() {
	ctx, db, from, to, amount := context.Background(), openNotingShop(), uint64(42), uint64(43), int64(30)
	defer closeShop(db)
	accounts := newLedger(db)
	// ---
	_, err := accounts.UpdateAll(ctx, []uint64{from, to}, func(rows map[uint64]*shop.Account, emit func(Posting)) error {
		if rows[from].Balance < amount {
			return errInsufficientFunds
		}
		rows[from].Balance -= amount
		rows[to].Balance += amount
		emit(Posting{Account: from, Amount: -amount, Memo: "rent"})
		emit(Posting{Account: to, Amount: amount, Memo: "rent"})
		return nil
	}, sqlcas.WithOperationID("transfer/51"))
	fmt.Println(err)

	// Output:
	// <nil>
	// account 42: balance 70, version 8, ledger -30
	// account 43: balance 80, version 2, ledger +30
}
