package conformance

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// receiptTable is a journal with everything in it that a server may refuse an entry for.
const receiptTable = `CREATE TABLE receipt (n BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
	account_id BIGINT UNSIGNED NOT NULL, memo VARCHAR(80) NOT NULL, amount BIGINT NOT NULL, body MEDIUMBLOB NULL,
	UNIQUE KEY (account_id, memo), CONSTRAINT receipt_amount CHECK (amount <> 13),
	CONSTRAINT receipt_account FOREIGN KEY (account_id) REFERENCES account (id)) ENGINE=InnoDB`

// receipts returns e with that table.
func (e *env) receipts(t *testing.T) *env {
	t.Helper()
	_, err := e.other.ExecContext(t.Context(), receiptTable)
	require.NoError(t, err)
	twin := *e
	twin.tables = append(slices.Clone(e.tables), "receipt")
	return &twin
}

// receipt is an entry of the journal.
type receipt struct {
	account uint64
	memo    string
	amount  int64
	body    any
}

type receiptStore = optimistic.JournalStore[uint64, shop.Account, receipt]

func newReceiptStore(db *sql.DB) *receiptStore {
	return optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[receipt]{
		Table: "receipt", Columns: []string{"account_id", "memo", "amount", "body"},
		Values: func(r receipt) []any { return []any{r.account, r.memo, r.amount, r.body} },
	})
}

// issuing is a receiptStore as party wants one. A change of party's own has no receipt.
type issuing struct {
	store[uint64, shop.Account] // nil: party has rows updated, and nothing else
	journal                     *receiptStore
}

func (s issuing) Update(
	ctx context.Context, key uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
) (shop.Account, error) {
	return s.journal.Update(ctx, key, func(a *shop.Account, _ func(receipt)) error { return change(a) }, opts...)
}

// issuer is a call whose closure adds 1 and issues receipts.
type issuer struct {
	op       string
	receipts []receipt
	then     func() error // what the closure ends with; nil for success

	called
	err error
}

func (i *issuer) call(ctx context.Context, st *receiptStore, id uint64) {
	opts := []sqlcas.Option{sqlcas.WithReport(&i.Report)}
	if i.op != "" {
		opts = i.with(i.op, "")
	}
	defer func() {
		if p := recover(); p != nil {
			i.err = p.(error)
		}
	}()
	_, i.err = st.Update(ctx, id, func(a *shop.Account, emit func(receipt)) error {
		a.Balance++
		for _, r := range i.receipts {
			emit(r)
		}
		if i.then != nil {
			return i.then()
		}
		return nil
	}, opts...)
}

// issue has issuers meet on an account, in their order, behind a call that adds 1.
func issue(t *testing.T, e *env, st *receiptStore, id uint64, all ...*issuer) {
	t.Helper()
	var calls []func(context.Context)
	for _, i := range all {
		calls = append(calls, func(ctx context.Context) { i.call(ctx, st, id) })
	}
	require.NoError(t, party(t, e, issuing{journal: st}, id, calls...))
}

// memos are those of an account's receipts, in the order in which they were entered.
func (e *env) memos(t *testing.T, id uint64) []string {
	t.Helper()
	rows, err := e.other.QueryContext(t.Context(), "SELECT memo FROM receipt WHERE account_id = ? ORDER BY n", id)
	require.NoError(t, err)
	defer rows.Close()
	var memos []string
	for rows.Next() {
		var memo string
		require.NoError(t, rows.Scan(&memo))
		memos = append(memos, memo)
	}
	require.NoError(t, rows.Err())
	return memos
}

// receiptInserts are the INSERTs of receipts among what was sent.
func (l *statementLog) receiptInserts() (inserts []sentStatement) {
	for _, s := range l.of("INSERT") {
		if strings.HasPrefix(s.text, "INSERT INTO `receipt`") {
			inserts = append(inserts, s)
		}
	}
	return inserts
}
