package conformance

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// clerk makes a user with no rights but to read and write the database's rows, and returns a
// configuration for it.
func clerk(t *testing.T, root *sql.DB, cfg *mysql.Config) *mysql.Config {
	t.Helper()
	cfg = cfg.Clone()
	cfg.User, cfg.Passwd = "clerk", "clerk"
	for _, user := range []string{"clerk@localhost", "clerk@'127.0.0.1'"} {
		for _, q := range []string{
			"CREATE USER " + user + " IDENTIFIED BY 'clerk'",
			"GRANT SELECT, INSERT, UPDATE, DELETE ON " + cfg.DBName + ".* TO " + user,
		} {
			_, err := root.ExecContext(t.Context(), q)
			require.NoError(t, err)
		}
	}
	return cfg
}

// Ensures what docs/stores.md says of privileges: without any, a call whose context ends while it waits
// for a lock has written nothing, and Wait works; the holder of the lock is named to whom may see it.
func TestStoresNeedNoPrivileges(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{PerformanceSchema: true}, func(t *testing.T, s *mysqltest.Server) {
		const id = 42
		cfg := s.Config(t, append(schema.Shop(),
			"INSERT INTO account (id, owner, balance, version) VALUES (42, 'alice', 100, 7)")...)
		root := open(t, cfg.Clone(), 4)
		plain := clerk(t, root, cfg)
		db := open(t, plain.Clone(), 4)

		tx, err := root.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		_, err = shop.New(tx).GetAccountForUpdate(t.Context(), id)
		require.NoError(t, err)
		for _, u := range []sqlcas.Updater[uint64, shop.Account]{
			optimistic.NewStore(db, shop.AccountTable), pessimistic.NewStore(db, shop.AccountTable),
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			_, err := u.Update(ctx, id, take30)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		}

		holder := func(db *sql.DB) *sqlcas.Holder {
			_, err := pessimistic.NewStore(db, shop.AccountTable).
				Update(t.Context(), id, take30, pessimistic.Wait(50*time.Millisecond))
			var locked *sqlcas.LockedError
			require.ErrorAs(t, err, &locked)
			return locked.Holder
		}
		require.Nil(t, holder(db))
		grant := "SELECT ON performance_schema.*"
		if s.MariaDB() {
			grant = "PROCESS ON *.*"
		}
		for _, user := range []string{"clerk@localhost", "clerk@'127.0.0.1'"} {
			_, err = root.ExecContext(t.Context(), "GRANT "+grant+" TO "+user)
			require.NoError(t, err)
		}
		granted := open(t, plain.Clone(), 4)
		// A read that has not come as far as waiting when it is ended waits for nobody.
		eventually(t, 20*time.Second, func() bool { return holder(granted) != nil }, "no holder in spite of "+grant)

		require.NoError(t, tx.Rollback())
		row, err := shop.New(root).GetAccount(t.Context(), id)
		require.NoError(t, err)
		require.EqualValues(t, 7, row.Version, "nothing was written")
	})
}

// Ensures what docs/stores.md says of a query like that of Take: under REPEATABLE READ it keeps others
// from rows that it has not taken, and from the gaps between them, and under READ COMMITTED it does not.
func TestTakingLocksLessUnderReadCommitted(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		cfg := s.Config(t, "CREATE TABLE seat (id INT NOT NULL PRIMARY KEY, holder VARCHAR(20) NOT NULL) ENGINE=InnoDB",
			"INSERT INTO seat VALUES (1, 'alice'), (3, '')")
		setParam(cfg, "innodb_lock_wait_timeout", "1")
		db := open(t, cfg, 4)
		for _, level := range []sql.IsolationLevel{sql.LevelRepeatableRead, sql.LevelReadCommitted} {
			tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
			require.NoError(t, err)
			var id int
			require.NoError(t, tx.QueryRowContext(t.Context(),
				"SELECT id FROM seat WHERE holder = '' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&id))
			require.Equal(t, 3, id)
			for _, q := range []string{"UPDATE seat SET holder = 'bob' WHERE id = 1", "INSERT INTO seat VALUES (2, '')"} {
				_, err := db.ExecContext(t.Context(), q)
				if level == sql.LevelReadCommitted {
					require.NoError(t, err, q)
				} else {
					require.EqualValues(t, 1205, number(err), "%s: %v", q, err)
				}
			}
			require.NoError(t, tx.Rollback())
		}
	})
}
