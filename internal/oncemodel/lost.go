package oncemodel

// killOld ends the session that was lost. If its COMMIT was sent, what became of it is looked up next.
func (w *world) killOld(m *moves, p int) {
	if m.from.procs[p].at == atLost && w.flaws.has(NoKill) {
		m.owed(looksUnasked, p).procs[p].at = atLookUp
		return
	}
	if m.from.procs[p].at == atEarly {
		w.again(m, p, killsEarly)
		return
	}
	s := m.owed(killsOpen, p)
	m.last().event = s.kill(int(s.procs[p].session))
	s.procs[p].at = atLookUp
}

// lookUp reads the ids of the batch that were new. No session holds one by now, so that each is committed or
// absent.
func (w *world) lookUp(m *moves, p int) {
	fresh := w.fresh(&m.from, p)
	ours, present := true, true
	fresh.each(func(id ID) {
		ours = ours && m.from.ids[id] == tokenOf(p, current)
		present = present && m.from.ids[id] != nobody
	})
	switch {
	case ours:
		w.answer(m.owed(findsOwn, p), p, applied)
	case present && w.flaws.has(AnybodysIsOurs):
		w.answer(m.owed(findsOthers, p), p, applied)
	case !present && w.flaws.has(AbsentIsDone):
		w.answer(m.owed(findsAbsent, p), p, applied)
	case present:
		w.again(m, p, findsOthers)
	default:
		w.again(m, p, findsAbsent)
	}
}

// faults adds what can go wrong.
func (w *world) faults(m *moves) {
	for p := range m.from.procs {
		w.cutOff(m, p)
		w.crash(m, p)
		c := &m.from.procs[p]
		switch c.at {
		case atLost, atLookUp:
			told := unknown
			if w.flaws.has(UnknownIsUndone) {
				told = notApplied
			}
			w.answer(m.fault(cannotAsk, p), p, told)
		case atEarly:
			m.fault(cannotKill, p).restart(p, earlier)
		}
	}
	w.serverCrash(m)
}

// cutOff has a process lose its connection while it waits for an answer. What it has sent may be on its way
// still, or its answer may; the server does not know that nobody hears it.
func (w *world) cutOff(m *moves, p int) {
	c := &m.from.procs[p]
	isCut := c.session != none && m.from.sessions[c.session].link == connected
	if !isCut && c.at != atReply {
		return
	}
	s := m.fault(connectionCut, p)
	if isCut {
		s.sessions[c.session].link = cut
	}
	s.procs[p].at = c.at.withoutServer()
}

// crash is a kill -9 of a process, which comes back and runs its ids again. So does a caller who was answered
// and did not hear it.
func (w *world) crash(m *moves, p int) {
	if len(w.sc.IDs[p]) == 0 {
		return
	}
	s := m.fault(processCrash, p)
	if i := s.procs[p].session; i != none && s.sessions[i].link == connected {
		s.sessions[i].link = closed
	}
	s.restart(p, past)
}

// serverCrash is a kill -9 of the server, which comes back with what is committed. A COMMIT that it was about
// to answer may have been made durable: that it ends, and then the server, is a run of its own.
func (w *world) serverCrash(m *moves) {
	s := m.fault(serverCrash, 0)
	for i := range s.sessions {
		s.sessions[i] = session{}
	}
	for p := range s.procs {
		s.procs[p].session = none
		s.procs[p].at = s.procs[p].at.withoutSession(m.from.procs[p].session)
	}
}

// withoutServer is where a process goes on that has lost its connection.
func (at place) withoutServer() place {
	switch at {
	case atAnswer, atReply:
		return atLost
	case atIDs, atSwap, atInsert, atCommit, atRollback, atApart:
		return atEarly
	}
	return at
}

// withoutSession is where a process goes on after the server has crashed.
func (at place) withoutSession(had int8) place {
	if at == atApart && had == none {
		return at // each statement there has a connection of its own
	}
	return at.withoutServer()
}
