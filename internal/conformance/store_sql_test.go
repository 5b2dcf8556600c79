package conformance

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// checkStoreOneUpdate ensures that each attempt sends exactly one UPDATE, which carries the key and the
// version that this attempt has read, that Delete's DELETE does too, and that there is no other write and
// no change of a session's variables (case 9).
func checkStoreOneUpdate(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	runs := 0
	var r sqlcas.Report
	_, err := st.Update(t.Context(), id, func(*shop.Account) error {
		if runs++; runs <= s.losses {
			e.bump(t, id)
		}
		return nil
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	version := e.row(t, id).Version
	_, err = st.UpdateIfVersion(t.Context(), id, version, plus(1))
	require.NoError(t, err)
	_, err = st.UpdateAll(t.Context(), []uint64{id}, func(rows) error { return nil })
	require.NoError(t, err)
	require.NoError(t, st.Delete(t.Context(), e.row(t, id)))

	updates := log.of("UPDATE")
	require.Len(t, updates, r.Attempts+2)
	for i, u := range append(updates, log.of("DELETE")...) {
		require.True(t, strings.HasSuffix(u.text, "WHERE id = ? AND version = ?"), "sent: %s", u.text)
		require.Equal(t, []any{id, uint64(1 + i)}, unsigned(u.args[len(u.args)-2:]), "key and version")
	}
	require.Len(t, log.of("DELETE"), 1)
	for _, word := range []string{"INSERT", "REPLACE", "SET", "KILL"} {
		require.Empty(t, log.of(word))
	}
}

// checkPlainPath ensures that on a connection that has been used before, a change is the SELECT and the
// UPDATE and nothing else, and that the SELECT takes no lock; and that a lost attempt is the same two more, or
// a transaction in which the row is locked.
func checkPlainPath(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	e.db.SetMaxOpenConns(1)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	_, err := st.Update(t.Context(), id, plus(1))
	require.NoError(t, err)
	warm := len(log.words())
	_, err = st.Update(t.Context(), id, plus(1))
	require.NoError(t, err)
	require.Equal(t, []string{"SELECT", "UPDATE"}, log.words()[warm:])
	runs := 0
	_, err = st.UpdateIfVersion(t.Context(), id, 3, plus(1))
	require.NoError(t, err)
	_, err = st.Update(t.Context(), id, func(*shop.Account) error {
		if runs++; runs == 1 {
			e.bump(t, id)
		}
		return nil
	})
	require.NoError(t, err)
	rerun := []string{"SELECT", "UPDATE"}
	if s.losses == 1 {
		rerun = []string{"BEGIN", "SELECT", "UPDATE", "COMMIT"}
	}
	require.Equal(t, append(strings.Fields(strings.Repeat("SELECT UPDATE ", 3)), rerun...), log.words()[warm:])
	selects := log.of("SELECT")
	for i, q := range selects {
		locks := s.losses == 1 && i == len(selects)-1
		require.Equal(t, locks, strings.Contains(q.text, "FOR UPDATE"), q.text)
	}
	e.want(t, id, opening+rivals+3, 6)
}

// checkExplicitPath ensures that a change is one transaction where two statements would not do: where the
// server computes a part of the row, which has to be read again; with an isolation level; and in sessions
// that do not commit each statement by themselves.
func checkExplicitPath(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	stamped.put(t, e, 1, part(1))
	_, err := s.items(e.db, stamped.table()).Update(t.Context(), part(1), grow)
	require.NoError(t, err)
	require.Equal(t, []string{"BEGIN", "SELECT", "UPDATE", "SELECT", "COMMIT"}, log.words())

	e, log = e.logged(t)
	id := e.account(t)
	level := sqlcas.WithIsolation(sql.LevelReadCommitted)
	_, err = s.accounts(e.db, shop.AccountTable).Update(t.Context(), id, plus(1), level)
	require.NoError(t, err)
	require.Subset(t, log.words(), []string{"BEGIN", "COMMIT"})
	e.want(t, id, opening+1, 2)

	manual := *e
	manual.cfg = e.cfg.Clone()
	setParam(manual.cfg, "autocommit", "0")
	e, log = manual.logged(t)
	_, err = s.accounts(e.db, shop.AccountTable).Update(t.Context(), id, plus(1))
	require.NoError(t, err)
	require.Equal(t, []string{"BEGIN", "SELECT", "UPDATE", "COMMIT"}, log.words())
	e.want(t, id, opening+2, 3)
}

// checkManualCommit ensures that in sessions that do not commit each statement by themselves every change
// is durable when its call returns, and that reading leaves no transaction open, whose snapshot the next
// call on the connection would take for the present.
func checkManualCommit(t *testing.T, e *env, s strategy) {
	manual := e.tuned(t, "autocommit", "0")
	manual.db.SetMaxOpenConns(1)
	st := s.accounts(manual.db, shop.AccountTable)
	id := e.account(t)
	_, err := st.Update(t.Context(), id, plus(1))
	require.NoError(t, err)
	_, err = st.UpdateAll(t.Context(), []uint64{id}, func(rows) error { return nil })
	require.NoError(t, err)
	_, err = st.UpdateIfVersion(t.Context(), id, 3, plus(1))
	require.NoError(t, err)
	e.want(t, id, opening+2, 4)
	for range 2 {
		row, err := st.Get(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, e.row(t, id), row, "what Get returned of a row that others change")
		e.bump(t, id)
	}
	row, err := st.UpdateIfVersion(t.Context(), id, 4, plus(1))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 4, Actual: 6})
	require.Equal(t, e.row(t, id), row)
	require.ErrorIs(t, st.Delete(t.Context(), shop.Account{ID: id, Version: 4}), sqlcas.ErrConflict)
	require.NoError(t, st.Delete(t.Context(), row))
	require.Zero(t, e.count(t, "account WHERE id = ?", id))
}

// slowDial is a connector whose connections take their time to open, as over a network.
type slowDial struct {
	driver.Connector
	takes time.Duration
}

// Connect opens a connection.
func (s slowDial) Connect(ctx context.Context) (driver.Conn, error) {
	select {
	case <-time.After(s.takes):
		return s.Connector.Connect(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// checkSlowDial ensures that a caller whose context ends while the row is held learns that nothing was
// applied also where the pool has to open a connection to find that out, and opening one takes a while.
// The row has been changed before, so that its version tells.
func checkSlowDial(t *testing.T, e *env, s strategy) {
	connector, err := mysql.NewConnector(e.cfg.Clone())
	require.NoError(t, err)
	e = e.with(pool(t, sql.OpenDB(slowDial{connector, 100 * time.Millisecond}), 4))
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	_, err = st.Update(t.Context(), id, plus(1))
	require.NoError(t, err)
	h := e.hold(t, id)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = st.Update(ctx, id, plus(1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	h.rollback(t)
	e.bump(t, id) // behind whatever was left waiting for the row
	e.want(t, id, opening+1+rivals, 3)
}
