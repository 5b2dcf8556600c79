package linear

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/faultproxy"
)

// modes are the faults that a connection can meet.
var modes = []faultproxy.Mode{
	faultproxy.DropReply, faultproxy.DropReply, faultproxy.DropRequest, faultproxy.DropRequestBoth,
	faultproxy.StallRequest, faultproxy.StallReply,
}

// noSuchSession is the error of a KILL of a session that has ended by itself.
const noSuchSession = 1094

// strikes is how many calls there are to a fault.
const strikes = 16

// holding is how long a foreign transaction holds a row before the network fails, and once more after that.
const holding = 10 * time.Millisecond

// faults are caused by the callers themselves between their calls, so that there are as many of them on a
// slow machine as on a fast one. A nil *faults causes none.
type faults struct {
	t       *testing.T
	proxy   *faultproxy.Proxy
	truth   *sql.DB
	foreign *sql.DB
	kills   atomic.Int64
	cuts    atomic.Int64
}

// newFaults puts a proxy in front of the server.
func newFaults(t *testing.T, r *rig) *faults {
	t.Helper()
	p, err := faultproxy.Start(r.cfg.Addr)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close the proxy: %v", err)
		}
	})
	return &faults{t: t, proxy: p, truth: r.truth, foreign: r.open(t, r.cfg, 1)}
}

// strike causes a fault now and then: a session is killed; the next COMMIT, the next UPDATE of an account or
// the next statement of any kind gets lost or stalled; all connections are cut while calls wait for the row. What the
// one before has left on the server ends: a lock that nobody gives back would leave the rest of the history
// nothing to do.
func (f *faults) strike(rng *rand.Rand, row uint64) {
	if f == nil || rng.IntN(strikes) != 0 {
		return
	}
	f.proxy.ReleaseOrphans()
	mode := modes[rng.IntN(len(modes))]
	switch rng.IntN(5) {
	case 0:
		f.kill()
	case 1:
		f.proxy.FaultCommits(mode, 1)
	case 2:
		f.proxy.FaultStatements(func(q string) bool { return strings.Contains(q, "UPDATE account") }, mode, 1)
	case 3:
		f.proxy.FaultStatements(func(string) bool { return true }, mode, 1)
	case 4:
		f.hold(row)
	}
}

// kill ends a session, one that works if there is any.
func (f *faults) kill() {
	var id int64
	err := f.truth.QueryRowContext(f.t.Context(), "SELECT ID FROM information_schema.PROCESSLIST "+
		"WHERE DB = DATABASE() AND ID <> CONNECTION_ID() ORDER BY COMMAND = 'Sleep', RAND() LIMIT 1").Scan(&id)
	if err == nil {
		_, err = f.truth.ExecContext(f.t.Context(), fmt.Sprintf("KILL %d", id))
	}
	var gone *mysql.MySQLError
	switch {
	case err == nil:
		f.kills.Add(1)
	case err != sql.ErrNoRows && (!errors.As(err, &gone) || gone.Number != noSuchSession):
		f.t.Errorf("kill a session: %v", err)
	}
}

// hold cuts all connections while somebody holds the row. An UPDATE that waits for it does not notice that its
// client has gone: it is carried out when the row is free, unless somebody ends it.
func (f *faults) hold(row uint64) {
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	defer cancel()
	tx, err := f.foreign.BeginTx(ctx, nil)
	if err != nil {
		return // this session can be killed like any other, and the row can be held by another that is lost
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "SELECT 1 FROM account WHERE id = ? FOR UPDATE", row); err != nil {
		return
	}
	time.Sleep(holding)
	f.cut()
	f.cuts.Add(1)
	time.Sleep(holding)
}

// cut cuts all connections.
func (f *faults) cut() {
	if f != nil {
		f.proxy.CutAll()
	}
}

// end takes back what has not struck yet, and ends the sessions whose client has gone.
func (f *faults) end() {
	if f == nil {
		return
	}
	f.proxy.FaultCommits(faultproxy.Pass, 0)
	f.proxy.FaultStatements(nil, faultproxy.Pass, 0)
	f.proxy.ReleaseOrphans()
}

func (f *faults) orphans() int {
	if f == nil {
		return 0
	}
	return f.proxy.Orphans()
}

// struck is how many connections have met a fault.
func (f *faults) struck() int {
	n := 0
	for _, mode := range modes[1:] { // the first is there twice
		n += f.proxy.Count(mode)
	}
	return n
}
