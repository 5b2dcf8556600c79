package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// noKill is a connector to a server that refuses every KILL.
func noKill(inner driver.Connector) driver.Connector {
	return &script{
		Connector: inner,
		exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
			if is(query, "KILL") {
				return nil, &mysql.MySQLError{Number: 1095, Message: "You are not owner of thread"}
			}
			return send()
		},
	}
}

// door is a connector that makes no further connection once it is shut: it refuses, or does not
// answer until it is left.
type door struct {
	driver.Connector
	hangs bool
	once  bool // it opens again when it has refused one
	shut  atomic.Bool
	left  chan struct{}
}

func (d *door) Connect(ctx context.Context) (driver.Conn, error) {
	if !d.shut.Load() {
		return d.Connector.Connect(ctx)
	}
	if d.hangs {
		select {
		case <-d.left:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if d.once {
		d.shut.Store(false)
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// obstacles keep a Store from ending its sessions. Each makes a pool for one test, and a function
// that takes the obstacle away.
var obstacles = map[string]func(t *testing.T, r *rig, c crowd) (*sql.DB, func()){
	"the KILL is refused": func(t *testing.T, r *rig, c crowd) (*sql.DB, func()) {
		db := open(t, noKill(dial(t, r.cfg)))
		warm(t, db, c.conns)
		return db, func() {}
	},
	"connections are refused": func(t *testing.T, r *rig, c crowd) (*sql.DB, func()) { return r.behindADoor(t, c, false) },
	"connections hang":        func(t *testing.T, r *rig, c crowd) (*sql.DB, func()) { return r.behindADoor(t, c, true) },
}

// behindADoor makes a pool that has one connection for each caller and can get no other, though its
// limit may allow it.
func (r *rig) behindADoor(t *testing.T, c crowd, hangs bool) (*sql.DB, func()) {
	t.Helper()
	d := &door{Connector: dial(t, r.cfg), hangs: hangs, left: make(chan struct{})}
	db := open(t, d)
	warm(t, db, c.callers)
	db.SetMaxOpenConns(max(c.conns, c.callers))
	d.shut.Store(true)
	return db, func() { close(d.left) }
}

// Ensures that the answers stay true where a session cannot be ended, be the KILL refused or no
// connection to be had for it: the optimistic Store, whose UPDATE goes on waiting for the lock and
// commits itself, says in bounded time that it does not know, and ctx's error with it; a Store whose
// UPDATE is in a transaction, which is never committed, says that nothing is applied (cases 8 and 48).
func TestStoreThatCannotEndItsSessions(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		var wg sync.WaitGroup
		for name, obstacle := range obstacles {
			for _, c := range []crowd{{8, 16}, {4, 1}} {
				r := newRig(t, s, 2)
				r.leaveTrail(t)
				wg.Go(func() {
					for i, w := range ways(nil) {
						if name == "connections hang" && strings.HasSuffix(w.name, "All") {
							continue // it takes its time, and is the same
						}
						if w.name == combining+".Update" {
							continue // of the one connection that it uses, the others of the pool can end the session
						}
						db, leave := obstacle(t, r, c) // it is of no use to a second one
						r.callInVain(t, ways(db)[i], name+", ", c)
						leave()
						assertIdle(t, db)
						_ = db.Close()
					}
				})
			}
		}
		wg.Wait()
	})
}

// callInVain makes calls for a row that is held, whose sessions nobody can end, and checks what they
// say against what they write when the row gets free.
func (r *rig) callInVain(t *testing.T, w way, obstacle string, c crowd) {
	t.Helper()
	before, prefix := r.swaps(t, 2), obstacle+c.String()+", "+w.name+" "
	release := r.lock(t, 2)
	a := callAtOnce(t, c.callers, func(ctx context.Context, memo string) error {
		err := w.change(ctx, prefix+memo, []uint64{2})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want it to be ctx's error too", prefix, err)
		}
		return err
	})
	release()
	eventually(t, 5*time.Second, "the sessions that could not be ended have ended", func() bool {
		return r.busy(t) == 0
	})
	r.assertUnlocked(t)
	written := r.swaps(t, 2) - before
	_, longest := a.times()
	t.Logf("%s: %d not applied, %d unknown, longest %v, %d written", prefix,
		a.said[failure], a.said[unknown], longest.Round(time.Millisecond), written)
	if bound := patience + 2*time.Second + slack; longest > bound { // to end the statement, and the session
		t.Errorf("%s: longest answer after %v, want at most %v", prefix, longest, bound)
	}
	// Whoever had no connection in time has sent nothing, and may know it.
	most, some := 0, 0
	if w.name == apart+".Update" {
		most, some = 1, 1
	}
	if a.said[nothing]+a.said[success] > 0 || a.said[unknown] < some || some == 0 && a.said[unknown] > 0 || written > most {
		t.Errorf("%s: %d not applied, %d unknown, %d success, %d written; others: %v", prefix, a.said[failure],
			a.said[unknown], a.said[success], written, errors.Join(a.errs...))
	}
	applied := r.appliedAll(t)
	for memo, said := range a.byMemo {
		if applied[prefix+memo] > 0 && said != unknown {
			t.Errorf("%s: call %s said that nothing is applied, and its write was", prefix, memo)
		}
	}
}
