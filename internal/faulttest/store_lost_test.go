package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	// callsOfALane is how many calls of a kind one worker makes, each of whom has a row, a proxy and a
	// pool of its own.
	callsOfALane = 10
	// foundOut is in how much time a Store finds out what became of a stalled write, or that it cannot:
	// the time to end the statement, to await its answer, and to end its session and look at the row.
	foundOut = time.Second + time.Second + 5*time.Second
	// openOutcomes is how many of a hundred calls may end as unknown though the row could have told, or
	// leave a session behind: a machine that is too busy does not ask in time. Of those whose caller has
	// left it may be more, as a Store takes less time for them.
	openOutcomes    = 10
	openWhenLeaving = 80
)

// write is one of the optimistic Store's that is a single statement which commits itself.
type write struct {
	name    string
	calls   int  // that meet each fault, per server
	version int  // the row's before a call, at least
	renew   bool // the row is entered anew before each call
	call    func(ctx context.Context, s *optimistic.Store[uint64, shop.Account], row shop.Account, o sqlcas.Option) error
}

// tells reports whether the row's version tells that a write was not applied.
func (w write) tells() bool { return w.version > 1 }

var writes = []write{
	{"Update", faultsOfKind, firstVersion, false, update},
	{"Update at version 1", faultsOfKind / 10, 1, true, update},
	{"UpdateIfVersion", faultsOfKind / 10, firstVersion, false, func(
		ctx context.Context, s *optimistic.Store[uint64, shop.Account], row shop.Account, o sqlcas.Option,
	) error {
		_, err := s.UpdateIfVersion(ctx, row.ID, row.Version, deduct, o)
		return err
	}},
	{"Delete", faultsOfKind / 10, firstVersion, true, func(
		ctx context.Context, s *optimistic.Store[uint64, shop.Account], row shop.Account, o sqlcas.Option,
	) error {
		return s.Delete(ctx, row, o)
	}},
}

func update(ctx context.Context, s *optimistic.Store[uint64, shop.Account], row shop.Account, o sqlcas.Option) error {
	_, err := s.Update(ctx, row.ID, deduct, o)
	return err
}

func deduct(a *shop.Account) error {
	a.Balance--
	return nil
}

// isWrite finds the writes of accounts among a Store's statements.
func isWrite(query string) bool {
	return strings.Contains(query, "\nUPDATE account\n") || strings.Contains(query, "\nDELETE FROM account\n")
}

// meet makes one call of a write that meets the fault, and finds out how often it was applied. The
// context of one that is stalled ends once it is.
func (l *lane) meet(t *testing.T, f fault, w write) (o outcome, err error) {
	if w.renew {
		l.rig.exec(t, "REPLACE INTO account (id, owner, balance, version) VALUES (?, 'owner', ?, ?)", l.id, opening, w.version)
	}
	q := shop.New(l.rig.truth)
	before, err := q.GetAccount(t.Context(), l.id)
	if err != nil {
		return o, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ended time.Time
	var watch sync.WaitGroup
	met := l.proxy.Count(f.mode) + 1
	l.proxy.FaultStatements(isWrite, f.mode, 1)
	if f.stalls {
		watch.Go(func() {
			if l.proxy.Await(ctx, f.mode, met) == nil {
				ended = time.Now()
				cancel()
			}
		})
	}
	var report sqlcas.Report
	start := time.Now()
	o.err = w.call(ctx, optimistic.NewStore(l.db, shop.AccountTable), before, sqlcas.WithReport(&report))
	o.took, o.attempts = time.Since(start), report.Attempts
	cancel()
	if watch.Wait(); f.stalls {
		o.took = time.Since(ended)
	}
	soon, stop := context.WithTimeout(t.Context(), slack)
	defer stop()
	if err := l.proxy.Await(soon, f.mode, met); err != nil {
		return o, fmt.Errorf("the call did not meet the fault: %w", err)
	}
	after, err := q.GetAccount(t.Context(), l.id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		o.applied = 1
		return o, nil
	case err != nil:
		return o, err
	}
	o.applied = int(before.Balance - after.Balance)
	if moved := int(after.Version - before.Version); moved != o.applied {
		return o, fmt.Errorf("deducted %d times, and the version moved by %d", o.applied, moved)
	}
	return o, nil
}

// judgeWrite says what is wrong with an outcome, if anything.
func judgeWrite(f fault, o outcome) error {
	unknown := errors.Is(o.err, sqlcas.ErrOutcomeUnknown)
	clean := o.err != nil && !unknown
	got := fmt.Errorf("got %w, applied %d, %d attempts", o.err, o.applied, o.attempts)
	switch {
	case o.applied > 1:
		return fmt.Errorf("applied %d times", o.applied)
	case o.err == nil && o.applied == 0:
		return errors.New("success reported, nothing applied")
	case clean && o.applied == 1:
		return fmt.Errorf("applied, and a clean failure reported: %w", o.err)
	case f.commits && !(unknown && o.applied == 1 && o.attempts == 1):
		return fmt.Errorf("%w; want unknown, 1, 1", got)
	case !f.commits && !f.stalls && clean:
		return fmt.Errorf("%w; want success, or unknown", got)
	case !unknown && !f.stalls && o.attempts != 2:
		return fmt.Errorf("%w; want 2 attempts", got)
	case f.stalls && !(errors.Is(o.err, context.Canceled) && o.attempts == 1):
		return fmt.Errorf("%w; want the context's error", got)
	case f.stalls && o.took > foundOut+slack:
		return fmt.Errorf("took %v after the end of the context, want at most %v", o.took, foundOut)
	}
	return nil
}

// writeTally also counts the calls that said that nothing was applied, and those that have left a
// session behind.
type writeTally struct {
	tally
	clean, left int
}

func (y *writeTally) add(o outcome, bad bool) {
	y.tally.add(o, bad)
	if !bad && o.err != nil && !errors.Is(o.err, sqlcas.ErrOutcomeUnknown) {
		y.mu.Lock()
		defer y.mu.Unlock()
		y.clean++
	}
}

// leave counts a session that a call has left on the server, and ends it.
func (y *writeTally) leave(l *lane) {
	y.mu.Lock()
	grace := slack
	if y.left > 10 { // the storm has failed, and may as well be quick about it
		grace = 0
	}
	y.mu.Unlock()
	for deadline := time.Now().Add(grace); l.proxy.Orphans() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			l.proxy.ReleaseOrphans()
			y.mu.Lock()
			y.left++
			y.mu.Unlock()
			return
		}
	}
}

