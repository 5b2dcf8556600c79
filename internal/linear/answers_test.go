package linear

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// told is a call of a history that is made by hand: when it was made, when it was answered, and how.
type told struct {
	begun, ended int64
	in           input
	out          output
}

// row is a state of the row of such a history, which begins at balance 15, version 5.
func row(balance int64, version uint64, writers string) state {
	return state{balance, version, writers}
}

func read(begun, ended int64, s state) told {
	return told{begun, ended, input{method: get}, output{answer: seen, row: s}}
}

func adds(begun, ended int64, name string, delta int64, a answer, s state) told {
	return told{begun, ended, input{method: add, delta: delta, name: name}, output{answer: a, row: s}}
}

func edits(begun, ended int64, name string, delta int64, version uint64, a answer, s state) told {
	in := input{method: addIf, delta: delta, name: name, version: version}
	return told{begun, ended, in, output{answer: a, row: s}}
}

var (
	none   state
	fresh  = opening
	after1 = row(16, 6, "aa")
	after2 = row(18, 7, "bbaa")
)

// right are histories that have an order.
var right = map[string][]told{
	"one after the other": {
		adds(1, 2, "aa", 1, written, after1), adds(3, 4, "bb", 2, written, after2), read(5, 6, after2),
	},
	"answered in the other order": {
		adds(1, 9, "aa", 1, written, after1), adds(2, 3, "bb", 2, written, after2), read(10, 11, after2),
	},
	"reads of both states that overlap the write": {
		adds(1, 9, "aa", 1, written, after1), read(2, 3, fresh), read(4, 5, after1), read(10, 11, after1),
	},
	"two reads of one state, of which the later comes back first": {
		read(1, 9, fresh), read(2, 3, fresh), adds(4, 5, "aa", 1, written, after1), read(10, 11, after1),
	},
	"a refusal of too low a balance": {
		adds(1, 2, "aa", -16, refused, fresh), read(3, 4, fresh),
	},
	"a conflict with the row that was in the way": {
		adds(1, 2, "aa", 1, written, after1), edits(3, 4, "bb", 2, 5, conflicted, after1), read(5, 6, after1),
	},
	"a conflict that tells no row": {
		adds(1, 2, "aa", 1, written, after1), edits(3, 4, "bb", 2, 5, conflicted, none), read(5, 6, after1),
	},
	"a conflict that tells the row as it was asked for": {
		adds(1, 9, "aa", 1, written, after1), edits(3, 4, "bb", 2, 5, conflicted, fresh), read(10, 11, after1),
	},
	"an edit of the version that it was made for": {
		edits(1, 2, "aa", 1, 5, written, after1), read(3, 4, after1),
	},
	"unknown, and never applied": {
		adds(1, 2, "aa", 1, unknown, none), read(3, 4, fresh), read(5, 6, fresh),
	},
	"unknown, and never applied to a balance that does not allow it": {
		adds(1, 2, "aa", -16, unknown, none), read(3, 4, fresh),
	},
	"unknown, an edit that was never applied at another version": {
		adds(1, 2, "aa", 1, written, after1), edits(3, 4, "bb", 2, 5, unknown, none), read(5, 6, after1),
	},
	"unknown, and applied when it was answered": {
		adds(1, 2, "aa", 1, unknown, none), read(3, 4, after1), read(5, 6, after1),
	},
	"unknown, and applied long after it was answered": {
		adds(1, 2, "aa", 1, unknown, none), read(3, 4, fresh), read(5, 6, after1),
	},
	"unknown, and seen by nobody before the next write": {
		adds(1, 2, "aa", 1, unknown, none), adds(3, 4, "bb", 2, written, after2), read(5, 6, after2),
	},
	"more unknown ones than a row can name": crowd(0),
	"one of two unknown ones": {
		adds(1, 2, "cc", 7, unknown, none), adds(1, 2, "aa", 1, unknown, none),
		adds(3, 4, "bb", 2, written, after2), read(5, 6, after2),
	},
}

// crowd is more unknown writes in a row than a row can name, and a read of what they and more have added up to.
func crowd(more int64) []told {
	const n = writersSize/nameSize + 6
	calls := make([]told, 0, n+1)
	var writers string
	for i := range n {
		calls = append(calls, adds(1, 2, nameOf(i), 1, unknown, none))
		writers = signed(writers, nameOf(i))
	}
	return append(calls, read(3, 4, row(opening.balance+n+more, opening.version+n, writers)))
}

