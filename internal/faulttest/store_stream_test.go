package faulttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// streamRounds is how many calls each caller of a stream makes, one after the other.
const streamRounds = 3

// stream is the calls of callers who come and go, with contexts of 200 ms that end one after the
// other: there is always somebody who waits for whatever place in the pool gets free.
func stream(t *testing.T, callers int, call func(ctx context.Context, memo string) error) *answers {
	t.Helper()
	var wg sync.WaitGroup
	a := &answers{}
	for n := range callers {
		wg.Go(func() {
			time.Sleep(patience * time.Duration(n) / time.Duration(callers)) // spreads the callers
			for i := range streamRounds {
				memo := fmt.Sprintf("%d/%d", n, i)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				start := time.Now()
				err := call(ctx, memo)
				a.add(memo, saying(ctx, err), err, time.Since(start))
				cancel()
			}
		})
	}
	wg.Wait()
	return a
}

// sweep ends what a test that has failed has left on the server, lest it fails others as well.
func (r *rig) sweep(t *testing.T) {
	t.Helper()
	const running = "SELECT COALESCE(MAX(ID), 0) FROM information_schema.PROCESSLIST " +
		"WHERE DB = DATABASE() AND COMMAND IN ('Query', 'Execute') AND ID <> CONNECTION_ID()"
	for id := r.number(t, running); id > 0; id = r.number(t, running) {
		_, _ = r.truth.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id))
	}
}

// running describes the statements that sessions of this database are running.
func (r *rig) running(t *testing.T) (text string) {
	t.Helper()
	rows, err := r.truth.QueryContext(t.Context(), "SELECT ID, COMMAND, TIME, COALESCE(STATE, ''), COALESCE(INFO, '') "+
		"FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID()")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, seconds int
		var command, state, info string
		require.NoError(t, rows.Scan(&id, &command, &seconds, &state, &info))
		text += fmt.Sprintf("\nsession %d, %s for %d s, %s: %s", id, command, seconds, state, info)
	}
	require.NoError(t, rows.Err())
	return text
}

// Ensures that what TestStoreBehindAForeignLock ensures also holds for callers who come and go: the
// place in the pool that one gives up, to have his session ended from it, is taken by the next, who
// waits for the same row. A session that nobody ends would wait on beyond its pool's limit, and
// every call would add one (cases 8 and 48).
func TestStoreBehindAForeignLockInAStream(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "call\tcallers on connections\tnot applied\tunknown\tother\tmedian\tlongest\tsessions left")
		lines := make([][]string, 3)
		var wg sync.WaitGroup
		for i, c := range []crowd{{16, 24}, {32, 8}, {8, 1}} {
			r := newRig(t, s, 3)
			r.leaveTrail(t)
			db := open(t, dial(t, r.cfg))
			warm(t, db, c.conns)
			wg.Go(func() {
				for _, way := range ways(db) {
					lines[i] = append(lines[i], r.flow(t, way, c))
				}
			})
		}
		wg.Wait()
		for _, line := range slices.Concat(lines...) {
			fmt.Fprint(w, line)
		}
		require.NoError(t, w.Flush())
		show("a foreign lock and a stream of callers with %v, %v\n%s", patience, s, text.String())
	})
}

// flow has a stream of callers wait for a row that is held, checks what they say, and returns a line
// about it.
func (r *rig) flow(t *testing.T, w way, c crowd) string {
	t.Helper()
	release := r.lock(t, 2)
	a := stream(t, c.callers, func(ctx context.Context, memo string) error {
		return w.change(ctx, w.name+memo, []uint64{1, 2})
	})
	left := r.busy(t)
	for deadline := time.Now().Add(2 * lockGrace); left > 0 && time.Now().Before(deadline); left = r.busy(t) {
		time.Sleep(5 * time.Millisecond)
	}
	median, longest := a.times()
	most := len(a.took) * openOutcomes / 100
	if c.conns < c.callers { // who has given up his place in the pool may not get one again in time
		most = len(a.took) / 4
	}
	if a.said[failure]+a.said[unknown] != len(a.took) || a.said[unknown] > most || left > 0 {
		t.Errorf("%s, %v: %d of %d were told that nothing is applied, %d that it is unknown, and %d sessions are "+
			"left; others: %v%s", w.name, c, a.said[failure], len(a.took), a.said[unknown], left,
			errors.Join(a.errs...), r.running(t))
	}
	if longest > patience+foundOut {
		t.Errorf("%s, %v: longest answer after %v, want at most %v", w.name, c, longest, patience+foundOut)
	}
	r.sweep(t)
	release()
	r.assertUnlocked(t)
	applied := r.appliedAll(t)
	for memo, said := range a.byMemo {
		if n := applied[w.name+memo]; n > 0 && said != unknown {
			t.Errorf("%s, %v: call %s said that nothing is applied, and has written %d rows", w.name, c, memo, n)
		}
	}
	return fmt.Sprintf("%s\t%v\t%d\t%d\t%d\t%v\t%v\t%d\n", w.name, c, a.said[failure], a.said[unknown],
		a.said[success]+a.said[nothing], median.Round(time.Millisecond), longest.Round(time.Millisecond), left)
}
