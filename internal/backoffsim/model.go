package backoffsim

import (
	"math/rand/v2"
	"time"
)

// Model is how the server takes writes.
type Model uint8

const (
	// Study is the study's server: it takes any number of writes at once, and in no time. A write that loses costs
	// nobody anything, so that clients who never pause look fast.
	Study Model = iota
	// OneAtATime has writes wait for the row in the order in which they come, those that will lose too, as InnoDB does.
	OneAtATime
)

// What the row is taken for when writes are made one at a time. A write that wins holds it for a commit to disk. One
// that loses must be given the row to see that it has lost: with 64 clients who did not pause, MySQL 9.7 on 2 cores
// took 2,400 such writes a second.
const (
	commit = 700 * time.Microsecond
	miss   = 400 * time.Microsecond
)

// Title says how the server takes writes.
func (m Model) Title() string {
	if m == OneAtATime {
		return "writes wait for the row, one at a time"
	}
	return "the study's model: the server takes all writes at once"
}

// row is the row that all want, on the server.
type row struct {
	model   Model
	version int
	since   time.Duration // when the version was committed; that may be ahead
	free    time.Duration // when all writes so far are done with the row
}

// read returns the version that a read at that time sees.
func (r *row) read(at time.Duration) int {
	if at < r.since {
		return r.version - 1
	}
	return r.version
}

// write writes over the version that was read. It reports whether that was the current one, and when the
// server answers.
func (r *row) write(at time.Duration, read int) (answered time.Duration, won bool) {
	won = read == r.version
	if r.model == OneAtATime {
		at = max(at, r.free)
		if at += miss; won {
			at += commit - miss
		}
		r.free = at
	}
	if won {
		r.version++
		r.since = at
	}
	return at, won
}

// The study's network: a normal distribution, one way.
const (
	delayMean   = 10 * time.Millisecond
	delaySpread = 2 * time.Millisecond
)

func delay(rng *rand.Rand) time.Duration {
	return max(0, delayMean+time.Duration(rng.NormFloat64()*float64(delaySpread)))
}
