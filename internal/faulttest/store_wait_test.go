package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

const waitFor = 100 * time.Millisecond

// holding takes the account's row lock, and also returns its session's number.
func (r *rig) holding(t *testing.T, id uint64) (session uint64, release func()) {
	t.Helper()
	tx, err := r.truth.BeginTx(context.WithoutCancel(t.Context()), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	_, err = shop.New(tx).GetAccountForUpdate(t.Context(), id)
	require.NoError(t, err)
	require.NoError(t, tx.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&session))
	return session, func() { _ = tx.Rollback() }
}

// requireLocked checks the error of a call that waited in vain, and who held the row if the server
// tells: MariaDB does, and MySQL with its performance_schema.
func requireLocked(t *testing.T, tells bool, err error, holder uint64) {
	t.Helper()
	require.ErrorIs(t, err, sqlcas.ErrLocked)
	require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	var locked *sqlcas.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, uint64(1), locked.Key)
	if tells {
		require.NotNil(t, locked.Holder, err)
		require.Equal(t, holder, locked.Holder.Session, err)
	}
}

// Ensures that Wait ends a call within its time, whatever way the lock is asked for; that the error
// tells who holds the row; and that the session which had waited is used again.
func TestWaitIsOverInTime(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 2)
		conns := &counted{Connector: dial(t, r.cfg)}
		db := open(t, conns)
		warm(t, db, 2)
		session, release := r.holding(t, 1)
		p := pessimistic.NewStore(db, shop.AccountTable, pessimistic.Wait(waitFor))
		nothing := func(*shop.Account) error { return nil }
		for name, call := range map[string]func(ctx context.Context) error{
			"Update": func(ctx context.Context) error {
				_, err := p.Update(ctx, 1, nothing)
				return err
			},
			"UpdateIfVersion": func(ctx context.Context) error {
				_, err := p.UpdateIfVersion(ctx, 1, firstVersion, nothing)
				return err
			},
			"UpdateAll": func(ctx context.Context) error {
				_, err := p.UpdateAll(ctx, []uint64{2, 1}, func(map[uint64]*shop.Account) error { return nil })
				return err
			},
			"Delete": func(ctx context.Context) error {
				return p.Delete(ctx, shop.Account{ID: 1, Version: firstVersion})
			},
			"In": func(ctx context.Context) error {
				return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
					_, err := p.In(tx).Get(ctx, 1)
					return err
				})
			},
			"LockAll in a transaction by hand": func(ctx context.Context) error {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				_, err = p.LockAll(ctx, tx, []uint64{1, 2})
				return errors.Join(err, tx.Rollback())
			},
		} {
			start := time.Now()
			err := call(t.Context())
			took := time.Since(start)
			requireLocked(t, s.MariaDB(), err, session)
			t.Logf("%v, %s with Wait(%v): %v: %v", s, name, waitFor, took.Round(time.Millisecond), err)
			if took < waitFor || took > waitFor+slack {
				t.Errorf("%s: took %v, want %v and a little", name, took, waitFor)
			}
		}
		require.EqualValues(t, 2, conns.opened.Load(), "connections: the one that waited is to be used again")
		release()
		_, err := p.Update(t.Context(), 1, nothing)
		require.NoError(t, err)
		require.Equal(t, 1, r.swaps(t, 1), "swaps: the last one alone")
		r.quiet(t, db)
	})
}

// Ensures that MySQL is asked for the holder in its own way.
func TestWaitTellsTheHolderOnMySQL(t *testing.T) {
	t.Parallel()
	s := mysqltest.Start(t, "mysql97", mysqltest.Options{PerformanceSchema: true})
	r := newRig(t, s, 1)
	db := open(t, dial(t, r.cfg))
	session, _ := r.holding(t, 1)
	_, err := pessimistic.NewStore(db, shop.AccountTable).Update(t.Context(), 1,
		func(*shop.Account) error { return nil }, pessimistic.Wait(waitFor))
	requireLocked(t, true, err, session)
}

// Ensures that Wait ends calls in a pool that has no connection left to end them from: each waits for
// its time from when it has one, and then gives its own up.
func TestWaitIsOverInAFullPool(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, c := range []crowd{{16, 16}, {8, 2}, {4, 1}} {
			r := newRig(t, s, 1)
			db := open(t, dial(t, r.cfg))
			warm(t, db, c.conns)
			p := pessimistic.NewStore(db, shop.AccountTable)
			release := r.lock(t, 1)
			var wg sync.WaitGroup
			a, start := &answers{}, time.Now()
			for range c.callers {
				wg.Go(func() {
					_, err := p.Update(t.Context(), 1, func(*shop.Account) error { return nil }, pessimistic.Wait(waitFor))
					said := nothing
					if errors.Is(err, sqlcas.ErrLocked) {
						said = failure
					}
					a.add("", said, err, time.Since(start))
				})
			}
			wg.Wait()
			r.quiet(t, db)
			r.sweep(t)
			release()
			r.assertUnlocked(t)
			_, longest := a.times()
			turns := time.Duration((c.callers + c.conns - 1) / c.conns)
			t.Logf("%v, %v with Wait(%v): all in %v", s, c, waitFor, longest.Round(time.Millisecond))
			if a.said[failure] != c.callers {
				t.Errorf("%v: %d of %d were told that the row is locked; others: %v",
					c, a.said[failure], c.callers, errors.Join(a.errs...))
			}
			if longest > turns*(waitFor+slack) {
				t.Errorf("%v: all in %v, want %d times %v and a little", c, longest, turns, waitFor)
			}
			require.Zero(t, r.swaps(t, 1), "%v: swaps", c)
			require.NoError(t, db.Close())
		}
	})
}

// Ensures that the caller's context comes before Wait: it is its error, not ErrLocked, and the session
// is ended all the same.
func TestContextEndsBeforeWait(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		warm(t, db, 2)
		release := r.lock(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), waitFor)
		defer cancel()
		start := time.Now()
		_, err := pessimistic.NewStore(db, shop.AccountTable).Update(ctx, 1,
			func(*shop.Account) error { return nil }, pessimistic.Wait(time.Minute))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, sqlcas.ErrLocked)
		require.Less(t, time.Since(start), waitFor+slack)
		r.quiet(t, db)
		release()
		r.soon(t, time.Now(), db)
	})
}
