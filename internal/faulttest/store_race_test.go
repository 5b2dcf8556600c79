package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/pessimistic"
)

const (
	raceLanes = 6
	raceLaps  = 100 // of each lane, and half as many where Wait ends the call
	// raceJitter is what the moment at which the holder lets go varies by, around the one at which
	// the call gets the row as often as not.
	raceJitter = time.Millisecond
)

// counted counts the connections that a pool has opened.
type counted struct {
	driver.Connector
	opened atomic.Int64
}

func (c *counted) Connect(ctx context.Context) (driver.Conn, error) {
	c.opened.Add(1)
	return c.Connector.Connect(ctx)
}

// racer is a row, and a pool of two connections: the call's, and the one that the KILL comes over.
type racer struct {
	rig  *rig
	id   uint64
	db   *sql.DB
	conn *counted
	lead time.Duration // of the end of the call's patience before the holder's; it adapts
}

func (r *rig) racer(t *testing.T, id uint64) *racer {
	t.Helper()
	cfg := r.cfg.Clone()
	cfg.InterpolateParams = true // so that a statement's text has its memo
	c := &counted{Connector: dial(t, cfg)}
	db := open(t, c)
	warm(t, db, 2)
	return &racer{rig: r, id: id, db: db, conn: c}
}

// lap holds the row, has call wait for it, and lets go at about the moment at which end ends the
// call's patience. It returns what the call said, and whether it was applied; and it makes
// sure that both connections are fit for use.
func (c *racer) lap(t *testing.T, memo, waits string, end func(), call func() error) (err error, applied bool) {
	t.Helper()
	release := c.rig.lock(t, c.id)
	answer := make(chan error, 1)
	go func() { answer <- call() }()
	eventually(t, 10*time.Second, "the call waits for the lock", func() bool {
		return c.rig.number(t, sessions+" AND INFO LIKE ? AND ID <> CONNECTION_ID()", waits) == 1
	})
	var both sync.WaitGroup
	d := c.lead + rand.N(2*raceJitter) - raceJitter
	both.Go(func() { time.Sleep(max(0, -d)); end() }) // a race is about times
	both.Go(func() { time.Sleep(max(0, d)); release() })
	err = <-answer
	c.fit(t, memo)
	both.Wait()
	applied = c.rig.applied(t, memo) > 0
	if applied {
		c.lead += raceJitter / 8
	} else {
		c.lead -= raceJitter / 8
	}
	return err, applied
}

// fit makes sure that no statement on either connection is hit by a KILL that came too late.
func (c *racer) fit(t *testing.T, memo string) {
	t.Helper()
	var one int
	for range 2 {
		conn, err := c.db.Conn(t.Context())
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		if err := conn.QueryRowContext(t.Context(), "SELECT 1 FROM account WHERE id = ?", c.id).Scan(&one); err != nil {
			t.Errorf("%s: the statement after the call: %v", memo, err)
		}
	}
}

// raceTally counts what the calls of all racers said.
type raceTally struct{ got, missed, unknown, replaced atomic.Int64 }

// count notes an answer, and says whether it is true.
func (y *raceTally) count(t *testing.T, memo string, s said, err error, applied bool) {
	t.Helper()
	switch {
	case s == unknown:
		y.unknown.Add(1)
		t.Logf("%s: %v, and applied %v", memo, err, applied)
	case s == success && applied:
		y.got.Add(1)
	case s == failure && !applied:
		y.missed.Add(1)
	default:
		t.Errorf("%s: got %v, and applied %v", memo, err, applied)
	}
}

// report prints the tally, and looks whether there was a race at all.
func (y *raceTally) report(t *testing.T, what string, s *mysqltest.Server, all int64) {
	t.Helper()
	show("%s, %v: %d got the row, %d did not, %d unknown; %d connections replaced", what, s,
		y.got.Load(), y.missed.Load(), y.unknown.Load(), y.replaced.Load())
	if y.got.Load() < all/10 || y.missed.Load() < all/10 {
		t.Errorf("%s: %d of %d got the row, want about half", what, y.got.Load(), all)
	}
	if y.unknown.Load() > all/20 {
		t.Errorf("%s: %d of %d are unknown, want next to none", what, y.unknown.Load(), all)
	}
}

// Ensures that a call whose context ends at about the moment at which the row gets free says what is
// so, whether the KILL QUERY came before the UPDATE had the row, while it wrote it or when it was
// done; and that no later statement on its connection is hit by that KILL (fact 8).
func TestStoreRacesWithTheHolder(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, raceLanes)
		r.leaveTrail(t)
		r.truth.SetMaxIdleConns(2 * raceLanes)
		var y raceTally
		var wg sync.WaitGroup
		var dbs []*sql.DB
		for n := range raceLanes {
			c := r.racer(t, uint64(n+1))
			dbs = append(dbs, c.db)
			update := ways(c.db)[0].change
			wg.Go(func() {
				for lap := range raceLaps {
					memo := fmt.Sprintf("race-%d-%d", n, lap)
					ctx, cancel := context.WithCancel(t.Context())
					err, applied := c.lap(t, memo, "%UPDATE account%"+memo+"%", cancel, func() error {
						return update(ctx, memo, []uint64{c.id})
					})
					y.count(t, memo, saying(ctx, err), err, applied)
					cancel()
				}
				y.replaced.Add(c.conn.opened.Load() - 2)
			})
		}
		wg.Wait()
		y.report(t, "calls that end as the row gets free", s, raceLanes*raceLaps)
		r.quiet(t, dbs...)
		r.assertUnlocked(t)
	})
}

// Ensures the same of a locking read that Wait ends: the call has the row or is told that it is locked,
// and no later statement, of its own transaction or another on its connection, is hit by the KILL.
func TestWaitRacesWithTheHolder(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, raceLanes)
		r.leaveTrail(t)
		r.truth.SetMaxIdleConns(2 * raceLanes)
		var y raceTally
		var wg sync.WaitGroup
		var dbs []*sql.DB
		for n := range raceLanes {
			c := r.racer(t, uint64(n+1))
			dbs = append(dbs, c.db)
			p := pessimistic.NewStore(c.db, shop.AccountTable)
			wg.Go(func() {
				for lap := range raceLaps / 2 {
					memo := fmt.Sprintf("wait-%d-%d", n, lap)
					const limit = 20 * time.Millisecond
					release := r.lock(t, c.id)
					let := time.AfterFunc(limit+c.lead+rand.N(2*raceJitter)-raceJitter, release)
					_, err := p.Update(t.Context(), c.id, func(a *shop.Account) error {
						a.Owner = memo
						return nil
					}, pessimistic.Wait(limit))
					c.fit(t, memo)
					let.Stop()
					release()
					applied := r.applied(t, memo) > 0
					said := nothing
					if said = saying(t.Context(), err); said == nothing && errors.Is(err, sqlcas.ErrLocked) {
						said = failure
					}
					y.count(t, memo, said, err, applied)
					if applied {
						c.lead += raceJitter / 8
					} else {
						c.lead -= raceJitter / 8
					}
				}
				y.replaced.Add(c.conn.opened.Load() - 2)
			})
		}
		wg.Wait()
		y.report(t, "waits that end as the row gets free", s, raceLanes*raceLaps/2)
		r.quiet(t, dbs...)
		r.assertUnlocked(t)
	})
}
