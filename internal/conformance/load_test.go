package conformance

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// The hot row of the issue: so many callers at once, each so many times.
const (
	callers    = 100
	increments = 20
)

// poolSize is smaller than the number of callers, as it is in life.
const poolSize = 64

// load is one run of many callers on one row.
type load struct {
	name     string
	attempts []int // of each call, sorted
	pauses   []sqlcas.AttemptEnd
	wall     time.Duration
}

// Ensures that 100 callers who each add 1 to one row 20 times, through plain Update under the
// default policy, all succeed and lose nothing, and that with WithKey they hardly ever lose an
// attempt. It does not run beside other tests, since its attempts are what it prints.
func TestHotRowLosesNothing(t *testing.T) { // it prints what it measures
	for _, s := range mysqltest.Servers(t) {
		t.Run(s.Name, func(t *testing.T) { // as above
			e := newEnv(t, s, mode{interpolate: true}, false)
			e = e.with(open(t, e.cfg.Clone(), poolSize))

			plain := hotRow(t, e, "plain", increments)
			loads.add(s, plain)
			keyed := hotRow(t, e, "WithKey", increments, optimistic.WithKey(t.Name()))
			loads.add(s, keyed)
			require.LessOrEqual(t, keyed.perSuccess(), 1.05, "attempts per success with WithKey")
			require.Less(t, keyed.perSuccess(), plain.perSuccess(), "WithKey makes no difference")
		})
	}
}

// Ensures that a stampede of 100 callers who all start at once ends well without any option, and
// that the number of successes is the value of the row (case 20).
func TestStampedeOfDefaultPolicyEndsWell(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		e = e.with(open(t, e.cfg.Clone(), poolSize))
		hotRow(t, e, "stampede", 1)
	})
}

// Ensures that retries under contention are spread out by default: each pause is drawn at random
// between zero and a bound that doubles from 2 ms to 250 ms, so that hardly two are alike and none
// is longer (case 19).
func TestRetriesUnderContentionPauseAtRandom(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		l := hotRow(t, e, "pauses", 2, sqlcas.WithMaxElapsed(time.Minute))
		distinct := map[time.Duration]bool{}
		for _, p := range l.pauses {
			bound := min(2*time.Millisecond<<min(p.Attempt-1, 16), 250*time.Millisecond)
			require.LessOrEqual(t, p.RetryIn, bound, "pause after attempt %d", p.Attempt)
			distinct[p.RetryIn] = true
		}
		require.NotEmpty(t, l.pauses, "nobody lost an attempt, so that nothing was seen")
		require.Greater(t, len(distinct), len(l.pauses)*9/10, "different pauses of %d", len(l.pauses))
	})
}

// pauseLog notes the pauses of all calls of a load.
type pauseLog struct {
	mu   sync.Mutex
	ends []sqlcas.AttemptEnd
}

func (p *pauseLog) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context {
	return ctx
}

func (p *pauseLog) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	if a.RetryIn < 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends = append(p.ends, a)
}

func (p *pauseLog) CallEnd(context.Context, sqlcas.CallEnd) {}

// hotRow runs the callers on a new account, and ensures that each call succeeded and that the row
// has exactly what they added.
func hotRow(t *testing.T, e *env, name string, rounds int, opts ...sqlcas.Option) *load {
	t.Helper()
	id := e.account(t)
	pauses := &pauseLog{}
	opts = append(opts, sqlcas.WithObserver(pauses))
	start := make(chan struct{})
	attempts := make([][]int, callers)
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			<-start
			for range rounds {
				var r sqlcas.Report
				err := optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) {
					return add(ctx, e.db, id, nil)
				}, append(slices.Clip(opts), sqlcas.WithReport(&r))...)
				if err != nil {
					errs[c] = err
					return
				}
				attempts[c] = append(attempts[c], r.Attempts)
			}
		})
	}
	began := time.Now()
	close(start)
	wg.Wait()
	l := &load{name: name, wall: time.Since(began), pauses: pauses.ends}
	l.attempts = slices.Concat(attempts...)
	slices.Sort(l.attempts)
	for _, err := range errs {
		require.NoError(t, err)
	}
	total := callers * rounds
	require.Len(t, l.attempts, total, "successes")
	e.want(t, id, opening+int64(total), uint64(1+total))
	e.settled(t)
	return l
}

func (l *load) perSuccess() float64 {
	sum := 0
	for _, n := range l.attempts {
		sum += n
	}
	return float64(sum) / float64(len(l.attempts))
}

// histogram tells how many calls needed how many attempts, in classes that double.
func (l *load) histogram() string {
	var parts []string
	for low := 1; low <= l.attempts[len(l.attempts)-1]; low *= 2 {
		n := 0
		for _, a := range l.attempts {
			if a >= low && a < 2*low {
				n++
			}
		}
		class := fmt.Sprint(low)
		if low > 1 {
			class = fmt.Sprintf("%d-%d", low, 2*low-1)
		}
		bar := strings.Repeat("#", (n*40+len(l.attempts)-1)/len(l.attempts))
		parts = append(parts, fmt.Sprintf("    %7s attempts %5d calls %s", class, n, bar))
	}
	return strings.Join(parts, "\n")
}

// loadTable collects the loads of a run.
type loadTable struct {
	mu    sync.Mutex
	lines []string
}

var loads = &loadTable{}

func (lt *loadTable) add(s *mysqltest.Server, l *load) {
	at := func(percent int) int { return l.attempts[(len(l.attempts)-1)*percent/100] }
	line := fmt.Sprintf("  %s, %s: %d calls in %v, attempts per success %.3f, "+
		"p50 %d, p90 %d, p99 %d, max %d\n%s",
		s, l.name, len(l.attempts), l.wall.Round(time.Millisecond), l.perSuccess(),
		at(50), at(90), at(99), at(100), l.histogram())
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.lines = append(lt.lines, line)
}

func (lt *loadTable) print(w io.Writer) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if len(lt.lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\nconformance: %d callers x %d increments of one row, pool of %d\n",
		callers, increments, poolSize)
	for _, line := range lt.lines {
		fmt.Fprintln(w, line)
	}
}
