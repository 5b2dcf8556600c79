package backoffsim

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ensures that the row takes one write at a time: those that lose wait for those before them, and reads see what
// is committed and do not wait.
func TestTheRowTakesOneWriteAtATime(t *testing.T) {
	t.Parallel()
	r := row{model: OneAtATime}
	answered, won := r.write(0, 0)
	require.True(t, won)
	require.Equal(t, commit, answered)
	require.Equal(t, 0, r.read(commit-1), "before the commit")
	require.Equal(t, 1, r.read(commit))

	answered, won = r.write(commit/2, 0)
	require.False(t, won, "the version is no longer the one that was read")
	require.Equal(t, commit+miss, answered, "it had to wait")
	answered, won = r.write(commit/2, 1)
	require.True(t, won)
	require.Equal(t, 2*commit+miss, answered)
	answered, won = r.write(time.Second, 2)
	require.True(t, won)
	require.Equal(t, time.Second+commit, answered, "nobody to wait for")
}

// Ensures that the study's server answers at once.
func TestTheStudysRowTakesNoTime(t *testing.T) {
	t.Parallel()
	r := row{model: Study}
	for i := range 3 {
		answered, won := r.write(5, i)
		require.True(t, won)
		require.Equal(t, time.Duration(5), answered)
		require.Equal(t, i+1, r.read(5))
		_, won = r.write(5, i)
		require.False(t, won)
	}
}

// Ensures that the earliest event is the first in the queue, whatever is put in, replaced and taken out.
func TestTheQueueIsInOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for size := range 40 {
		var q queue
		under := map[int]time.Duration{} // a client's event
		for client := range size {
			under[client] = time.Duration(rng.IntN(50))
			q.push(event{at: under[client], client: client})
		}
		for len(under) > 0 {
			e := q[0]
			require.Equal(t, slices.Min(slices.Collect(maps.Values(under))), e.at)
			require.Equal(t, under[e.client], e.at)
			if rng.IntN(3) == 0 {
				q.pop()
				delete(under, e.client)
				continue
			}
			e.at += time.Duration(rng.IntN(50))
			under[e.client] = e.at
			q.replace(e)
		}
		require.Empty(t, q)
	}
}