// wrong are histories that have none.
var wrong = map[string][]told{
	"a lost update": {
		adds(1, 3, "aa", 1, written, after1), adds(2, 4, "bb", 2, written, row(17, 6, "bb")),
		read(5, 6, row(17, 6, "bb")),
	},
	"a write that is gone": {
		adds(1, 2, "aa", 1, written, after1), read(3, 4, fresh),
	},
	"a read of what was before a write that had been answered": {
		adds(1, 2, "aa", 1, written, after1), read(3, 4, fresh), read(5, 6, after1),
	},
	"a read of what comes only later": {
		read(1, 2, after1), adds(3, 4, "aa", 1, written, after1), read(5, 6, after1),
	},
	"a read of what never was": {
		adds(1, 9, "aa", 1, written, after1), read(2, 3, row(15, 6, "aa")), read(10, 11, after1),
	},
	"another's row": {
		adds(1, 9, "aa", 1, written, row(16, 6, "bb")), adds(1, 9, "bb", 1, written, row(17, 7, "aabb")),
		read(10, 11, row(17, 7, "aabb")),
	},
	"time that goes back between two reads": {
		adds(1, 9, "aa", 1, written, after1), read(2, 3, after1), read(4, 5, fresh), read(10, 11, after1),
	},
	"a version that two writes have": {
		adds(1, 9, "aa", 0, written, row(15, 6, "aa")), adds(1, 9, "bb", 0, written, row(15, 6, "bb")),
		read(10, 11, row(15, 6, "bb")),
	},
	"a refusal of enough": {
		adds(1, 2, "aa", -15, refused, fresh), read(3, 4, fresh),
	},
	"a refusal of a row that never was": {
		adds(1, 2, "aa", -16, refused, row(14, 6, "bb")), read(3, 4, fresh),
	},
	"a refusal of a row that was no more": {
		adds(1, 2, "aa", 1, written, after1), adds(3, 4, "bb", -16, refused, fresh), read(5, 6, after1),
	},
	"a write of a balance below 0": {
		adds(1, 2, "aa", -16, written, row(-1, 6, "aa")), read(3, 4, row(-1, 6, "aa")),
	},
	"an edit of another version": {
		adds(1, 2, "aa", 1, written, after1), edits(3, 4, "bb", 2, 5, written, after2), read(5, 6, after2),
	},
	"an edit that is refused at another version": {
		adds(1, 2, "aa", 1, written, after1), edits(3, 4, "bb", -17, 5, refused, after1), read(5, 6, after1),
	},
	"a conflict with nobody": {
		edits(1, 2, "aa", 1, 5, conflicted, none), read(3, 4, fresh),
	},
	"a conflict with a row that never was": {
		adds(1, 2, "aa", 1, written, after1), edits(3, 4, "bb", 2, 5, conflicted, after2), read(5, 6, after1),
	},
	"unknown, and applied before it was called": {
		read(1, 2, after1), adds(3, 4, "aa", 1, unknown, none), read(5, 6, after1),
	},
	"unknown, and applied twice": {
		adds(1, 2, "aa", 1, unknown, none), read(3, 4, after1), read(5, 6, row(17, 7, "aaaa")),
	},
	"unknown, and applied twice, which nobody saw": {
		adds(1, 2, "aa", 1, unknown, none), adds(3, 4, "bb", 2, written, row(19, 8, "bbaaaa")),
		read(5, 6, row(19, 8, "bbaaaa")),
	},
	"unknown, applied and undone": {
		adds(1, 2, "aa", 1, unknown, none), read(3, 4, after1), read(5, 6, fresh),
	},
	"unknown, and applied to a balance that does not allow it": {
		adds(1, 2, "aa", -16, unknown, none), read(3, 4, row(-1, 6, "aa")),
	},
	"unknown, an edit that was applied at another version": {
		edits(1, 2, "bb", 2, 5, unknown, none), adds(1, 2, "aa", 1, written, after1), read(3, 4, after2),
	},
	"more unknown ones than a row can name, one of them twice": crowd(1),
	"failed, and applied at once": {
		adds(1, 2, "aa", 1, failed, none), read(3, 4, after1),
	},
	"failed, and applied after everything else": {
		adds(1, 2, "aa", 1, failed, none), read(3, 4, fresh), read(5, 6, after1),
	},
	"failed, and applied before another's write": {
		adds(1, 2, "aa", 1, failed, none), adds(3, 4, "bb", 2, written, after2), read(5, 6, after2),
	},
}

// Ensures that the model takes every history that calls may have and no other, for each kind of answer: what the
// tests on servers find is worth what this finds.
func TestTheModelKnowsRightFromWrong(t *testing.T) {
	t.Parallel()
	verdict := func(calls []told) porcupine.CheckResult {
		h := newHistory(1, opening)
		for i, c := range calls {
			if c.out.answer != failed {
				h.enter(i, c.in, c.out, c.begun, c.ended)
			}
		}
		h.seal()
		result, _ := h.check()
		return result
	}
	for name, calls := range right {
		require.Equal(t, porcupine.Ok, verdict(calls), name)
	}
	for name, calls := range wrong {
		require.Equal(t, porcupine.Illegal, verdict(calls), name)
	}
}
