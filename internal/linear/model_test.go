package linear

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/anishathalye/porcupine"
)

// state is a row as one write has left it. The writers' names are in it, the last one's first, so that each row that
// anybody sees tells who wrote the versions before it, also those between the first and the last of a batch.
type state struct {
	balance int64
	version uint64
	writers string // in the column owner
}

const (
	nameSize    = 2
	writersSize = 64 // what the column holds
)

// signed adds a name to the writers'. The oldest ones make room.
func signed(writers, name string) string {
	writers = name + writers
	return writers[:min(len(writers), writersSize)]
}

// method is what was called.
type method uint8

const (
	get         method = iota
	add                // Update
	addIf              // UpdateIfVersion
	methodCount = iota // the number of methods
)

func (m method) String() string { return [...]string{"Get", "Update", "UpdateIfVersion"}[m] }

// input is a call: of Get, or one that adds delta, and refuses to where the balance would be below 0 then.
type input struct {
	method  method
	key     uint64
	delta   int64
	version uint64 // of addIf
	name    string // of the write
}

// answer is what a call was told.
type answer uint8

const (
	failed      answer = iota // and nothing was applied
	seen                      // the row, by Get
	written                   // the row as written
	refused                   // by the closure, on this row
	conflicted                // the row had another version, this one if it was seen
	unknown                   // applied at any time since the call, or never
	answerCount = iota        // the number of answers
)

func (a answer) String() string {
	return [...]string{"failed", "read", "written", "refused", "conflicts", "unknown"}[a]
}

// output is how a call ended.
type output struct {
	answer answer
	row    state  // the zero state if there was none
	turn   int    // of one that reads: how many before it have read the same version
	all    *trace // of all calls of the row
}

// trace is what all answers about a row tell together. The model could do without; porcupine could not: it would try
// all orders of reads that meet, and all choices of unknown writes. See [step].
type trace struct {
	reads  map[uint64]int    // of each version
	places map[string]uint64 // the versions of the writes whose names somebody has seen
	named  map[uint64]bool   // those versions
	last   uint64            // the row's version at the end of the history
}

// reads reports whether the answer tells what the row was at one moment, and is so a read of it.
func reads(in input, out output) bool {
	switch out.answer {
	case seen, refused:
		return true
	case conflicted: // a row at the version that was asked for is the one that the call was based on
		return out.row.version > 0 && out.row.version != in.version
	}
	return false
}

// point is a state that a number of calls have read.
type point struct {
	state
	turn int
}

// write is what a row becomes by the call, and whether the call would write it.
func (in input) write(s state) (state, bool) {
	next := state{balance: s.balance + in.delta, version: s.version + 1, writers: signed(s.writers, in.name)}
	return next, in.method != get && next.balance >= 0 && (in.method == add || s.version == in.version)
}

// step says whether a call may have ended like that on a row at that point, and the point after it.
//
// A write of unknown outcome is one that has not returned by the end of the history. If it never was applied
// it has its place after everything else, where it changes nothing that anybody could see. So there is no need for
// a model with choices.
//
// There is an order of all calls if there is one in which the reads of one version come as they were called, and
// in which unknown writes are where their names were seen or, if they were not, where no name was: it is those
// orders alone that are tried.
func step(p point, in input, out output) (bool, point) {
	next, writes := in.write(p.state)
	may := p.turn == out.all.reads[p.version] // all have read the version that is to be overwritten
	then := point{state: next}
	switch out.answer {
	case written:
		return may && writes && out.row == next, then
	case unknown:
		place := out.all.places[in.name]
		if place == 0 && p.version == out.all.last {
			return true, p
		}
		return may && writes && (next.version == place || place == 0 && !out.all.named[next.version]), then
	case conflicted:
		if p.version == in.version {
			return false, p
		}
	case refused:
		if next.balance >= 0 || in.method == addIf && p.version != in.version {
			return false, p
		}
	}
	if !reads(in, out) {
		return true, p
	}
	return out.row == p.state && out.turn == p.turn, point{p.state, p.turn + 1}
}

// modelOf is the model of rows that all begin in one state.
func modelOf(first state) porcupine.Model {
	seed := maphash.MakeSeed()
	return porcupine.Model{
		Init:      func() any { return point{state: first} },
		Partition: byRow,
		Step: func(p, in, out any) (bool, any) {
			ok, next := step(p.(point), in.(input), out.(output))
			return ok, next
		},
		Hash:              func(p any) uint64 { return maphash.Comparable(seed, p.(point)) },
		DescribeOperation: func(in, out any) string { return describe(in.(input), out.(output)) },
		DescribeState:     func(p any) string { return p.(point).String() },
	}
}

// byRow divides a history into those of the single rows.
func byRow(ops []porcupine.Operation) [][]porcupine.Operation {
	rows := map[uint64][]porcupine.Operation{}
	for _, op := range ops {
		key := op.Input.(input).key
		rows[key] = append(rows[key], op)
	}
	parts := make([][]porcupine.Operation, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		parts = append(parts, rows[key])
	}
	return parts
}

func (s state) String() string {
	return fmt.Sprintf("version %d, balance %d, written by %s", s.version, s.balance, s.writers)
}

// describe tells of a call as the drawing of a history shows it.
func describe(in input, out output) string {
	var args string
	switch in.method {
	case add:
		args = fmt.Sprintf(", %+d by %s", in.delta, in.name)
	case addIf:
		args = fmt.Sprintf(", version %d, %+d by %s", in.version, in.delta, in.name)
	}
	text := fmt.Sprintf("%v(%d%s): %v", in.method, in.key, args, out.answer)
	if out.row != (state{}) {
		text += " at " + out.row.String()
	}
	return text
}
