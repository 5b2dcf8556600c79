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
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// The trail has a row for each write of an account, made by the write's own transaction: it tells what
// was applied, and how often, of a Store's writes, whose closures may touch nothing but the row.
const (
	trail = `CREATE TABLE trail (account_id BIGINT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL,
		memo VARCHAR(64) NOT NULL, PRIMARY KEY (account_id, version), KEY (memo)) ENGINE=InnoDB`
	trailing = `CREATE TRIGGER account_trail AFTER UPDATE ON account FOR EACH ROW
		INSERT INTO trail (account_id, version, memo) VALUES (NEW.id, NEW.version, NEW.owner)`
)

// leaveTrail has all writes of accounts noted from now on.
func (r *rig) leaveTrail(t *testing.T) {
	t.Helper()
	r.exec(t, trail)
	r.exec(t, trailing)
}

// applied is how many rows an operation has written.
func (r *rig) applied(t *testing.T, memo string) int {
	t.Helper()
	return r.number(t, "SELECT COUNT(*) FROM trail WHERE memo = ?", memo)
}

// appliedAll is applied for all operations.
func (r *rig) appliedAll(t *testing.T) map[string]int {
	t.Helper()
	rows, err := r.truth.QueryContext(t.Context(), "SELECT memo, COUNT(*) FROM trail GROUP BY memo")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	applied := map[string]int{}
	for rows.Next() {
		var memo string
		var n int
		require.NoError(t, rows.Scan(&memo, &n))
		applied[memo] = n
	}
	require.NoError(t, rows.Err())
	return applied
}

// way is one way to change accounts by a Store. It moves 1 from the first of them to the last, or
// deducts it where there is one account, and writes the memo to all of them.
type way struct {
	name   string
	locks  bool // it is the pessimistic Store's
	change func(ctx context.Context, memo string, ids []uint64, opts ...sqlcas.Option) error
}

// store is what both Stores have.
type store interface {
	sqlcas.Updater[uint64, shop.Account]
	UpdateAll(
		ctx context.Context, keys []uint64, change func(map[uint64]*shop.Account) error, opts ...sqlcas.Option,
	) (map[uint64]shop.Account, error)
}

// The Stores whose callers of a row share one connection, and do not.
const (
	combining = "optimistic"
	apart     = "apart"
)

// ways are those of both Stores of a pool: Update, and UpdateAll.
func ways(db *sql.DB) []way {
	one := func(name string, s store, locks bool) way {
		return way{name + ".Update", locks, func(ctx context.Context, memo string, ids []uint64, opts ...sqlcas.Option) error {
			_, err := s.Update(ctx, ids[len(ids)-1], func(a *shop.Account) error {
				a.Balance--
				a.Owner = memo
				return nil
			}, opts...)
			return err
		}}
	}
	all := func(name string, s store, locks bool) way {
		return way{name + ".UpdateAll", locks, func(ctx context.Context, memo string, ids []uint64, opts ...sqlcas.Option) error {
			_, err := s.UpdateAll(ctx, ids, func(rows map[uint64]*shop.Account) error {
				rows[ids[0]].Balance--
				rows[ids[len(ids)-1]].Balance++
				for _, a := range rows {
					a.Owner = memo
				}
				return nil
			}, opts...)
			return err
		}}
	}
	o, p := optimistic.NewStore(db, shop.AccountTable), pessimistic.NewStore(db, shop.AccountTable)
	return []way{
		one(combining, o, false), all(combining, o, false),
		one("pessimistic", p, true), all("pessimistic", p, true),
		one(apart, optimistic.NewStore(db, shop.AccountTable, optimistic.WithoutCombining()), false),
	}
}

// saying is what a call said by its error, given the context that it had.
func saying(ctx context.Context, err error) said {
	switch {
	case err == nil:
		return success
	case errors.Is(err, sqlcas.ErrOutcomeUnknown):
		return unknown
	case ctx.Err() != nil && errors.Is(err, ctx.Err()), errors.Is(err, context.DeadlineExceeded):
		return failure
	}
	return nothing
}

// errorsAre reports whether an error is all of these.
func errorsAre(err error, all ...error) bool {
	for _, target := range all {
		if !errors.Is(err, target) {
			return false
		}
	}
	return true
}

// warm opens connections of a pool, so that a test's calls need not.
func warm(t *testing.T, db *sql.DB, conns int) {
	t.Helper()
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	opened := make([]*sql.Conn, conns)
	var wg sync.WaitGroup
	for i := range opened {
		wg.Go(func() {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			opened[i] = conn
		})
	}
	wg.Wait()
	for _, conn := range opened {
		if conn != nil {
			require.NoError(t, conn.Close())
		}
	}
}

// busy counts the sessions of this database that do anything, the counting one aside.
func (r *rig) busy(t *testing.T) int {
	t.Helper()
	return r.number(t, sessions+" AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID() "+
		"AND NOT (COMMAND = 'Killed' AND INFO IS NULL)") // MariaDB lists one so that has nothing more to do
}

// quiet waits until no session runs a statement and none is left that is not of a pool, and returns
// how long that took.
func (r *rig) quiet(t *testing.T, dbs ...*sql.DB) time.Duration {
	t.Helper()
	start := time.Now()
	eventually(t, lockGrace, "no session is running a statement", func() bool { return r.busy(t) == 0 })
	took := time.Since(start)
	eventually(t, lockGrace, "no session is left beside the pools' own", func() bool {
		own := r.truth.Stats().OpenConnections
		for _, db := range dbs {
			own += db.Stats().OpenConnections
		}
		return r.number(t, sessions) <= own
	})
	for _, db := range dbs {
		assertIdle(t, db)
	}
	return took
}
