package oncemodel

// place is where a process is in the protocol: what it does next.
type place uint8

const (
	atStart    place = iota // begin an attempt: read the row, or the ids if they come first
	atRow                   // read the row, after the ids
	atIDs                   // read the ids, after the row
	atSwap                  // run the closures of ids that are new, and swap the row
	atInsert                // insert the next id
	atCommit                // send COMMIT
	atAnswer                // wait for the server's answer to it
	atReply                 // read the answer, which is on its way: committed
	atRollback              // roll back, and start again
	atLost                  // KILL the session whose COMMIT was not answered
	atLookUp                // read the ids, to learn what became of it
	atEarly                 // KILL a session that was lost before COMMIT was sent
	atApart                 // a flaw: insert the ids in a transaction of their own
	atEnd                   // all is answered
)

// process is a client that runs one batch of ids on its row.
type process struct {
	at      place
	session int8 // the one of this attempt, or the one that it has lost
	read    row  // the row as it was read
	found   idSet
	foreign idSet // found, but for another row
	next    uint8 // which id is inserted next
	answers [ids]answer
	told    idSet // ever told applied, and not replayed, by whichever call of the process
}

// fresh is the ids of the batch that were not found, as far as the attempt has come.
func (w *world) fresh(s *state, p int) idSet {
	return w.sc.batch(p).less(s.procs[p].found).less(s.procs[p].foreign)
}

// client adds what a process can do next. It can do nothing while it waits for a lock.
func (w *world) client(m *moves, p int) {
	if w.blocker(&m.from, p) != none {
		return
	}
	switch m.from.procs[p].at {
	case atStart:
		if w.sc.IDsFirst {
			w.readIDs(m, p)
		} else {
			w.readRow(m, p)
		}
	case atRow:
		w.readRow(m, p)
	case atIDs:
		w.readIDs(m, p)
	case atSwap:
		w.swap(m, p)
	case atInsert:
		w.insert(m, p)
	case atCommit:
		s := m.owed(sendsCommit, p)
		s.sessions[s.procs[p].session].commit = true
		s.procs[p].at = atAnswer
	case atReply:
		w.hear(m, p)
	case atRollback:
		w.again(m, p, rollsBack)
	case atApart:
		w.insertApart(m, p)
	case atLost, atEarly:
		w.killOld(m, p)
	case atLookUp:
		w.lookUp(m, p)
	case atEnd:
		if m.from.isUnknown(p) {
			m.may(runsAgain, p).restart(p, past)
		}
	case atAnswer:
	}
}

// readRow begins the transaction: with a plain read, which takes the snapshot, or, as if the key were warm, with
// a locking one, which does not.
func (w *world) readRow(m *moves, p int) {
	row, next := w.sc.Row[p], atIDs
	if w.sc.IDsFirst {
		next = atSwap
	}
	s := m.owed(readsRow, p)
	s.look(s.connect(p))
	s.procs[p].read, s.procs[p].at = s.rows[row], next
	if m.from.rowHolder(w.sc, row, none) == none {
		s = m.owed(locksRow, p)
		s.connect(p).locked = true
		s.procs[p].read, s.procs[p].at = s.rows[row], next
	}
}

// look takes a session's snapshot: all that matters of it is whose the ids are.
func (s *state) look(o *session) {
	o.looked = true
	for id, t := range s.ids {
		o.visible[id] = 0
		if t != nobody {
			o.visible[id] = uint8(t.process()) + 1
		}
	}
}

// readIDs is the plain read of the ids. If none is new there is nothing to write.
func (w *world) readIDs(m *moves, p int) {
	s := m.owed(findsSomeNew, p)
	c := &s.procs[p]
	o := &session{}
	if c.session != none {
		o = &s.sessions[c.session]
	}
	if !o.looked || w.sc.ReadCommitted {
		s.look(o)
	}
	w.sc.batch(p).each(func(id ID) {
		switch by := o.visible[id]; {
		case by == 0:
		case w.sc.Row[by-1] == w.sc.Row[p]:
			c.found = c.found.with(id)
		default:
			c.foreign = c.foreign.with(id)
		}
	})
	switch {
	case w.fresh(s, p) == 0:
		m.last().event = findsAll
		if c.session != none {
			s.end(int(c.session))
		}
		w.answer(s, p, pending)
	case c.session == none:
		c.at = atRow
	case w.flaws.has(IDsBefore):
		c.at = atApart
	default:
		c.at = atSwap
	}
}

// swap is the UPDATE: it has the row's lock by now, and compares with the latest committed version. The
// balance that it writes comes from the row that was read.
func (w *world) swap(m *moves, p int) {
	s := m.owed(swapsRow, p)
	c := &s.procs[p]
	o := &s.sessions[c.session]
	o.locked = true
	latest := s.rows[w.sc.Row[p]]
	if c.read.version != latest.version && !w.flaws.has(BlindSwap) {
		m.last().event = findsConflict
		c.at = atRollback
		return
	}
	o.wrote = true
	o.row = c.read.add(w.fresh(s, p))
	o.row.version = latest.version + w.fresh(s, p).size()
	c.at = atCommit
	if !w.flaws.has(IDsBefore) && !w.flaws.has(IDsAfter) {
		c.at = atInsert
		w.skip(s, p)
	}
}

// insert inserts one id. Nobody else holds it by now, so that it is committed or absent.
func (w *world) insert(m *moves, p int) {
	id := w.sc.IDs[p][m.from.procs[p].next]
	s := m.owed(insertsID, p)
	m.last().id = id
	c := &s.procs[p]
	if s.ids[id] != nobody {
		m.last().event = findsDuplicate
		if !w.flaws.has(DuplicateIsFine) {
			c.at = atRollback
			return
		}
		c.found = c.found.with(id)
	} else {
		o := &s.sessions[c.session]
		o.added = o.added.with(id)
	}
	c.next++
	w.skip(s, p)
}

// skip passes over the ids that are not to be inserted. After the last comes COMMIT.
func (w *world) skip(s *state, p int) {
	c := &s.procs[p]
	batch, fresh := w.sc.IDs[p], w.fresh(s, p)
	for int(c.next) < len(batch) && !fresh.has(batch[c.next]) {
		c.next++
	}
	if int(c.next) == len(batch) {
		c.next, c.at = 0, atCommit
	}
}

// hear reads that the transaction is committed.
func (w *world) hear(m *moves, p int) {
	s := m.owed(hearsCommitted, p)
	if w.flaws.has(IDsAfter) {
		s.procs[p].at = atApart
		return
	}
	w.answer(s, p, applied)
}

// insertApart is not of the protocol: it inserts the ids where nothing ties them to the row. Before the swap a
// duplicate entry still makes another attempt; after the COMMIT it comes too late.
func (w *world) insertApart(m *moves, p int) {
	fresh, duplicate := w.fresh(&m.from, p), false
	s := m.owed(insertsApart, p)
	fresh.each(func(id ID) { duplicate = duplicate || s.ids[id] != nobody })
	fresh.each(func(id ID) {
		if !duplicate {
			s.ids[id] = tokenOf(p, current)
		}
	})
	switch {
	case w.flaws.has(IDsAfter):
		w.answer(s, p, applied)
	case duplicate:
		s.procs[p].at = atRollback
	default:
		s.procs[p].at = atSwap
	}
}
