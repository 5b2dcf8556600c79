package optimistic

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/txn"
)

const (
	// closureBound is how long a closure may take before a batch goes on without it, give or take as
	// much again. It is many times what computing takes, and little beside a lock wait.
	closureBound = 50 * time.Millisecond

	// leaveGrace is how long a caller whose context has ended waits for the batch that his change is a part
	// of, before he has it ended: some commits, and no more than a caller with a deadline can bear.
	leaveGrace = 50 * time.Millisecond

	// leaveBound is how long he waits for it to be ended.
	leaveBound = 2 * time.Second
)

// States of a member.
const (
	waiting int32 = iota // he may leave, and nothing of his will be applied
	taken                // he has had his turn, or has it
	gone
)

// member is one attempt of a call in a line.
type member[K comparable, R any] struct {
	ctx  context.Context
	swap *swap[K, R]
	line *line[K, R]

	state   atomic.Int32
	leaving atomic.Bool // his context has ended, and he waits for the batch only to know
	idle    bool        // nothing of his is in the batch whose turn he has had last; for his own goroutine
	wake    chan *batch[K, R]
	batch   atomic.Pointer[batch[K, R]] // whose turn he has had

	found    operation.Finding // of his operation, as the batch has looked it up before the turns
	lookedUp bool              // it has; who comes later is not looked for

	verdict  verdict // of his turn, for the batch to read once the turns are over
	result   txn.Result
	panicked any  // by the table's code, in the leader's goroutine
	exited   bool // so was its Goexit
}

// verdict is what became of a member's turn.
type verdict uint8

const (
	absent   verdict = iota // he has had none, or not in time
	accepted                // his change is in the batch's row
	refused                 // by his closure, on a row with changes that are not committed yet
	unsure                  // refused, before it was known whether his operation had been applied
)

// await takes part in batches until one has an answer for him.
func (m *member[K, R]) await() txn.Result {
	for {
		select {
		case b := <-m.wake:
			if b == nil {
				return m.answer()
			}
			if res, done := b.turn(m); done {
				return res
			}
		case <-m.ctx.Done():
			return m.leave()
		}
	}
}

// answer is what the leader has found out.
func (m *member[K, R]) answer() txn.Result {
	switch {
	case m.panicked != nil:
		panic(m.panicked)
	case m.exited:
		runtime.Goexit()
	}
	return m.result
}

// leave is for a caller whose context has ended. If no batch has his change, none will. Otherwise he
// waits a while for it to be written, and then has the batch ended, which tells as well.
func (m *member[K, R]) leave() txn.Result {
	if m.state.CompareAndSwap(waiting, gone) {
		m.line.remove(m)
		if b := m.line.crowd.current.Load(); b != nil {
			b.left()
		}
		return m.canceled()
	}
	if m.idle {
		m.state.Store(gone)
		select {
		case b := <-m.wake:
			if b != nil {
				b.decline(m)
			}
		default:
		}
		return m.canceled()
	}
	m.leaving.Store(true)
	timer := time.NewTimer(leaveGrace)
	defer timer.Stop()
	ended := false
	for {
		select {
		case b := <-m.wake:
			if b == nil {
				return m.answer()
			}
			m.state.Store(gone)
			b.decline(m)
			return m.canceled()
		case <-timer.C:
		}
		if m.state.CompareAndSwap(waiting, gone) { // his batch has come to nothing in the meantime
			return m.canceled()
		}
		if b := m.batch.Load(); !ended && b != nil {
			b.end()
		} else if ended {
			m.state.Store(gone)
			return txn.Result{Outcome: txn.Unknown, Err: m.ctx.Err(), Class: mysqlerr.Context}
		}
		ended = true
		timer.Reset(leaveBound)
	}
}

// canceled is the result of who has left before anything of his was written.
func (m *member[K, R]) canceled() txn.Result {
	return txn.Result{Err: m.ctx.Err(), Class: mysqlerr.Context}
}

// tell hands him his result. He may have gone.
func (m *member[K, R]) tell(res txn.Result) {
	m.result = res
	m.signal()
}

func (m *member[K, R]) signal() {
	select {
	case m.wake <- nil:
	default: // he has gone without taking his turn
	}
}
