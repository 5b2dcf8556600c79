package hotrow

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// tally is what the callers of one process have done in a turn.
type tally struct {
	InTime  int64            `json:"in_time"` // updates that were done within the turn
	Tries   int64            `json:"tries"`   // of all updates
	GaveUp  int64            `json:"gave_up"` // calls that were not applied within patience
	Callers []int64          `json:"callers"` // all updates of each caller, also those done after the turn
	Keys    map[uint64]int64 `json:"keys"`    // all updates of each row that has any
	Times   times            `json:"times"`   // of all updates
	Late    time.Duration    `json:"late_ns"` // by how much the turn began after the time that was set for it
}

// done returns the number of updates.
func (t *tally) done() (n int64) {
	for _, one := range t.Callers {
		n += one
	}
	return n
}

// complete reports whether a tally from another process says what all callers of a turn have done, and to which rows.
func (t *tally) complete(of turn) bool {
	var done int64
	for key, n := range t.Keys {
		if key < 1 || key > uint64(of.Keys) {
			return false
		}
		done += n
	}
	return t.Times.h != nil && len(t.Callers) == of.Callers && done == t.done()
}

// times are how long updates took, by microseconds.
type times struct{ h *hdrhistogram.Histogram }

// longest is what longer times are counted as.
const longest = 10 * time.Minute

func newTimes() times {
	const digits = 3
	return times{hdrhistogram.New(1, longest.Microseconds(), digits)}
}

// add notes one time, to at least a microsecond.
func (t times) add(d time.Duration) {
	_ = t.h.RecordValue(min(max(d, time.Microsecond), longest).Microseconds()) // it is within the range
}

// quantiles returns the time within which each of Quantiles was done; nothing if nothing was.
func (t times) quantiles() []Quantile {
	all := []Quantile{}
	if t.h.TotalCount() == 0 {
		return all
	}
	for _, part := range Quantiles {
		took := time.Duration(t.h.ValueAtPercentile(100*part)) * time.Microsecond
		all = append(all, Quantile{Part: part, Time: took})
	}
	return all
}

// MarshalJSON writes the histogram in its own, compressed form.
func (t times) MarshalJSON() ([]byte, error) {
	text, err := t.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, err
	}
	return json.Marshal(string(text))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (t *times) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	h, err := hdrhistogram.Decode([]byte(text))
	t.h = h
	return err
}

// total is what one strategy comes to over all rounds, with one number of callers.
type total struct {
	rates   []float64
	tries   int64
	gaveUp  int64
	late    time.Duration
	callers []int64
	times   times
}

func newTotal() *total { return &total{times: newTimes()} }

// add adds a round: what each process has done in a turn of such a length.
func (t *total) add(all []tally, slice time.Duration) {
	var inTime int64
	var callers []int64
	for i := range all {
		inTime += all[i].InTime
		t.tries += all[i].Tries
		t.gaveUp += all[i].GaveUp
		if len(all) > 1 {
			t.late = max(t.late, all[i].Late)
		}
		callers = append(callers, all[i].Callers...)
		t.times.h.Merge(all[i].Times.h)
	}
	t.rates = append(t.rates, float64(inTime)/slice.Seconds())
	if t.callers == nil {
		t.callers = make([]int64, len(callers))
	}
	for i, n := range callers {
		t.callers[i] += n
	}
}

func (t *total) result(strategy string) Result {
	r := Result{
		Strategy: strategy, Rates: t.rates, Attempts: t.tries, GaveUp: t.gaveUp, Late: t.late, Latency: t.times.quantiles(),
		FewestByCaller: slices.Min(t.callers), MostByCaller: slices.Max(t.callers),
	}
	for _, n := range t.callers {
		r.Done += n
	}
	return r
}
