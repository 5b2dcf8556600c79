package conformance

import (
	"maps"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// historyModel is what a Store of account is to be to one caller at a time: a map. It shares no code
// with the Stores. Where they may differ, which is when somebody comes in between, it says for each
// what is right.
type historyModel struct {
	locking    bool // a row that was read is locked: whoever comes in between is kept out
	repeatable bool // plain reads of a transaction all see the rows as they were at the first one
	rows       map[uint64]shop.Account
}

// fault is the model's error.
type fault struct {
	class  string
	about  string
	actual uint64
	again  bool // a conflict: UpdateTx runs the closure again
}

// Error names the class.
func (f *fault) Error() string { return f.class }

// Faults of the model.
func faultGone(key uint64) *fault {
	return &fault{class: "ErrGone+ErrNoRows", about: aboutGone(key)}
}

func faultOf(class string) *fault { return &fault{class: class} }

// answer is what the caller gets of a fault.
func (f *fault) answer(runs int, intruder string) historyAnswer {
	return historyAnswer{class: f.class, about: f.about, actual: f.actual, runs: runs, intruder: intruder}
}

// do does a step and says what its caller must get.
func (m *historyModel) do(s *historyStep) historyAnswer {
	switch s.call {
	case callGet:
		if row, there := m.rows[s.key()]; there {
			return historyAnswer{class: classOK, rows: showRow(row)}
		}
		return faultGone(s.key()).answer(0, "")
	case callUpdate, callUpdateIfVersion:
		return m.update(s)
	case callUpdateAll:
		return m.updateAll(s)
	case callDelete:
		return m.remove(s)
	case callGetOrCreate:
		return m.getOrCreate(s)
	case callTx:
		return m.transaction(s)
	}
	m.write(s.intruder)
	return historyAnswer{class: classOK, intruder: letIn}
}

// What becomes of somebody who comes in between.
const (
	letIn   = "let in"
	keptOut = "kept out"
)

// write writes by hand.
func (m *historyModel) write(i historyIntruder) {
	for _, k := range i.keys {
		row, there := m.rows[k]
		switch {
		case i.does == "deletes":
			delete(m.rows, k)
		case i.does == "enters anew":
			m.rows[k] = entered(k, 7)
		case there:
			row.Balance += rivals
			row.Version++
			m.rows[k] = row
		}
	}
}

// intrude has somebody come in between a read and a swap of his rows, at the first run only.
func (m *historyModel) intrude(i historyIntruder, runs int) string {
	switch {
	case i.does == "" || runs > 1:
		return ""
	case m.locking:
		return keptOut
	}
	m.write(i)
	return letIn
}

// call runs a closure, and says how it ended if it did not end well.
func (m *historyModel) call(s *historyStep, closure func() error) (f *fault) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case historyPanic:
			f = faultOf(classPanic)
		default:
			panic(p)
		}
	}()
	if closure() != nil {
		return faultOf(classOwn)
	}
	return nil
}

// kept says what a closure must not have done to a row.
func kept(before, after shop.Account) *fault {
	switch {
	case after.ID != before.ID, after.Version != before.Version:
		return faultOf("ErrInvalidArgument")
	case before.Version == brim:
		return faultOf("ErrVersionOverflow")
	}
	return nil
}

func (m *historyModel) update(s *historyStep) historyAnswer {
	detached := s.call == callUpdateIfVersion
	if detached && s.version == 0 {
		return faultOf("ErrInvalidArgument").answer(0, "")
	}
	came := ""
	for runs := 1; ; runs++ {
		read, there := m.rows[s.key()]
		if !there {
			return faultGone(s.key()).answer(runs-1, came)
		}
		if detached && read.Version != s.version {
			return m.conflict("ErrConflict", s.version, read).answer(runs-1, came).with(read)
		}
		came += m.intrude(s.intruder, runs)
		row := read
		f := m.call(s, func() error { return s.change(&row) })
		if f == nil {
			f = kept(read, row)
		}
		if f != nil {
			return f.answer(runs, came)
		}
		now, still := m.rows[s.key()]
		switch {
		case still && now.Version == read.Version:
			row.Version++
			m.rows[s.key()] = row
			return historyAnswer{class: classOK, rows: showRow(row), runs: runs, intruder: came}
		case !still && (detached || s.once):
			return faultGone(s.key()).answer(runs, came)
		case detached:
			return m.conflict("ErrConflict", s.version, now).answer(runs, came).with(now)
		case s.once:
			return m.conflict("ErrExhausted+ErrConflict", read.Version, now).answer(runs, came)
		}
	}
}

