package hotrow

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ensures that a report says by how much the processes have not worked at the same time, and that the table warns of
// more than a tenth of a turn.
func TestProcessesThatBeginLateAreReported(t *testing.T) {
	t.Parallel()
	sum := newTotal()
	for _, late := range []time.Duration{101 * time.Millisecond, 20 * time.Millisecond} {
		on := tally{Callers: []int64{0}, Times: newTimes()}
		off := on
		off.Late = late
		sum.add([]tally{on, off}, time.Second)
	}
	res := sum.result("store")
	require.Equal(t, 101*time.Millisecond, res.Late)

	r := Report{Processes: 3, Rounds: 3, Duration: 3 * time.Second}
	for late, said := range map[time.Duration]bool{res.Late: true, 100 * time.Millisecond: false} {
		res.Late = late
		var b strings.Builder
		r.lateTurns(&b, Cell{Callers: 1, Results: []Result{res}})
		require.Equal(t, said, strings.HasPrefix(b.String(), "store: a process began a turn of 1 s 101 ms late"), b.String())
	}
}

// Ensures that one process alone, which nobody waits for, is never late.
func TestOneProcessIsNeverLate(t *testing.T) {
	t.Parallel()
	sum := newTotal()
	sum.add([]tally{{Callers: []int64{0}, Times: newTimes(), Late: time.Second}}, time.Second)
	require.Zero(t, sum.result("store").Late)
}
