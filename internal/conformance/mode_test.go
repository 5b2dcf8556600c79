package conformance

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// mode is how the program under test has set its connections.
type mode struct {
	interpolate   bool // arguments go into the text; else statements are prepared
	foundRows     bool // an UPDATE counts the rows it found; else those it changed
	readCommitted bool
}

// modes returns all combinations, in the order of the grid's columns.
func modes() []mode {
	var all []mode
	for i := range 8 {
		all = append(all, mode{readCommitted: i&4 != 0, interpolate: i&2 != 0, foundRows: i&1 != 0})
	}
	return all
}

// String is short enough for the head of a column.
func (m mode) String() string {
	name := func(on bool, yes, no string) string {
		if on {
			return yes
		}
		return no
	}
	return strings.Join([]string{
		name(m.readCommitted, "rc", "rr"),
		name(m.interpolate, "text", "prep"),
		name(m.foundRows, "found", "chgd"),
	}, "-")
}

// apply sets cfg to the mode. The isolation level's variable has two names.
func (m mode) apply(t *testing.T, s *mysqltest.Server, cfg *mysql.Config) {
	t.Helper()
	cfg.InterpolateParams, cfg.ClientFoundRows = m.interpolate, m.foundRows
	level := "'REPEATABLE-READ'"
	if m.readCommitted {
		level = "'READ-COMMITTED'"
	}
	setParam(cfg, isolationVariable(t, s), level)
}

func setParam(cfg *mysql.Config, name, value string) {
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	cfg.Params[name] = value
}

// isolationVariable returns what the server calls it: tx_isolation on MariaDB before 11.1.
func isolationVariable(t *testing.T, s *mysqltest.Server) string {
	t.Helper()
	name, _ := variable(t, s, "transaction_isolation", "tx_isolation")
	return name
}

// variable returns the first of the names that the server knows as a variable, and its value by
// default; or nothing.
func variable(t *testing.T, s *mysqltest.Server, names ...string) (name, value string) {
	t.Helper()
	db, err := sql.Open("mysql", s.RootDSN())
	require.NoError(t, err)
	defer db.Close()
	for _, wanted := range names {
		row := db.QueryRowContext(t.Context(), "SHOW SESSION VARIABLES LIKE '"+wanted+"'")
		err := row.Scan(&name, &value)
		if err == nil {
			return name, value
		}
		require.ErrorIs(t, err, sql.ErrNoRows)
	}
	return "", ""
}

// checkMode ensures that the cell is in the mode it says, since a parameter that a server or the
// driver ignored would run the same cell under two names.
func checkMode(t *testing.T, e *env) {
	ctx := t.Context()
	conn, err := e.db.Conn(ctx)
	require.NoError(t, err)
	defer conn.Close()

	var level string
	require.NoError(t, conn.QueryRowContext(ctx, "SELECT @@"+e.isolation).Scan(&level))
	require.Equal(t, e.mode.readCommitted, level == "READ-COMMITTED", "isolation level %s", level)

	id := e.account(t)
	res, err := conn.ExecContext(ctx, "UPDATE account SET balance = balance WHERE id = ?", id)
	require.NoError(t, err)
	n, err := res.RowsAffected()
	require.NoError(t, err)
	require.Equal(t, e.mode.foundRows, n == 1, "rows of an UPDATE that changes nothing: %d", n)

	before := prepared(t, conn)
	_, err = conn.ExecContext(ctx, "DO ?", 1)
	require.NoError(t, err)
	require.Equal(t, e.mode.interpolate, prepared(t, conn) == before, "an argument was interpolated")
}

func prepared(t *testing.T, conn *sql.Conn) (n int) {
	t.Helper()
	var name string
	row := conn.QueryRowContext(t.Context(), "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")
	require.NoError(t, row.Scan(&name, &n))
	return n
}
