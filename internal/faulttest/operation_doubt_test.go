package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// Ensures that a twin which enters the id between the loss of the COMMIT and the look-up is not taken for the
// call itself: where the COMMIT was not carried out the call is a replay of the twin's.
func TestOperationOfATwinAfterALostCommit(t *testing.T) {
	t.Parallel()
	eachIDWay(t, func(t *testing.T, r *rig, w idWay) {
		for n, mode := range []faultproxy.Mode{faultproxy.DropRequest, faultproxy.DropRequestBoth} {
			id := operationID("twin", n)
			var twin sqlcas.Report
			p, db := r.beforeLookUp(t, func() {
				require.NoError(t, w.take(t.Context(), r.truth, 1, sqlcas.WithOperationID(id), sqlcas.WithReport(&twin)))
			})
			p.FaultCommits(mode, 1)
			var report sqlcas.Report
			require.NoError(t, w.take(t.Context(), db, 1, sqlcas.WithOperationID(id), sqlcas.WithReport(&report)))
			require.Equal(t, []bool{false, true}, []bool{twin.Replayed, report.Replayed})
			require.Equal(t, 2, report.Attempts)
			require.Equal(t, n+1, r.swaps(t, 1))
			require.Equal(t, 1, r.noted(t, id))
		}
		r.assertUnlocked(t)
	})
}

// Ensures that a call whose old session cannot be ended says that nobody knows the outcome, and why; and that
// the same call again is safe and knows.
func TestOperationWhoseSessionCannotBeEnded(t *testing.T) {
	t.Parallel()
	eachIDWay(t, func(t *testing.T, r *rig, w idWay) {
		p, cfg := r.proxied(t)
		refused := open(t, noKill(dial(t, cfg)))
		warm(t, refused, 2)
		d := &door{Connector: dial(t, cfg), left: make(chan struct{})}
		shut := open(t, d)
		shut.SetMaxOpenConns(1)
		warm(t, shut, 1)
		d.shut.Store(true)

		p.FaultCommits(faultproxy.DropReply, 1)
		err := w.take(t.Context(), refused, 1, sqlcas.WithOperationID("id"))
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorContains(t, err, "the old session could not be ended: Error 1095")
		r.once(t, r.truth, w, 1, "id")

		p.FaultCommits(faultproxy.DropReply, 1)
		err = w.take(t.Context(), shut, 1, sqlcas.WithOperationID("another"))
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorContains(t, err, "the old session could not be ended, for want of a connection: dial")
		d.shut.Store(false)
		require.NoError(t, w.take(t.Context(), shut, 1, sqlcas.WithOperationID("another")))
		require.Equal(t, 2, r.swaps(t, 1))
		p.ReleaseOrphans()
		r.assertUnlocked(t)
	})
}

// Ensures that an id whose row somebody else keeps locked during the look-up leaves the outcome unknown within
// the bound, and says so; and that the same call again is a replay.
func TestOperationWhoseRowIsLocked(t *testing.T) {
	t.Parallel()
	eachIDWay(t, func(t *testing.T, r *rig, w idWay) {
		for n, bound := range []time.Duration{time.Second, 2500 * time.Millisecond} {
			id := operationID("locked", n)
			tx, err := r.truth.BeginTx(context.WithoutCancel(t.Context()), nil)
			require.NoError(t, err)
			t.Cleanup(func() { _ = tx.Rollback() })
			p, db := r.beforeLookUp(t, func() {
				_, err := tx.Exec("UPDATE sqlcas_operation SET target = target WHERE id = ?", id)
				require.NoError(t, err)
			})
			p.FaultCommits(faultproxy.DropReply, 1)
			start := time.Now()
			err = w.take(t.Context(), db, 1, sqlcas.WithOperationID(id), sqlcas.WithCommitTimeout(bound))
			require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
			require.ErrorContains(t, err, "the row of the operation id could not be read")
			require.Regexp(t, "what it has written was (not to be read within|locked for) ", err.Error())
			require.Less(t, time.Since(start), bound+slack)
			require.NoError(t, tx.Rollback())
			require.Equal(t, n+1, r.swaps(t, 1))
			var report sqlcas.Report
			require.NoError(t, w.take(t.Context(), db, 1, sqlcas.WithOperationID(id), sqlcas.WithReport(&report)))
			require.True(t, report.Replayed)
		}
		r.assertUnlocked(t)
	})
}

// Ensures that a context that has ended by the time of the look-up does not keep it from finding out.
func TestOperationLookUpOutlivesTheContext(t *testing.T) {
	t.Parallel()
	eachIDWay(t, func(t *testing.T, r *rig, w idWay) {
		p, cfg := r.proxied(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		db := open(t, &script{
			Connector: dial(t, cfg),
			exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
				if is(query, "COMMIT") {
					defer cancel()
				}
				return send()
			},
		})
		p.FaultCommits(faultproxy.DropReply, 1)
		require.NoError(t, w.take(ctx, db, 1, sqlcas.WithOperationID("id")))
		require.Error(t, ctx.Err())
		r.once(t, r.truth, w, 1, "id")
	})
}

// Ensures that an id is not looked for in another database than the one it was noted in, where its absence would
// have the change made again.
func TestOperationLookUpAfterUse(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, w := range idWays {
			two := newTenants(t, s)
			for _, stmt := range schema.Sqlcas() {
				two.home.exec(t, stmt)
				two.away.exec(t, stmt)
			}
			require.NoError(t, optimistic.UpdateTx(t.Context(), two.db, func(ctx context.Context, tx *sql.Tx) error {
				return two.use(ctx, tx)
			}))
			two.proxy.FaultCommits(faultproxy.DropReply, 1)
			err := w.take(t.Context(), two.db, 1, sqlcas.WithOperationID("id"))
			require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
			require.ErrorContains(t, err, "the transaction was in the database \""+two.away.cfg.DBName+"\"")
			require.Equal(t, []int{0, 1}, []int{two.home.swaps(t, 1), two.away.swaps(t, 1)})
		}
	})
}
