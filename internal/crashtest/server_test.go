package crashtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const (
	// callTime is the context of one call.
	callTime = 5 * time.Second
	// patience is how long a caller goes on making a payment, and anything else is waited for.
	patience = time.Minute
	// successesApart is after how many payments at least a server is killed, or left to finish.
	successesApart = 250
)

// slowDisk is a durable server that takes some milliseconds for a COMMIT, so that most kills meet some. MySQL
// waits before its binary log is synced, so that they are there afterwards, and MariaDB before it is written.
var slowDisk = mysqltest.Options{Durable: true, Flags: []string{
	"--loose-binlog-group-commit-sync-delay=4000",
	"--loose-binlog-commit-wait-count=100", "--loose-binlog-commit-wait-usec=4000",
}}

// patient connects when the server is back, as a proxy in front of it may. So a call can ask the server that has been
// started again what became of the COMMIT that the last one has not answered.
type patient struct{ driver.Connector }

// Connect tries until it succeeds or ctx ends.
func (p patient) Connect(ctx context.Context) (driver.Conn, error) {
	for {
		conn, err := p.Connector.Connect(ctx)
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// siege is a server that is killed again and again while callers make payments on it.
type siege struct {
	ledgers   [2]*ledger // of two pools, the second of which waits for a server that is away
	stop      atomic.Bool
	successes atomic.Int64

	mu sync.Mutex // guards the rest
	tally
	due        map[string]payment
	batch      int
	objections []string
}

// work is a caller that makes payments until it is told to stop, some of them once more.
func (s *siege) work(ctx context.Context, caller int) {
	l := s.ledgers[caller%2]
	for n := caller; !s.stop.Load(); n++ {
		p := newPayment(caller, n)
		s.insist(ctx, l, p, false)
		if n%4 == 0 {
			s.insist(ctx, l, p, true)
		}
	}
}

// insist makes a payment, until it is made. made says that it was made before, so that it must be a replay. Otherwise
// it may be one only if the outcome of an earlier try is unknown: what failed cleanly was not applied.
func (s *siege) insist(ctx context.Context, l *ledger, p payment, made bool) {
	unknown := false
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		report, err := pay(ctx, l, p)
		cancel()
		s.note(p, err)
		switch {
		case err == nil && report.Replayed == made, err == nil && report.Replayed && unknown:
			s.succeed(report, unknown)
			return
		case err == nil:
			s.object("%s: replayed %v, want %v: no outcome was unknown", p.ID, report.Replayed, made)
			return
		case !errors.Is(err, sqlcas.ErrOutcomeUnknown) && !disconnected(err):
			s.object("%s: got %v, want a lost connection or an unknown outcome", p.ID, err)
			return
		case time.Now().After(deadline):
			s.object("%s: after %v still %v", p.ID, patience, err)
			return
		}
		unknown = unknown || errors.Is(err, sqlcas.ErrOutcomeUnknown)
	}
}

// note counts a call.
func (s *siege) note(p payment, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due[p.ID] = p
	s.calls++
	switch {
	case err == nil:
	case errors.Is(err, sqlcas.ErrOutcomeUnknown):
		s.unknown++
	case disconnected(err):
		s.disconnected++
	}
}

// succeed counts a payment that is known to be made; unknown says that an earlier try may have made it.
func (s *siege) succeed(r sqlcas.Report, unknown bool) {
	s.successes.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = max(s.batch, r.Batch)
	if r.Replayed {
		s.replays++
		if unknown {
			s.unheard++
		}
	}
}

func (s *siege) object(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objections = append(s.objections, fmt.Sprintf(format, args...))
}

// disconnected reports whether a call has failed for want of a server. What an earlier attempt of the call had met,
// such as a conflict, is joined to it.
func disconnected(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) ||
		errors.Is(err, context.DeadlineExceeded)
}

// progress waits for some more payments, at random.
func (s *siege) progress(t *testing.T) {
	t.Helper()
	target := s.successes.Load() + successesApart + rand.Int64N(successesApart)
	await(t, "the callers get on", func() bool { return s.successes.Load() >= target })
}

// Ensures that a server which is killed under load and started again has each payment once, and whole, if its
// callers make it until it is made, with the same id: account, ledger and operations agree to the last row,
// no error but a lost connection or an unknown outcome reaches a caller, and only the latter lets it be a replay.
func TestServerKilledUnderLoad(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, slowDisk, func(t *testing.T, server *mysqltest.Server) {
		b := newBooks(t, server)
		s := &siege{due: map[string]payment{}, ledgers: [2]*ledger{
			newLedger(open(t, dial(t, b.cfg))), newLedger(open(t, patient{dial(t, b.cfg)})),
		}}
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() { s.work(t.Context(), caller) })
		}
		defer wg.Wait()
		defer s.stop.Store(true)
		for range times(t, serversEnv, 1) {
			s.progress(t)
			time.Sleep(rand.N(longestPause)) // or a batch would just have been answered
			require.NoError(t, server.Kill())
			require.NoError(t, server.Start(t.Context()))
			s.kills++
		}
		s.progress(t)
		s.stop.Store(true)
		wg.Wait()

		s.ids = len(s.due)
		s.objections = append(s.objections, b.audit(t, s.due)...)
		s.wrong = len(s.objections)
		s.show("server killed", server)
		report(t, s.objections)
		require.Greater(t, s.batch, 1, "changes written together")
		require.Positive(t, s.unknown+s.disconnected, "calls that have noticed")
	})
}
