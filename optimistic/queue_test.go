package optimistic

import (
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// Entries counts the keys that take memory.
func (q *queue) entries() int {
	n := 0
	for i := range q.shards {
		q.shards[i].mu.Lock()
		n += len(q.shards[i].keys)
		q.shards[i].mu.Unlock()
	}
	return n
}

// Ensures that turns go round in the order in which the callers came.
func TestTurnsAreFirstInFirstOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		leave, err := q.wait(t.Context(), "key")
		require.NoError(t, err)
		var order []int
		for i := range 50 {
			go func() {
				leave, err := q.wait(t.Context(), "key")
				if err != nil {
					t.Errorf("waiter %d: got error %v, want a turn", i, err)
					return
				}
				order = append(order, i)
				leave()
			}()
			synctest.Wait() // it is in line before the next one comes
		}
		leave()
		synctest.Wait()
		require.Len(t, order, 50)
		require.IsIncreasing(t, order)
		require.Zero(t, q.entries(), "keys that take memory")
	})
}

// Ensures that one caller at a time has the turn of a key, and that another key does not wait.
func TestOneCallerAtATimeHasTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		leave, err := q.wait(t.Context(), 1)
		require.NoError(t, err)
		got := false
		go func() {
			leave, _ := q.wait(t.Context(), 1)
			got = true
			leave()
		}()
		synctest.Wait()
		require.False(t, got, "a second caller has the turn of a key that is taken")
		other, err := q.wait(t.Context(), 2)
		require.NoError(t, err)
		other()
		leave()
		synctest.Wait()
		require.True(t, got, "the second caller never had its turn")
	})
}

// Ensures that a context that ends in line leaves no entry behind, and that those behind move up.
func TestLeavingTheLineLeavesNoEntry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		leave, err := q.wait(t.Context(), "key")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var gaveUp error
		go func() { _, gaveUp = q.wait(ctx, "key") }()
		synctest.Wait()
		third := false
		go func() {
			leave, err := q.wait(t.Context(), "key")
			third = err == nil
			leave()
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		require.ErrorIs(t, gaveUp, context.Canceled)
		require.False(t, third, "the third caller overtook the first")
		leave()
		synctest.Wait()
		require.True(t, third, "the third caller never had its turn")
		require.Zero(t, q.entries(), "keys that take memory")
	})
}

// Ensures that a turn which comes to a caller whose context has just ended is passed on, not lost.
// Holding the lock keeps the caller, woken by its context, from leaving the line before it is due.
func TestATurnThatComesAfterTheContextEndedIsPassedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		s := &q.shards[maphash.Comparable(q.seed, any("key"))%queueShards]
		_, err := q.wait(t.Context(), "key")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var gaveUp error
		go func() { _, gaveUp = q.wait(ctx, "key") }()
		synctest.Wait()
		next := false
		go func() {
			leave, err := q.wait(t.Context(), "key")
			next = err == nil
			leave()
		}()
		synctest.Wait()

		s.mu.Lock()
		cancel()
		line := s.keys["key"]
		close(line.Remove(line.Front()).(chan struct{})) // as pass does, to the caller that is giving up
		s.mu.Unlock()
		synctest.Wait()
		require.ErrorIs(t, gaveUp, context.Canceled)
		require.True(t, next, "the next caller never had its turn")
		require.Zero(t, q.entries(), "keys that take memory")
	})
}

// Ensures the same for whatever order chance makes of the two: the next caller gets the turn and
// nothing is left in memory.
func TestNoOrderOfTurnAndContextLosesTheTurn(t *testing.T) {
	t.Parallel()
	for range 500 {
		q := newQueue()
		leave, err := q.wait(context.Background(), "key")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for _, c := range []context.Context{ctx, context.Background()} {
			wg.Go(func() {
				if leave, err := q.wait(c, "key"); err == nil {
					leave()
				}
			})
		}
		wg.Go(cancel)
		wg.Go(leave)
		wg.Wait() // hangs if the turn is lost
		require.Zero(t, q.entries(), "keys that take memory")
	}
}

// Ensures that an attempt that panics, or ends its goroutine, gives its turn back.
func TestPanicAndGoexitGiveTheTurnBack(t *testing.T) {
	t.Parallel()
	type key struct{ string }
	opt := WithKey(key{t.Name()})
	require.Panics(t, func() {
		_ = Update(t.Context(), func(context.Context) (int64, error) { panic("boom") }, opt)
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = Update(context.Background(), func(context.Context) (int64, error) {
			runtime.Goexit()
			return 1, nil
		}, opt)
	}()
	<-done
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, Update(ctx, func(context.Context) (int64, error) { return 1, nil }, opt))
}

// Ensures that a million keys touched once would leave no memory behind: ten thousand leave no
// entry, after calls that succeed and calls that fail.
func TestKeysTouchedOnceLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	type key struct{ i int }
	refused := errors.New("refused")
	for i := range 10_000 {
		err := Update(t.Context(), func(context.Context) (int64, error) {
			if i%2 == 0 {
				return 0, refused
			}
			return 1, nil
		}, WithKey(key{i}))
		if i%2 == 0 {
			require.ErrorIs(t, err, refused)
		} else {
			require.NoError(t, err)
		}
	}
	for i := range turns.shards {
		s := &turns.shards[i]
		s.mu.Lock()
		for k := range s.keys {
			if _, ours := k.(key); ours {
				t.Errorf("key %v still takes memory", k)
			}
		}
		s.mu.Unlock()
	}
}

// Ensures that equal values of different types are different keys, so that rows of two tables are
// never mixed up.
func TestKeysOfDifferentTypesDoNotQueueTogether(t *testing.T) {
	t.Parallel()
	type account uint64
	type product uint64
	inner := func(ctx context.Context) error {
		return gateOf(t, WithKey(product(t.Name()[0])))(ctx)
	}
	leave := gateOf(t, WithKey(account(t.Name()[0])))
	require.NoError(t, leave(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, inner(ctx))
}

// gateOf takes the turn of the option's key, and gives it back when the test ends.
func gateOf(t *testing.T, o sqlcas.Option) func(context.Context) error {
	t.Helper()
	s := settings.Default()
	require.NoError(t, o.Apply(&s))
	return func(ctx context.Context) error {
		leave, err := s.Gate(ctx)
		if err == nil {
			t.Cleanup(leave)
		}
		return err
	}
}
