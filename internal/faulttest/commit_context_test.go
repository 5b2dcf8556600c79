package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that a context which ends while COMMIT is under way does not disturb it: a COMMIT that is
// answered is a success.
func TestContextEndsDuringCommit(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		db := open(t, &script{
			Connector: dial(t, r.cfg),
			exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
				if is(query, "COMMIT") {
					cancel()
				}
				return send()
			},
		})
		err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			return take(ctx, tx, 1)
		})
		require.NoError(t, err, "the COMMIT was carried out and answered")
		require.Equal(t, 1, r.swaps(t, 1))
		assertIdle(t, db)
		r.assertUnlocked(t)
	})
}

// Ensures that a stalled COMMIT ends within twice the commit timeout, with and without a
// readTimeout of the driver, also when the context ends meanwhile, and is unknown where it may have
// been carried out (case 45).
func TestStalledCommitIsBounded(t *testing.T) {
	t.Parallel()
	const bound = 400 * time.Millisecond
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, readTimeout := range []time.Duration{0, 100 * time.Millisecond} {
			for _, ends := range []bool{false, true} {
				r := newRig(t, s, 1)
				p, cfg := r.proxied(t)
				cfg.ReadTimeout = readTimeout
				db := open(t, dial(t, cfg))
				p.FaultCommits(faultproxy.StallReply, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if ends {
					go func() {
						_ = p.Await(t.Context(), faultproxy.StallReply, 1)
						cancel()
					}()
				}
				var start time.Time
				err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
					err := take(ctx, tx, 1)
					start = time.Now()
					return err
				}, sqlcas.WithCommitTimeout(bound))
				took := time.Since(start)
				require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
				if ends {
					require.ErrorIs(t, err, context.Canceled)
				}
				first := bound
				if readTimeout > 0 {
					first = readTimeout
				}
				if took < first || took > first+bound+slack {
					t.Errorf("readTimeout %v: took %v, want at least %v and at most the commit timeout of %v more",
						readTimeout, took, first, bound)
				}
				require.Equal(t, 1, r.swaps(t, 1))
				assertIdle(t, db)
				r.assertUnlocked(t)
			}
		}
	})
}

// Ensures that a context which ends at the very moment of COMMIT gives one stable answer, success
// or the context's error, and never sql.ErrTxDone alone; and that the answer is true (case 47).
func TestCancelledAtCommit(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		successes := 0
		var yields atomic.Int64
		for n := range 200 {
			ctx, cancel := context.WithCancel(t.Context())
			err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
				if err := take(ctx, tx, 1); err != nil {
					return err
				}
				if n%2 == 0 {
					cancel() // before COMMIT
					return nil
				}
				go func() { // about the time of COMMIT
					for range n * 20 {
						yields.Add(1)
					}
					cancel()
				}()
				return nil
			})
			cancel()
			switch {
			case err == nil:
				successes++
			case !errors.Is(err, context.Canceled):
				t.Errorf("call %d: got %v, want success or context.Canceled", n, err)
			case errors.Is(err, sqlcas.ErrOutcomeUnknown):
				t.Errorf("call %d: got %v, want a known outcome", n, err)
			}
		}
		t.Logf("%v: %d of 200 succeeded, the others were cancelled", s, successes)
		require.Equal(t, successes, r.swaps(t, 1), "swaps")
		assertIdle(t, db)
		r.assertUnlocked(t)
	})
}
