package optimistic_test

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

func win(context.Context) (int64, error) { return 1, nil }

// Ensures that NaN, which equals not even itself and so could never be left again, is no key.
func TestNaNIsNoKey(t *testing.T) {
	t.Parallel()
	err := optimistic.Update(t.Context(), func(context.Context) (int64, error) { return 1, nil },
		optimistic.WithKey(math.NaN()))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
}

// Ensures that a key holding something that cannot be compared, though its type says it can, is an
// error that names the option, not a panic.
func TestUncomparableKeyIsRefused(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]sqlcas.Option{
		"a slice in an interface":  optimistic.WithKey[any]([]byte{1}),
		"a slice inside a struct":  optimistic.WithKey(struct{ id any }{[]byte{1}}),
		"a map deep inside":        optimistic.WithKey([1]any{map[int]int{}}),
		"a function in a variable": optimistic.WithKey[any](func() {}),
	} {
		err := optimistic.Update(t.Context(), win, opt)
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, name)
		require.ErrorContains(t, err, "WithKey", name)
	}
	require.NoError(t, optimistic.Update(t.Context(), win, optimistic.WithKey[any](nil)), "nil compares")
}

// Ensures that two keys for one call are refused.
func TestTwoKeysAreRefused(t *testing.T) {
	t.Parallel()
	called := false
	attempt := func(context.Context) (int64, error) { called = true; return 1, nil }
	err := optimistic.Update(t.Context(), attempt, optimistic.WithKey(1), optimistic.WithKey("two"))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "WithKey is given twice")
	require.False(t, called, "an attempt was made")
}

// Ensures that the queue keeps the callers of one key from running at once through every entry
// point, sqlcas.Retry included, and that the report tells how long each waited.
func TestCallersOfOneKeyRunOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		db := scriptdb.New(nil).Open()
		defer db.Close()
		var running, most atomic.Int32
		busy := func() {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
		}
		attempt := func(context.Context) (int64, error) { busy(); return 1, nil }
		inTx := func(context.Context, *sql.Tx) error { busy(); return nil }
		reports := make([]sqlcas.Report, 4)
		for i, call := range []func(opts ...sqlcas.Option) error{
			func(o ...sqlcas.Option) error { return optimistic.Update(t.Context(), attempt, o...) },
			func(o ...sqlcas.Option) error { return sqlcas.Retry(t.Context(), attempt, o...) },
			func(o ...sqlcas.Option) error { return optimistic.UpdateTx(t.Context(), db, inTx, o...) },
			func(o ...sqlcas.Option) error { return sqlcas.RetryTx(t.Context(), db, inTx, o...) },
		} {
			go func() {
				if err := call(optimistic.WithKey(key{}), sqlcas.WithReport(&reports[i])); err != nil {
					t.Errorf("call %d: got error %v", i, err)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 1, most.Load(), "most callers at once")
		for i, r := range reports {
			require.Equal(t, time.Duration(i)*time.Second, r.Queued, "call %d", i)
		}
	})
}

// Ensures that a context that ends in the queue ends the call without an attempt, with the
// context's error, as no unknown outcome.
func TestContextEndingInTheQueueStartsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		release := make(chan struct{})
		go func() {
			_ = optimistic.Update(t.Context(), func(context.Context) (int64, error) { <-release; return 1, nil }, optimistic.WithKey(key{}))
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var r sqlcas.Report
		called := false
		err := optimistic.Update(ctx, func(context.Context) (int64, error) { called = true; return 1, nil },
			optimistic.WithKey(key{}), sqlcas.WithReport(&r))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.False(t, called, "an attempt was made")
		require.Equal(t, time.Second, r.Queued)
		require.Zero(t, r.Attempts)
		close(release)
		synctest.Wait()
	})
}

// Ensures that the cause of a context that ends in the queue is found in the error.
func TestCauseOfAContextEndingInTheQueueIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		shutdown := errors.New("shutting down")
		ctx, cancel := context.WithCancelCause(t.Context())
		err := optimistic.Update(t.Context(), func(context.Context) (int64, error) {
			go func() { synctest.Wait(); cancel(shutdown) }()
			// the other caller's own
			inner := optimistic.Update(ctx, win, optimistic.WithKey(key{}))
			require.ErrorIs(t, inner, context.Canceled)
			require.ErrorIs(t, inner, shutdown)
			return 1, nil
		}, optimistic.WithKey(key{}))
		require.NoError(t, err)
	})
}

// Ensures that WithMaxElapsed counts from the turn: a long wait in line takes nothing of it.
func TestTheBudgetCountsFromTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		go func() {
			_ = optimistic.Update(t.Context(), func(context.Context) (int64, error) { time.Sleep(time.Hour); return 1, nil },
				optimistic.WithKey(key{}))
		}()
		synctest.Wait()
		calls := 0
		err := optimistic.Update(t.Context(), func(context.Context) (int64, error) { calls++; return int64(calls / 4), nil },
			optimistic.WithKey(key{}), sqlcas.WithMaxElapsed(time.Minute))
		require.NoError(t, err)
		require.Equal(t, 4, calls, "attempts")
	})
}

// Ensures that a call that joins a transaction does not queue for its key, which the transaction's
// own call may hold: it would wait for itself (case 11).
func TestAJoinedCallDoesNotQueue(t *testing.T) {
	t.Parallel()
	type key struct{}
	db := openShop()
	defer db.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var r sqlcas.Report
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, outer *sql.Tx) error {
		return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			require.Same(t, outer, tx)
			_, err := shop.New(tx).GetAccount(ctx, 42)
			return err
		}, optimistic.WithKey(key{}), sqlcas.WithReport(&r))
	}, optimistic.WithKey(key{}))
	require.NoError(t, err)
	require.True(t, r.Joined)
}