func (m *historyModel) conflict(class string, expected uint64, now shop.Account) *fault {
	return &fault{class: class, about: aboutConflict(now.ID, expected, now.Version)}
}

// with is the answer with the row as it is now.
func (a historyAnswer) with(row shop.Account) historyAnswer {
	a.rows = showRow(row)
	return a
}

func (m *historyModel) updateAll(s *historyStep) historyAnswer {
	keys := slices.Compact(slices.Sorted(slices.Values(s.keys)))
	if len(keys) == 0 {
		return historyAnswer{class: classOK}
	}
	came := ""
	for runs := 1; ; runs++ {
		rows := map[uint64]*shop.Account{}
		for _, k := range keys {
			read, there := m.rows[k]
			if !there {
				return faultGone(k).answer(runs-1, came)
			}
			rows[k] = &read
		}
		before, given := maps.Clone(m.rows), maps.Clone(rows)
		came += m.intrude(s.intruder, runs)
		f := m.call(s, func() error { return s.changeAll(rows) })
		if f == nil && !maps.Equal(rows, given) {
			f = faultOf("ErrInvalidArgument")
		}
		for _, k := range keys {
			if f == nil {
				f = kept(before[k], *rows[k])
			}
		}
		if f != nil {
			return f.answer(runs, came)
		}
		if lost := m.losers(keys, before); lost != nil {
			if lost.about == "" || s.once {
				return lost.answer(runs, came)
			}
			continue
		}
		written := map[uint64]shop.Account{}
		for _, k := range keys {
			rows[k].Version++
			written[k] = *rows[k]
		}
		maps.Copy(m.rows, written)
		return historyAnswer{class: classOK, rows: showRows(written), runs: runs, intruder: came}
	}
}

// losers says which rows somebody has changed since they were read.
func (m *historyModel) losers(keys []uint64, before map[uint64]shop.Account) *fault {
	var lost []string
	for _, k := range keys {
		now, there := m.rows[k]
		if !there {
			return faultGone(k)
		}
		if now.Version != before[k].Version {
			lost = append(lost, aboutConflict(k, before[k].Version, now.Version))
		}
	}
	if lost == nil {
		return nil
	}
	return &fault{class: "ErrExhausted+ErrConflict", about: strings.Join(lost, "; ")}
}

func (m *historyModel) remove(s *historyStep) historyAnswer {
	row, there := m.rows[s.key()]
	switch {
	case s.version == 0:
		return faultOf("ErrNoVersion").answer(0, "")
	case !there:
		return faultGone(s.key()).answer(0, "")
	case row.Version != s.version:
		return m.conflict("ErrConflict", s.version, row).answer(0, "")
	}
	delete(m.rows, s.key())
	return historyAnswer{class: classOK}
}

func (m *historyModel) getOrCreate(s *historyStep) historyAnswer {
	if row, there := m.rows[s.key()]; there {
		return historyAnswer{class: classOK, rows: showRow(row)}
	}
	came := ""
	if s.intruder.does != "" { // there is no row yet that could be locked
		m.write(s.intruder)
		came = letIn
	}
	if f := m.call(s, func() error { return s.change(&shop.Account{}) }); f != nil {
		return f.answer(1, came)
	}
	if _, there := m.rows[s.key()]; !there {
		m.rows[s.key()] = entered(s.key(), s.n)
	}
	return historyAnswer{class: classOK, rows: showRow(m.rows[s.key()]), runs: 1, intruder: came}
}
