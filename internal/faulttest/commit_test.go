package faulttest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	// lanes are the workers of one server. Each has a row, a proxy and a pool of its own, so that
	// what a call did can be read from its row, and a fault meets the call it is meant for.
	lanes = 50
	// faultsOfKind is how many COMMITs meet each fault, per server and kind of transaction.
	faultsOfKind = 200
	// stallTimeout is the shortest commit timeout of a stalled call; the longest is twice that. The
	// look-up has to end within it too: on a machine too busy for that the outcome stays unknown,
	// which is allowed, as long as most calls find it out.
	stallTimeout = 250 * time.Millisecond
)

// fault is one thing that happens to a COMMIT.
type fault struct {
	name    string
	mode    faultproxy.Mode
	commits bool // the server carries the COMMIT out
	stalls  bool // the client is left waiting
}

var faults = []fault{
	{name: "reply dropped", mode: faultproxy.DropReply, commits: true},
	{name: "request dropped, session stays", mode: faultproxy.DropRequest},
	{name: "request dropped, session ends", mode: faultproxy.DropRequestBoth},
	{name: "reply stalled", mode: faultproxy.StallReply, commits: true, stalls: true},
	{name: "request stalled", mode: faultproxy.StallRequest, stalls: true},
}

// kind is a sort of transaction.
type kind struct {
	name    string
	swaps   bool // a version-checked UPDATE, by which the outcome may be told
	inserts bool // a row with the operation's memo
}

var kinds = []kind{
	{name: "swap", swaps: true},
	{name: "swap+insert", swaps: true, inserts: true},
	{name: "insert", inserts: true},
}

func (k kind) run(ctx context.Context, tx *sql.Tx, id uint64, memo string) error {
	if k.swaps {
		if err := take(ctx, tx, id); err != nil {
			return err
		}
	}
	if k.inserts {
		return note(ctx, tx, id, -1, memo)
	}
	return nil
}

// lane is a worker's own way to the server.
type lane struct {
	rig   *rig
	proxy *faultproxy.Proxy
	db    *sql.DB
	id    uint64 // the account that nobody else writes
	// patience is the commit timeout under a stall. Lanes differ in it, lest all of them settle
	// their stalls at the same instants.
	patience time.Duration
}

// outcome is what one call said, and what was true when it had said it.
type outcome struct {
	err      error
	applied  int // how often
	attempts int
	took     time.Duration
	bound    time.Duration // of took, under a stall
}

// call makes one call whose first COMMIT meets the fault.
func (l *lane) call(t *testing.T, f fault, k kind, memo string) (o outcome, err error) {
	before, _, err := l.state(t.Context(), memo)
	if err != nil {
		return o, err
	}
	var report sqlcas.Report
	opts := []sqlcas.Option{sqlcas.WithReport(&report)}
	if f.stalls {
		opts = append(opts, sqlcas.WithCommitTimeout(l.patience))
	}
	l.proxy.FaultCommits(f.mode, 1)
	start := time.Now()
	o.err = optimistic.UpdateTx(t.Context(), l.db, func(ctx context.Context, tx *sql.Tx) error {
		return k.run(ctx, tx, l.id, memo)
	}, opts...)
	o.took, o.attempts = time.Since(start), report.Attempts
	o.bound = l.patience + max(l.patience, time.Second) + slack // of the COMMIT, and of the look-up
	version, entries, err := l.state(t.Context(), memo)
	switch {
	case err != nil:
		return o, err
	case k.swaps && k.inserts && version-before != entries:
		return o, fmt.Errorf("%d swaps and %d inserts of one transaction", version-before, entries)
	case k.swaps:
		o.applied = version - before
	default:
		o.applied = entries
	}
	return o, nil
}

func (l *lane) state(ctx context.Context, memo string) (version, entries int, err error) {
	err = l.rig.truth.QueryRowContext(ctx, "SELECT version, (SELECT COUNT(*) FROM ledger_entry "+
		"WHERE account_id = account.id AND memo = ?) FROM account WHERE id = ?", memo, l.id).
		Scan(&version, &entries)
	return version, entries, err
}

