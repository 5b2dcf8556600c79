package faulttest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that what became of a lost COMMIT, or of a lost swap, is found out also where all of the pool's connections
// were cut with it: the pool hands out dead ones at first.
func TestLookUpPastDeadConnections(t *testing.T) {
	t.Parallel()
	const calls, idle = 20, 8
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newIDRig(t, s, 3)
		for account, c := range []struct {
			name string
			lost faultproxy.Mode
			call func(db *sql.DB, account uint64, n int) error
		}{
			{"by the id", faultproxy.DropReply, func(db *sql.DB, account uint64, n int) error {
				return idWays[0].take(t.Context(), db, account, sqlcas.WithOperationID(operationID("cut", n)))
			}},
			{"by the row", faultproxy.DropRequest, func(db *sql.DB, account uint64, _ int) error {
				return idWays[0].take(t.Context(), db, account)
			}},
			{"of a Store", faultproxy.DropRequest, func(db *sql.DB, account uint64, _ int) error {
				_, err := optimistic.NewStore(db, shop.AccountTable).Update(t.Context(), account, credit)
				return err
			}},
		} {
			p, cfg := r.proxied(t)
			cfg.InterpolateParams = true
			db := open(t, dial(t, cfg))
			for n := range calls {
				warm(t, db, idle)
				before := p.Count(c.lost)
				if c.name == "of a Store" {
					p.FaultStatements(func(q string) bool { return strings.Contains(q, "UPDATE account") }, c.lost, 1)
				} else {
					p.FaultCommits(c.lost, 1)
				}
				var cut sync.WaitGroup
				cut.Go(func() {
					if err := p.Await(t.Context(), c.lost, before+1); err != nil {
						t.Error(err)
					}
					p.CutAll()
				})
				err := c.call(db, uint64(account+1), n)
				cut.Wait()
				require.NoError(t, err, "%s, call %d", c.name, n)
			}
			require.Equal(t, calls, r.swaps(t, uint64(account+1)), c.name)
		}
		r.assertUnlocked(t)
	})
}

// Ensures that the session of a lost COMMIT is ended, and its lock goes with it, also where the pool is full of calls
// that wait for that very lock. By then its own call has been told that nobody knows.
func TestOrphanBehindAFullPool(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		const size = 4
		r := newRig(t, s, 1)
		p, cfg := r.proxied(t)
		cfg.Params = map[string]string{"innodb_lock_wait_timeout": "3"}
		db := open(t, dial(t, cfg))
		db.SetMaxOpenConns(size)
		call := func(opts ...sqlcas.Option) error {
			return optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				return take(ctx, tx, 1)
			}, opts...)
		}
		p.FaultCommits(faultproxy.StallRequest, 1)
		lost := make(chan error, 1)
		go func() { lost <- call(sqlcas.WithCommitTimeout(time.Second)) }()
		require.NoError(t, p.Await(t.Context(), faultproxy.StallRequest, 1))
		var others sync.WaitGroup
		for i := range 2 * size {
			others.Go(func() {
				if err := call(); err != nil {
					t.Error(fmt.Errorf("caller %d: %w", i, err))
				}
			})
		}
		others.Wait()
		applied := 2 * size
		if err := <-lost; err == nil {
			applied++ // there was a connection in time
		} else {
			require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		}
		require.Equal(t, applied, r.swaps(t, 1))
		eventually(t, lockGrace, "no lost session is left", func() bool { return p.Orphans() == 0 })
		r.assertUnlocked(t)
	})
}
