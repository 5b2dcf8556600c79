package oncemodel

// state is all there is at one moment. It has no pointers, so that two states can be compared.
type state struct {
	rows     [2]row     // as committed
	ids      [ids]token // the table of operations, as committed
	sessions [slots]session
	procs    [processes]process
	faults   uint8 // how many may still happen
}

// slots is room for the session of each process and for those that faults leave behind.
const slots = processes + 3

// row is a versioned row. Its balance is kept as how often the amount of each id is in it, so that a write
// that is lost shows as well as one that is made twice.
type row struct {
	version uint8
	balance [ids]uint8
}

// add applies ids to a copy of the row.
func (r row) add(fresh idSet) row {
	fresh.each(func(id ID) { r.balance[id]++ })
	r.version += fresh.size()
	return r
}

// token says which attempt has inserted an id. A real one is random. Here it is named by what can be
// told apart: the process, and how long ago the attempt was; so that states which differ in nothing else are one.
type token uint8

// age is how long ago an attempt was.
type age uint8

const (
	current age = iota // the attempt that its process makes now
	earlier            // one of the same call
	past               // one of a call that was answered, or that died with its process
	ages
)

const nobody token = 0

func tokenOf(p int, a age) token  { return token(p)*token(ages) + token(a) + 1 }
func (t token) process() int      { return int((t - 1) / token(ages)) }
func (t token) age() age          { return age((t - 1) % token(ages)) }
func (t token) ofCall(p int) bool { return t != nobody && t.process() == p && t.age() != past }

// older makes all attempts of a process that are younger than the age as old.
func (s *state) older(p int, than age) {
	grow := func(t *token) {
		if *t != nobody && t.process() == p && t.age() < than {
			*t = tokenOf(p, than)
		}
	}
	for i := range s.ids {
		grow(&s.ids[i])
	}
	for i := range s.sessions {
		grow(&s.sessions[i].token)
	}
}

// phase is what the server does with a session.
type phase uint8

const (
	free       phase = iota // there is no such session
	open                    // its transaction is open
	committing              // it executes COMMIT: no KILL undoes that any more, and its locks are still held
	undoing                 // it was killed, and its transaction is being rolled back, with its locks still held
)

// link is the client's end of a session.
type link uint8

const (
	connected link = iota
	cut            // the network has let go; the server does not know, and may never
	closed         // the client's machine has closed it, so that the server will come to know
)

// session is a connection as the server sees it, with its transaction.
type session struct {
	phase   phase
	link    link
	proc    uint8 // whose it is
	commit  bool  // a COMMIT is on its way to the server
	locked  bool  // it holds the row of its process
	wrote   bool  // it has swapped the row
	row     row   // what it has written
	added   idSet // the ids that it has inserted, and holds
	token   token // what it has inserted them with
	looked  bool  // it has its snapshot
	visible [ids]uint8
}

// connect gives a process a new session.
func (s *state) connect(p int) *session {
	for i := range s.sessions {
		if s.sessions[i].phase == free {
			s.sessions[i] = session{phase: open, proc: uint8(p), token: tokenOf(p, current)}
			s.procs[p].session = int8(i)
			return &s.sessions[i]
		}
	}
	panic("more sessions than faults can leave behind")
}

// end lets go of a session, of its locks and of what it has not committed.
func (s *state) end(i int) {
	if p := &s.procs[s.sessions[i].proc]; p.session == int8(i) {
		p.session = none
	}
	s.sessions[i] = session{}
}

// rowHolder returns the session that has the row, other than the one that asks.
func (s *state) rowHolder(sc *Scenario, row int, asks int8) int {
	for i, o := range s.sessions {
		if o.locked && sc.Row[o.proc] == row && int8(i) != asks {
			return i
		}
	}
	return none
}

// idHolder returns a session that has inserted one of the ids, other than the one that asks.
func (s *state) idHolder(some idSet, asks int8) int {
	for i, o := range s.sessions {
		if o.added.meets(some) && int8(i) != asks {
			return i
		}
	}
	return none
}

// none is no session.
const none = -1

// start is the state in which nothing has happened.
func start(sc *Scenario) state {
	s := state{faults: uint8(sc.Faults)}
	for i := range s.rows {
		s.rows[i].version = 1
	}
	for p := range s.procs {
		s.procs[p].session = none
		if len(sc.IDs[p]) == 0 {
			s.procs[p].at = atEnd
		}
	}
	return s
}
