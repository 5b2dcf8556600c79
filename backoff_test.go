package sqlcas_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// pauses collects what a call slept between attempts.
type pauses struct{ all []time.Duration }

func (p *pauses) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context { return ctx }
func (p *pauses) CallEnd(context.Context, sqlcas.CallEnd)                                 {}

func (p *pauses) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	if a.RetryIn >= 0 {
		p.all = append(p.all, a.RetryIn)
	}
}

// pausesOf returns the pauses of a call that loses n times and then wins.
func pausesOf(t *testing.T, n int, opts ...sqlcas.Option) []time.Duration {
	t.Helper()
	var p pauses
	calls := 0
	err := sqlcas.Retry(t.Context(), func(context.Context) (int64, error) {
		if calls++; calls > n {
			return 1, nil
		}
		return 0, nil
	}, append(opts, sqlcas.WithObserver(&p), sqlcas.WithMaxElapsed(math.MaxInt64))...)
	require.NoError(t, err)
	require.Len(t, p.all, n)
	return p.all
}

// Ensures that no number of attempts and no extreme of base and longest pause overflows: every
// pause is within [0, longest], jitter included, and nothing panics (cases 78, 79, 80).
func TestPausesStayBetweenZeroAndTheLongest(t *testing.T) {
	t.Parallel()
	for _, d := range []struct{ base, longest time.Duration }{
		{1, 1},
		{1, 2},
		{1, 3},
		{3, 3},
		{1, time.Second},
		{time.Millisecond, time.Millisecond},
		{2 * time.Millisecond, 250 * time.Millisecond},
		{time.Hour, 24 * time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			for i, got := range pausesOf(t, 200, sqlcas.WithDelays(d.base, d.longest)) {
				if got < 0 || got > d.longest {
					t.Errorf("WithDelays(%v, %v), retry %d: got a pause of %v, want one in [0, %v]", d.base, d.longest, i+1, got, d.longest)
				}
			}
		})
	}
}

// Ensures that pauses of up to centuries are neither negative nor a panic: the budget ends the call
// instead of an overflow (case 78).
func TestThePausesOfAnExtremePolicyEndByTheBudget(t *testing.T) {
	t.Parallel()
	for _, base := range []time.Duration{1, time.Second, math.MaxInt64/2 + 1, math.MaxInt64} {
		synctest.Test(t, func(t *testing.T) {
			for range 20 {
				var p pauses
				calls := 0
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				err := sqlcas.Retry(ctx, answers(&calls, lost), sqlcas.WithDelays(base, math.MaxInt64), sqlcas.WithObserver(&p))
				cancel()
				require.Error(t, err)
				require.ErrorIs(t, err, sqlcas.ErrConflict)
				for _, got := range p.all {
					require.GreaterOrEqual(t, got, time.Duration(0))
				}
				require.Less(t, calls, 200, "attempts: the pauses did not grow")
			}
		})
	}
}

// Ensures full jitter: over many calls the n-th pause is spread over [0, base * 2^(n-1)], so that
// callers who met once do not meet again.
func TestPausesAreFullJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rounds = 400
		var sum, largest [5]time.Duration
		for range rounds {
			for i, d := range pausesOf(t, 5, sqlcas.WithDelays(time.Second, 4*time.Second)) {
				sum[i] += d
				largest[i] = max(largest[i], d)
			}
		}
		for i, ceiling := range []time.Duration{1, 2, 4, 4, 4} {
			ceiling *= time.Second
			if mean := sum[i] / rounds; mean < ceiling*4/10 || mean > ceiling*6/10 {
				t.Errorf("retry %d: got a mean pause of %v, want about half of %v", i+1, mean, ceiling)
			}
			if largest[i] > ceiling || largest[i] < ceiling*9/10 {
				t.Errorf("retry %d: got a largest pause of %v, want nearly %v", i+1, largest[i], ceiling)
			}
		}
	})
}

// Ensures that the pauses without an option are those of 2 ms and 250 ms.
func TestDefaultDelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var first, later time.Duration
		for range 200 {
			p := pausesOf(t, 10)
			first, later = max(first, p[0]), max(later, p[9])
		}
		require.LessOrEqual(t, first, 2*time.Millisecond)
		require.Greater(t, first, time.Millisecond)
		require.LessOrEqual(t, later, 250*time.Millisecond)
		require.Greater(t, later, 200*time.Millisecond)
	})
}

// Ensures that one slice of options serves 64 goroutines at once: a policy is a value, and each
// call makes the state of its own pauses.
func TestOptionsAreSharedByGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := []sqlcas.Option{
			sqlcas.WithMaxAttempts(5),
			sqlcas.WithBackOff(func() backoff.BackOff { return backoff.NewExponentialBackOff() }),
			sqlcas.WithClassifier(func(error) sqlcas.Class { return sqlcas.ClassDefault }),
			sqlcas.WithObserver(sqlcas.NewSlogObserver(nil)),
		}
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				calls := 0
				if err := sqlcas.Retry(t.Context(), answers(&calls, lost, answer{err: server(1213)}, won), opts...); err != nil {
					t.Errorf("got error %v, want success", err)
				}
				if calls != 3 {
					t.Errorf("got %d attempts, want 3", calls)
				}
			})
		}
		wg.Wait()
	})
}
