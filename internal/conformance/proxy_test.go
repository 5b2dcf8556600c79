package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// countingChecks are the checks whose outcome might depend on how rows are counted.
var countingChecks = []check{
	{"first attempt succeeds", checkFirstAttempt},
	{"conflict is retried and applied once", checkConflictUpdate},
	{"conflict in a transaction is retried and applied once", checkConflictUpdateTx},
	{"unchanged values are no conflict", checkUnchanged},
	{"two rows are refused", checkTooManyRows},
	{"stale swap conflicts in both shapes", checkStaleSwap},
}

// Ensures that a proxy that counts found rows for a program that asked for changed ones, or the
// other way round, changes nothing (case 3). Such a proxy makes its own handshake with the server
// and forgets the program's flag, so that here the flag is turned on the way to the server.
func TestProxyThatMiscountsChangesNothing(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, found := range []bool{false, true} {
			asked := mode{foundRows: found}
			t.Run("asked for "+asked.String(), func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, s, asked, false)
				e.cfg.ClientFoundRows = !found
				e = e.with(open(t, e.cfg.Clone(), 8))

				res, err := e.db.ExecContext(t.Context(),
					"UPDATE account SET balance = balance WHERE id = ?", e.account(t))
				require.NoError(t, err)
				n, err := res.RowsAffected()
				require.NoError(t, err)
				require.Equal(t, found, n == 0, "the proxy counts %d for an UPDATE that changes nothing", n)
				held, all := suite(t, e, countingChecks)
				require.Equal(t, all, held)
			})
		}
	})
}
