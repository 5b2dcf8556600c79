package backoffsim

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/sqlcas/sqlcas/internal/settings"
)

// Ours is the Policy of the pauses that sqlcas makes by default.
const Ours = "sqlcas default"

// The study's pauses begin at twice the base, since it counts the attempt that has lost as the first.
const (
	base    = 5 * time.Millisecond
	longest = 2 * time.Second
)

// pauses says how long one client pauses after its attempt n, counted from 1, has lost.
type pauses func(n int) time.Duration

// policy is a way to pause. Each client has state of its own.
type policy struct {
	name  string
	start func(*rand.Rand) pauses
}

// policies are those of the study, and ours.
var policies = []policy{
	{"none", func(*rand.Rand) pauses { return func(int) time.Duration { return 0 } }},
	{"exponential", func(*rand.Rand) pauses { return exponential }},
	{"equal jitter", func(rng *rand.Rand) pauses {
		return func(n int) time.Duration { return between(rng, exponential(n)/2, exponential(n)) }
	}},
	{"full jitter", func(rng *rand.Rand) pauses {
		return func(n int) time.Duration { return between(rng, 0, exponential(n)) }
	}},
	{"decorrelated", func(rng *rand.Rand) pauses {
		last := base
		return func(int) time.Duration {
			last = min(longest, between(rng, base, 3*last))
			return last
		}
	}},
	{Ours, ours},
}

func exponential(n int) time.Duration {
	return time.Duration(min(float64(longest), math.Ldexp(float64(base), n)))
}

// between draws from low to high.
func between(rng *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(rng.Float64()*float64(high-low))
}

// ours makes what a call without options pauses by. The library draws from a generator of its own, so that a seed
// does not repeat it. A call also ends after 30 s, which is no matter of pauses: here everybody goes on.
func ours(*rand.Rand) pauses {
	s := settings.Default()
	b := s.BackOff()
	return func(int) time.Duration { return b.NextBackOff() }
}
