package backoffsim

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

func named(t *testing.T, name string) policy {
	i := slices.IndexFunc(policies, func(p policy) bool { return p.name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return policies[i]
}

// Ensures that the study's policies draw from the ranges that it gives.
func TestPausesStayInTheirRanges(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, c := range []struct {
		policy    string
		n         int
		low, high time.Duration
	}{
		{"none", 1, 0, 0},
		{"exponential", 1, 10 * ms, 10 * ms},
		{"exponential", 8, 1280 * ms, 1280 * ms},
		{"exponential", 9, longest, longest},
		{"exponential", 5000, longest, longest},
		{"equal jitter", 2, 10 * ms, 20 * ms},
		{"equal jitter", 99, longest / 2, longest},
		{"full jitter", 2, 0, 20 * ms},
		{"full jitter", 99, 0, longest},
		{"decorrelated", 1, 5 * ms, 15 * ms},
	} {
		p, lowest, highest := named(t, c.policy), time.Duration(1<<62), time.Duration(-1)
		for seed := range uint64(2000) {
			pause := p.start(rand.New(rand.NewPCG(seed, 0)))(c.n)
			lowest, highest = min(lowest, pause), max(highest, pause)
		}
		margin := (c.high - c.low) / 50
		require.True(t, c.low <= lowest && lowest <= c.low+margin, "%s, pause %d: lowest %v", c.policy, c.n, lowest)
		require.True(t, c.high-margin <= highest && highest <= c.high, "%s, pause %d: highest %v", c.policy, c.n, highest)
	}
}

// Ensures that decorrelated jitter goes on from its own last pause, and stays below the longest.
func TestDecorrelatedPausesGoOnFromTheLast(t *testing.T) {
	t.Parallel()
	pause := named(t, "decorrelated").start(rand.New(rand.NewPCG(1, 0)))
	last, highest := base, base
	for n := range 1000 {
		next := pause(n + 1)
		require.LessOrEqual(t, next, min(longest, 3*last))
		require.GreaterOrEqual(t, next, base)
		last, highest = next, max(highest, next)
	}
	require.Equal(t, longest, highest)
}

// watcher is an Observer that keeps the pauses.
type watcher struct{ seen []time.Duration }

func (*watcher) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context { return ctx }
func (*watcher) CallEnd(context.Context, sqlcas.CallEnd)                                 {}
func (w *watcher) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	w.seen = append(w.seen, a.RetryIn)
}

// Ensures that what is simulated as ours is what a call without options does: pause by pause, over many calls, the
// highest and the mean of both are alike.
func TestOurPausesAreThoseOfARealCall(t *testing.T) {
	t.Parallel()
	const calls, tries = 3000, 11
	var highest, sum [2][tries]time.Duration
	note := func(who, n int, pause time.Duration) {
		highest[who][n] = max(highest[who][n], pause)
		sum[who][n] += pause
	}
	synctest.Test(t, func(t *testing.T) {
		for range calls {
			w, left := &watcher{}, tries
			err := sqlcas.Retry(t.Context(), func(context.Context) (int64, error) {
				if left--; left < 0 {
					return 1, nil
				}
				return 0, nil
			}, sqlcas.WithObserver(w))
			require.NoError(t, err)
			require.Len(t, w.seen, tries+1)
			for n, pause := range w.seen[:tries] {
				note(0, n, pause)
			}
		}
	})
	for range calls {
		pause := ours(nil)
		for n := range tries {
			note(1, n, pause(n+1))
		}
	}
	for n := range tries {
		require.InEpsilon(t, highest[0][n], highest[1][n], 0.02, "the longest pause %d", n+1)
		require.InEpsilon(t, sum[0][n], sum[1][n], 0.1, "the mean of pause %d", n+1)
	}
}
