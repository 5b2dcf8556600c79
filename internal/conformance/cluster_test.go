package conformance

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/internal/witness"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/sqlcastest"
)

// refuser answers COMMITs with 1213, as a Galera node does whose transaction fails its
// certification, and so the ROLLBACK that follows on the same connection.
type refuser struct {
	commits   atomic.Int32 // to refuse
	rollbacks atomic.Int32 // refused
}

func (r *refuser) exec(
	ctx context.Context, c *tappedConn, st statement, send sendExec,
) (driver.Result, error) {
	refusal := &mysql.MySQLError{Number: 1213, Message: "WSREP detected deadlock/conflict"}
	switch witness.Keyword(st.Query) {
	case "COMMIT":
		if r.commits.Add(-1) >= 0 {
			c.refused.Store(true)
			if err := c.run(ctx, "ROLLBACK"); err != nil { // what the cluster has done
				return nil, err
			}
			return nil, refusal
		}
	case "ROLLBACK":
		if c.refused.Load() {
			r.rollbacks.Add(1)
			return nil, refusal
		}
	}
	return send(ctx)
}

// addBy adds one to the account and tells which session did it.
func addBy(id uint64, sessions *[]uint64) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		session, err := sessionOf(ctx, tx)
		if err != nil {
			return err
		}
		*sessions = append(*sessions, session)
		return optimistic.One(add(ctx, tx, id, nil))
	}
}

// Ensures that a COMMIT that is refused with 1213, and a ROLLBACK that is refused with it as well,
// are a definite failure: retried on another connection, applied once, never an unknown outcome
// (case 55).
func TestRefusedCommitAndRollbackIsRetriedElsewhere(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		r := &refuser{}
		e = e.tapped(t, tap{exec: r.exec})
		id := e.account(t)
		var sessions []uint64

		r.commits.Store(1)
		require.NoError(t, optimistic.UpdateTx(t.Context(), e.db, addBy(id, &sessions)))
		require.Len(t, sessions, 2, "attempts")
		require.NotEqual(t, sessions[0], sessions[1], "the refused COMMIT's connection was used again")
		require.EqualValues(t, 1, r.rollbacks.Load(), "rollbacks sent after the refused COMMIT")
		e.want(t, id, opening+1, 2)

		r.commits.Store(1)
		err := optimistic.UpdateTx(t.Context(), e.db, addBy(id, &sessions), sqlcas.WithMaxAttempts(1))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.EqualValues(t, 1213, number(err))
		e.want(t, id, opening+1, 2)
		e.settled(t)
	})
}

// Ensures that 3101, which group replication answers to a COMMIT that fails its certification, is a
// definite rollback: retried, applied once, never an unknown outcome (case 56).
func TestGroupReplicationRefusalIsRetried(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		connector, err := mysql.NewConnector(e.cfg.Clone())
		require.NoError(t, err)
		var faults sqlcastest.Faults
		e = e.with(pool(t, sql.OpenDB(sqlcastest.Wrap(connector, &faults)), 4))
		refusal := &mysql.MySQLError{Number: 3101, Message: "Plugin instructed the server to rollback"}
		id := e.account(t)
		var sessions []uint64

		faults.FailCommit(2, refusal)
		require.NoError(t, optimistic.UpdateTx(t.Context(), e.db, addBy(id, &sessions)))
		require.Len(t, sessions, 3, "attempts")
		e.want(t, id, opening+1, 2)

		faults.FailCommit(1, refusal)
		err = optimistic.UpdateTx(t.Context(), e.db, addBy(id, &sessions), sqlcas.WithMaxAttempts(1))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.EqualValues(t, 3101, number(err))
		require.Zero(t, faults.Pending())
		e.want(t, id, opening+1, 2)
		e.settled(t)
	})
}

// reexecutor treats the first autocommit UPDATE as wsrep_retry_autocommit does when its
// certification fails: what it did is undone, and the server runs the statement once more.
type reexecutor struct {
	t       *testing.T
	between func() // what the cluster applied instead
	done    bool
}

func (r *reexecutor) exec(
	ctx context.Context, c *tappedConn, st statement, send sendExec,
) (driver.Result, error) {
	if r.done || witness.Keyword(st.Query) != "UPDATE" {
		return send(ctx)
	}
	require.NoError(r.t, c.run(ctx, "START TRANSACTION"))
	res, err := send(ctx)
	require.NoError(r.t, c.run(ctx, "ROLLBACK"))
	if err != nil { // driver.ErrSkip: it comes again, prepared
		return res, err
	}
	r.done = true
	r.between()
	return send(ctx)
}

// Ensures that a swap in autocommit mode that the server re-executes after a failed certification
// is applied once: the predicate decides anew, for the swap if nobody has written meanwhile, and
// against it if the write that beat it has moved the version (case 57).
func TestReexecutedAutocommitSwapIsAppliedOnce(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, m := range []mode{{}, {interpolate: true}} {
			base := newEnv(t, s, m, false)
			for _, rival := range []bool{false, true} {
				id := base.account(t)
				attempts, sum, version := 1, int64(opening+1), uint64(2)
				r := &reexecutor{t: t, between: func() {}}
				if rival {
					r.between = func() { base.bump(t, id) }
					attempts, sum, version = 2, sum+rivals, 3
				}
				e := base.tapped(t, tap{exec: r.exec})
				var report sqlcas.Report
				err := optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) {
					return add(ctx, e.db, id, nil)
				}, sqlcas.WithReport(&report))
				require.NoError(t, err)
				require.True(t, r.done, "the swap was never re-executed")
				require.Equal(t, attempts, report.Attempts, "attempts, with a rival: %v", rival)
				e.want(t, id, sum, version)
			}
		}
	})
}
