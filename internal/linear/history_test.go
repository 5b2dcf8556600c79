package linear

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// checkLimit is how long porcupine may take for one history. It takes milliseconds: each write has a version
// of its own, which leaves next to no choice.
const checkLimit = time.Minute

// history is what callers were told, and when.
type history struct {
	seed  uint64
	first state // of each row
	start time.Time

	mu      sync.Mutex
	ops     []porcupine.Operation
	answers map[method]map[answer]int
	largest int     // batch
	wrong   []error // errors that no fault explains
}

func newHistory(seed uint64, first state) *history {
	h := &history{seed: seed, first: first, start: time.Now(), answers: map[method]map[answer]int{}}
	for m := range method(methodCount) {
		h.answers[m] = map[answer]int{}
	}
	return h
}

// record has a caller make a call. A call that failed is counted and left out of the order: it has changed nothing
// and seen nothing, and a write of its that lands all the same is then nobody's.
func (h *history) record(caller int, in input, call func() output) output {
	begun := time.Since(h.start)
	out := call()
	ended := time.Since(h.start)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[in.method][out.answer]++
	if out.answer != failed {
		h.enter(caller, in, out, begun.Nanoseconds(), ended.Nanoseconds())
	}
	return out
}

// enter gives a call its place in the history. One of unknown outcome does not end.
func (h *history) enter(caller int, in input, out output, begun, ended int64) {
	if out.answer == unknown {
		ended = math.MaxInt64
	}
	h.ops = append(h.ops, porcupine.Operation{ClientId: caller, Input: in, Output: out, Call: begun, Return: ended})
}

// met notes what else is of interest in an answer.
func (h *history) met(batch int, wrong error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.largest = max(h.largest, batch)
	if wrong != nil {
		h.wrong = append(h.wrong, wrong)
	}
}

// seal ends a history, whose last calls are a Get of each row that nothing can change any more.
func (h *history) seal() {
	slices.SortStableFunc(h.ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	rows := map[uint64]*trace{}
	var end int64
	for i := range h.ops {
		op := &h.ops[i]
		in, out := op.Input.(input), op.Output.(output)
		if rows[in.key] == nil {
			rows[in.key] = &trace{reads: map[uint64]int{}, places: map[string]uint64{}, named: map[uint64]bool{}}
		}
		all := rows[in.key]
		if version := out.row.version; version > 0 {
			all.name(out.row)
			all.last = version // in the end that of the last Get
			if reads(in, out) {
				out.turn = all.reads[version]
				all.reads[version]++
			}
		}
		if out.answer != unknown {
			end = max(end, op.Return)
		}
		out.all = all
		op.Output = out
	}
	for i := range h.ops {
		h.ops[i].Return = min(h.ops[i].Return, end+1) // of an unknown one
	}
}

// name takes the places of the writers from a row.
func (all *trace) name(s state) {
	for version, rest := s.version, s.writers; len(rest) > 0; version, rest = version-1, rest[nameSize:] {
		all.places[rest[:nameSize]] = version
		all.named[version] = true
	}
}

// check says whether there is an order, and how long that took to find out.
func (h *history) check() (porcupine.CheckResult, time.Duration) {
	begun := time.Now()
	result := porcupine.CheckOperationsTimeout(modelOf(h.first), h.ops, checkLimit)
	return result, time.Since(begun)
}

// miscounted says which rows moved by other than the number of writes that were reported, give or take the
// unknown ones. It is a check of its own: it knows nothing of orders.
func (h *history) miscounted() []error {
	type count struct{ written, unknown, last uint64 }
	counts := map[uint64]*count{}
	for _, op := range h.ops {
		in, out := op.Input.(input), op.Output.(output)
		c := counts[in.key]
		if c == nil {
			c = &count{}
			counts[in.key] = c
		}
		switch out.answer {
		case written:
			c.written++
		case unknown:
			c.unknown++
		case seen:
			c.last = out.row.version
		}
	}
	var errs []error
	for key, c := range counts {
		if moved := c.last - h.first.version; moved < c.written || moved > c.written+c.unknown {
			errs = append(errs, fmt.Errorf("row %d has moved by %d versions, for %d writes and %d unknown ones",
				key, moved, c.written, c.unknown))
		}
	}
	return errs
}
