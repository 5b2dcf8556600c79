package faulttest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// oneWay is the time that a packet takes to a server which is not in the same building. A connection
// is made in several such times, more than anybody is patient who has been to a server next door.
const oneWay = 5 * time.Millisecond

// Ensures that sessions are ended also where a connection for that takes a while to be made, and the
// pool has none that is idle: behind a foreign lock nothing is applied and the call says so, and no
// session waits on (cases 8 and 48).
func TestStoreBehindAForeignLockFarAway(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for i, name := range []string{"optimistic.Update", "optimistic.UpdateAll", "pessimistic.Update", "pessimistic.UpdateAll"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, s, 1)
				p, cfg := r.proxied(t)
				p.Latency(oneWay)
				db := open(t, dial(t, cfg))
				release := r.lock(t, 1)
				ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
				defer cancel()
				err := ways(db)[i].change(ctx, "far", []uint64{1})
				if saying(ctx, err) != failure {
					t.Errorf("got %v, want the context's error alone", err)
				}
				r.quiet(t, db)
				r.sweep(t)
				release()
				r.assertUnlocked(t)
				require.Zero(t, r.swaps(t, 1), "writes after the answer")
			})
		}
	})
}

// Ensures the same of a look-up: a write whose request was lost is found out by its row and made again.
func TestStoreLooksUpFarAway(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		p, cfg := r.proxied(t)
		p.Latency(oneWay)
		db := open(t, dial(t, cfg))
		for n, mode := range []faultproxy.Mode{faultproxy.DropRequest, faultproxy.DropRequestBoth} {
			p.FaultStatements(isWrite, mode, 1)
			var report sqlcas.Report
			err := ways(db)[0].change(t.Context(), "far", []uint64{1}, sqlcas.WithReport(&report))
			require.NoError(t, err, mode)
			require.Equal(t, 2, report.Attempts, "%v: attempts", mode)
			require.Equal(t, n+1, r.swaps(t, 1), "%v: swaps", mode)
		}
		r.quiet(t, db)
	})
}
