package oncemodel

// ID is an operation id.
type ID uint8

// The ids there are. A scenario says who runs which.
const (
	S ID = iota
	A
	B
	ids = 3
)

// processes is how many clients there are.
const processes = 2

// Scenario says who runs what, and what may go wrong.
type Scenario struct {
	// Row is the row that each process changes, 0 or 1. An operation belongs to one row, so that processes which
	// run an id on two have made a mistake.
	Row [processes]int
	// IDs are each process's batch, in the order in which it inserts them. One without ids does nothing.
	IDs [processes][]ID
	// IDsFirst has the ids read before the transaction begins, as where a closure does all that is in it. What
	// the row is then read as may be newer.
	IDsFirst bool
	// ReadCommitted has each plain read see what is committed, and not the transaction's snapshot.
	ReadCommitted bool
	// Faults is how many things may go wrong in a run: 3 at most.
	Faults int
}

// batch is the ids of a process.
func (sc *Scenario) batch(p int) (all idSet) {
	for _, id := range sc.IDs[p] {
		all = all.with(id)
	}
	return all
}

// Flaw is a set of ways in which a client can get the protocol wrong. None is the protocol as it is.
type Flaw uint16

const (
	// PlainLookUp looks a lost COMMIT up by a read that waits for nobody.
	PlainLookUp Flaw = 1 << iota
	// NoKill looks a lost COMMIT up while its session lives.
	NoKill
	// AbsentIsDone takes an id that the look-up does not find for one that is applied.
	AbsentIsDone
	// AnybodysIsOurs takes an id that the look-up finds for its own, whoever has inserted it.
	AnybodysIsOurs
	// UnknownIsUndone answers "not applied" where nothing could be found out.
	UnknownIsUndone
	// IDsBefore inserts the ids in a transaction of their own, before the row is swapped.
	IDsBefore
	// IDsAfter inserts the ids in a transaction of their own, after the COMMIT.
	IDsAfter
	// BlindSwap writes the row whatever its version is by now.
	BlindSwap
	// DuplicateIsFine goes on when an id that is inserted turns out to be there already.
	DuplicateIsFine
)

func (f Flaw) has(one Flaw) bool { return f&one != 0 }

// idSet is some of the ids.
type idSet uint8

func (s idSet) has(id ID) bool     { return s&(1<<id) != 0 }
func (s idSet) with(id ID) idSet   { return s | 1<<id }
func (s idSet) less(o idSet) idSet { return s &^ o }
func (s idSet) meets(o idSet) bool { return s&o != 0 }
func (s idSet) each(do func(id ID)) {
	for id := range ID(ids) {
		if s.has(id) {
			do(id)
		}
	}
}

func (s idSet) size() (n uint8) {
	s.each(func(ID) { n++ })
	return n
}
