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

	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// onceEnv is how many COMMITs meet each fault, per server and mode of TestOnceUnderFaults.
const onceEnv = "SQLCAS_TEST_ONCE"

// onceMode is one row of the table: a Store, what happens to its COMMITs, and how many callers each process has.
type onceMode struct {
	kind    int // of onceKinds
	fault   fault
	callers int
}

func onceModes() []onceMode {
	var all []onceMode
	for k := range onceKinds {
		for _, f := range faults {
			for _, callers := range []int{1, places} {
				all = append(all, onceMode{k, f, callers})
			}
		}
	}
	return all
}

// onceStorm is the work of one mode: two processes, whose callers call with the same ids for one row.
type onceStorm struct {
	onceMode
	rig     *rig
	account uint64
	both    [2]*process
	tally   onceTally
}

func (r *rig) newOnceStorm(t *testing.T, m onceMode, account uint64) *onceStorm {
	t.Helper()
	s := &onceStorm{onceMode: m, rig: r, account: account, tally: onceTally{told: map[string]onceTold{}}}
	var commitTimeout time.Duration
	if m.fault.stalls {
		commitTimeout = stallTimeout + time.Duration(account)*5*time.Millisecond
	}
	for i := range s.both {
		s.both[i] = r.newProcess(t, m.kind, int(account)+i, commitTimeout)
	}
	return s
}

// prefix begins all ids of the mode.
func (s *onceStorm) prefix() string { return fmt.Sprintf("account %d/", s.account) }

// round has every caller of both processes make his call, with the ids of the round, while one of the next COMMITs of
// one process meets the fault, if there are so many.
func (s *onceStorm) round(n int) error {
	hit := s.both[n%2].proxy
	at := hit.Commits() + 1
	if s.callers > 1 {
		at += n / 2 % 3 // the first is that of a caller alone, and the batches come behind it
	}
	hit.Decide(func(commit int) faultproxy.Mode {
		if commit == at {
			return s.fault.mode
		}
		return faultproxy.Pass
	})
	defer hit.Decide(nil)
	r := onceRound{Account: s.account}
	for i := range s.callers {
		r.IDs = append(r.IDs, fmt.Sprintf("%s%d/%d", s.prefix(), n, i))
	}
	var errs [2]error
	var all sync.WaitGroup
	for i, p := range s.both {
		all.Go(func() {
			var answers []onceAnswer
			answers, errs[i] = p.round(r)
			for _, a := range answers {
				s.tally.note(a)
			}
		})
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

// run has two processes make rounds until so many COMMITs have met the fault.
func (s *onceStorm) run(ctx context.Context, faults int) error {
	for _, p := range s.both {
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	for n := 0; s.met() < faults; n++ {
		if n > 20*faults+100 {
			return fmt.Errorf("only %d of %d COMMITs have met their fault", s.met(), faults)
		}
		if err := s.round(n); err != nil {
			return fmt.Errorf("round %d: %w", n, err)
		}
	}
	s.tally.faults = s.met()
	return errors.Join(s.both[0].end(), s.both[1].end())
}

func (s *onceStorm) met() int {
	return s.both[0].proxy.Count(s.fault.mode) + s.both[1].proxy.Count(s.fault.mode)
}

// onceFaults is how many faults are asked for of each mode.
func onceFaults(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(onceEnv), "6"))
	require.NoError(t, err, onceEnv)
	return n
}

// Ensures that whatever happens to COMMITs, of one caller or of a batch of many, and although two processes call with the
// same ids for one row: every id is applied exactly once in the end, with its entry in the ledger; whoever is told of
// success is told whether he was the first, which one is; who is not told calls again with his id until he is, and
// nobody hears of duplicate entries, deadlocks or changed rows. And that no lock, session or connection is left.
func TestOnceUnderFaults(t *testing.T) {
	// Not beside other tests: some of those measure how long an answer takes.
	n := onceFaults(t)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		all := onceModes()
		r := newIDRig(t, s, len(all))
		storms := make([]*onceStorm, len(all))
		var wg sync.WaitGroup
		atOnce := make(chan struct{}, 6)
		for i, m := range all {
			storms[i] = r.newOnceStorm(t, m, uint64(i+1))
			wg.Go(func() {
				atOnce <- struct{}{}
				if err := storms[i].run(t.Context(), n); err != nil {
					t.Errorf("%s: %v", storms[i].prefix(), err)
				}
				<-atOnce
			})
		}
		wg.Wait()
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "Store\tfault\tcallers\tlargest batch\tfaults\tids\tcalls\treplays\tunknown\twrong\tlongest")
		for _, st := range storms {
			y := &st.tally
			for _, p := range st.both {
				eventually(t, lockGrace, "no lost session is left", func() bool { return p.proxy.Orphans() == 0 })
			}
			k := onceKinds[st.kind]
			name := fmt.Sprintf("%s_%s_%d", k.name, strings.ReplaceAll(st.fault.name, " ", "_"), st.callers)
			t.Run(name, func(t *testing.T) {
				y.audit(t, r, k, st.account, st.prefix())
			})
			fmt.Fprintf(w, "%s\t%s\t2 x %d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%v\n",
				k.name, st.fault.name, st.callers, y.batch, y.faults,
				len(y.told), y.calls, y.replays, y.unknown, len(y.wrong), y.longest.Round(time.Millisecond))
		}
		r.assertUnlocked(t)
		require.NoError(t, w.Flush())
		show("faults at COMMITs with operation ids that two processes share, %v\n%s", s, text.String())
	})
}
