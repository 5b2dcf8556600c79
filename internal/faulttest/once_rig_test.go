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
	"github.com/sqlcas/sqlcas/internal/faultproxy"
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

// process is what stands for one: a pool, a Store, and a way to the server of its own.
type process struct {
	proxy *faultproxy.Proxy
	db    *sql.DB
	take  onceTake
}

// newProcess makes one. Every other prepares its statements.
func (r *rig) newProcess(t *testing.T, k onceKind, n int, opts ...sqlcas.Option) *process {
	t.Helper()
	p, cfg := r.proxied(t)
	cfg.InterpolateParams = n%2 == 0
	db := open(t, dial(t, cfg))
	return &process{proxy: p, db: db, take: k.open(db, opts...)}
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

// note keeps what one call was told, and reports whether its caller knows by it.
func (y *onceTally) note(id string, err error, report sqlcas.Report, took time.Duration) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	told := y.told[id]
	y.calls++
	y.longest, y.batch = max(y.longest, took), max(y.batch, report.Batch)
	switch {
	case err == nil && report.Replayed:
		y.replays++
		told.replays++
	case err == nil:
		told.first++
	case errors.Is(err, sqlcas.ErrOutcomeUnknown):
		y.unknown++
		told.unknown++
	default:
		y.wrong = append(y.wrong, fmt.Sprintf("%s: %v", id, err))
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) && (server.Number == 1062 || server.Number == 1020 || server.Number == 1213) {
		y.wrong = append(y.wrong, fmt.Sprintf("%s: it is the callers' business what others do: %v", id, err))
	}
	y.told[id] = told
	return err == nil
}

// call makes the call of an id, again with the same id until its caller knows. One that nobody can tell is not made for
// ever.
func (y *onceTally) call(ctx context.Context, p *process, account uint64, id string) {
	const tries = 20
	for range tries {
		var report sqlcas.Report
		start := time.Now()
		err := p.take(ctx, account, id,
			sqlcas.WithOperationID(id), sqlcas.WithFingerprint([]byte("1")), sqlcas.WithReport(&report))
		if y.note(id, err, report, time.Since(start)) {
			return
		}
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.wrong = append(y.wrong, id+": its caller never knows")
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
	require.Empty(t, y.wrong, "account %d, %s", account, prefix)
}
