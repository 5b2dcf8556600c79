package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/schema"
)

// TestMain looks for goroutines that a fault has left, once all servers and pools are closed; or it is one of the
// processes that a test starts.
func TestMain(m *testing.M) {
	if os.Getenv(onceProcessEnv) != "" {
		if err := playOnce(); err != nil {
			fmt.Fprintln(os.Stderr, "process:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(mysqltest.Main(m))
}

const (
	// lockGrace is how long a row lock may outlive the call that took it.
	lockGrace = 2 * time.Second
	// slack is what a loaded machine may add to a bound of time.
	slack = time.Second
	// opening is each account's balance at the start.
	opening = 1_000_000
	// firstVersion is each account's version at the start. It is not 1: a look-up learns nothing of
	// a row that may be a new one.
	firstVersion = 5
)

// show prints what people should see of a run.
func show(format string, args ...any) {
	mysqltest.Tables(func(w io.Writer) { fmt.Fprintf(w, format+"\n", args...) })
}

// rig is one server with the shop's tables in a database of the test's own.
type rig struct {
	cfg   *mysql.Config // straight to the server
	truth *sql.DB       // past all faults: what it reads is so
}

// newRig makes a rig with accounts 1 to n.
func newRig(t *testing.T, s *mysqltest.Server, n int) *rig {
	t.Helper()
	cfg := s.Config(t, schema.Shop()...)
	cfg.Logger = &mysql.NopLogger{} // lost connections are this package's business
	r := &rig{cfg: cfg, truth: open(t, dial(t, cfg))}
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, 'owner', %d, %d)", i+1, opening, firstVersion)
	}
	r.exec(t, "INSERT INTO account (id, owner, balance, version) VALUES "+strings.Join(rows, ","))
	return r
}

// dial returns the driver's own connector.
func dial(t *testing.T, cfg *mysql.Config) driver.Connector {
	t.Helper()
	c, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	return c
}

// open returns a pool that must be idle when the test ends.
func open(t *testing.T, c driver.Connector) *sql.DB {
	t.Helper()
	db := sql.OpenDB(c)
	t.Cleanup(func() {
		assertIdle(t, db)
		_ = db.Close()
	})
	return db
}

// proxied puts a proxy in front of the server, and returns it with the configuration that leads
// through it.
func (r *rig) proxied(t *testing.T) (*faultproxy.Proxy, *mysql.Config) {
	t.Helper()
	p, err := faultproxy.Start(r.cfg.Addr)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close the proxy: %v", err)
		}
	})
	cfg := r.cfg.Clone()
	cfg.Addr = p.Addr()
	return p, cfg
}

// exec runs a statement past all faults.
func (r *rig) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := r.truth.ExecContext(t.Context(), query, args...)
	require.NoError(t, err, query)
}

// number reads one number past all faults.
func (r *rig) number(t *testing.T, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, r.truth.QueryRowContext(t.Context(), query, args...).Scan(&n), query)
	return n
}

// swaps is how often account id has been written.
func (r *rig) swaps(t *testing.T, id uint64) int {
	t.Helper()
	return r.number(t, "SELECT version FROM account WHERE id = ?", id) - firstVersion
}

// lock takes the account's row lock in a session of its own, until release is called.
func (r *rig) lock(t *testing.T, id uint64) (release func()) {
	t.Helper()
	tx, err := r.truth.BeginTx(context.WithoutCancel(t.Context()), nil)
	require.NoError(t, err)
	_, err = shop.New(tx).GetAccountForUpdate(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return func() { _ = tx.Rollback() }
}

// waiting counts the sessions of this database that are in an UPDATE.
func (r *rig) waiting(t *testing.T) int {
	t.Helper()
	return r.number(t, "SELECT COUNT(*) FROM information_schema.PROCESSLIST "+
		"WHERE DB = DATABASE() AND INFO LIKE 'UPDATE %' OR DB = DATABASE() AND INFO LIKE '%\nUPDATE %'"+
		" AND ID <> CONNECTION_ID()")
}

// assertUnlocked checks that no row stays locked for longer than lockGrace.
func (r *rig) assertUnlocked(t *testing.T) {
	t.Helper()
	for _, table := range []string{"account", "ledger_entry", "inventory"} {
		eventually(t, lockGrace, "no row of "+table+" is locked", func() bool {
			rows, err := r.truth.QueryContext(t.Context(), "SELECT 1 FROM "+table+" FOR UPDATE NOWAIT")
			if err != nil {
				return false
			}
			defer func() { _ = rows.Close() }()
			for rows.Next() { // the locks are what is asked for
			}
			return rows.Err() == nil
		})
	}
}

// assertIdle checks that every connection is back in its pool.
func assertIdle(t *testing.T, db *sql.DB) {
	t.Helper()
	eventually(t, lockGrace, "no connection is in use", func() bool { return db.Stats().InUse == 0 })
}

// eventually waits for a state of the server or of a pool.
func eventually(t *testing.T, within time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("after %v still not so: %s", within, what)
			return
		}
	}
}

// take deducts 1 from the account: the plainest swap.
func take(ctx context.Context, tx *sql.Tx, id uint64) error {
	q := shop.New(tx)
	a, err := q.GetAccount(ctx, id)
	if err != nil {
		return err
	}
	return sqlcas.One(q.DeductBalance(ctx, shop.DeductBalanceParams{
		Balance: a.Balance - 1, ID: id, Version: a.Version,
	}))
}

// note records an operation by its memo.
func note(ctx context.Context, tx *sql.Tx, id uint64, amount int64, memo string) error {
	return shop.New(tx).InsertLedgerEntry(ctx, shop.InsertLedgerEntryParams{
		AccountID: id, Amount: amount, Memo: memo,
	})
}
