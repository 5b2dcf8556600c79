package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/schema"
)

// extraTables are what the checks need beside the shop. twin's id is not unique, on purpose.
var extraTables = []string{
	"CREATE TABLE twin (id BIGINT NOT NULL, version BIGINT UNSIGNED NOT NULL DEFAULT 1) ENGINE=InnoDB",
	"CREATE TABLE registry (name VARCHAR(20) NOT NULL PRIMARY KEY, owner INT NOT NULL) ENGINE=InnoDB",
	"CREATE TABLE trail (memo VARCHAR(80) NOT NULL PRIMARY KEY) ENGINE=InnoDB",
	"CREATE TABLE ballast (n INT NOT NULL) ENGINE=InnoDB",
}

// lockable are the tables in which a check may leave a lock behind.
var lockable = []string{"account", "inventory", "ledger_entry", "registry", "trail", "twin"}

// Balance of a new account, and what a rival writer adds to it.
const (
	opening = 100
	rivals  = 1000
)

// lockWait is the lock wait timeout of all pools but the impatient one: a check that waits for a
// lock by mistake fails soon, and one that is fast is provably not waiting.
const lockWait = 10 * time.Second

// env is what one cell runs in: a server, a mode, and a database of its own.
type env struct {
	server    *mysqltest.Server
	mode      mode
	isolation string // the name of the server's variable
	snapshot  bool   // a stale write in a snapshot is error 1020 instead of 0 rows
	cfg       *mysql.Config
	tables    []string // in which a check may leave a lock behind

	db    *sql.DB // the program under test, in the cell's mode
	other *sql.DB // everybody else, in the driver's default mode
}

// newEnv makes a cell's database. With snapshot the sessions ask for snapshot isolation, which the
// server must know.
func newEnv(t *testing.T, s *mysqltest.Server, m mode, snapshot bool) *env {
	t.Helper()
	e := &env{server: s, mode: m, isolation: isolationVariable(t, s), tables: lockable}
	base := s.Config(t, append(schema.Shop(), extraTables...)...)
	setParam(base, "innodb_lock_wait_timeout", fmt.Sprint(int(lockWait.Seconds())))
	e.other = open(t, base.Clone(), 8)
	e.cfg = base.Clone()
	m.apply(t, s, e.cfg)
	if snapshot {
		setParam(e.cfg, snapshotVariable, "ON")
	}
	e.db = open(t, e.cfg.Clone(), 8)
	e.snapshot = !m.readCommitted && snapshotIsolation(t, e.db)
	return e
}

// with returns e with another pool for the program under test, on the same database.
func (e *env) with(db *sql.DB) *env {
	twin := *e
	twin.db = db
	return &twin
}

// impatient returns e with a lock wait timeout of one second, the shortest that all servers know.
func (e *env) impatient(t *testing.T) *env {
	t.Helper()
	return e.tuned(t, "innodb_lock_wait_timeout", "1")
}

// tuned returns e with sessions that have one more variable set.
func (e *env) tuned(t *testing.T, name, value string) *env {
	t.Helper()
	cfg := e.cfg.Clone()
	setParam(cfg, name, value)
	return e.with(open(t, cfg, 4))
}

// tapped returns e with a tap on the connections of the program under test.
func (e *env) tapped(t *testing.T, tp tap) *env {
	t.Helper()
	connector, err := mysql.NewConnector(e.cfg.Clone())
	require.NoError(t, err)
	tp.Connector = connector
	return e.with(pool(t, sql.OpenDB(tp), 4))
}

// logged returns e with a log of the statements that the program under test sends.
func (e *env) logged(t *testing.T) (*env, *statementLog) {
	t.Helper()
	log := &statementLog{}
	return e.tapped(t, tap{seen: log.add}), log
}

// open returns a pool that is closed, and looked at for connections in use, when the test ends.
func open(t *testing.T, cfg *mysql.Config, size int) *sql.DB {
	t.Helper()
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	return pool(t, sql.OpenDB(connector), size)
}

func pool(t *testing.T, db *sql.DB, size int) *sql.DB {
	t.Helper()
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	t.Cleanup(func() {
		idle(t, db)
		require.NoError(t, db.Close())
	})
	return db
}

// idleWithin is how long database/sql may take to have its connections back whose context has ended.
const idleWithin = 2 * time.Second

