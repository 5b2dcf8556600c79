package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// onceStore is what the Stores have that take operation ids.
type onceStore interface {
	sqlcas.Updater[uint64, shop.Account]
	UpdateIfVersion(
		ctx context.Context, key, version uint64, change func(row *shop.Account) error, opts ...sqlcas.Option,
	) (shop.Account, error)
	UpdateAll(
		ctx context.Context, keys []uint64, change func(rows map[uint64]*shop.Account) error, opts ...sqlcas.Option,
	) (map[uint64]shop.Account, error)
}

// onceWay is a Store that the contract of operation ids is held against.
type onceWay struct {
	name   string
	enters bool // each change has an entry in the ledger
	open   func(db *sql.DB) onceStore
}

var onceWays = []onceWay{
	{"optimistic.Store", false, func(db *sql.DB) onceStore { return optimistic.NewStore(db, shop.AccountTable) }},
	{"optimistic.JournalStore", true, func(db *sql.DB) onceStore { return entering{ledgerStore(db)} }},
	{"optimistic.Store without combining", false, func(db *sql.DB) onceStore {
		return optimistic.NewStore(db, shop.AccountTable, optimistic.WithoutCombining())
	}},
}

// onceCheck is one clause of the contract of operation ids in Stores. Its function's comment says what it ensures.
type onceCheck struct {
	name string
	run  func(*testing.T, *env, onceWay)
}

// onceChecks hold for every onceWay, and onceBatchChecks for those whose callers meet.
var onceChecks = []onceCheck{
	{"Update is applied once, and a replay returns the row as it is", checkOnceUpdate},
	{"replay of a row that is gone is a success without a row", checkOnceGone},
	{"UpdateIfVersion's retried edit is a replay", checkOnceIfVersion},
	{"UpdateIfVersion that loses keeps no id", checkOnceIfVersionStale},
	{"UpdateAll is applied once, and a replay returns the rows there are", checkOnceAll},
	{"another request is a mismatch", checkOnceFingerprint},
	{"another key, table or kind is a mismatch", checkOnceTarget},
	{"refused operation can be made again", checkOnceRefused},
	{"panic and Goexit keep no id", checkOnceEndings},
	{"id that is entered meanwhile has the call look again", checkOnceTaken},
	{"missing table is named with its statement", checkOnceNoTable},
	{"twin committed meanwhile is replayed", checkOnceTwin},
}

var onceBatchChecks = []onceCheck{
	{"one id twice in a batch is applied once", checkBatchSameID},
	{"one id for two requests in a batch is a mismatch", checkBatchMismatch},
	{"ids that were applied before are replayed among new ones", checkBatchOld},
	{"latecomer who refuses what he has done before is replayed", checkBatchLateRefused},
	{"latecomer who does again what he has done before is replayed", checkBatchLateTaken},
	{"id that another process enters meanwhile has the batch begin again", checkBatchTaken},
	{"refusals, panics and Goexits in a batch keep no id", checkBatchEndings},
	{"change that the server refuses keeps no id", checkBatchBisected},
}

// Ensures that the operation ids of the Stores hold their contract on every server in every mode.
func TestOnceHoldsInEveryMode(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, m := range modes() {
			t.Run(m.String(), func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, s, m, false).noting(t)
				for i, w := range onceWays {
					checks := onceChecks
					if i < 2 {
						checks = append(checks[:len(checks):len(checks)], onceBatchChecks...)
					}
					bound := make([]check, len(checks))
					for i, c := range checks {
						bound[i] = check{c.name, func(t *testing.T, e *env) { c.run(t, e, w) }}
					}
					runContract(t, e, cellID{"ids of " + w.name, s.Name, m.String()}, bound)
				}
				runContract(t, e.receipts(t), cellID{"journals", s.Name, m.String()}, journalChecks)
				runContract(t, e, cellID{"ids across Stores", s.Name, m.String()}, crossChecks)
			})
		}
	})
}

// ledgerEntry is a row of the shop's ledger.
type ledgerEntry struct {
	account uint64
	amount  int64
	memo    string
}

func ledgerStore(db *sql.DB) *optimistic.JournalStore[uint64, shop.Account, ledgerEntry] {
	return optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[ledgerEntry]{
		Table: "ledger_entry", Columns: []string{"account_id", "amount", "memo"},
		Values: func(e ledgerEntry) []any { return []any{e.account, e.amount, e.memo} },
	})
}

// entering is a JournalStore as a onceStore: each change of a row has an entry, which is emitted even if the closure
// refuses, panics or ends.
type entering struct {
	*optimistic.JournalStore[uint64, shop.Account, ledgerEntry]
}

func enters(change func(*shop.Account) error) func(*shop.Account, func(ledgerEntry)) error {
	return func(a *shop.Account, emit func(ledgerEntry)) error {
		before := a.Balance
		defer func() { emit(ledgerEntry{a.ID, a.Balance - before, "entered"}) }()
		return change(a)
	}
}

func (s entering) Update(
	ctx context.Context, key uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
) (shop.Account, error) {
	return s.JournalStore.Update(ctx, key, enters(change), opts...)
}

func (s entering) UpdateIfVersion(
	ctx context.Context, key, version uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
) (shop.Account, error) {
	return s.JournalStore.UpdateIfVersion(ctx, key, version, enters(change), opts...)
}

func (s entering) UpdateAll(
	ctx context.Context, keys []uint64, change func(map[uint64]*shop.Account) error, opts ...sqlcas.Option,
) (map[uint64]shop.Account, error) {
	return s.JournalStore.UpdateAll(ctx, keys, func(rows map[uint64]*shop.Account, emit func(ledgerEntry)) error {
		before := map[uint64]int64{}
		for _, a := range rows {
			before[a.ID] = a.Balance
		}
		defer func() {
			for _, a := range rows {
				emit(ledgerEntry{a.ID, a.Balance - before[a.ID], "entered"})
			}
		}()
		return change(rows)
	}, opts...)
}

// agrees ensures what an account has come to by the Store alone, and that its ledger says the same.
func (w onceWay) agrees(t *testing.T, e *env, id uint64, balance int64, version uint64) {
	t.Helper()
	e.want(t, id, balance, version)
	if w.enters {
		sum, err := shop.New(e.other).SumLedger(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, balance-opening, sum, "sum of the ledger of account %d", id)
		require.EqualValues(t, version-1, e.count(t, "ledger_entry WHERE account_id = ?", id), "entries of account %d", id)
	}
}

// remove deletes an account past the Stores.
func (e *env) remove(t *testing.T, id uint64) {
	t.Helper()
	for _, stmt := range []string{"DELETE FROM ledger_entry WHERE account_id = ?", "DELETE FROM account WHERE id = ?"} {
		_, err := e.other.ExecContext(t.Context(), stmt, id)
		require.NoError(t, err)
	}
}

// idOf is an id that no other check of the cell has.
func idOf(t *testing.T, name string) string { return t.Name() + "/" + name }

// called has a call's options, and its Report.
type called struct{ sqlcas.Report }

// with returns the options of a call with an id, and with a request if that is not empty.
func (c *called) with(id, request string) []sqlcas.Option {
	opts := []sqlcas.Option{sqlcas.WithOperationID(id), sqlcas.WithReport(&c.Report)}
	if request != "" {
		opts = append(opts, sqlcas.WithFingerprint([]byte(request)))
	}
	return opts
}

// unrunRow is the closure of a call that must not run one.
func unrunRow(t *testing.T) func(*shop.Account) error {
	return func(*shop.Account) error {
		t.Error("the closure was run")
		return nil
	}
}
