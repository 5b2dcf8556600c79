package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// onceTake takes 1 from an account by a Store, under an operation id that the options have.
type onceTake func(ctx context.Context, account uint64, id string, opts ...sqlcas.Option) error

// onceKind is a Store that is put through faults with operation ids.
type onceKind struct {
	name   string
	enters bool // each change has an entry in the ledger, whose memo is the id
	open   func(db *sql.DB, opts ...sqlcas.Option) onceTake
}

var onceKinds = []onceKind{
	{"Store", false, func(db *sql.DB, opts ...sqlcas.Option) onceTake {
		st := optimistic.NewStore(db, shop.AccountTable, opts...)
		return func(ctx context.Context, account uint64, id string, opts ...sqlcas.Option) error {
			_, err := st.Update(ctx, account, func(a *shop.Account) error { a.Balance--; return nil }, opts...)
			return err
		}
	}},
	{"JournalStore", true, func(db *sql.DB, opts ...sqlcas.Option) onceTake {
		st := optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[shop.InsertLedgerEntryParams]{
			Table: "ledger_entry", Columns: []string{"account_id", "amount", "memo"},
			Values: func(e shop.InsertLedgerEntryParams) []any { return []any{e.AccountID, e.Amount, e.Memo} },
		}, opts...)
		return func(ctx context.Context, account uint64, id string, opts ...sqlcas.Option) error {
			_, err := st.Update(ctx, account, func(a *shop.Account, emit func(shop.InsertLedgerEntryParams)) error {
				a.Balance--
				emit(shop.InsertLedgerEntryParams{AccountID: account, Amount: -1, Memo: id})
				return nil
			}, opts...)
			return err
		}
	}},
}

// onceAnswer is what one call was told.
type onceAnswer struct {
	ID       string
	Error    string // empty for a success
	Unknown  bool   // whether it is sqlcas.ErrOutcomeUnknown
	Number   uint16 // the server's number of the error, if it is one of the server's
	Replayed bool
	Batch    int
	Took     time.Duration
}

func newOnceAnswer(id string, err error, report sqlcas.Report, took time.Duration) onceAnswer {
	a := onceAnswer{
		ID: id, Unknown: errors.Is(err, sqlcas.ErrOutcomeUnknown),
		Replayed: report.Replayed, Batch: report.Batch, Took: took,
	}
	if err != nil {
		a.Error = err.Error()
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		a.Number = server.Number
	}
	return a
}

// until makes the call of an id, again with the same id until its caller knows, and returns what he was told. A call
// that nobody can tell of is not made for ever.
func (take onceTake) until(ctx context.Context, account uint64, id string) (all []onceAnswer) {
	const tries = 20
	for range tries {
		var report sqlcas.Report
		start := time.Now()
		err := take(ctx, account, id,
			sqlcas.WithOperationID(id), sqlcas.WithFingerprint([]byte("1")), sqlcas.WithReport(&report))
		if all = append(all, newOnceAnswer(id, err, report, time.Since(start))); err == nil {
			return all
		}
	}
	return append(all, onceAnswer{ID: id, Error: "its caller never knows"})
}

// onceTally counts what callers were told.
type onceTally struct {
	mu                                     sync.Mutex
	faults, calls, replays, unknown, batch int
	longest                                time.Duration
	wrong                                  []string
	told                                   map[string]onceTold // by id
}

// onceTold is what the callers of one id were told.
type onceTold struct{ first, replays, unknown int }

// note keeps what one call was told.
func (y *onceTally) note(a onceAnswer) {
	y.mu.Lock()
	defer y.mu.Unlock()
	told := y.told[a.ID]
	y.calls++
	y.longest, y.batch = max(y.longest, a.Took), max(y.batch, a.Batch)
	switch {
	case a.Error == "" && a.Replayed:
		y.replays++
		told.replays++
	case a.Error == "":
		told.first++
	case a.Unknown:
		y.unknown++
		told.unknown++
	default:
		y.wrong = append(y.wrong, fmt.Sprintf("%s: %s", a.ID, a.Error))
	}
	if a.Number == 1062 || a.Number == 1020 || a.Number == 1213 {
		y.wrong = append(y.wrong, fmt.Sprintf("%s: it is the callers' business what others do: %s", a.ID, a.Error))
	}
	y.told[a.ID] = told
}

// audit compares what was told with what is in the tables: each id has been applied once, whoever called with it, and
// one caller was told that he is the first, if anybody was told of the first time at all.
func (y *onceTally) audit(t *testing.T, r *rig, k onceKind, account uint64, prefix string) {
	t.Helper()
	ids := len(y.told)
	for id, told := range y.told {
		if told.first > 1 || told.first == 0 && told.unknown == 0 {
			y.wrong = append(y.wrong, fmt.Sprintf("%s: %d callers were told that they are the first, %d that they are not, "+
				"%d nothing", id, told.first, told.replays, told.unknown))
		}
	}
	books := map[string]int{
		"swaps":      r.swaps(t, account),
		"taken":      r.number(t, "SELECT ? - balance FROM account WHERE id = ?", opening, account),
		"operations": r.number(t, "SELECT COUNT(*) FROM sqlcas_operation WHERE id LIKE ?", prefix+"%"),
	}
	if k.enters {
		books["entries"] = r.number(t, "SELECT COUNT(*) FROM ledger_entry WHERE account_id = ?", account)
		books["entered ids"] = r.number(t, "SELECT COUNT(DISTINCT o.id) FROM ledger_entry l JOIN sqlcas_operation o "+
			"ON o.id = CAST(l.memo AS BINARY) WHERE l.account_id = ?", account)
		books["sum of entries"] = -r.number(t, "SELECT COALESCE(SUM(amount), 0) FROM ledger_entry "+
			"WHERE account_id = ?", account)
	}
	for what, n := range books {
		if n != ids {
			y.wrong = append(y.wrong, fmt.Sprintf("%d ids, and %d %s", ids, n, what))
		}
	}
	require.Empty(t, y.wrong[:min(len(y.wrong), 10)], "account %d, %s: the first of %d", account, prefix, len(y.wrong))
}