// idle ensures that no connection of db is in use, in a moment.
func idle(t *testing.T, db *sql.DB) {
	t.Helper()
	free := func() bool { return db.Stats().InUse == 0 }
	eventually(t, idleWithin, free, "connections are still in use")
}

// eventually asks until the answer is yes, for a state that a server or database/sql reaches by
// itself. Unlike testify's it asks at once, and on the test's own goroutine.
func eventually(t *testing.T, bound time.Duration, ask func() bool, otherwise string) {
	t.Helper()
	for deadline := time.Now().Add(bound); !ask(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			require.FailNow(t, otherwise)
		}
	}
}

// settled ensures that nothing is left of a check: no connection in use, and no row lock of any
// transaction of this database, which the server may need a moment to let go.
func (e *env) settled(t *testing.T) {
	t.Helper()
	idle(t, e.db)
	idle(t, e.other)
	eventually(t, 2*time.Second, func() bool {
		// Not t.Context(): some checks look after it has ended.
		tx, err := e.other.BeginTx(context.Background(), nil)
		require.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		for _, table := range e.tables {
			if !lockedAtOnce(tx, "SELECT COUNT(*) FROM "+table) {
				return false
			}
		}
		return true
	}, "a row of one of these is still locked: "+strings.Join(e.tables, ", "))
}

// unlocked reports whether the query's rows can be locked at once.
func (e *env) unlocked(t *testing.T, query string, args ...any) bool {
	t.Helper()
	tx, err := e.other.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	return lockedAtOnce(tx, query, args...)
}

func lockedAtOnce(tx *sql.Tx, query string, args ...any) bool {
	rows, err := tx.QueryContext(context.Background(), query+" FOR UPDATE NOWAIT", args...)
	if err != nil {
		return false
	}
	for rows.Next() { // only the locks matter
	}
	return rows.Close() == nil && rows.Err() == nil
}

// account opens an account and returns its id. Its version is 1.
func (e *env) account(t *testing.T) uint64 {
	t.Helper()
	id, err := shop.New(e.other).InsertAccount(t.Context(),
		shop.InsertAccountParams{Owner: "check", Balance: opening})
	require.NoError(t, err)
	return uint64(id)
}

// bump is a rival's committed write.
func (e *env) bump(t *testing.T, id uint64) {
	t.Helper()
	_, err := e.other.ExecContext(t.Context(),
		"UPDATE account SET balance = balance + ?, version = version + 1 WHERE id = ?", rivals, id)
	require.NoError(t, err)
}

// want ensures what an account has come to.
func (e *env) want(t *testing.T, id uint64, balance int64, version uint64) {
	t.Helper()
	a, err := shop.New(e.other).GetAccount(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, balance, a.Balance, "balance of account %d (version %d)", id, a.Version)
	require.Equal(t, version, a.Version, "version of account %d (balance %d)", id, a.Balance)
}

// trail returns how many of the memos are durable.
func (e *env) trail(t *testing.T, prefix string) int {
	t.Helper()
	return e.count(t, "trail WHERE memo LIKE ?", prefix+"%")
}

// count returns the number of rows in what follows FROM.
func (e *env) count(t *testing.T, from string, args ...any) (n int) {
	t.Helper()
	row := e.other.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM "+from, args...)
	require.NoError(t, row.Scan(&n))
	return n
}

// add is one read-compute-update: it adds one to the account. between runs after the read.
func add(ctx context.Context, db shop.DBTX, id uint64, between func()) (int64, error) {
	q := shop.New(db)
	a, err := q.GetAccount(ctx, id)
	if err != nil {
		return 0, err
	}
	if between != nil {
		between()
	}
	return q.CreditBalance(ctx,
		shop.CreditBalanceParams{Balance: a.Balance + 1, ID: id, Version: a.Version})
}

// snapshotVariable turns 1020 on and off. MySQL has no such thing.
const snapshotVariable = "innodb_snapshot_isolation"

// snapshotIsolation reports whether the sessions of db have it on.
func snapshotIsolation(t *testing.T, db *sql.DB) bool {
	t.Helper()
	var name, value string
	row := db.QueryRowContext(t.Context(), "SHOW SESSION VARIABLES LIKE '"+snapshotVariable+"'")
	if err := row.Scan(&name, &value); err != nil {
		require.ErrorIs(t, err, sql.ErrNoRows)
		return false
	}
	return value == "ON"
}
