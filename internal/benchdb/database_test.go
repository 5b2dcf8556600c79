package benchdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that a database is one of its own, whatever database the DSN names, with that DSN's parameters; that its
// address opens it, with a round trip and as many connections as were asked for; and that nothing is left.
func TestADatabaseIsOfItsOwn(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		cfg := s.Config(t)
		cfg.ParseTime = true
		for name, create := range map[string]func(context.Context, string) (*Database, error){
			"": CreateEmpty, "account,inventory,ledger_entry": Create,
		} {
			ctx, cancel := context.WithCancel(t.Context())
			elsewhere := cfg.Clone()
			elsewhere.DBName = "there_is_no_such_database"
			d, err := create(ctx, elsewhere.FormatDSN())
			require.NoError(t, err)
			defer d.Drop()
			got, err := mysql.ParseDSN(d.DSN())
			require.NoError(t, err)
			require.True(t, got.ParseTime && got.InterpolateParams)
			db, err := Open(d.DSN(), 3, 2*time.Millisecond)
			require.NoError(t, err)
			require.Equal(t, 3, db.Stats().MaxOpenConnections)
			start := time.Now()
			require.Equal(t, name, tables(t, db, got.DBName))
			require.Greater(t, time.Since(start), 2*time.Millisecond)
			require.NoError(t, db.Close())

			cancel()
			d.Drop()
			db, err = Open(cfg.FormatDSN(), 1, 0)
			require.NoError(t, err)
			defer db.Close()
			require.Empty(t, tables(t, db, got.DBName), "it is gone")
		}
	})
}

// tables lists those of a database.
func tables(t *testing.T, db *sql.DB, database string) (names string) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(),
		"SELECT COALESCE(GROUP_CONCAT(table_name ORDER BY table_name), '') "+
			"FROM information_schema.tables WHERE table_schema = ?", database).Scan(&names))
	return names
}

// Ensures that an address without a database is refused, and says what is missing.
func TestOpenWantsADatabase(t *testing.T) {
	t.Parallel()
	_, err := Open("root@tcp(127.0.0.1:1)/", 1, 0)
	require.ErrorContains(t, err, "names no database")
	_, err = Open("root", 1, 0)
	require.ErrorContains(t, err, "invalid DSN")
}

// Ensures that it is the errors of who has not got a row as it is that are told, through any wrapping.
func TestLockFailed(t *testing.T) {
	t.Parallel()
	for number, want := range map[uint16]bool{1020: true, 1205: true, 1213: true, 1062: false} {
		err := fmt.Errorf("wrapped: %w", &mysql.MySQLError{Number: number})
		require.Equal(t, want, LockFailed(err), "%d", number)
	}
	require.False(t, LockFailed(nil))
	require.False(t, LockFailed(errors.New("1205")))
}

// Ensures that each statement is committed by itself, whatever the DSN says, and in whatever case.
func TestStatementsAreCommitted(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, name := range []string{"", "autocommit", "AutoCommit"} {
			cfg := s.Config(t)
			if name != "" {
				cfg.Params = map[string]string{name: "0", "innodb_lock_wait_timeout": "7"}
			}
			d, err := CreateEmpty(t.Context(), cfg.FormatDSN())
			require.NoError(t, err)
			db, err := Open(d.DSN(), 1, 0)
			require.NoError(t, err)
			var committed bool
			var wait int
			require.NoError(t, db.QueryRowContext(t.Context(), "SELECT @@autocommit, @@innodb_lock_wait_timeout").
				Scan(&committed, &wait))
			require.True(t, committed, name)
			require.Equal(t, name != "", wait == 7, "the other parameters hold")
			require.NoError(t, db.Close())
			require.NoError(t, d.Drop())
		}
	})
}

// Ensures that a database which somebody else has dropped is as good as dropped, and that any other refusal
// names the database that is left.
func TestDropOfWhatIsGone(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		cfg := s.Config(t)
		d, err := CreateEmpty(t.Context(), cfg.FormatDSN())
		require.NoError(t, err)
		_, err = d.admin.ExecContext(t.Context(), "DROP DATABASE "+d.name)
		require.NoError(t, err)
		require.NoError(t, d.Drop())

		d, err = CreateEmpty(t.Context(), cfg.FormatDSN())
		require.NoError(t, err)
		require.NoError(t, d.admin.Close())
		require.ErrorContains(t, d.Drop(), "the database "+d.name+" is left on the server")
		d.admin, err = open(cfg, 1, 0)
		require.NoError(t, err)
		require.NoError(t, d.Drop())
	})
}

// Ensures that commits are durable where both logs are, and that the 3 of MariaDB is no less than 1.
func TestDurable(t *testing.T) {
	t.Parallel()
	for settings, want := range map[[3]int]bool{ // flush, sync_binlog, log_bin
		{1, 1, 1}: true, {3, 1, 1}: true, {1, 0, 0}: true, {3, 0, 0}: true,
		{0, 1, 1}: false, {2, 1, 1}: false, {1, 0, 1}: false, {1, 100, 1}: false, {3, 0, 1}: false,
	} {
		require.Equal(t, want, durable(settings[0], settings[1], settings[2]), "%v", settings)
	}
}
