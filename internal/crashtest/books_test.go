package crashtest

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/schema"
)

const (
	opening      = 1_000_000 // each account's balance
	firstVersion = 1         // and version
	maxShown     = 10        // of the things that are wrong
)

// books are the tables of one test, read by a connection that meets no fault.
type books struct {
	cfg   *mysql.Config
	truth *sql.DB
}

func newBooks(t *testing.T, s *mysqltest.Server) *books {
	t.Helper()
	cfg := s.Config(t, append(schema.Shop(), schema.Sqlcas()...)...)
	cfg.Logger = &mysql.NopLogger{} // lost connections are this package's business
	b := &books{cfg: cfg, truth: open(t, dial(t, cfg))}
	for id := range accounts {
		_, err := b.truth.ExecContext(t.Context(),
			"INSERT INTO account (id, owner, balance, version) VALUES (?, 'owner', ?, ?)", id+1, opening, firstVersion)
		require.NoError(t, err)
	}
	return b
}

// each scans all rows of a query.
func (b *books) each(t *testing.T, query string, row func(scan func(...any))) {
	t.Helper()
	rows, err := b.truth.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row(func(into ...any) { require.NoError(t, rows.Scan(into...)) })
	}
	require.NoError(t, rows.Err())
}

// applied are the ids of the operations that have been applied so far.
func (b *books) applied(t *testing.T) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	b.each(t, "SELECT id FROM sqlcas_operation", func(scan func(...any)) {
		var id string
		scan(&id)
		ids[id] = true
	})
	return ids
}

// awaitAlone waits until the sessions of a dead client are gone, and with them what they had under way.
func (b *books) awaitAlone(t *testing.T) {
	t.Helper()
	await(t, "the dead client's sessions are gone", func() bool {
		others := 0
		err := b.truth.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.PROCESSLIST "+
			"WHERE DB = DATABASE() AND ID <> CONNECTION_ID()").Scan(&others)
		if unreadable(err) { // one of them is at an INSERT
			return false
		}
		require.NoError(t, err)
		return others == 0
	})
}

// moved is what the ledger says about an account.
type moved struct {
	sum    int64
	writes uint64
}

// audit returns what is wrong if these payments have been made, each once, and nothing else.
func (b *books) audit(t *testing.T, due map[string]payment) []string {
	t.Helper()
	wrong := b.auditOperations(t, due)
	by, more := b.auditLedger(t, due)
	wrong = append(wrong, more...)
	b.each(t, "SELECT id, balance, version FROM account", func(scan func(...any)) {
		var id, version uint64
		var balance int64
		scan(&id, &balance, &version)
		if m := by[id]; balance != opening+m.sum || version != firstVersion+m.writes {
			wrong = append(wrong, fmt.Sprintf("account %d: got balance %d and version %d, want %d and %d by its entries",
				id, balance, version, opening+m.sum, firstVersion+m.writes))
		}
	})
	return wrong
}

// auditLedger wants an entry for each payment, and those of an account in the order of its versions, with none
// left out.
func (b *books) auditLedger(t *testing.T, due map[string]payment) (by map[uint64]moved, wrong []string) {
	t.Helper()
	entries := map[string]int{}
	by = map[uint64]moved{}
	b.each(t, "SELECT account_id, amount, memo FROM ledger_entry ORDER BY id", func(scan func(...any)) {
		var got payment
		var memo string
		scan(&got.Account, &got.Amount, &memo)
		m := by[got.Account]
		id, version, _ := strings.Cut(memo, "@")
		if got.ID = id; got != due[id] {
			wrong = append(wrong, fmt.Sprintf("ledger entry: got %+v, want %+v", got, due[id]))
		}
		if want := fmt.Sprint(firstVersion + m.writes); version != want {
			wrong = append(wrong, fmt.Sprintf("ledger entry of %s: made at version %s of account %d, want %s",
				id, version, got.Account, want))
		}
		entries[id]++
		by[got.Account] = moved{m.sum + got.Amount, m.writes + 1}
	})
	for id := range due {
		if entries[id] != 1 {
			wrong = append(wrong, fmt.Sprintf("operation %s: got %d ledger entries, want 1", id, entries[id]))
		}
	}
	return by, wrong
}

// auditOperations wants a row for each payment, that says what was paid. An id cannot be there twice.
func (b *books) auditOperations(t *testing.T, due map[string]payment) (wrong []string) {
	t.Helper()
	noted := 0
	b.each(t, "SELECT id, target, fingerprint FROM sqlcas_operation", func(scan func(...any)) {
		var id, target string
		var fingerprint []byte
		scan(&id, &target, &fingerprint)
		p, ok := due[id]
		want := sha256.Sum256(p.request())
		if !ok || target != fmt.Sprintf("account %d", p.Account) || string(fingerprint) != string(want[:]) {
			wrong = append(wrong, fmt.Sprintf("operation %s: got target %q and fingerprint %x of payment %+v",
				id, target, fingerprint, p))
		}
		noted++
	})
	if noted != len(due) {
		wrong = append(wrong, fmt.Sprintf("got %d rows in sqlcas_operation, want %d", noted, len(due)))
	}
	return wrong
}

// report fails the test for what is wrong, if anything.
func report(t *testing.T, wrong []string) {
	t.Helper()
	for i, w := range wrong {
		if i == maxShown {
			t.Errorf("and %d more", len(wrong)-i)
			return
		}
		t.Error(w)
	}
}

// await waits for a state of the server or of a pool.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("after %v still not so: %s", patience, what)
			return
		}
	}
}
