package hotrow

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that a call of any strategy whose patience ends while somebody else has the row says truly whether it
// has been applied; and that it leaves no connection in use.
func TestWhoGivesUpIsNotApplied(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for _, strategy := range registry {
			if strategy.About == "" {
				continue // an unsound one
			}
			t.Run(strategy.Name, func(t *testing.T) {
				t.Parallel()
				cfg := server.Config(t)
				db, err := benchdb.Open(cfg.FormatDSN(), 8, 0)
				require.NoError(t, err)
				defer db.Close()
				require.NoError(t, benchdb.CreateTables(t.Context(), db))
				require.NoError(t, openLedgers(t.Context(), db, []Strategy{strategy}))
				b, err := openBooks(t.Context(), db, 1)
				require.NoError(t, err)
				waiting := 4
				if slices.Contains([]string{"queue", "store", "ledger"}, strategy.Name) {
					waiting = 1 // for all
				}
				applied := giveUp(t, db, strategy.open(db), waiting)
				require.NoError(t, b.check(t.Context(), map[uint64]int64{1: applied}))
				if strategy.ledger != nil {
					require.NoError(t, strategy.ledger.close(t.Context(), db, map[uint64]int64{1: applied}))
				}
				switch strategy.Name {
				case "for-update", "for-update-ledger", "delta": // all have sent what applies them
				default:
					require.Less(t, applied, int64(4), "who has not been applied must give up")
				}
				require.Eventually(t, func() bool { return db.Stats().InUse == 0 }, 2*time.Second, time.Millisecond)
			})
		}
	})
}

// giveUp has callers meet a locked row, ends their patience when so many of them wait for it, unlocks it, and returns
// how many say that they were applied.
func giveUp(t *testing.T, db *sql.DB, w work, waiters int) (applied int64) {
	t.Helper()
	const callers = 4
	holder, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = holder.Rollback() }()
	_, err = holder.ExecContext(t.Context(), "SELECT id FROM account WHERE id = 1 FOR UPDATE")
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, callers)
	for i := range errs {
		wg.Go(func() { _, errs[i] = w(limits{life: t.Context(), patience: ctx}, 1) })
	}
	require.Eventually(t, func() bool {
		var waiting int
		err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist "+
			"WHERE db = DATABASE() AND id <> CONNECTION_ID() "+
			"AND (info LIKE '%UPDATE account%' OR info LIKE '%FOR UPDATE%')").Scan(&waiting)
		return err == nil && waiting >= waiters
	}, 10*time.Second, 10*time.Millisecond)
	cancel()
	require.NoError(t, holder.Rollback())
	wg.Wait()
	for _, err := range errs {
		switch {
		case err == nil:
			applied++
		case !errors.Is(err, errGaveUp):
			t.Errorf("got %v, want nothing or %v", err, errGaveUp)
		}
	}
	return applied
}

// Ensures that every strategy refuses where the balance is too low, and changes nothing.
func TestALowBalanceIsRefused(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		cfg := server.Config(t)
		db, err := benchdb.Open(cfg.FormatDSN(), 2, 0)
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, benchdb.CreateTables(t.Context(), db))
		_, err = db.ExecContext(t.Context(), "INSERT INTO account (id, owner, balance, version) VALUES (1, 'poor', 1, 7)")
		require.NoError(t, err)
		for _, name := range sound() {
			all, err := named([]string{name})
			require.NoError(t, err)
			require.NoError(t, openLedgers(t.Context(), db, all))
			w := all[0].open(db)
			l := limits{life: t.Context(), patience: t.Context()}
			_, err = w(l, 1)
			require.NoError(t, err, name)
			_, err = w(l, 1)
			require.ErrorIs(t, err, errPoor, name)
			if g := all[0].ledger; g != nil {
				require.NoError(t, g.close(t.Context(), db, map[uint64]int64{1: 1}), name)
			}
			var balance, version int64
			require.NoError(t, db.QueryRowContext(t.Context(), "SELECT balance, version FROM account").
				Scan(&balance, &version))
			require.Equal(t, []int64{0, 8}, []int64{balance, version}, name)
			//sqlcas:allow CAS001,CAS003 nobody else is at the row
			_, err = db.ExecContext(t.Context(), "UPDATE account SET balance = 1, version = 7 WHERE id = 1")
			require.NoError(t, err)
		}
	})
}

// Ensures that a strategy by hand starts anew when it has waited too long for the lock, or was picked to end a
// deadlock.
func TestALockThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for _, name := range []string{"cas", "for-update", "for-update-ledger", "delta"} {
			cfg := server.Config(t)
			cfg.Params = map[string]string{"innodb_lock_wait_timeout": "1"}
			db, err := benchdb.Open(cfg.FormatDSN(), 4, 0)
			require.NoError(t, err)
			defer db.Close()
			require.NoError(t, benchdb.CreateTables(t.Context(), db))
			all, err := named([]string{name})
			require.NoError(t, err)
			require.NoError(t, openLedgers(t.Context(), db, all))
			b, err := openBooks(t.Context(), db, 1)
			require.NoError(t, err)
			holder, err := db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			_, err = holder.ExecContext(t.Context(), "SELECT id FROM account WHERE id = 1 FOR UPDATE")
			require.NoError(t, err)
			time.AfterFunc(1500*time.Millisecond, func() { _ = holder.Rollback() })
			start := time.Now()
			_, err = all[0].open(db)(limits{life: t.Context(), patience: t.Context()}, 1)
			require.NoError(t, err, name)
			require.Greater(t, time.Since(start), time.Second, "it has waited for longer than it may once")
			require.NoError(t, b.check(t.Context(), map[uint64]int64{1: 1}))
		}
	})
}