// judge says what is wrong with an outcome, if anything.
func judge(f fault, k kind, o outcome) error {
	unknown := errors.Is(o.err, sqlcas.ErrOutcomeUnknown)
	switch {
	case o.applied > 1:
		return fmt.Errorf("applied %d times", o.applied)
	case o.err == nil && o.applied == 0:
		return errors.New("success reported, nothing applied")
	case o.err != nil && !unknown && o.applied == 1:
		return fmt.Errorf("applied, and a clean failure reported: %w", o.err)
	case f.commits && !(unknown && o.applied == 1 && o.attempts == 1):
		return fmt.Errorf("got %w, applied %d, %d attempts; want unknown, 1, 1",
			o.err, o.applied, o.attempts)
	case !f.commits && !k.swaps && !(unknown && o.applied == 0 && o.attempts == 1):
		return fmt.Errorf("got %w, applied %d, %d attempts; want unknown, 0, 1",
			o.err, o.applied, o.attempts)
	case !f.commits && k.swaps && !f.stalls && !(o.err == nil && o.attempts == 2):
		return fmt.Errorf("got %w after %d attempts; want success after 2, as the row tells",
			o.err, o.attempts)
	case !f.commits && k.swaps && f.stalls && o.err != nil && !unknown:
		return fmt.Errorf("got %w, want success or unknown", o.err)
	case f.stalls && o.took > o.bound:
		return fmt.Errorf("took %v, want at most %v, the commit timeout and the look-up", o.took, o.bound)
	}
	return nil
}

// tally counts the outcomes of one fault and one kind.
type tally struct {
	mu                            sync.Mutex
	success, unknown, absent, bad int
	attempts                      int
	longest                       time.Duration
}

func (y *tally) add(o outcome, bad bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	switch {
	case bad:
		y.bad++
	case o.err == nil:
		y.success++
	case o.applied == 1:
		y.unknown++
	default:
		y.absent++
	}
	y.attempts += o.attempts
	y.longest = max(y.longest, o.took)
}

// storm makes the calls of one fault and one kind, on all lanes at once.
func storm(t *testing.T, ls []*lane, f fault, k kind) *tally {
	var wg sync.WaitGroup
	y := &tally{}
	for i, l := range ls {
		wg.Go(func() {
			for n := i; n < faultsOfKind; n += len(ls) {
				memo := fmt.Sprintf("%v/%s/%d", f.mode, k.name, n)
				o, err := l.call(t, f, k, memo)
				if err == nil {
					err = judge(f, k, o)
				}
				if err != nil {
					t.Errorf("%s, %s: %v", f.name, memo, err)
				}
				y.add(o, err != nil)
			}
		})
	}
	wg.Wait()
	eventually(t, lockGrace, "no lost session and no connection in use is left", func() bool {
		left := 0
		for _, l := range ls {
			left += l.proxy.Orphans() + l.db.Stats().InUse
		}
		return left == 0
	})
	ls[0].rig.assertUnlocked(t)
	return y
}

// Ensures that a COMMIT whose request or reply is dropped or stalled is never applied twice, never
// reported as a success when absent nor as a clean failure when applied; that a swap which was not
// applied is found out by its row and made again; that a stall ends within twice the commit
// timeout; and that no lock, session or connection is left (case 44).
func TestCommitFaults(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, lanes)
		ls := make([]*lane, lanes)
		for i := range ls {
			p, cfg := r.proxied(t)
			ls[i] = &lane{
				rig: r, proxy: p, db: open(t, dial(t, cfg)), id: uint64(i + 1),
				patience: stallTimeout + time.Duration(i)*stallTimeout/lanes,
			}
		}
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "COMMIT\ttransaction\tcalls\tsuccess\tunknown, applied\t"+
			"unknown, absent\twrong\tattempts\tlongest")
		swaps, inserts := 0, 0
		for _, f := range faults {
			for _, k := range kinds {
				y := storm(t, ls, f, k)
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%v\n", f.name, k.name,
					faultsOfKind, y.success, y.unknown, y.absent, y.bad, y.attempts,
					y.longest.Round(time.Millisecond))
				if k.swaps {
					swaps += y.success + y.unknown
				}
				if k.inserts {
					inserts += y.success + y.unknown
				}
				if f.stalls && !f.commits && k.swaps && y.success < faultsOfKind/10 {
					t.Errorf("%s, %s: %d of %d resolved by the row, want a good part",
						f.name, k.name, y.success, faultsOfKind)
				}
			}
		}
		require.NoError(t, w.Flush())
		show("faults at COMMIT, %v\n%s", s, text.String())
		// At the end as well: nothing that was in flight has been applied since.
		if got := r.number(t, "SELECT SUM(version - "+strconv.Itoa(firstVersion)+") FROM account"); got != swaps {
			t.Errorf("swaps applied at the end: got %d, want %d as counted before", got, swaps)
		}
		if got := r.number(t, "SELECT COUNT(*) FROM ledger_entry"); got != inserts {
			t.Errorf("rows inserted at the end: got %d, want %d as counted before", got, inserts)
		}
	})
}
