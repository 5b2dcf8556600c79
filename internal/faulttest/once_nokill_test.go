package faulttest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that where the session of a lost COMMIT cannot be ended the caller is told that the outcome is not known, and
// why; that his next call with the same id finds out, whatever had become of the first; and that it is applied once.
func TestOnceWithoutKill(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newIDRig(t, s, len(onceKinds)*len(faults))
		account := uint64(0)
		for _, k := range onceKinds {
			for _, f := range faults {
				account++
				t.Run(strings.ReplaceAll(k.name+" "+f.name, " ", "_"), func(t *testing.T) {
					r.loseWithoutKill(t, k, f, account)
				})
			}
		}
		r.assertUnlocked(t)
	})
}

// loseWithoutKill loses the COMMIT of one call, whose session nobody can end.
func (r *rig) loseWithoutKill(t *testing.T, k onceKind, f fault, account uint64) {
	p, cfg := r.proxied(t)
	var refused atomic.Int64
	db := open(t, refusingKill(dial(t, cfg), &refused))
	take := k.open(db, sqlcas.WithCommitTimeout(stallTimeout))
	id := fmt.Sprintf("account %d", account)
	p.FaultCommits(f.mode, 1)
	start := time.Now()
	err := take(t.Context(), account, id, sqlcas.WithOperationID(id))
	took := time.Since(start)
	require.LessOrEqual(t, took, stallTimeout+2*time.Second+slack)
	if err != nil {
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorContains(t, err, "could not be ended")
		require.ErrorContains(t, err, killRefusal)
	} else {
		require.False(t, f.mode == faultproxy.DropRequest || f.mode == faultproxy.StallRequest,
			"nobody could know while the session was there")
	}
	require.Positive(t, refused.Load(), "the session was not tried to be ended")
	p.ReleaseOrphans() // in time the server finds out by itself
	eventually(t, lockGrace, "no lost session is left", func() bool { return p.Orphans() == 0 })
	y := onceTally{told: map[string]onceTold{}}
	var report sqlcas.Report
	y.note(newOnceAnswer(id, err, report, took))
	known := err == nil
	err = take(t.Context(), account, id, sqlcas.WithOperationID(id), sqlcas.WithReport(&report))
	require.NoError(t, err)
	require.Equal(t, known || f.commits, report.Replayed)
	y.note(newOnceAnswer(id, err, report, 0))
	y.audit(t, r, k, account, id)
}

// killRefusal is what a server says to who may not end a session.
const killRefusal = "You are not owner of thread"

// refusingKill is noKill that counts.
func refusingKill(inner driver.Connector, refused *atomic.Int64) driver.Connector {
	c := noKill(inner).(*script)
	refuse := c.exec
	c.exec = func(query string, send func() (driver.Result, error)) (driver.Result, error) {
		if is(query, "KILL") {
			refused.Add(1)
		}
		return refuse(query, send)
	}
	return c
}

// Ensures that the callers of a batch whose COMMIT is lost, and whose session nobody can end, are all told so, and why;
// and that with their ids all of them know soon, those who had no luck and those who had.
func TestOnceBatchWithoutKill(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, f := range []fault{faults[0], faults[1]} {
			r := newIDRig(t, s, 1)
			p, cfg := r.proxied(t)
			var refused atomic.Int64
			db := open(t, refusingKill(dial(t, cfg), &refused))
			for _, k := range onceKinds {
				before := r.swaps(t, 1)
				take := k.open(db, sqlcas.WithCommitTimeout(stallTimeout))
				errs := r.loseBatch(t, p, f, take, k.name)
				lost := 0
				for id, err := range errs {
					if err == nil {
						continue
					}
					lost++
					require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, id)
					require.ErrorContains(t, err, "could not be ended", id)
				}
				require.Positive(t, lost)
				p.ReleaseOrphans()
				for id, err := range errs {
					var report sqlcas.Report
					require.NoError(t, take(t.Context(), 1, id, sqlcas.WithOperationID(id), sqlcas.WithReport(&report)), id)
					require.Equal(t, err == nil || f.commits, report.Replayed, id)
				}
				require.Equal(t, before+len(errs), r.swaps(t, 1))
				require.Equal(t, len(errs), r.number(t, "SELECT COUNT(*) FROM sqlcas_operation WHERE id LIKE ?", k.name+"/%"))
			}
			require.Positive(t, refused.Load())
			eventually(t, lockGrace, "no lost session is left", func() bool { return p.Orphans() == 0 })
			r.assertUnlocked(t)
		}
	})
}

// loseBatch has callers meet at row 1, behind one who waits for its lock, and loses their COMMIT. It returns what they
// were told, by their ids.
func (r *rig) loseBatch(t *testing.T, p *faultproxy.Proxy, f fault, take onceTake, prefix string) map[string]error {
	t.Helper()
	const callers = 9
	release := r.lock(t, 1)
	at := p.Commits() + 2 // the first is his who waits
	p.Decide(func(n int) faultproxy.Mode {
		if n == at {
			return f.mode
		}
		return faultproxy.Pass
	})
	defer p.Decide(nil)
	o := &occupied{free: make(chan struct{})}
	var errs [callers]error
	id := func(i int) string { return fmt.Sprintf("%s/%d", prefix, i) }
	call := func(i int) func(context.Context) {
		return func(ctx context.Context) { errs[i] = take(ctx, 1, id(i), sqlcas.WithOperationID(id(i))) }
	}
	o.all.Go(func() { call(0)(t.Context()) })
	eventually(t, inTime, "the first caller waits for the lock", func() bool { return r.waiting(t) > 0 })
	for i := 1; i < callers; i++ {
		o.join(t.Context(), call(i))
	}
	release()
	o.leave()
	require.NoError(t, errs[0])
	told := map[string]error{}
	for i, err := range errs {
		if err != nil && !errors.Is(err, sqlcas.ErrOutcomeUnknown) {
			t.Errorf("%s: %v", id(i), err)
		}
		told[id(i)] = err
	}
	return told
}
