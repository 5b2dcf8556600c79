package hotrow

import (
	"context"
	"database/sql"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that an entry or an id which is missing or too many is noticed, by the number of the entries and by their sum
// alone, also in rows that no update was reported of; and that the first row is named.
func TestLedgerMustBalance(t *testing.T) {
	t.Parallel()
	reported := map[uint64]int64{1: 7, 3: 2, 4: 0}
	require.NoError(t, balanced(map[uint64]entered{1: {7, 7}, 3: {2, 2}}, 9, reported))
	for want, now := range map[string]struct {
		all map[uint64]entered
		ids int64
	}{
		"row 1: of 7 that were reported, the ledger has 6, which come to 7": {map[uint64]entered{1: {6, 7}, 3: {3, 2}}, 9},
		"row 1: of 7 that were reported, the ledger has 7, which come to 6": {map[uint64]entered{1: {7, 6}, 3: {2, 2}}, 9},
		"row 2: of 0 that were reported, the ledger has 1, which come to 0": {
			map[uint64]entered{1: {7, 7}, 2: {1, 0}, 3: {2, 2}}, 9,
		},
		"row 3: of 2 that were reported, the ledger has 0, which come to 0": {map[uint64]entered{1: {7, 7}}, 9},
		"of 9 that were reported, 8 operations have their id":               {map[uint64]entered{1: {7, 7}, 3: {2, 2}}, 8},
		"of 9 that were reported, 10 operations have their id":              {map[uint64]entered{1: {7, 7}, 3: {2, 2}}, 10},
	} {
		err := balanced(now.all, now.ids, reported)
		require.ErrorIs(t, err, ErrLost)
		require.EqualError(t, err, ErrLost.Error()+": "+want)
	}
}

// ledgerOf makes a database in which one caller has made deductions by a strategy: three from one row, one from another.
func ledgerOf(t *testing.T, server *mysqltest.Server, s Strategy) (db *sql.DB, reported map[uint64]int64) {
	t.Helper()
	cfg := server.Config(t)
	db, err := benchdb.Open(cfg.FormatDSN(), 2, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	require.NoError(t, benchdb.CreateTables(t.Context(), db))
	_, err = openBooks(t.Context(), db, 2)
	require.NoError(t, err)
	require.NoError(t, openLedgers(t.Context(), db, []Strategy{s}))
	w := s.open(db)
	for _, id := range []uint64{1, 2, 1, 1} {
		_, err := w(limits{life: t.Context(), patience: t.Context()}, id)
		require.NoError(t, err)
	}
	return db, map[uint64]int64{1: 3, 2: 1}
}

// Ensures that each deduction has its entry and its id, that a turn which is not as reported keeps what was entered,
// and that one which is leaves nothing for the next.
func TestALedgerIsOfOneTurn(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		all, err := named([]string{"for-update-ledger", "ledger"})
		require.NoError(t, err)
		for _, s := range all {
			db, reported := ledgerOf(t, server, s)
			require.ErrorIs(t, s.ledger.close(t.Context(), db, map[uint64]int64{1: 3}), ErrLost, s.Name)
			require.NoError(t, s.ledger.close(t.Context(), db, reported), s.Name)
			require.NoError(t, s.ledger.close(t.Context(), db, nil), s.Name)
		}
	})
}

// Ensures that an operation by hand whose id was entered before is not applied again: what makes it do the same work
// as the JournalStore.
func TestByHandAnIDIsAppliedOnce(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		all, err := named([]string{"for-update-ledger"})
		require.NoError(t, err)
		db, reported := ledgerOf(t, server, all[0])
		again := func(ctx context.Context, tx *sql.Tx) error {
			var operation string
			err := tx.QueryRowContext(ctx, "SELECT operation FROM ledger_entry_once LIMIT 1").Scan(&operation)
			require.NoError(t, err)
			return enter(ctx, tx, 1, operation)
		}
		err = lockOnce(limits{life: t.Context(), patience: t.Context()}, db, 1, again)
		var refused *mysql.MySQLError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, uint16(1062), refused.Number)
		var version int64
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT version FROM account WHERE id = 1").Scan(&version))
		require.Equal(t, openingVersion+reported[1], version)
		require.NoError(t, all[0].ledger.close(t.Context(), db, reported))
	})
}

// Ensures that a run whose ledger lacks an entry or an id has no report, in one process and in several.
func TestALostEntryHasNoReport(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for name, want := range map[string]string{
			"unentered": `^unentered, \d callers: .*: row 1: of \d+ that were reported, the ledger has \d+, which come to \d+$`,
			"unnamed":   `^unnamed, \d callers: .*: of \d+ that were reported, \d+ operations have their id$`,
		} {
			one, two := short(t, server, name), short(t, server, name)
			c := two.inProcesses(t, 2, "worker")
			for _, s := range []Setup{one, two} {
				r, err := Run(t.Context(), s)
				require.ErrorIs(t, err, ErrLost)
				require.Regexp(t, want, err.Error())
				require.Zero(t, r)
			}
			c.requireGone(2)
		}
	})
}

// Ensures that the two kinds of strategies are told apart, and that ids do not come twice.
func TestLedgerStrategiesStandApart(t *testing.T) {
	t.Parallel()
	for _, s := range Strategies() {
		require.Nil(t, s.ledger, s.Name)
	}
	require.Len(t, LedgerStrategies(), len(registry)-len(Strategies()))
	seen := map[string]bool{}
	for range 10_000 {
		id := newID()
		require.False(t, seen[id])
		require.LessOrEqual(t, len(id), 33)
		seen[id] = true
	}
}
