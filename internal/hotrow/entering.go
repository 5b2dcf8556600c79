package hotrow

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"strconv"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

// newID names one operation among those of all processes and rounds: 128 bits by chance, in hex, as an
// Idempotency-Key that is a UUID has them. Such ids come in no order, and servers have to find each one's place.
func newID() string {
	const base = 16
	id := strconv.AppendUint(make([]byte, 0, 2*base), rand.Uint64(), base)
	return string(strconv.AppendUint(append(id, '-'), rand.Uint64(), base))
}

// journalStore deducts by a JournalStore, with an id and an entry for each call.
func journalStore(db *sql.DB) work {
	accounts := optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[shop.InsertLedgerEntryParams]{
		Table: ownIDs.entries, Columns: []string{"account_id", "amount", "memo"},
		Values: func(e shop.InsertLedgerEntryParams) []any { return []any{e.AccountID, e.Amount, e.Memo} },
	})
	return func(l limits, id uint64) (int64, error) {
		_, err := accounts.Update(l.patience, id, deductAndEmit, sqlcas.WithOperationID(newID()))
		return 0, orGaveUp(l, err)
	}
}

// deductAndEmit is deduct with an entry.
func deductAndEmit(a *shop.Account, emit func(shop.InsertLedgerEntryParams)) error {
	if err := deduct(a); err != nil {
		return err
	}
	emit(deduction(a.ID))
	return nil
}

// lockAndEnter is lockByHand with one INSERT more in each transaction: of the entry, which carries the operation's
// id. Its key is what keeps an operation from being applied twice: a second one fails with error 1062 and is rolled back,
// so that nobody has to look for the id first.
func lockAndEnter(db *sql.DB) work {
	return func(l limits, id uint64) (int64, error) {
		for operation := newID(); l.patience.Err() == nil; {
			err := lockOnce(l, db, id, func(ctx context.Context, tx *sql.Tx) error {
				return enter(ctx, tx, id, operation)
			})
			if !benchdb.LockFailed(err) {
				return 0, err
			}
		}
		return 0, errGaveUp
	}
}

// enter inserts the entry of a deduction, and its id.
func enter(ctx context.Context, tx *sql.Tx, account uint64, operation string) error {
	e := deduction(account)
	_, err := tx.ExecContext(ctx,
		"INSERT INTO ledger_entry_once (account_id, amount, memo, operation) VALUES (?, ?, ?, ?)",
		e.AccountID, e.Amount, e.Memo, operation)
	return err
}
