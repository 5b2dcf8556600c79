package optimistic

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// maxBatch is how many changes are written together at most. Each takes about a microsecond, and those
// who come later wait for one more batch at worst.
const maxBatch = 4096

// errNothing ends an attempt that has nothing to write.
var errNothing = errors.New("optimistic: no closure of the batch has changed the row")

// batch is one attempt to change a row by the closures of all who are in line. Each runs in its caller's own
// goroutine, on a copy of the row as the one before has left it: the turn is handed from one to the
// next, and the last one hands it back to the leader.
type batch[K comparable, R any] struct {
	table  *sqlcas.Table[K, R]
	line   *line[K, R]
	closed bool // those who come meanwhile do not take part
	ctx    context.Context
	cancel context.CancelFunc
	ended  atomic.Bool // by a member who has left

	base  R // the row as it was read
	read  bool
	blind bool // it was, but not the operations

	start      time.Time
	locks      bool              // the read waits for the row's lock
	operations bool              // there are members with operations, which are entered
	admits     bool              // those with operations may also come while the turns go round
	try        operation.Attempt // to enter them
	now        R                 // the row as it is for those whose operations were applied before
	record     recorder          // enters what closures emit; nil without a journal

	mu      sync.Mutex // of what follows, while turns go round
	begun   bool       // they do, or have
	late    bool       // one has taken too long: those behind him are for the next batch
	members []*member[K, R]
	next    int           // who has the turn after the holder
	holder  *member[K, R] // who has the turn
	turns   int           // how many there were
	row     R             // the base with all that was accepted; its version is ahead by as much
	steps   uint64        // how many were
	applied operations    // by those that were
	over    chan struct{} // the turns are over

	wrote   bool               // the swap was to be sent
	watched *versioned.Watched // the handle that it was sent through
	inTx    bool               // what was sent is undone if the COMMIT is not
	taken   bool               // another process has entered an operation of ours meanwhile
}

var _ txn.Step = (*batch[int, int])(nil)

// Read reads the row. If it is to be locked, that is the first statement of a transaction, which would otherwise read
// the row as it was before the lock was free.
func (b *batch[K, R]) Read(ctx context.Context, db txn.DBTX) (err error) {
	var row R
	if b.locks {
		row, err = b.table.GetForUpdate(ctx, db.(*sql.Tx), b.line.key, sqlcas.LockWaits)
	} else {
		row, err = b.table.Get(ctx, db, b.line.key)
	}
	if b.base, err = versioned.Read(b.table, b.line.key, row, err); err != nil {
		return err
	}
	if err := b.lookUp(ctx, db); err != nil {
		b.blind = true
		return err
	}
	b.read = true
	return nil
}

// Compute has all members take their turns.
func (b *batch[K, R]) Compute() error {
	b.goRound()
	if b.ended.Load() {
		return context.Canceled
	}
	if b.steps == 0 {
		return errNothing
	}
	return nil
}

// Write sends the swap of all that was accepted.
func (b *batch[K, R]) Write(ctx context.Context, db txn.DBTX) error {
	b.wrote = true
	b.watched = versioned.Watch(db)
	row := b.row
	b.table.SetVersion(&row, b.table.Version(b.base))
	row, err := versioned.Swap(ctx, b.watched, b.table, row, b.steps)
	if err == nil && b.table.Computed {
		b.members[0].swap.row = row // he is the only one
	}
	if err = judged(db, b.watched, err); err != nil {
		return err
	}
	return b.writeMore(ctx, db)
}

// Unmoved reports whether the row proves that the swap was not applied.
func (b *batch[K, R]) Unmoved(ctx context.Context, db txn.DBTX) (bool, error) {
	return unmoved(ctx, db, b.table, b.line.key, b.table.Version(b.base), b.steps)
}

// goRound has all members take their turns, and waits until they have.
func (b *batch[K, R]) goRound() {
	b.row, b.steps, b.next, b.turns, b.holder, b.applied = b.base, 0, 0, 0, nil, operations{}
	b.over = make(chan struct{})
	b.mu.Lock()
	b.begun = true
	b.pass()
	b.mu.Unlock()
	timer := time.NewTimer(closureBound)
	defer timer.Stop()
	for seen := 0; ; {
		select {
		case <-b.over:
			return
		case <-timer.C:
		}
		b.mu.Lock()
		if b.holder != nil && b.turns == seen { // he has it since the last look
			b.late = true // there may be many like him: who has had his turn does not wait for more than one of them
			b.pass()
		}
		seen = b.turns
		b.mu.Unlock()
		timer.Reset(closureBound)
	}
}

