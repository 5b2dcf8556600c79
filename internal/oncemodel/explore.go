package oncemodel

import (
	"fmt"
	"slices"
	"strings"
)

// Result is what an exploration has found.
type Result struct {
	States int // different ones
	Moves  int // from all of them
	Ends   int // states after which nothing need happen any more

	// Violation is nil if the protocol keeps its promises in every state.
	Violation *Violation

	taken  [events]int
	gaveUp int
}

// Violation is a run that ends in a broken promise. No run that does so is shorter.
type Violation struct {
	Steps   []string
	Promise string // what is wrong in the end
}

// String is the run as a numbered list.
func (v *Violation) String() string {
	var b strings.Builder
	for i, step := range v.Steps {
		fmt.Fprintf(&b, "%2d. %s\n", i+1, step)
	}
	return b.String() + "    Wrong: " + v.Promise + ".\n"
}

// came is how a state was first reached.
type came struct {
	from int32 // which state before
	by   step
}

// Explore tries everything that can happen in a scenario to clients with a flaw, or with none, in any order. It
// goes through the states breadth first, so that what it finds is as short as can be, and stops at the
// first that is broken.
func Explore(sc Scenario, flaws Flaw) Result {
	w := &world{sc: &sc, flaws: flaws}
	return w.explore(w.broken)
}

// explore holds all states to what broken looks for.
func (w *world) explore(broken func(s *state, quiet bool) string) Result {
	first := start(w.sc)
	seen := map[state]struct{}{first: {}}
	reached := []came{{from: none}}
	level := []state{first}
	var res Result
	var m moves
	for base := int32(0); len(level) > 0; {
		var next []state
		for i := range level {
			w.gather(&m, level[i])
			quiet := !m.anyOwed()
			if quiet {
				res.Ends++
			}
			if wrong := broken(&level[i], quiet); wrong != "" {
				res.States, res.Violation = len(seen), &Violation{trace(reached, base+int32(i)), wrong}
				return res
			}
			for _, mv := range m.list {
				res.Moves++
				res.taken[mv.event]++
				if mv.gaveUp {
					res.gaveUp++
				}
				if _, known := seen[mv.next]; known {
					continue
				}
				seen[mv.next] = struct{}{}
				next = append(next, mv.next)
				reached = append(reached, came{base + int32(i), mv.step})
			}
		}
		base += int32(len(level))
		level = next
	}
	res.States = len(seen)
	return res
}

// anyOwed reports whether something is bound to happen.
func (m *moves) anyOwed() bool {
	for i := range m.list {
		if m.list[i].owed {
			return true
		}
	}
	return false
}

// trace is what has happened on the way to a state.
func trace(reached []came, to int32) []string {
	var back []string
	for ; reached[to].from != none; to = reached[to].from {
		back = append(back, reached[to].by.String())
	}
	slices.Reverse(back)
	return back
}