// writeStorm makes the calls of one fault and one write.
func writeStorm(t *testing.T, ls []*lane, f fault, w write) *writeTally {
	var wg sync.WaitGroup
	y := &writeTally{}
	for _, l := range ls {
		wg.Go(func() {
			for range callsOfALane {
				o, err := l.meet(t, f, w)
				if err == nil {
					err = judgeWrite(f, o)
				}
				if err != nil {
					t.Errorf("%s, %s: %v", f.name, w.name, err)
				}
				y.add(o, err != nil)
				y.leave(l)
			}
		})
	}
	wg.Wait()
	most := w.calls * openOutcomes / 100
	if f.stalls {
		most = w.calls * openWhenLeaving / 100
	}
	if open := y.absent - y.clean; w.tells() && open > most {
		t.Errorf("%s, %s: %d of %d writes that were not applied are said to be unknown, and the row tells",
			f.name, w.name, open, w.calls)
	}
	if y.left > most {
		t.Errorf("%s, %s: %d calls have left their session on the server", f.name, w.name, y.left)
	}
	for _, l := range ls {
		assertIdle(t, l.db)
	}
	return y
}

// writeLane makes a lane. Half of them have the driver write the arguments into the text, so that
// a write is one packet; the others' writes are prepared.
func (r *rig) writeLane(t *testing.T, n int) *lane {
	t.Helper()
	p, cfg := r.proxied(t)
	cfg.InterpolateParams = n%2 == 0
	return &lane{rig: r, proxy: p, db: open(t, dial(t, cfg)), id: uint64(n + 1)}
}

// newLanes makes the lanes of all writes.
func newLanes(t *testing.T, s *mysqltest.Server) (*rig, [][]*lane) {
	t.Helper()
	n := 0
	for _, w := range writes {
		n += w.calls / callsOfALane
	}
	r := newRig(t, s, n)
	r.truth.SetMaxIdleConns(n)
	ls := make([][]*lane, len(writes))
	for i, w := range writes {
		for range w.calls / callsOfALane {
			n--
			ls[i] = append(ls[i], r.writeLane(t, n))
		}
	}
	return r, ls
}

// writeStorms makes the calls of one fault.
func writeStorms(t *testing.T, ls [][]*lane, f fault) []*writeTally {
	tallies := make([]*writeTally, len(writes))
	var wg sync.WaitGroup
	for i, w := range writes {
		wg.Go(func() { tallies[i] = writeStorm(t, ls[i], f, w) })
	}
	wg.Wait()
	return tallies
}

// Ensures that a Store's write which commits itself and whose request or reply is dropped or stalled is
// never applied twice, never reported as a success when absent nor as a clean failure when applied;
// that the row tells of one which was not applied and had a version above 1, so that it is made
// again, or is ctx's error if that has ended; and that no lock, session or connection is left
// (cases 8 and 44).
func TestStoreWritesThatGetLost(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		tallies := make([][]*writeTally, len(faults))
		var wg sync.WaitGroup
		for _, stalls := range []bool{false, true} { // what waits goes beside what works
			r, ls := newLanes(t, s)
			wg.Go(func() {
				for i, f := range faults {
					if f.stalls == stalls {
						tallies[i] = writeStorms(t, ls, f)
						r.assertUnlocked(t)
					}
				}
			})
		}
		wg.Wait()
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "fault\twrite\tcalls\tsuccess\tnot applied\tunknown, applied\tunknown, absent\twrong\tsessions left\tattempts\tlongest")
		for i, f := range faults {
			for j, y := range tallies[i] {
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%v\n", f.name, writes[j].name, writes[j].calls,
					y.success, y.clean, y.unknown, y.absent-y.clean, y.bad, y.left, y.attempts, y.longest.Round(time.Millisecond))
			}
		}
		require.NoError(t, w.Flush())
		show("faults at a Store's write, %v\n%s", s, text.String())
	})
}
