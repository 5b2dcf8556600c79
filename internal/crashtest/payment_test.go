package crashtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	callers  = 32
	accounts = 4
	hot      = 1 // the account of five payments in eight
)

// payment is an operation: what a client is asked for, and may be asked for again.
type payment struct {
	ID      string
	Account uint64
	Amount  int64
}

// newPayment makes the n-th payment of a kind, always the same.
func newPayment(kind, n int) payment {
	account := uint64(hot)
	if n%8 >= 5 {
		account = uint64(2 + n%(accounts-1))
	}
	return payment{ID: fmt.Sprintf("%d/%d", kind, n), Account: account, Amount: -1 - int64(n%9)}
}

// request is what the payment's fingerprint is of.
func (p payment) request() []byte {
	return fmt.Appendf(nil, "account %d amount %d", p.Account, p.Amount)
}

// ledger is the Store whose calls are interrupted.
type ledger = optimistic.JournalStore[uint64, shop.Account, entry]

// entry is a row of ledger_entry.
type entry struct {
	account uint64
	amount  int64
	memo    string
}

func newLedger(db *sql.DB) *ledger {
	return optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[entry]{
		Table: "ledger_entry", Columns: []string{"account_id", "amount", "memo"},
		Values: func(e entry) []any { return []any{e.account, e.amount, e.memo} },
	})
}

// pay makes the payment, and notes its id in its ledger entry, with the version of the account that it was made on.
func pay(ctx context.Context, l *ledger, p payment) (r sqlcas.Report, err error) {
	_, err = l.Update(ctx, p.Account, func(a *shop.Account, emit func(entry)) error {
		emit(entry{a.ID, p.Amount, fmt.Sprintf("%s@%d", p.ID, a.Version)})
		a.Balance += p.Amount
		return nil
	}, sqlcas.WithOperationID(p.ID), sqlcas.WithFingerprint(p.request()), sqlcas.WithReport(&r))
	return r, err
}

// answer is what a caller was told about a payment.
type answer struct {
	ID       string
	Replayed bool
	Batch    int
	Error    string
}

// payAll has the callers make the payments, each of them once, and tells each answer from the goroutine that got it.
func payAll(ctx context.Context, db *sql.DB, payments []payment, tell func(answer)) {
	l := newLedger(db)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(payments) {
					return
				}
				report, err := pay(ctx, l, payments[n])
				a := answer{ID: payments[n].ID, Replayed: report.Replayed, Batch: report.Batch}
				if err != nil {
					a.Error = err.Error()
				}
				tell(a)
			}
		})
	}
	wg.Wait()
}

// newPool opens a pool that keeps a connection for each caller.
func newPool(c driver.Connector) *sql.DB {
	db := sql.OpenDB(c)
	db.SetMaxIdleConns(callers)
	return db
}

// dial returns the driver's own connector.
func dial(t *testing.T, cfg *mysql.Config) driver.Connector {
	t.Helper()
	c, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	return c
}

// open opens a pool that must be idle when the test ends.
func open(t *testing.T, c driver.Connector) *sql.DB {
	t.Helper()
	db := newPool(c)
	t.Cleanup(func() {
		await(t, "no connection is in use", func() bool { return db.Stats().InUse == 0 })
		require.NoError(t, db.Close())
	})
	return db
}
