package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const (
	// onceLedgerEnv says how long the callers of TestOnceLedgerMakesNoDeadlocks work, as a Go duration.
	onceLedgerEnv = "SQLCAS_TEST_LEDGER"
	// onceProcesses are as many pools, with so many callers each, on so many accounts, of which the first is hot.
	onceProcesses, onceCallers, onceAccounts = 4, 16, 4
)

// onceLedger is what the callers did on one server.
type onceLedger struct {
	accounts []uint64

	mu                            sync.Mutex
	calls, replays, most, retried int
	slowest                       time.Duration
	errs                          []error
	moved                         map[uint64]int64 // by account: the sum of what was done
	ids                           map[string]int   // how often one was told that he is the first
	writes                        map[uint64]uint64
}

// call makes caller's n-th call from one process. Every fourth has the same id and asks for the same in all processes;
// every eighth is a transfer.
func (l *onceLedger) call(ctx context.Context, st onceStore, process, caller, n int) {
	id := fmt.Sprintf("%d/%d", caller, n)
	if n%4 != 0 {
		id = fmt.Sprintf("%d of %d", process, caller) + fmt.Sprintf("/%d", n)
	}
	amount := int64(n%7 + 1)
	account := l.accounts[0]
	if (caller+n)%3 == 0 {
		account = l.accounts[(caller+n/3)%onceAccounts]
	}
	change := map[uint64]int64{account: amount}
	var c called
	var err error
	start := time.Now()
	if n%8 == 1 {
		other := l.accounts[(caller+n)%(onceAccounts-1)+1]
		if other == account {
			other = l.accounts[0]
		}
		change[other] = -amount
		_, err = st.UpdateAll(ctx, []uint64{account, other}, func(rows map[uint64]*shop.Account) error {
			for key, a := range rows {
				a.Balance += change[key]
			}
			return nil
		}, c.with(id, fmt.Sprint(amount))...)
	} else {
		_, err = st.Update(ctx, account, plus(amount), c.with(id, fmt.Sprint(amount))...)
	}
	l.note(id, &c, err, time.Since(start), change)
}

func (l *onceLedger) note(id string, c *called, err error, took time.Duration, change map[uint64]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.slowest, l.most = max(l.slowest, took), max(l.most, c.Attempts)
	if c.Attempts > 1 {
		l.retried++
	}
	switch {
	case err != nil:
		l.errs = append(l.errs, fmt.Errorf("%s: %w", id, err))
	case c.Replayed:
		l.replays++
	default:
		l.ids[id]++
		for account, amount := range change {
			l.moved[account] += amount
			l.writes[account]++
		}
	}
}

// Ensures that callers of several processes, who write rows with ids and with entries in a ledger that has a foreign key
// to the rows, some with the same ids and some several rows at once, never hear of a deadlock, nor of anything else; and
// that balances, versions, ledger and ids agree to the last row with what they were told.
func TestOnceLedgerMakesNoDeadlocks(t *testing.T) {
	t.Parallel()
	last, err := time.ParseDuration(cmp.Or(os.Getenv(onceLedgerEnv), "3s"))
	require.NoError(t, err, onceLedgerEnv)
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t)
		l := &onceLedger{moved: map[uint64]int64{}, ids: map[string]int{}, writes: map[uint64]uint64{}}
		for range onceAccounts {
			l.accounts = append(l.accounts, e.account(t))
		}
		checkDeadlocksAreCounted(t, e)
		before := deadlocks(t, e)
		var all sync.WaitGroup
		end := time.Now().Add(last)
		for process := range onceProcesses {
			cfg := e.cfg.Clone()
			cfg.InterpolateParams = process%2 == 0
			st := entering{ledgerStore(open(t, cfg, onceCallers))}
			for caller := range onceCallers {
				all.Go(func() {
					for n := 0; time.Now().Before(end); n++ {
						l.call(t.Context(), st, process, caller, n)
					}
				})
			}
		}
		all.Wait()
		counted := deadlocks(t, e) - before
		mysqltest.Tables(func(w io.Writer) {
			fmt.Fprintf(w, "ledger with a foreign key, ids and %d x %d callers, %v: %d calls in %v, %d replays, %d made more "+
				"attempts than one, at most %d, longest %v; errors %d; deadlocks that the server counted %d\n", onceProcesses,
				onceCallers, s, l.calls, last, l.replays, l.retried, l.most, l.slowest.Round(time.Millisecond), len(l.errs), counted)
		})
		require.NoError(t, errors.Join(l.errs[:min(len(l.errs), 5)]...), "the first of %d errors", len(l.errs))
		l.audit(t, e)
		e.settled(t)
	})
}

// audit compares what the callers were told with what is in the tables.
func (l *onceLedger) audit(t *testing.T, e *env) {
	journal := onceWay{enters: true}
	for _, id := range l.accounts {
		journal.agrees(t, e, id, opening+l.moved[id], 1+l.writes[id])
	}
	for id, first := range l.ids {
		require.Equal(t, 1, first, "callers who were told that they are the first with id %q", id)
	}
	require.Equal(t, len(l.ids), e.count(t, "sqlcas_operation"))
	require.Positive(t, l.replays)
}
