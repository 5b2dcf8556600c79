package conformance

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// succession is a primary and the server that is going to be it.
type succession struct {
	old, heir *mysql.Config // of root
	clerk     *mysql.Config // dials the one that is the primary, as a user who may not write to a read-only server
	moved     atomic.Bool   // it is the heir
}

// newSuccession makes account 42 on the server and on another of its kind, as if that were its replica.
func newSuccession(t *testing.T, s *mysqltest.Server) *succession {
	t.Helper()
	const alice = "INSERT INTO account VALUES (42, 'alice', 100, 7)"
	c := &succession{old: s.Config(t, append(schema.Shop(), alice)...)}
	c.heir = mysqltest.Start(t, s.Name, mysqltest.Options{}).Config(t, schema.Shop()...)
	root := open(t, c.heir.Clone(), 1)
	c.heir.DBName = c.old.DBName
	for _, q := range append([]string{"CREATE DATABASE " + c.old.DBName, "USE " + c.old.DBName},
		append(schema.Shop(), alice)...) {
		_, err := root.ExecContext(t.Context(), q)
		require.NoError(t, err)
	}
	clerk(t, root, c.heir)
	c.clerk = clerk(t, open(t, c.old.Clone(), 1), c.old)
	c.clerk.DialFunc = func(ctx context.Context, network, _ string) (net.Conn, error) {
		addr := c.old.Addr
		if c.moved.Load() {
			addr = c.heir.Addr
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	return c
}

// demote makes the old server a replica in this alone, that it takes no writes; or ends that.
func (c *succession) demote(t *testing.T, readOnly bool) {
	t.Helper()
	value := map[bool]string{true: "ON", false: "OFF"}[readOnly]
	_, err := open(t, c.old.Clone(), 1).ExecContext(t.Context(), "SET GLOBAL read_only = "+value)
	require.NoError(t, err)
}

// onSwap returns the table of accounts with somebody who is told before the first swap is sent.
func onSwap(tell func()) sqlcas.Table[uint64, shop.Account] {
	table, once := shop.AccountTable, sync.OnceFunc(tell)
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
		once()
		return shop.AccountTable.Swap(ctx, db, a, steps)
	}
	return table
}

// wantAccount ensures what account 42 holds, and at which version it is.
func wantAccount(t *testing.T, db *sql.DB, balance int64, version uint64) {
	t.Helper()
	row, err := shop.New(db).GetAccount(t.Context(), 42)
	require.NoError(t, err)
	require.Equal(t, shop.Account{ID: 42, Owner: "alice", Balance: balance, Version: version}, row)
}

// Ensures what docs/hot-rows.md says of a primary that dies: whose UPDATE was under way gets ErrOutcomeUnknown,
// since the new server cannot tell what the old one has done; those in line are served by the new one.
func TestHotRowOutlivesItsServer(t *testing.T) {
	t.Parallel()
	const n = 5
	mysqltest.EachOwn(t, mysqltest.Options{Restartable: true}, func(t *testing.T, s *mysqltest.Server) {
		c := newSuccession(t, s)
		rival, err := open(t, c.old.Clone(), 1).BeginTx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = rival.Rollback() }()
		_, err = shop.New(rival).GetAccountForUpdate(t.Context(), 42)
		require.NoError(t, err)

		db, sent := open(t, c.clerk.Clone(), 4), make(chan struct{})
		accounts := optimistic.NewStore(db, onSwap(func() { close(sent) }))
		var all sync.WaitGroup
		var lost error
		all.Go(func() { _, lost = accounts.Update(t.Context(), 42, plus(-1)) })
		<-sent
		errs := make([]error, n)
		for i := range n {
			ctx := &inLine{Context: t.Context(), in: make(chan struct{})}
			all.Go(func() { _, errs[i] = accounts.Update(ctx, 42, plus(-1)) })
			<-ctx.in
		}
		c.moved.Store(true)
		require.NoError(t, s.Kill())
		all.Wait()
		require.ErrorIs(t, lost, sqlcas.ErrOutcomeUnknown)
		require.NoError(t, errors.Join(errs...))
		wantAccount(t, db, 100-n, 7+n)
	})
}

// Ensures what docs/hot-rows.md says of a server that takes no writes any more: all who meet get its error, from
// one UPDATE and at the first attempt, and nothing is written; and on the connections that the pool keeps to it
// so does who comes later, until it takes writes again.
func TestHotRowOfAServerThatIsReadOnly(t *testing.T) {
	t.Parallel()
	const n = 5
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		c := newSuccession(t, s)
		db := open(t, c.clerk.Clone(), 4)
		require.NoError(t, db.PingContext(t.Context()))
		c.demote(t, true)
		c.moved.Store(true)
		guests, updates := meet(t, db, n)
		require.Equal(t, 2, updates, "the first caller's, and one for the others")
		for i, g := range guests {
			require.EqualValues(t, 1290, number(g.err), "%d: %v", i, g.err)
			require.NotErrorIs(t, g.err, sqlcas.ErrOutcomeUnknown)
			require.Equal(t, 1, g.report.Attempts)
		}
		_, err := optimistic.NewStore(db, shop.AccountTable).Update(t.Context(), 42, plus(-1))
		require.EqualValues(t, 1290, number(err), "%v", err)
		wantAccount(t, db, 100, 7)
		require.Equal(t, 1, db.Stats().OpenConnections, "it went to the old server all the time")
		c.demote(t, false)
		guests, _ = meet(t, db, n)
		for _, g := range guests {
			require.NoError(t, g.err)
		}
	})
}

// onAttempt tells when the second attempt begins.
type onAttempt func()

func (f onAttempt) AttemptStart(ctx context.Context, a sqlcas.AttemptStart) context.Context {
	if a.Attempt == 2 {
		f()
	}
	return ctx
}

func (onAttempt) AttemptEnd(context.Context, sqlcas.AttemptEnd) {}
func (onAttempt) CallEnd(context.Context, sqlcas.CallEnd)       {}

// Ensures what docs/hot-rows.md says of rejectReadOnly: the call drops the connection, looks at the row, and
// tries again until there is a server that takes writes; if the look meets another server, that cannot tell, and
// the outcome is unknown.
func TestHotRowWithRejectReadOnly(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		c := newSuccession(t, s)
		c.clerk.RejectReadOnly = true
		db := open(t, c.clerk.Clone(), 4)
		accounts := optimistic.NewStore(db, shop.AccountTable)
		c.demote(t, true)
		back := onAttempt(func() { c.demote(t, false) })
		_, err := accounts.Update(t.Context(), 42, plus(-1), sqlcas.WithObserver(back))
		require.NoError(t, err)
		wantAccount(t, db, 99, 8)

		db = open(t, c.clerk.Clone(), 4)
		accounts = optimistic.NewStore(db, onSwap(func() { c.moved.Store(true) }))
		c.demote(t, true)
		_, err = accounts.Update(t.Context(), 42, plus(-1))
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		_, err = accounts.Update(t.Context(), 42, plus(-1))
		require.NoError(t, err)
		wantAccount(t, db, 99, 8)
	})
}
