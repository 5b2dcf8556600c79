package faulttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const (
	// hotCommitEnv is how many batches meet each fault, per server and statement that commits them.
	hotCommitEnv = "SQLCAS_TEST_HOTCOMMIT"
	// faultsOfALane is how many of them are one row's.
	faultsOfALane = 10
	// lanesAtOnce is how many rows are worked on at a time, by 64 callers each. Most of these wait for a stalled
	// batch; with more of them at work a machine has no time to look for what became of lost ones.
	lanesAtOnce = 24
)

// batchTally counts what was told to the callers of batches that have met a fault.
type batchTally struct {
	faults, calls, success, clean, unknown, absent, wrong int
	lateness                                              time.Duration
}

// audit compares the lane's answers with what its row went through.
func (l *hotLane) audit(t *testing.T, y *batchTally) {
	blank := strings.Repeat(string(unsigned), places)
	first := shop.Account{ID: l.id, Owner: blank, Balance: opening, Version: firstVersion}
	p := l.rig.past(t, first, l.foreign)
	wrong := p.contradictions(l.answers)
	applied := p.applied()
	told := map[call]answer{}
	for _, a := range l.answers {
		told[a.call] = a
	}
	faulted := map[call]bool{}
	for _, b := range l.blows {
		at, ok := p.at(b.row.Version)
		if !ok {
			wrong = append(wrong, fmt.Sprintf("a batch has read version %d, which nobody has written", b.row.Version))
			continue
		}
		y.faults++
		for _, c := range signedSince(p.states[at], b.row) {
			faulted[c] = true
			in, is := applied[c]
			if l.fault.commits && in != at+1 {
				wrong = append(wrong, fmt.Sprintf("%v was committed, and is not in the state after %d", c, b.row.Version))
			}
			y.add(told[c], is)
			if err := l.judge(told[c]); err != nil {
				wrong = append(wrong, err.Error())
			}
		}
	}
	for _, a := range l.answers {
		if a.err != nil && !faulted[a.call] && !l.maySay(a) {
			wrong = append(wrong, fmt.Sprintf("%v met no fault, and was told: %v", a.call, a.err))
		}
	}
	y.wrong += len(wrong)
	y.lateness = max(y.lateness, l.lateness)
	assertTrue(t, fmt.Sprintf("%s of %s, account %d", l.fault.name, l.by.name, l.id), wrong)
	last := p.states[len(p.states)-1]
	require.EqualValues(t, opening+len(applied), last.Balance, "sum")
	require.EqualValues(t, firstVersion+len(applied)+len(l.foreign), last.Version, "version")
	now, err := shop.New(l.rig.truth).GetAccount(t.Context(), l.id)
	require.NoError(t, err)
	require.Equal(t, last, now)
}

// maySay reports whether an error may be that of a call that has met no fault: it has left the line, or the COMMIT
// has taken longer than the short time it has where others stall.
func (l *hotLane) maySay(a answer) bool {
	if errors.Is(a.err, sqlcas.ErrOutcomeUnknown) {
		return l.by.locks && l.fault.stalls
	}
	return l.isHurried(a.caller) && isCanceled(a.err)
}

// isCanceled reports whether a call has said that its context has ended, and that nothing was written.
func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled) && !errors.Is(err, sqlcas.ErrOutcomeUnknown)
}

func (y *batchTally) add(a answer, applied bool) {
	y.calls++
	switch {
	case a.err == nil:
		y.success++
	case !errors.Is(a.err, sqlcas.ErrOutcomeUnknown):
		y.clean++
	case applied:
		y.unknown++
	default:
		y.absent++
	}
}

// judge says what is wrong with the class of an answer about a batch that has met the fault, if anything.
func (l *hotLane) judge(a answer) error {
	unknown := errors.Is(a.err, sqlcas.ErrOutcomeUnknown)
	switch {
	case l.fault.commits && !unknown:
		return fmt.Errorf("%v was told %v, want that nobody knows: the answer was lost", a.call, a.err)
	case a.err == nil || unknown:
		return nil
	case !l.isHurried(a.caller):
		return fmt.Errorf("%v was told %v, and has time to try again", a.call, a.err)
	case !isCanceled(a.err):
		return fmt.Errorf("%v was told %v, want its context's error", a.call, a.err)
	}
	return nil
}

// faultsPerCell is how many faults are asked for of each kind.
func faultsPerCell(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(hotCommitEnv), "20"))
	require.NoError(t, err, hotCommitEnv)
	return n
}

// Ensures that of 64 callers on one row whose batches' commits get lost, their requests or their answers, dropped or
// stalled, every one is told the truth: success is in the row once, at the version and in the row that were
// told; an error, never; and who cannot be told is told so. And that no lock, session or connection is left.
func TestStoreBatchesThatGetLost(t *testing.T) {
	// Not beside other tests: some of those measure how long an answer takes.
	n := faultsPerCell(t)
	each := max(1, n/faultsOfALane)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, each*len(faults)*len(committers))
		r.remember(t)
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "fault\tof\tfaults\tcalls\tsuccess\tnot applied\tunknown, applied\t"+
			"unknown, absent\twrong\tlongest")
		var lanes []*hotLane
		for _, f := range faults {
			for _, by := range committers {
				for range each {
					lanes = append(lanes, r.newHotLane(t, uint64(len(lanes)+1), f, by))
				}
			}
		}
		var all sync.WaitGroup
		free := make(chan struct{}, lanesAtOnce)
		for i, l := range lanes {
			share := n/each + min(1, max(0, n%each-i%each)) // of the faults of its kind
			all.Go(func() {
				free <- struct{}{}
				l.run(t, share)
				<-free
			})
		}
		all.Wait()
		for _, l := range lanes {
			eventually(t, lockGrace, "no lost session is left", func() bool { return l.proxy.Orphans() == 0 })
			assertIdle(t, l.db)
		}
		r.assertUnlocked(t)
		for i := 0; i < len(lanes); i += each {
			l, y := lanes[i], &batchTally{}
			for _, l := range lanes[i : i+each] {
				l.audit(t, y)
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%v\n", l.fault.name, l.by.name, y.faults, y.calls,
				y.success, y.clean, y.unknown, y.absent, y.wrong, y.lateness.Round(time.Millisecond))
			most := openOutcomes
			if l.fault.stalls {
				most = openWhenLeaving
			}
			if y.faults != n || y.absent > y.calls*most/100+places {
				t.Errorf("%s of %s: %d faults, %d of %d calls in them unknown though the row tells",
					l.fault.name, l.by.name, y.faults, y.absent, y.calls)
			}
		}
		require.NoError(t, w.Flush())
		show("faults at the commits of %d callers' batches, %v\n%s", places, s, text.String())
	})
}
