package optimistic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// calmBatches is how many batches in a row must find the row as this process left it, for the leader to
// read without locking again.
const calmBatches = 8

// waryBatches is for how many batches, once an operation of a latecomer's has turned out to have been applied before,
// those with operations do not come late: while many repeat what was done, each batch would be begun again.
const waryBatches = 64

// maxLinger is the longest wait for more members: a batch that has waited for a lock says nothing about how long
// the next one will take.
const maxLinger = 5 * time.Millisecond

// leader serves the line of one row. It is for one goroutine.
type leader[K comparable, R any] struct {
	base   *versioned.Base[K, R]
	set    *settings.Settings
	record recorder // enters what closures emit; nil without a journal

	todo []group[K, R] // who is to be served next; the last one first

	last int           // members of the last batch
	took time.Duration // it

	// Where other processes write the row as well, whoever locks it first gets it in turn with them, while
	// who only compares versions loses to them again and again.
	locks bool
	left  uint64 // the version at which this process left the row
	calm  int    // batches in a row that have found it there

	wary int // batches to come that admit no operations which were not looked up
}

// group are members for one batch.
type group[K comparable, R any] struct {
	members []*member[K, R]
	closed  bool // those who come meanwhile do not take part
}

// linger says for how many members to wait, and how long at most.
func (l *leader[K, R]) linger() (members int, most time.Duration) {
	const part = 8
	if l.last < 2 {
		return 0, 0
	}
	return l.last, min(l.took/part, maxLinger)
}

// serve has the members' changes written, in as many batches as that takes, and answers all.
func (l *leader[K, R]) serve(ln *line[K, R], members []*member[K, R]) {
	if l.base.Table.Computed { // nobody would know what the server has computed for those in between
		for i := len(members) - 1; i >= 0; i-- {
			l.todo = append(l.todo, group[K, R]{members[i : i+1 : i+1], true})
		}
	} else if len(members) > 0 {
		l.todo = append(l.todo, group[K, R]{members: members})
	}
	for len(l.todo) > 0 {
		g := l.todo[len(l.todo)-1]
		l.todo[len(l.todo)-1] = group[K, R]{} // a line may live for long, and is to keep nobody
		l.todo = l.todo[:len(l.todo)-1]
		start := time.Now()
		b := newBatch(l.base, ln, g)
		b.start, b.locks, b.record = start, l.locks, l.record
		b.admits = b.operations && l.wary == 0
		l.wary = max(l.wary-1, 0)
		ln.crowd.current.Store(b)
		if b.deserted() {
			b.cancel()
			continue
		}
		res := l.attempt(b)
		l.last, l.took = len(b.members), time.Since(start)
		l.settle(b, res)
	}
}

// attempt runs a batch. What the table's code does to its goroutine, panic or end it, is done to those of
// the members; but a panic about what was to be written, of which nothing will ever be there, is for him alone whose
// change it is.
func (l *leader[K, R]) attempt(b *batch[K, R]) (res txn.Result) {
	b.inTx = b.locks || l.base.Table.Computed || l.set.IsolationSet || b.operations || b.record != nil
	finished := false
	defer func() {
		b.cancel()
		if finished {
			return
		}
		panicked := recover()
		if panicked == nil || !b.wrote || !b.inTx && b.watched.Sent() {
			b.fall(panicked)
			return
		}
		if b.steps == 1 {
			b.fallAccepted(panicked)
		}
		res = txn.Result{Err: fmt.Errorf("panic: %v", panicked), FromClosure: true, Class: mysqlerr.Other}
	}()
	run := stepRunner(b.inTx)
	res = run(b.ctx, l.base.DB, l.set, b)
	finished = true
	return res
}

