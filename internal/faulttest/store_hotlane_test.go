package faulttest

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/versioned"
	"github.com/sqlcas/sqlcas/optimistic"
)

// committer is the statement that commits a batch.
type committer struct {
	name  string
	locks bool // the row is locked first, and it is a COMMIT
}

var committers = []committer{{"UPDATE", false}, {"COMMIT", true}}

// hotLane is a hot row with all its callers, and with a way to the server of its own.
type hotLane struct {
	rig   *rig
	fault fault
	by    committer
	id    uint64
	proxy *faultproxy.Proxy
	db    *sql.DB
	store *optimistic.Store[uint64, shop.Account]

	begun, told [places]atomic.Int64 // the number of each caller's last call that has

	mu       sync.Mutex
	next     *blow           // the fault that is to meet a batch
	blows    []*blow         // those that have met one
	hurry    context.Context // of every other caller, while things stall
	hurryUp  context.CancelFunc
	answers  []answer
	foreign  map[uint64]bool
	lateness time.Duration // the longest from the fault, or from the end of the hurry, to all answers
}

// blow is one fault, and the batch that it has met.
type blow struct {
	row shop.Account // as the batch wants it, at the version that it has read
}

// newHotLane makes the lane of an account. Those of odd accounts prepare their statements.
func (r *rig) newHotLane(t *testing.T, id uint64, f fault, by committer) *hotLane {
	t.Helper()
	p, cfg := r.proxied(t)
	cfg.InterpolateParams = id%2 == 0
	l := &hotLane{
		rig: r, fault: f, by: by, id: id, proxy: p, db: open(t, dial(t, cfg)), foreign: map[uint64]bool{},
	}
	l.hurry, l.hurryUp = context.WithCancel(t.Context())
	table := shop.AccountTable
	table.Get, table.Swap = l.get, l.swap
	var opts []sqlcas.Option
	if by.locks && f.stalls {
		opts = append(opts, sqlcas.WithCommitTimeout(stallTimeout))
	}
	l.store = optimistic.NewStore(l.db, table, opts...)
	return l
}

// get is the table's. Where the batch is to lock the row, another writer is faster until one does.
func (l *hotLane) get(ctx context.Context, db sqlcas.DBTX, key uint64) (shop.Account, error) {
	a, err := shop.AccountTable.Get(ctx, db, key)
	if err != nil || !l.by.locks || !l.awaitsBlow() {
		return a, err
	}
	version, err := l.rig.overwrite(ctx, key)
	if err != nil {
		return a, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.foreign[version] = true
	return a, nil
}

func (l *hotLane) awaitsBlow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next != nil
}

// swap is the table's. It has a batch meet the next fault that is large enough to have both callers in it who are
// in a hurry, and those who are not.
func (l *hotLane) swap(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
	var b *blow
	_, inTx := db.(*versioned.Watched).DBTX.(*sql.Tx)
	if steps > places/2 && inTx == l.by.locks {
		b = l.takeBlow(a)
	}
	switch {
	case b == nil:
		return shop.AccountTable.Swap(ctx, db, a, steps)
	case l.by.locks:
		n, err := shop.AccountTable.Swap(ctx, db, a, steps)
		l.proxy.FaultCommits(l.fault.mode, 1)
		return n, err
	}
	l.proxy.FaultStatements(isWrite, l.fault.mode, 1)
	return shop.AccountTable.Swap(ctx, db, a, steps)
}

// takeBlow returns the fault that the batch is to meet which writes this row; nil if there is none.
func (l *hotLane) takeBlow(a shop.Account) *blow {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.next
	if b != nil {
		b.row, l.next = a, nil
		l.blows = append(l.blows, b)
	}
	return b
}

// patience is the context of a caller's next call.
func (l *hotLane) patience(ctx context.Context, caller int) context.Context {
	if !l.isHurried(caller) {
		return ctx
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hurry
}

// isHurried reports whether the caller's contexts end during a fault.
func (l *hotLane) isHurried(caller int) bool { return l.fault.stalls && caller%2 == 0 }

// hasten ends the contexts of those in a hurry. Their next calls have another.
func (l *hotLane) hasten(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hurryUp()
	l.hurry, l.hurryUp = context.WithCancel(ctx)
}

// work is a caller's: call after call, until there are no more faults.
func (l *hotLane) work(ctx context.Context, over <-chan struct{}, caller int) {
	for n := 1; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		c := call{caller, n}
		var report sqlcas.Report
		own := l.patience(ctx, caller)
		l.begun[caller].Store(int64(n))
		sign := func(a *shop.Account) error { c.sign(a); return nil }
		row, err := l.store.Update(own, l.id, sign, sqlcas.WithReport(&report))
		l.mu.Lock()
		l.answers = append(l.answers, answer{c, err, row, report.Batch})
		l.mu.Unlock()
		l.told[caller].Store(int64(n))
	}
}

// meet has one fault meet a batch, and waits until all have their answers who were calling then: those in the batch,
// and those in line behind it. It reports whether they do.
func (l *hotLane) meet(ctx context.Context, t *testing.T) bool {
	met := l.proxy.Count(l.fault.mode) + 1
	l.mu.Lock()
	l.next = &blow{}
	l.mu.Unlock()
	soon, stop := context.WithTimeout(ctx, inTime)
	defer stop()
	if err := l.proxy.Await(soon, l.fault.mode, met); err != nil {
		t.Errorf("account %d: a batch did not meet its fault: %v", l.id, err)
		return false
	}
	var begun [places]int64
	for i := range begun {
		begun[i] = l.begun[i].Load()
	}
	start := time.Now()
	if l.fault.stalls {
		time.Sleep(rand.N(2 * stallTimeout)) // sometimes a COMMIT's own limit comes first
		start = time.Now()
		l.hasten(ctx)
	}
	answered := false
	eventually(t, foundOut+slack, "all callers of a row have their answers", func() bool {
		answered = l.haveAnswers(begun)
		return answered
	})
	l.lateness = max(l.lateness, time.Since(start))
	return answered
}

// haveAnswers reports whether all callers have those to the calls of these numbers.
func (l *hotLane) haveAnswers(calls [places]int64) bool {
	for i := range calls {
		if l.told[i].Load() < calls[i] {
			return false
		}
	}
	return true
}

// run has all callers work while so many faults meet their batches.
func (l *hotLane) run(t *testing.T, faults int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan struct{})
	var all sync.WaitGroup
	for i := range places {
		all.Go(func() { l.work(ctx, over, i) })
	}
	for range faults {
		if !l.meet(ctx, t) {
			cancel() // those who have no answer yet may never have one
			break
		}
	}
	close(over)
	all.Wait()
	l.hurryUp()
}