// pass hands the turn to the next member who has not left. Those who have come since are members too. In a
// batch that was ended nobody has a turn any more: who has left waits for the holder alone.
func (b *batch[K, R]) pass() {
	for {
		if b.ended.Load() || b.late {
			b.holder = nil
			close(b.over)
			return
		}
		if b.next == len(b.members) && b.next < maxBatch && !b.closed {
			b.members = append(b.members, b.line.more(maxBatch-b.next, b.admits)...)
		}
		if b.next == len(b.members) {
			b.holder = nil
			close(b.over)
			return
		}
		m := b.members[b.next]
		b.next++
		if m.state.CompareAndSwap(waiting, taken) {
			b.holder = m
			b.turns++
			m.verdict = absent
			m.batch.Store(b)
			m.wake <- b
			return
		}
	}
}

// turn is a member's: he runs his closure on a copy of the row, and passes the turn on, also if the
// closure panics or ends the goroutine. With done he need not wait for the batch: he was refused on a row
// that is committed, or was too slow and has not changed anything.
func (b *batch[K, R]) turn(m *member[K, R]) (res txn.Result, done bool) {
	finished := false
	defer func() {
		if !finished { // the closure, or the table's code, ends this goroutine
			m.state.Store(gone)
			b.decline(m)
		}
	}()
	m.idle = false
	row, err := b.change(m)
	own := txn.Result{Err: err, FromClosure: true}

	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.holder != m:
		m.swap.slow = true
		m.state.Store(gone)
		res, done = b.movedOn(), true
	case err == nil:
		next, version := row, b.table.Version(b.base)+b.steps+1
		b.table.SetVersion(&next, version)
		m.verdict = accepted
		b.row, m.swap.row = next, next
		b.steps++
		b.applied.add(m.swap.op)
		res = own
	case m.swap.op != nil && !m.lookedUp: // he may have been refused because of what he has done before
		m.verdict, m.idle = unsure, true
		res = own
	default:
		m.verdict, m.result, m.idle = refused, own, err != operation.ErrReplayed // bare, by contract
		if done = b.steps == 0 || m.found.Applied; done {
			m.state.Store(gone)
		}
		res = own
	}
	finished = true
	if b.holder == m {
		b.pass()
	}
	return res, done
}

// movedOn is the result of a closure that was too slow: it has run on a row that is not the last one any more.
func (b *batch[K, R]) movedOn() txn.Result {
	return txn.Result{Err: versioned.Conflict(b.table, b.line.key, b.table.Version(b.base), 0), FromClosure: true}
}

// end ends the batch for a member who has left.
func (b *batch[K, R]) end() {
	b.ended.Store(true)
	b.cancel()
}

// hangBound is how long a read without a lock may take before those who leave the line take its connection for
// dead, as one is whose server has gone without a word.
const hangBound = time.Second

// left is told that somebody has left the line. A batch that reads the row for nobody any more is ended, and so is
// one whose read hangs: it is begun again on another connection.
func (b *batch[K, R]) left() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.begun && (!b.locks && time.Since(b.start) > hangBound || b.deserted()) {
		b.end()
	}
}

// deserted reports whether all members have left. It is called with b.mu held, or before anybody else has b.
func (b *batch[K, R]) deserted() bool {
	for _, m := range b.members {
		if m.state.Load() != gone {
			return false
		}
	}
	return true
}

// decline passes the turn on for a member who does not want it any more.
func (b *batch[K, R]) decline(m *member[K, R]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holder == m {
		b.pass()
	}
}

// copied returns a copy of the row for the member who has the turn. It is nobody else's, and stays so when he
// turns out to be too slow. Who has lost the turn by then gets none: the row may be another caller's by now.
//
// An operation that the batch has applied already, for another member with the same id, is not applied again.
func (b *batch[K, R]) copied(m *member[K, R]) (row R, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holder != m {
		return row, errNothing // turn sees that he has lost it
	}
	return b.cloned(b.row), b.applied.rule(m.swap.op)
}

func (b *batch[K, R]) cloned(row R) R {
	if b.table.Clone != nil {
		return b.table.Clone(row)
	}
	return row
}

// change runs a member's closure.
func (b *batch[K, R]) change(m *member[K, R]) (R, error) {
	w := m.swap
	if m.found.Applied {
		w.row = b.cloned(b.now) // he may be gone with it while others are still at theirs
		return w.row, versioned.Ruled(m.found)
	}
	row, err := b.copied(m)
	if err != nil {
		w.row = row
		return row, err
	}
	if err := w.still(b.base); err != nil {
		return row, err
	}
	w.seen, w.hasSeen, w.refused = b.base, true, false
	row, err = versioned.Change(b.table, row, w.change)
	w.refused = err != nil
	return row, err
}
