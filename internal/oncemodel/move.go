package oncemodel

// world is one client's protocol in one scenario.
type world struct {
	sc    *Scenario
	flaws Flaw
}

// move is one thing that can happen next. An owed one happens sooner or later if nothing else does; what is
// not owed, such as a fault, may never happen.
type move struct {
	step
	owed bool
	next state
}

// moves gathers what can happen next.
type moves struct {
	from state
	list []move
}

// owed adds something that will happen, and returns the state to be changed by it.
func (m *moves) owed(e event, p int) *state { return m.add(e, p, true) }

// may adds something that can happen or not.
func (m *moves) may(e event, p int) *state { return m.add(e, p, false) }

// fault adds something that goes wrong. It is one of the few that may.
func (m *moves) fault(e event, p int) *state {
	s := m.add(e, p, false)
	s.faults--
	return s
}

func (m *moves) add(e event, p int, owed bool) *state {
	m.list = append(m.list, move{step{event: e, who: uint8(p)}, owed, m.from})
	return &m.last().next
}

// last is the move that was just added.
func (m *moves) last() *move { return &m.list[len(m.list)-1] }

// gather finds all that can happen next.
func (w *world) gather(m *moves, from state) {
	m.from, m.list = from, m.list[:0]
	for p := range m.from.procs {
		w.client(m, p)
		w.waiting(m, p)
	}
	for i := range m.from.sessions {
		w.server(m, i)
	}
	if m.from.faults > 0 {
		w.faults(m)
	}
}
