package faulttest

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const (
	// idLanes are the workers of one server, each with a row, a proxy and a pool of its own.
	idLanes = 10
	// idFaults is how many COMMITs meet each fault, per server and way.
	idFaults = 40
)

// callOnce makes one call with an id whose first COMMIT meets the fault, and the same call once more. It says
// what is wrong, if anything.
func (l *lane) callOnce(t *testing.T, f fault, w idWay, id string) error {
	before, _, err := l.state(t.Context(), "")
	if err != nil {
		return err
	}
	var first, second sqlcas.Report
	opts := []sqlcas.Option{sqlcas.WithOperationID(id), sqlcas.WithFingerprint([]byte(id))}
	if f.stalls {
		opts = append(opts, sqlcas.WithCommitTimeout(l.patience))
	}
	l.proxy.FaultCommits(f.mode, 1)
	start := time.Now()
	if err := w.take(t.Context(), l.db, l.id, append(opts, sqlcas.WithReport(&first))...); err != nil {
		return fmt.Errorf("got %w, want success: the id tells", err)
	}
	took := time.Since(start)
	if err := w.take(t.Context(), l.db, l.id, append(opts, sqlcas.WithReport(&second))...); err != nil {
		return fmt.Errorf("made again: %w", err)
	}
	after, _, err := l.state(t.Context(), "")
	want := 2
	if f.commits {
		want = 1
	}
	switch {
	case err != nil:
		return err
	case after-before != 1:
		return fmt.Errorf("applied %d times, want once", after-before)
	case first.Replayed || !second.Replayed:
		return fmt.Errorf("got replayed %v and %v, want only the second call", first.Replayed, second.Replayed)
	case first.Attempts != want:
		return fmt.Errorf("got %d attempts, want %d", first.Attempts, want)
	case f.stalls && took > l.patience+max(l.patience, time.Second)+slack:
		return fmt.Errorf("took %v, want at most the commit timeout of %v and the look-up", took, l.patience)
	}
	return nil
}

// Ensures that a COMMIT with an operation id whose request or reply is dropped or stalled is told by the id:
// it is applied exactly once, the caller gets a success that is no replay, the same call again is a replay,
// and no lock, session or connection is left.
func TestOperationCommitFaults(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newIDRig(t, s, idLanes)
		ls := make([]*lane, idLanes)
		for i := range ls {
			p, cfg := r.proxied(t)
			ls[i] = &lane{
				rig: r, proxy: p, db: open(t, dial(t, cfg)), id: uint64(i + 1),
				patience: stallTimeout + time.Duration(i)*stallTimeout/idLanes,
			}
		}
		for _, f := range faults {
			for _, w := range idWays {
				idStorm(t, ls, f, w)
			}
		}
		total := idFaults * len(faults) * len(idWays)
		require.Equal(t, total, r.number(t, "SELECT SUM(version - "+strconv.Itoa(firstVersion)+") FROM account"))
		require.Equal(t, total, r.number(t, "SELECT COUNT(*) FROM sqlcas_operation"))
		require.Equal(t, total, r.number(t, "SELECT SUM("+strconv.Itoa(opening)+" - balance) FROM account"))
	})
}

// idStorm makes the calls of one fault and one way, on all lanes at once.
func idStorm(t *testing.T, ls []*lane, f fault, w idWay) {
	var wg sync.WaitGroup
	for i, l := range ls {
		wg.Go(func() {
			for n := i; n < idFaults; n += len(ls) {
				id := operationID(f.name+"/"+w.name, n)
				if err := l.callOnce(t, f, w, id); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	eventually(t, lockGrace, "no lost session and no connection in use is left", func() bool {
		left := 0
		for _, l := range ls {
			left += l.proxy.Orphans() + l.db.Stats().InUse
		}
		return left == 0
	})
	ls[0].rig.assertUnlocked(t)
}
