package hotrow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that a row which does not show what was reported of it is noticed, by its balance and by its version alone;
// and that the first of several is named, and how many they are.
func TestBooksMustBalance(t *testing.T) {
	t.Parallel()
	b := &books{reported: []int64{7, 0, 2}}
	fine := []shown{{7, 7}, {}, {2, 2}}
	require.NoError(t, b.compare(fine))
	for want, now := range map[string][]shown{
		"row 1: of 7 that were reported, its balance shows 6 and its version 7; " +
			"rows that are not as reported: 1 of 3": {{6, 7}, {}, {2, 2}},
		"row 1: of 7 that were reported, its balance shows 7 and its version 8; " +
			"rows that are not as reported: 1 of 3": {{7, 8}, {}, {2, 2}},
		"row 2: of 0 that were reported, its balance shows 1 and its version 1; " +
			"rows that are not as reported: 2 of 3": {{7, 7}, {1, 1}, {1, 1}},
		"row 1: of 7 that were reported, its balance shows 0 and its version 0; " +
			"rows that are not as reported: 2 of 3": {{}, {}, {}},
	} {
		err := b.compare(now)
		require.ErrorIs(t, err, ErrLost)
		require.EqualError(t, err, ErrLost.Error()+": "+want)
	}
}

// Ensures that what one row has too much and another too little is found, though the sums of all are as they must be:
// also in rows that no update was reported of, and in one that is gone.
func TestWhatCancelsOutIsFound(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for _, c := range []struct{ what, want string }{
			{
				"UPDATE account SET balance = balance + IF(id = 2, 5, -5) WHERE id IN (2, 3)",
				"row 2: of 0 that were reported, its balance shows -5 and its version 0; rows that are not as reported: 2 of 4",
			},
			{
				"UPDATE account SET version = version + 3 - 2 * id WHERE id IN (1, 2)",
				"row 1: of 3 that were reported, its balance shows 3 and its version 4; rows that are not as reported: 2 of 4",
			},
			{
				"UPDATE account SET version = version + IF(id = 2, 1, -1) WHERE id IN (2, 3)",
				"row 2: of 0 that were reported, its balance shows 0 and its version 1; rows that are not as reported: 2 of 4",
			},
			{
				"DELETE FROM account WHERE id = 1",
				"row 1: of 3 that were reported, its balance shows 0 and its version 0; rows that are not as reported: 1 of 4",
			},
		} {
			cfg := server.Config(t)
			db, err := benchdb.Open(cfg.FormatDSN(), 1, 0)
			require.NoError(t, err)
			defer db.Close()
			require.NoError(t, benchdb.CreateTables(t.Context(), db))
			b, err := openBooks(t.Context(), db, 4)
			require.NoError(t, err)
			require.NoError(t, b.check(t.Context(), nil))
			for range 3 {
				require.NoError(t, deltaOnce(t.Context(), db, 1))
			}
			require.NoError(t, b.check(t.Context(), map[uint64]int64{1: 3}))
			require.NoError(t, b.check(t.Context(), map[uint64]int64{}))
			_, err = db.ExecContext(t.Context(), c.what)
			require.NoError(t, err)
			err = b.check(t.Context(), nil)
			require.EqualError(t, err, ErrLost.Error()+": "+c.want, c.what)
		}
	})
}
