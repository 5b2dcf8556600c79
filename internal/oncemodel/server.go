package oncemodel

// server adds what the server, and the network before it, do with a session by themselves.
func (w *world) server(m *moves, i int) {
	o := &m.from.sessions[i]
	p := int(o.proc)
	switch o.phase {
	case free:
	case open:
		w.delivery(m, i)
		switch o.link {
		case connected:
		case cut:
			m.may(serverNotices, p).end(i)
		case closed:
			m.owed(serverUndoesClosed, p).end(i)
		}
	case committing:
		s := m.owed(serverCommits, p)
		s.publish(w.sc, i)
		if o.link == connected {
			s.procs[p].at = atReply
		}
		s.end(i)
	case undoing:
		m.owed(serverUndoesKilled, p).end(i)
	}
}

// delivery adds what becomes of a COMMIT on its way. On a connection that is not cut it arrives; on one
// that is it may arrive much later, or never; where the client has closed its end it may come before the
// server knows.
func (w *world) delivery(m *moves, i int) {
	o := &m.from.sessions[i]
	if !o.commit {
		return
	}
	s := m.add(commitArrives, int(o.proc), o.link == connected)
	s.sessions[i].commit, s.sessions[i].phase = false, committing
	if o.link == cut {
		m.may(commitDropped, int(o.proc)).sessions[i].commit = false
	}
}

// publish makes what a session has written the committed state.
func (s *state) publish(sc *Scenario, i int) {
	o := &s.sessions[i]
	if o.wrote {
		s.rows[sc.Row[o.proc]] = o.row
	}
	o.added.each(func(id ID) { s.ids[id] = o.token })
}

// kill ends a session from outside. It undoes no COMMIT that the server has begun; one that is still on its
// way is void. The transaction ends after the KILL is answered.
func (s *state) kill(i int) event {
	if i == none {
		return killsNobody
	}
	o := &s.sessions[i]
	switch o.phase {
	case committing:
		return killsCommitting
	case open:
		o.phase, o.commit = undoing, false
	}
	return killsOpen
}

// blocker returns the session that a process has to wait for before it can go on.
func (w *world) blocker(s *state, p int) int {
	c := &s.procs[p]
	switch c.at {
	case atSwap:
		return s.rowHolder(w.sc, w.sc.Row[p], c.session)
	case atInsert:
		return s.idHolder(idSet(0).with(w.sc.IDs[p][c.next]), c.session)
	case atApart:
		return s.idHolder(w.fresh(s, p), none)
	case atLookUp:
		if !w.flaws.has(PlainLookUp) {
			return s.idHolder(w.fresh(s, p), none)
		}
	}
	return none
}

// waiting adds what ends a wait, if the process is in one, other than its end: the server rolls one of those
// back who wait for each other, and no wait for a session that nobody ends is longer than its bound.
func (w *world) waiting(m *moves, p int) {
	i := w.blocker(&m.from, p)
	if i == none {
		return
	}
	other, mine := &m.from.sessions[i], m.from.procs[p].session
	q := int(other.proc)
	alive := m.from.procs[q].session == int8(i) && other.phase == open && other.link == connected
	if q != p && mine != none && alive {
		if j := w.blocker(&m.from, q); j != none && int8(j) == mine {
			w.again(m, p, deadlock)
		}
	}
	if other.phase != open || other.link != cut {
		return
	}
	if m.from.procs[p].at != atLookUp {
		w.again(m, p, waitRunsOut)
		return
	}
	told := unknown
	if mine == int8(i) {
		told = needless
	}
	w.answer(m.owed(lookUpRunsOut, p), p, told)
}