// settle answers the members of a batch that has ended, but for those who are to run again.
func (l *leader[K, R]) settle(b *batch[K, R], res txn.Result) {
	if errors.Is(res.Err, errNothing) {
		res = txn.Result{Outcome: txn.Committed}
	} else if res.Outcome == txn.Committed {
		l.committed(b)
	}
	applied := res.Outcome != txn.NotApplied
	lost := !applied && b.wrote && errors.Is(res.Err, sqlcas.ErrConflict)
	changed := !applied && b.wrote && res.Class == mysqlerr.Conflict // so says MariaDB of a loss
	ended := !applied && b.ended.Load()                              // a member has left, and had it ended
	again, split := false, false
	switch lockable := b.table.GetForUpdate != nil; {
	case lost && l.locks: // of a row that was locked: the Table does not do what it says
		version := b.table.Version(b.base)
		res.Err = sqlcas.Permanent(versioned.Conflict(b.table, b.line.key, version, version))
	case (lost || changed && !l.locks) && lockable:
		l.locks, l.calm, again = true, 0, true
	case !applied && b.taken: // the next attempt finds whose it was
		again, l.wary = true, waryBatches
	case ended:
		// Who waits for the lock before his closure is run may leave without ending it for the others.
		if again = true; b.wrote && lockable {
			l.locks, l.calm = true, 0
		}
	case !applied && b.wrote && b.steps > 1 && l.final(res):
		again, split = true, true // one of the changes is what the server refuses: whose?
	}
	rest := b.answer(res, again, lost)
	if half := len(rest) / 2; split && half > 0 {
		l.todo = append(l.todo, group[K, R]{rest[half:], true}, group[K, R]{rest[:half:half], true})
	} else if len(rest) > 0 {
		l.todo = append(l.todo, group[K, R]{rest, b.closed || ended})
	}
}

// committed notes the version at which the row was left.
func (l *leader[K, R]) committed(b *batch[K, R]) {
	found := b.table.Version(b.base)
	if l.calm++; found != l.left {
		l.calm = 0
	}
	l.left = found + b.steps
	l.locks = l.locks && l.calm < calmBatches
}

// final reports whether a result is about what was written, so that doing the same again would not mend it, but
// doing less might. It is not if the statement was carried out, for all that is known, or if it would have met the
// same whatever it wrote: a server that takes no writes, a limit of time.
func (l *leader[K, R]) final(res txn.Result) bool {
	if errors.Is(res.Err, sqlcas.ErrConflict) || errors.Is(res.Err, sqlcas.ErrTooManyRows) ||
		errors.Is(res.Err, sqlcas.ErrInvalidArgument) {
		return false
	}
	switch res.Class {
	case mysqlerr.Statement, mysqlerr.Other:
		return res.FromClosure
	case mysqlerr.Lost: // the driver has refused an argument, say, and the row was looked at
		return mysqlerr.Classify(res.Err) == mysqlerr.Other
	}
	return false
}

// fall has the members do what the table's code did in the leader's goroutine: panic, or end.
func (b *batch[K, R]) fall(panicked any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.members {
		m.panicked, m.exited = panicked, panicked == nil
		m.signal()
	}
	b.members = nil
}

// fallAccepted is fall for those alone whose changes were to be written. The others are still to be answered.
func (b *batch[K, R]) fallAccepted(panicked any) {
	all := b.members
	b.members = slices.DeleteFunc(slices.Clone(all), func(m *member[K, R]) bool { return m.verdict != accepted })
	b.fall(panicked)
	b.members = slices.DeleteFunc(slices.Clone(all), func(m *member[K, R]) bool { return m.verdict == accepted })
}

// answer tells the members who have their answer what it is, and returns the others. With again, all of whose
// changes nothing was written are to run again at once; lost says that they have lost to another writer.
func (b *batch[K, R]) answer(res txn.Result, again, lost bool) (rest []*member[K, R]) {
	if res.Outcome != txn.NotApplied && b.steps > 1 {
		res.Batch = int(b.steps)
	}
	for _, m := range b.members {
		switch {
		case m.state.Load() == gone:
		case m.verdict == refused && res.Outcome == txn.Committed: // or replayed within the batch
			m.tell(m.result)
		case m.verdict == absent && m.state.Load() == taken: // too slow, and still at it
		case m.verdict != accepted && b.read || again || b.blind && m.swap.op == nil:
			if m.leaving.Load() {
				m.tell(m.canceled())
				continue
			}
			m.verdict = absent
			if m.state.CompareAndSwap(taken, waiting); m.state.Load() == gone { // just now
				continue
			}
			rest = append(rest, m)
		default:
			m.swap.lostOne = lost
			m.tell(res)
		}
	}
	return rest
}

// newBatch makes a batch of a group. It has a context of its own, with the values of the first
// member's: those of the others are not worse off when that one leaves.
func newBatch[K comparable, R any](base *versioned.Base[K, R], ln *line[K, R], g group[K, R]) *batch[K, R] {
	b := &batch[K, R]{table: &base.Table, line: ln, closed: g.closed, members: g.members}
	b.operations = slices.ContainsFunc(g.members, func(m *member[K, R]) bool { return m.swap.op != nil })
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(g.members[0].ctx))
	return b
}
