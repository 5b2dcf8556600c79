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

// errInsufficientFunds refuses a payment. Nothing is kept of it, so that it can be asked for again, under its
// key, when there is money.
var errInsufficientFunds = errors.New("the account has not enough money for that")

// payment is a request to take an amount from an account.
type payment struct {
	key     string // of the client's, the same whenever the same payment is asked for
	account uint64
	amount  int64 // minor units, positive
}

// operationID is what the payment is known by. All operations of a database share one space of ids, so it says
// what it is for. Where several clients make up keys, it also needs the client's name, as its login has
// it, so that nobody gets the answer to somebody else's request.
func (p payment) operationID() string { return "payment " + p.key }

// fingerprint is what must be the same when the payment is asked for again. It is made of the values and not of
// the body's text, which may have other spaces the next time.
func (p payment) fingerprint() []byte {
	return fmt.Appendf(nil, "account %d amount %d", p.account, p.amount)
}

// ledgerStore is the accounts, with the ledger that tells why they moved.
type ledgerStore = optimistic.JournalStore[uint64, shop.Account, shop.InsertLedgerEntryParams]

func newLedgerStore(db *sql.DB) *ledgerStore {
	return optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[shop.InsertLedgerEntryParams]{
		Table:   "ledger_entry",
		Columns: []string{"account_id", "amount", "memo"},
		Values: func(e shop.InsertLedgerEntryParams) []any {
			return []any{e.AccountID, e.Amount, e.Memo}
		},
	})
}

// pay makes a payment unless it has been made before, which it reports. Balance, ledger entry and id are one
// transaction, and payments that meet on an account share it.
func pay(ctx context.Context, accounts *ledgerStore, p payment) (replayed bool, err error) {
	var report sqlcas.Report
	_, err = accounts.Update(ctx, p.account, func(a *shop.Account, emit func(shop.InsertLedgerEntryParams)) error {
		if a.Balance < p.amount {
			return errInsufficientFunds
		}
		a.Balance -= p.amount
		emit(shop.InsertLedgerEntryParams{AccountID: a.ID, Amount: -p.amount, Memo: p.operationID()})
		return nil
	}, sqlcas.WithOperationID(p.operationID()), sqlcas.WithFingerprint(p.fingerprint()), sqlcas.WithReport(&report))
	return report.Replayed, err
}
