package oncemodel

// answer is what the caller of an id is told.
type answer uint8

const (
	pending    answer = iota
	applied           // by this call
	replayed          // it had been applied by another
	mismatch          // it was used for another row
	notApplied        // by this call
	unknown           // nobody could be asked
	needless          // unknown too, but the server was there to be asked
)

// again ends an attempt that is known not to be applied, and starts another; or else the caller has had
// enough, and is told so.
func (w *world) again(m *moves, p int, e event) {
	for _, gaveUp := range []bool{false, true} {
		s := m.add(e, p, !gaveUp)
		c := &s.procs[p]
		switch i := c.session; {
		case c.at == atEarly:
			s.kill(int(i))
		case i != none && s.sessions[i].link == connected:
			s.end(int(i))
		}
		if gaveUp {
			m.last().gaveUp = true
			w.answer(s, p, notApplied)
			continue
		}
		s.restart(p, earlier)
	}
}

// restart has a process begin anew: another attempt of its call, or another call of the same ids.
func (s *state) restart(p int, before age) {
	s.older(p, before)
	s.procs[p] = process{session: none, told: s.procs[p].told}
}

// answer tells the callers of all ids of a batch. Those that were new are told the answer given.
func (w *world) answer(s *state, p int, forFresh answer) {
	c := &s.procs[p]
	w.sc.batch(p).each(func(id ID) {
		switch {
		case c.found.has(id):
			c.answers[id] = replayed
		case c.foreign.has(id):
			c.answers[id] = mismatch
		default:
			c.answers[id] = forFresh
			if forFresh == applied {
				c.told = c.told.with(id)
			}
		}
	})
	*c = process{at: atEnd, session: none, answers: c.answers, told: c.told}
}

func (s *state) isUnknown(p int) bool {
	for _, a := range s.procs[p].answers {
		if a == unknown {
			return true
		}
	}
	return false
}
