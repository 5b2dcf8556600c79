package oncemodel

import (
	"cmp"
	"fmt"
)

// broken says what is wrong in a state, or nothing. Answers are held to at each moment after they were given.
// The books are looked at when nothing is owed any more: what may still happen then may never happen.
func (w *world) broken(s *state, quiet bool) string {
	if quiet {
		if wrong := cmp.Or(s.stuck(), w.booksBroken(s)); wrong != "" {
			return wrong
		}
	}
	for p := range s.procs {
		for _, id := range w.sc.IDs[p] {
			if wrong := w.answerBroken(s, p, id); wrong != "" {
				return wrong
			}
		}
	}
	for id := range ID(ids) {
		if wrong := s.toldBroken(id); wrong != "" {
			return wrong
		}
	}
	return ""
}

// stuck says who has not answered, in a state in which nothing is owed.
func (s *state) stuck() string {
	for p := range s.procs {
		if s.procs[p].at != atEnd {
			return fmt.Sprintf("%s has not answered, and nothing that is bound to happen lets it go on", name(p))
		}
	}
	return ""
}

// answerBroken says what is wrong with the answer of a process for an id.
func (w *world) answerBroken(s *state, p int, id ID) string {
	t := s.ids[id]
	there := t != nobody
	sameRow := there && w.sc.Row[t.process()] == w.sc.Row[p]
	switch s.procs[p].answers[id] {
	case applied:
		if !t.ofCall(p) {
			return fmt.Sprintf("%s told that it has applied %s, and it has not", name(p), id)
		}
	case replayed:
		if !sameRow {
			return fmt.Sprintf("%s told that %s was applied before, and it was not", name(p), id)
		}
		if t.ofCall(p) {
			return fmt.Sprintf("%s told that %s was applied before, and has applied it itself", name(p), id)
		}
	case mismatch:
		if !there || sameRow {
			return fmt.Sprintf("%s told that %s was used for another row, and it was not", name(p), id)
		}
	case notApplied:
		if t.ofCall(p) {
			return fmt.Sprintf("%s told that it has not applied %s, and it has", name(p), id)
		}
	case needless:
		return fmt.Sprintf("%s told that the outcome of %s is unknown, and the server was there to be asked",
			name(p), id)
	}
	return ""
}

// toldBroken says what is wrong with what all callers of an id were ever told.
func (s *state) toldBroken(id ID) string {
	told := 0
	for p := range s.procs {
		if s.procs[p].told.has(id) {
			told++
		}
	}
	switch {
	case told > 1:
		return fmt.Sprintf("two callers were told that they have applied %s", id)
	case told == 1 && s.ids[id] == nobody:
		return fmt.Sprintf("a caller was told that %s is applied, and it is not there", id)
	}
	return ""
}

// booksBroken says where the rows and the table of operations disagree.
func (w *world) booksBroken(s *state) string {
	for i, r := range s.rows {
		version := uint8(1)
		for id, t := range s.ids {
			entries := uint8(0)
			if t != nobody && w.sc.Row[t.process()] == i {
				entries = 1
			}
			version += entries
			if r.balance[id] != entries {
				return fmt.Sprintf("row %d holds the amount of %s %d x, and %s is there %d x",
					i+1, ID(id), r.balance[id], ID(id), entries)
			}
		}
		if r.version != version {
			return fmt.Sprintf("row %d has version %d, and after its ids it should have %d", i+1, r.version, version)
		}
	}
	return ""
}
