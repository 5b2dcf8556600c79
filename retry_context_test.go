package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// Ensures that a context that has ended before the call lets no attempt start, and that its cause
// is found in the error.
func TestEndedContextStartsNothing(t *testing.T) {
	t.Parallel()
	shutdown := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(shutdown)
	calls := 0
	err := sqlcas.Retry(ctx, answers(&calls, won))
	require.Zero(t, calls, "attempts")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, shutdown)
	require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown, "nothing was sent")
}

// Ensures that a context that ends during a pause ends the call at that moment, and that the error
// is the context's, its cause's and the last conflict's at once (case 84).
func TestContextEndingInAPauseKeepsTheLastConflict(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shutdown := errors.New("shutting down")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(shutdown) })
		start, calls := time.Now(), 0
		err := sqlcas.Retry(ctx, answers(&calls, answer{err: server(1020)}, won),
			sqlcas.WithBackOff(func() backoff.BackOff { return flat(time.Hour) }))
		require.Equal(t, 1, calls, "attempts")
		require.Equal(t, time.Second, time.Since(start), "time that went by")
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, shutdown)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.ErrorIs(t, err, server(1020))
		require.NotErrorIs(t, err, sqlcas.ErrExhausted)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorContains(t, err, "after 1 attempt")
	})
}

// Ensures that a context that ends while an attempt loses stops the call before any pause, with
// both errors (case 84).
func TestContextEndingInALostAttemptKeepsTheConflict(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		err := sqlcas.Retry(ctx, func(context.Context) (int64, error) {
			cancel()
			return 0, nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.Zero(t, time.Since(start), "time that went by")
	})
}

// Ensures that a context that ends while an attempt wins changes nothing: what is applied is
// reported as applied.
func TestContextEndingInAWonAttemptIsStillSuccess(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, sqlcas.Retry(ctx, func(context.Context) (int64, error) {
		cancel()
		return 1, nil
	}))
}

// Ensures that a pause which cannot end before the deadline is not slept: the call returns the
// deadline's error, and the conflict, at once.
func TestADeadlineTooNearForThePauseEndsTheCallAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start, calls := time.Now(), 0
		err := sqlcas.Retry(ctx, answers(&calls, lost), sqlcas.WithBackOff(func() backoff.BackOff { return flat(time.Second) }))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.Zero(t, time.Since(start), "time that went by")
		require.Equal(t, 1, calls, "attempts")
	})
}

// Ensures that attempts get the caller's context: its values, and its end (case 83).
func TestAttemptsGetTheCallersContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	err := sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
		require.Equal(t, "value", ctx.Value(key{}))
		cancel()
		<-ctx.Done()
		return 1, nil
	})
	require.NoError(t, err)
}

// Ensures that what database/sql says to a closure after the end of its context, where it has not gone by the context,
// is not taken for an error of the closure's own.
func TestWhatComesAfterTheEndIsTheContexts(t *testing.T) {
	t.Parallel()
	for _, late := range []error{sql.ErrTxDone, errors.New("sql: Rows are closed"), fmt.Errorf("read: %w", errors.New("sql: Rows are closed"))} {
		ctx, cancel := context.WithCancel(t.Context())
		err := sqlcas.RetryTx(ctx, pool(t, scriptdb.New(nil)), func(context.Context, *sql.Tx) error {
			cancel()
			return late
		})
		require.ErrorIs(t, err, context.Canceled, late)
		require.Equal(t, late, sqlcas.RetryTx(t.Context(), pool(t, scriptdb.New(nil)), func(context.Context, *sql.Tx) error {
			return late
		}), "the context goes on")
	}
}
