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
	// onceProcesses are as many, with so many callers each, on so many accounts, of which the first is hot.
	onceProcesses, onceCallers, onceAccounts = 4, 16, 4
	maxErrors                                = 5 // that a process tells
)

// onceLedger is what the callers of one process did, or those of all.
type onceLedger struct {
	mu       sync.Mutex
	accounts []uint64

	Calls, Replays, Most, Retried, Failed int
	Slowest                               time.Duration
	Errors                                []string         // the first of those that failed
	Moved                                 map[uint64]int64 // by account: the sum of what was done
	IDs                                   map[string]int   // how often one was told that he is the first
	Writes                                map[uint64]uint64
}

func newOnceLedger(accounts []uint64) *onceLedger {
	return &onceLedger{accounts: accounts, Moved: map[uint64]int64{}, IDs: map[string]int{}, Writes: map[uint64]uint64{}}
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
	l.Calls++
	l.Slowest, l.Most = max(l.Slowest, took), max(l.Most, c.Attempts)
	if c.Attempts > 1 {
		l.Retried++
	}
	switch {
	case err != nil:
		l.Failed++
		if len(l.Errors) < maxErrors {
			l.Errors = append(l.Errors, fmt.Sprintf("%s: %v", id, err))
		}
	case c.Replayed:
		l.Replays++
	default:
		l.IDs[id]++
		for account, amount := range change {
			l.Moved[account] += amount
			l.Writes[account]++
		}
	}
}

// add adds what one process did.
func (l *onceLedger) add(p *onceLedger) {
	l.Calls, l.Replays, l.Retried, l.Failed = l.Calls+p.Calls, l.Replays+p.Replays, l.Retried+p.Retried, l.Failed+p.Failed
	l.Slowest, l.Most = max(l.Slowest, p.Slowest), max(l.Most, p.Most)
	l.Errors = append(l.Errors, p.Errors...)
	for account, sum := range p.Moved {
		l.Moved[account] += sum
		l.Writes[account] += p.Writes[account]
	}
	for id, first := range p.IDs {
		l.IDs[id] += first
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
		var accounts []uint64
		for range onceAccounts {
			accounts = append(accounts, e.account(t))
		}
		checkDeadlocksAreCounted(t, e)
		before := deadlocks(t, e)
		var all sync.WaitGroup
		parts, errs := make([]*onceLedger, onceProcesses), make([]error, onceProcesses)
		for p := range onceProcesses {
			cfg := e.cfg.Clone()
			cfg.InterpolateParams = p%2 == 0
			all.Go(func() { parts[p], errs[p] = onceOrder{cfg.FormatDSN(), p, accounts, last}.run(t.Context()) })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...), "processes")
		l := newOnceLedger(accounts)
		for _, p := range parts {
			require.Positive(t, p.Calls, "calls of one process")
			l.add(p)
		}
		counted := deadlocks(t, e) - before
		mysqltest.Tables(func(w io.Writer) {
			fmt.Fprintf(w, "ledger with a foreign key and ids, %d processes x %d callers, %v: %d calls in %v, %d replays, %d "+
				"made more attempts than one, at most %d, longest %v; errors %d; deadlocks that the server counted %d\n",
				onceProcesses, onceCallers, s, l.Calls, last, l.Replays, l.Retried, l.Most, l.Slowest.Round(time.Millisecond),
				l.Failed, counted)
		})
		require.Empty(t, l.Errors, "the first of %d errors", l.Failed)
		l.audit(t, e)
		e.settled(t)
	})
}

// audit compares what the callers were told with what is in the tables.
func (l *onceLedger) audit(t *testing.T, e *env) {
	journal := onceWay{enters: true}
	for _, id := range l.accounts {
		journal.agrees(t, e, id, opening+l.Moved[id], 1+l.Writes[id])
	}
	for id, first := range l.IDs {
		require.Equal(t, 1, first, "callers who were told that they are the first with id %q", id)
	}
	require.Equal(t, len(l.IDs), e.count(t, "sqlcas_operation"))
	require.Positive(t, l.Replays)
}
