package conformance

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// session is what a connection is like.
type session struct {
	id                    uint64
	lockWait, metadata    string
	isolation, autocommit string
}

// variables is all but which one it is.
func (s session) variables() session {
	s.id = 0
	return s
}

// sessions returns what the two connections of a pool are like, in the order of their numbers.
func (e *env) sessions(t *testing.T) [2]session {
	t.Helper()
	var all [2]session
	var conns [2]*sql.Conn
	for i := range all {
		var err error
		conns[i], err = e.db.Conn(t.Context())
		require.NoError(t, err)
		row := conns[i].QueryRowContext(t.Context(), "SELECT CONNECTION_ID(), @@innodb_lock_wait_timeout, "+
			"@@lock_wait_timeout, @@"+e.isolation+", @@autocommit")
		s := &all[i]
		require.NoError(t, row.Scan(&s.id, &s.lockWait, &s.metadata, &s.isolation, &s.autocommit))
	}
	for _, c := range conns {
		require.NoError(t, c.Close())
	}
	if all[0].id > all[1].id {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

// checkWait ensures that Wait gives up soon after its time, which may be shorter than any that servers
// know; that it sends no SET; that the session's variables are as they were, and the connection is good for the
// next call; and that nothing is left of the waiting read. The connection is still the same, unless the machine is so
// busy that the pool's other one is not to be had in time: then it is dropped, and one of three tries keeps it.
func checkWait(t *testing.T, e *env, s strategy) {
	const limit = 30 * time.Millisecond
	e, log := e.logged(t)
	e.db.SetMaxOpenConns(2)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	h := e.hold(t, id)
	var before [2]session
	for try := 1; ; try++ {
		before = e.sessions(t)
		for range 3 {
			began := time.Now()
			_, err := st.Update(t.Context(), id, plus(1), pessimistic.Wait(limit))
			locked := isLocked(t, err, id)
			require.GreaterOrEqual(t, time.Since(began), limit)
			require.Less(t, time.Since(began), lockWait/2)
			require.ErrorContains(t, locked, limit.String())
		}
		after := e.sessions(t)
		if after == before {
			break
		}
		require.Less(t, try, 3, "the connection was dropped each time")
		for i := range after {
			require.Equal(t, before[i].variables(), after[i].variables())
		}
	}
	require.Empty(t, log.of("SET"))
	h.rollback(t)
	_, err := st.Update(t.Context(), id, plus(1), pessimistic.Wait(lockWait))
	require.NoError(t, err)
	e.want(t, id, opening+1, 2)
	require.Equal(t, before, e.sessions(t))
}

// checkWaitFreed ensures that Wait gets a row that is freed before its time is over.
func checkWaitFreed(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	ended := e.hold(t, id).whenAwaited(e, "account", true)
	_, err := st.Update(t.Context(), id, plus(1), pessimistic.Wait(lockWait))
	require.NoError(t, <-ended)
	require.NoError(t, err)
	e.want(t, id, opening+rivals+1, 3)

	for _, d := range []time.Duration{0, -1} {
		_, err = st.Update(t.Context(), id, plus(1), pessimistic.Wait(d))
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, "Wait(")
	}
}

// Ensures that a Wait that was in vain tells whose lock it was, where the server tells: MariaDB does by
// itself, and MySQL if its performance_schema is on; and that the text names the session, as an operator
// would look for it. The servers are the test's own: MariaDB shows who waits for whom as it was up to
// 100 ms ago if somebody else has asked since.
func TestWaitTellsTheHolder(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{PerformanceSchema: true}, func(t *testing.T, s *mysqltest.Server) {
		for _, m := range []mode{{interpolate: true}, {}} {
			holder, locked, err := waitInVain(t, newEnv(t, s, m, false))
			require.NotNil(t, locked.Holder, "%v", err)
			require.Equal(t, holder, locked.Holder.Session)
			require.Equal(t, "root", locked.Holder.User)
			require.NotEmpty(t, locked.Holder.Host)
			require.ErrorContains(t, err, locked.Holder.String())
		}
	})
}

// Ensures that a server that does not tell, as MySQL without performance_schema, is no reason for another
// error than the same one without a holder.
func TestWaitWithoutAHolder(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		_, locked, _ := waitInVain(t, newEnv(t, s, mode{}, false))
		if !s.MariaDB() {
			require.Nil(t, locked.Holder)
		}
	})
}

// waitInVain has a call wait for a row that a rival holds, and returns the rival's session and the error.
func waitInVain(t *testing.T, e *env) (rival uint64, locked *sqlcas.LockedError, err error) {
	t.Helper()
	id := e.account(t)
	e.warm(t, 2)
	h := e.hold(t, id)
	rival, err = sessionOf(context.Background(), h.tx)
	require.NoError(t, err)
	st := pessimistic.NewStore(e.db, shop.AccountTable, pessimistic.Wait(200*time.Millisecond))
	_, err = st.Update(t.Context(), id, plus(1))
	locked = isLocked(t, err, id)
	h.rollback(t)
	e.want(t, id, opening, 1)
	e.settled(t)
	return rival, locked, err
}
