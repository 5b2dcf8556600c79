package sqlcas_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

func everyMillisecond() backoff.BackOff { return flat(time.Millisecond) }

// Ensures that WithMaxAttempts counts the first attempt too, and that the error tells how many
// there were, how long they took, and what the last one met, by Is and by As.
func TestMaxAttemptsEndsInExhaustedError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		err := sqlcas.Retry(t.Context(), answers(&calls, answer{err: server(1213)}),
			sqlcas.WithMaxAttempts(3), sqlcas.WithBackOff(everyMillisecond))
		require.Equal(t, 3, calls, "attempts")
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		var exhausted *sqlcas.ExhaustedError
		require.ErrorAs(t, err, &exhausted)
		require.Equal(t, 3, exhausted.Attempts)
		require.Equal(t, 2*time.Millisecond, exhausted.Elapsed, "two pauses of 1 ms")
		require.ErrorIs(t, exhausted.Last, server(1213))
		require.ErrorIs(t, err, server(1213), "through the ExhaustedError")
		require.EqualError(t, err, "sqlcas: gave up after 3 attempts in 2ms: Error 1213: scripted")
	})
}

// Ensures that one attempt is one attempt: no pause comes after it.
func TestOneAttemptDoesNotPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		err := sqlcas.Retry(t.Context(), answers(&calls, lost), sqlcas.WithMaxAttempts(1))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.Equal(t, 1, calls, "attempts")
		require.Zero(t, time.Since(start), "time that went by")
	})
}

// Ensures that the default budget is 30 s from the first attempt, and that the last pause is not
// slept where it would end outside of it.
func TestDefaultBudgetIsThirtySeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		err := sqlcas.Retry(t.Context(), answers(&calls, lost),
			sqlcas.WithBackOff(func() backoff.BackOff { return flat(7 * time.Second) }))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.Equal(t, 5, calls, "attempts at 0, 7, 14, 21 and 28 s")
		require.Equal(t, 28*time.Second, time.Since(start), "the pause to 35 s is not slept")
	})
}

// Ensures that two attempts are allowed though the first alone took longer than the budget: a slow
// attempt would otherwise mean no retry at all (case 82).
func TestASlowFirstAttemptStillGetsItsRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := answer{takes: time.Minute}
		calls := 0
		require.NoError(t, sqlcas.Retry(t.Context(), answers(&calls, slow, won), sqlcas.WithMaxElapsed(time.Second)))
		require.Equal(t, 2, calls, "attempts when the second succeeds")

		calls = 0
		err := sqlcas.Retry(t.Context(), answers(&calls, slow), sqlcas.WithMaxElapsed(time.Second))
		require.Equal(t, 2, calls, "attempts when none succeeds")
		var exhausted *sqlcas.ExhaustedError
		require.ErrorAs(t, err, &exhausted)
		require.GreaterOrEqual(t, exhausted.Elapsed, 2*time.Minute)
	})
}

// Ensures that the two-attempt rule does not overrule the caller's limit of one, nor its context.
func TestTheTwoAttemptRuleYieldsToLimitAndContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := answer{takes: time.Minute}
		calls := 0
		err := sqlcas.Retry(t.Context(), answers(&calls, slow, won),
			sqlcas.WithMaxElapsed(time.Second), sqlcas.WithMaxAttempts(1))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.Equal(t, 1, calls, "attempts under a limit of one")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		calls = 0
		err = sqlcas.Retry(ctx, answers(&calls, slow, won))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, calls, "attempts under a deadline that the first overran")
	})
}

// Ensures that ExhaustedError and OutcomeUnknownError are their sentinels, and no other's.
func TestTypedErrorsAreTheirSentinels(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	exhausted := &sqlcas.ExhaustedError{Attempts: 2, Elapsed: 1500 * time.Microsecond, Last: cause}
	require.ErrorIs(t, exhausted, sqlcas.ErrExhausted)
	require.ErrorIs(t, exhausted, cause)
	require.NotErrorIs(t, exhausted, sqlcas.ErrConflict)
	require.EqualError(t, exhausted, "sqlcas: gave up after 2 attempts in 1.5ms: cause")

	unknown := &sqlcas.OutcomeUnknownError{Cause: cause}
	require.ErrorIs(t, unknown, sqlcas.ErrOutcomeUnknown)
	require.ErrorIs(t, unknown, cause)
	require.NotErrorIs(t, unknown, sqlcas.ErrExhausted)
	require.ErrorContains(t, unknown, "cause")
}

// Ensures that a BackOff which gives up ends the call at once.
func TestBackOffStopEndsTheCall(t *testing.T) {
	t.Parallel()
	calls := 0
	err := sqlcas.Retry(t.Context(), answers(&calls, lost),
		sqlcas.WithBackOff(func() backoff.BackOff { return &backoff.StopBackOff{} }))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.Equal(t, 1, calls, "attempts")
}

// Ensures that zero and negative pauses of a BackOff mean no pause, and never a panic (case 80).
func TestBackOffOfNothingMeansNoPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, d := range []time.Duration{0, -2, -time.Hour, -1 << 63} {
			var p pauses
			start, calls := time.Now(), 0
			require.NoError(t, sqlcas.Retry(t.Context(), answers(&calls, lost, lost, won),
				sqlcas.WithBackOff(func() backoff.BackOff { return flat(d) }), sqlcas.WithObserver(&p)))
			require.Zero(t, time.Since(start), "time that went by with pauses of %v", d)
			require.Equal(t, []time.Duration{0, 0}, p.all, "pauses that the observer hears of for %v", d)
		}
	})
}

// Ensures that a function that makes no BackOff is an error that names the option and keeps what
// the attempt met.
func TestBackOffFunctionReturningNilIsNamed(t *testing.T) {
	t.Parallel()
	calls := 0
	err := sqlcas.Retry(t.Context(), answers(&calls, lost), sqlcas.WithBackOff(func() backoff.BackOff { return nil }))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "WithBackOff")
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.Equal(t, 1, calls, "attempts")
}

// Ensures that a pause that would overflow the clock's arithmetic ends the call by its budget
// instead of sleeping for centuries (case 78).
func TestAHugePauseExhaustsTheBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pauses := []time.Duration{time.Millisecond, 1<<63 - 1}
		calls := 0
		start := time.Now()
		err := sqlcas.Retry(t.Context(), answers(&calls, lost),
			sqlcas.WithBackOff(func() backoff.BackOff { return &listed{pauses} }))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.Equal(t, time.Millisecond, time.Since(start), "time that went by")
	})
}

// listed is a BackOff with a list of pauses, the last of which stays.
type listed struct{ pauses []time.Duration }

func (l *listed) Reset() {}

func (l *listed) NextBackOff() time.Duration {
	d := l.pauses[0]
	l.pauses = l.pauses[min(1, len(l.pauses)-1):]
	return d
}
