package hotrow

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// idle is a crowd without a database.
func idle(w work) *crowd {
	return &crowd{works: map[string]work{"w": w}, patience: time.Minute, grace: time.Minute}
}

// Ensures that no caller starts before the turn does, that what is done after its end counts, but not as done in
// time, and that no call starts then.
func TestACallUnderWayAtTheEndIsFinished(t *testing.T) {
	t.Parallel()
	const callers, slice = 4, 200 * time.Millisecond
	start := time.Now().Add(20 * time.Millisecond)
	var calls atomic.Int64
	all := make(chan struct{})
	got, err := idle(func(limits, uint64) (int64, error) {
		if time.Now().Before(start) {
			return 0, errors.New("too early")
		}
		switch n := calls.Add(1); {
		case n == callers: // all have begun
			close(all)
		case n < callers:
			<-all
		default: // the second call of each
			time.Sleep(time.Until(start.Add(2 * slice)))
		}
		return 3, nil
	}).take(t.Context(), turn{Strategy: "w", Callers: callers, Keys: 1, Start: start, Slice: slice})
	require.NoError(t, err)
	require.Equal(t, []int64{2, 2, 2, 2}, got.Callers)
	require.Equal(t, []int64{callers, 2 * callers, 3 * 2 * callers}, []int64{got.InTime, got.done(), got.Tries})
	require.Equal(t, map[uint64]int64{1: 2 * callers}, got.Keys)
	require.Zero(t, got.GaveUp)
	require.Equal(t, int64(2*callers), got.Times.h.TotalCount())
	require.Greater(t, got.Times.h.Max(), slice.Microseconds()/2)
}

// Ensures that callers draw from all keys and no others, and the same ones with the same seed.
func TestKeysAreDrawnBySeed(t *testing.T) {
	t.Parallel()
	errEnough := errors.New("enough")
	draw := func(seed uint64) (drawn []uint64) {
		_, err := idle(func(_ limits, id uint64) (int64, error) {
			if drawn = append(drawn, id); len(drawn) == 100 {
				return 0, errEnough
			}
			return 0, nil
		}).take(t.Context(), turn{Strategy: "w", Callers: 1, Keys: 5, Slice: time.Minute, Seed: seed})
		require.Equal(t, errEnough, err)
		return drawn
	}
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
	all := draw(3)
	slices.Sort(all)
	require.Equal(t, []uint64{1, 2, 3, 4, 5}, slices.Compact(all))
}

// Ensures that a call which runs out of patience and gives up is counted as that alone, and is no error.
func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	c := idle(func(l limits, _ uint64) (int64, error) {
		<-l.patience.Done()
		if l.life.Err() != nil {
			return 0, errors.New("cut off")
		}
		return 1, errGaveUp
	})
	c.patience = time.Millisecond
	got, err := c.take(t.Context(), turn{Strategy: "w", Callers: 2, Keys: 1, Slice: 200 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0}, got.Callers)
	require.Zero(t, got.Tries)
	require.Equal(t, int64(2), got.GaveUp)
	require.Empty(t, got.Keys)
	require.Empty(t, got.Times.quantiles())
}

// Ensures that a call which never returns is cut off at last, and is an error that says so.
func TestGraceEnds(t *testing.T) {
	t.Parallel()
	c := idle(func(l limits, _ uint64) (int64, error) {
		<-l.life.Done()
		return 0, l.life.Err()
	})
	c.patience, c.grace = time.Millisecond, time.Millisecond
	_, err := c.take(t.Context(), turn{Strategy: "w", Callers: 2, Keys: 1, Slice: time.Second})
	require.ErrorIs(t, err, errUnanswered)
}

// Ensures that the first error ends the turn of all, and is the one that is told.
func TestTheFirstErrorEndsATurn(t *testing.T) {
	t.Parallel()
	errFirst := errors.New("first")
	var calls atomic.Int64
	_, err := idle(func(l limits, _ uint64) (int64, error) {
		if calls.Add(1) == 1 {
			return 0, errFirst
		}
		<-l.life.Done()
		return 0, l.life.Err()
	}).take(t.Context(), turn{Strategy: "w", Callers: 3, Keys: 1, Slice: time.Hour})
	require.Equal(t, errFirst, err)
}

// Ensures that ctx ends a turn, also one that has not begun.
func TestTheContextEndsATurn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := idle(func(l limits, _ uint64) (int64, error) { return 0, l.life.Err() }).
		take(ctx, turn{Strategy: "w", Callers: 3, Keys: 1, Slice: time.Hour, Start: time.Now().Add(time.Hour)})
	require.ErrorIs(t, err, context.Canceled)
}

// Ensures that a turn says by how much it began late, and lasts as long all the same.
func TestALateTurnSaysSo(t *testing.T) {
	t.Parallel()
	const late, slice = time.Hour, 50 * time.Millisecond
	began := time.Now()
	got, err := idle(func(limits, uint64) (int64, error) { time.Sleep(time.Millisecond); return 0, nil }).
		take(t.Context(), turn{Strategy: "w", Callers: 1, Keys: 1, Slice: slice, Start: began.Add(-late)})
	require.NoError(t, err)
	require.GreaterOrEqual(t, got.Late, late)
	require.Less(t, got.Late, late+time.Minute)
	require.GreaterOrEqual(t, time.Since(began), slice)
}
