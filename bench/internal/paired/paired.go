// Package paired measures two ways of doing the same work side by side, so that whatever else the
// machine does meanwhile hits both alike.
//
// Both do a little, in turns, and what counts is the ratio within each round; the result is the median
// over the rounds, with the quartiles as the spread. A comparison of two runs one after the other would
// show first of all how the machine felt during each.
package paired

import (
	"math/bits"
	"time"
)

// Result holds one value per round.
type Result struct {
	Base, Ours Sample // what each of the two came to: microseconds, or operations per second
	Excess     Sample // Ours - Base
	Ratio      Sample // throughput of Ours / throughput of Base, whatever was measured
}

// addTimes adds a round whose operations took so long.
func (r *Result) addTimes(base, ours float64) { r.add(base, ours, base/ours) }

// addRates adds a round that had so many operations per second.
func (r *Result) addRates(base, ours float64) { r.add(base, ours, ours/base) }

func (r *Result) add(base, ours, ratio float64) {
	r.Base, r.Ours = append(r.Base, base), append(r.Ours, ours)
	r.Excess, r.Ratio = append(r.Excess, ours-base), append(r.Ratio, ratio)
}

// ByTurns is for one caller: each round is so many pairs of operations, in the order ABBA, and counts
// by the median time of either side, in microseconds. One round goes ahead to warm up and does not count. The
// first error ends it. After each round it calls told.
func ByTurns(rounds, pairs int, base, ours func() error, told func()) (Result, error) {
	var r Result
	work := [2]func() error{base, ours}
	for round := -1; round < rounds; round++ {
		var times [2]Sample
		for i := range 2 * pairs {
			which := i % 2
			if i/2%2 == 1 {
				which = 1 - which
			}
			start := time.Now()
			if err := work[which](); err != nil {
				return Result{}, err
			}
			times[which] = append(times[which], Micros(time.Since(start)))
		}
		if round >= 0 {
			r.addTimes(times[0].Median(), times[1].Median())
		}
		told()
	}
	return r, nil
}

// Work is what one side did in a slice of time.
type Work struct {
	Done int // operations
	Took time.Duration
}

// slicesPerRound is how many slices of time a round of BySlices has, half of them for either side.
const slicesPerRound = 8

// BySlices is for many callers, who are not to mix: a round is eight slices of time, and counts by either
// side's operations per second in its four. The sides alternate by the Thue-Morse sequence, ABBABAAB...,
// so that nothing which comes and goes at regular intervals, as a server's flushing does, meets one side
// more than the other. A side runs its slice and returns its work; both get the same seeds. One round
// goes ahead to warm up and does not count. The first error ends it. After each round it calls told.
func BySlices(rounds int, base, ours func(seed uint64) (Work, error), told func()) (Result, error) {
	var r Result
	sides := [2]func(uint64) (Work, error){base, ours}
	for round := range rounds + 1 {
		var sum [2]Work
		for i := range slicesPerRound {
			slice := uint64(slicesPerRound*round + i)
			which := bits.OnesCount64(slice) % 2
			w, err := sides[which](slice / 2)
			if err != nil {
				return Result{}, err
			}
			sum[which].Done += w.Done
			sum[which].Took += w.Took
		}
		if round > 0 {
			r.addRates(sum[0].rate(), sum[1].rate())
		}
		told()
	}
	return r, nil
}

// rate is the operations per second.
func (w Work) rate() float64 { return float64(w.Done) / w.Took.Seconds() }
