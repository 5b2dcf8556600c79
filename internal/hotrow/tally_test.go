package hotrow

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ensures that what processes have done adds up: rates by round, callers by process and number, and times.
func TestTotal(t *testing.T) {
	t.Parallel()
	one := tally{InTime: 3, Tries: 9, GaveUp: 1, Callers: []int64{1, 4}, Times: newTimes()}
	two := tally{InTime: 5, Tries: 6, GaveUp: 2, Callers: []int64{6, 0}, Times: newTimes()}
	for range 5 {
		one.Times.add(time.Millisecond)
	}
	for range 6 {
		two.Times.add(time.Second)
	}
	all := newTotal()
	all.add([]tally{one, two}, 2*time.Second)
	all.add([]tally{two, one}, time.Second)
	r := all.result("store")
	require.Equal(t, Result{
		Strategy: "store", Rates: []float64{4, 8}, Done: 22, Attempts: 30, GaveUp: 6,
		FewestByCaller: 4, MostByCaller: 7, Latency: r.Latency,
	}, r)
	at := map[float64]time.Duration{}
	for _, q := range r.Latency {
		at[q.Part] = q.Time
	}
	require.InEpsilon(t, time.Millisecond, at[0.25], 0.001)
	require.InEpsilon(t, time.Second, at[0.5], 0.001)
	require.InEpsilon(t, time.Second, at[1], 0.001)
}

// Ensures that what callers have done adds up by caller and by row, and that who gave up is counted.
func TestSum(t *testing.T) {
	t.Parallel()
	got := sum([]caller{
		{inTime: 1, tries: 5, updates: []update{{1, time.Second}, {7, time.Minute}}, gaveUp: true},
		{inTime: 2, tries: 6, updates: []update{{7, time.Second}, {7, time.Second}}},
	})
	require.Equal(t, int64(4), got.Times.h.TotalCount())
	got.Times = times{}
	require.Equal(t, tally{
		InTime: 3, Tries: 11, GaveUp: 1, Callers: []int64{2, 2}, Keys: map[uint64]int64{1: 1, 7: 3},
	}, got)
}

// Ensures that a tally comes out of the pipe as it went in, and that times beyond the range count as its ends.
func TestTallyThroughAPipe(t *testing.T) {
	t.Parallel()
	in := tally{
		InTime: 1, Tries: 2, GaveUp: 5, Callers: []int64{3, 4}, Keys: map[uint64]int64{1: 6, 1_000_000: 1},
		Times: newTimes(), Late: time.Millisecond,
	}
	for _, took := range []time.Duration{0, 1, time.Second, 1234567 * time.Microsecond, time.Hour} {
		in.Times.add(took)
	}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	require.Less(t, len(text), 1000, "a line is short")
	var out tally
	require.NoError(t, json.Unmarshal(text, &out))
	require.True(t, in.Times.h.Equals(out.Times.h))
	require.Equal(t, in.Times.quantiles(), out.Times.quantiles())
	require.Equal(t, int64(5), out.Times.h.TotalCount())
	require.InEpsilon(t, longest.Microseconds(), out.Times.h.Max(), 0.001)
	in.Times, out.Times = times{}, times{}
	require.Equal(t, in, out)

	require.Error(t, json.Unmarshal([]byte(`{"times":"AAAA"}`), &out))
}

// Ensures that a tail keeps what was written last.
func TestTail(t *testing.T) {
	t.Parallel()
	var end tail
	for _, said := range []string{"first", strings.Repeat("x", tailSize-3), "end"} {
		n, err := end.Write([]byte(said))
		require.NoError(t, err)
		require.Equal(t, len(said), n)
	}
	require.Equal(t, strings.Repeat("x", tailSize-3)+"end", end.String())
}

// Ensures that a tally from another process is taken only if callers and rows have the same updates, and no row
// is one that the run does not have.
func TestATallyMustBeComplete(t *testing.T) {
	t.Parallel()
	of := turn{Callers: 2, Keys: 3}
	for want, all := range map[bool][]tally{
		true: {
			{Callers: []int64{3, 4}, Keys: map[uint64]int64{1: 6, 3: 1}, Times: newTimes()},
			{Callers: []int64{0, 0}, Times: newTimes()},
		},
		false: {
			{Callers: []int64{3, 4}, Keys: map[uint64]int64{1: 7}},
			{Callers: []int64{7}, Keys: map[uint64]int64{1: 7}, Times: newTimes()},
			{Callers: []int64{3, 4}, Keys: map[uint64]int64{1: 6}, Times: newTimes()},
			{Callers: []int64{3, 4}, Keys: map[uint64]int64{0: 7}, Times: newTimes()},
			{Callers: []int64{3, 4}, Keys: map[uint64]int64{4: 7}, Times: newTimes()},
		},
	} {
		for _, one := range all {
			require.Equal(t, want, one.complete(of), "%+v", one)
		}
	}
}
