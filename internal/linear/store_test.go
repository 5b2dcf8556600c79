package linear

import (
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

const (
	timeEnv = "SQLCAS_TEST_LINEAR"
	seedEnv = "SQLCAS_TEST_SEED"

	defaultTime = 3 * time.Second
	// fewest is how many histories are played however slow the machine, so that each kind of fault comes.
	fewest = 2
)

// opts keep a call that a fault has hit from waiting for longer than the history is worth.
var opts = []sqlcas.Option{sqlcas.WithCommitTimeout(100 * time.Millisecond), sqlcas.WithMaxElapsed(time.Second)}

// kind is a Store that is tried.
type kind struct {
	name string
	make func(db *sql.DB) store
}

func kinds() []kind {
	return []kind{
		{"optimistic", func(db *sql.DB) store { return optimistic.NewStore(db, shop.AccountTable, opts...) }},
		{"apart", func(db *sql.DB) store {
			apart := append(slices.Clone(opts), optimistic.WithoutCombining())
			return optimistic.NewStore(db, shop.AccountTable, apart...)
		}},
		{"pessimistic", func(db *sql.DB) store { return pessimistic.NewStore(db, shop.AccountTable, opts...) }},
	}
}

// Ensures that histories of 32 callers of two Stores over pools of their own, and of foreign writers, on 8 rows,
// are linearizable, whatever statements and answers are lost or stalled, sessions are killed and
// callers give up: there is one order of all calls that explains all answers.
func TestCallsAreLinearizableUnderFaults(t *testing.T) {
	t.Parallel()
	first, limit := firstSeed(t), timeLimit(t)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, k := range kinds() {
			t.Run(k.name, func(t *testing.T) {
				r := newRig(t, s)
				f := newFaults(t, r)
				dbs := r.pools(t, f.proxy.Addr())
				p := &players{
					dbs: dbs, stores: [2]store{k.make(dbs[0]), k.make(dbs[1])}, faults: f,
					foreign: r.open(t, r.cfg, foreigners), background: &sync.WaitGroup{},
				}
				sum := newTally()
				for seed := first; sum.histories < fewest || time.Since(sum.begun) < limit; seed++ {
					h := r.play(t, p, seed)
					if !judge(t, h, sum) {
						break
					}
				}
				r.unchanged(t)
				sum.report(t, k.name, s, f)
			})
		}
	})
}

// judge looks for what is wrong with a history, and reports whether the next may be played.
func judge(t *testing.T, h *history, sum *tally) bool {
	t.Helper()
	result, took := h.check()
	sum.add(h, took)
	for _, err := range append(h.miscounted(), h.wrong...) {
		t.Errorf("seed %d: %v", h.seed, err)
	}
	if result != porcupine.Ok {
		t.Errorf("seed %d: no order of the calls explains the answers: %s after %v; it is drawn in %s\nTry again:\n"+
			"  %s=%d go run ./internal/cmd/withdb -- go test -count=1 -run '%s' ./internal/linear",
			h.seed, result, took.Round(time.Millisecond), draw(t, h), seedEnv, h.seed, t.Name())
	}
	return !t.Failed()
}

// draw has porcupine draw a history, and says where.
func draw(t *testing.T, h *history) string {
	t.Helper()
	_, info := porcupine.CheckOperationsVerbose(modelOf(h.first), h.ops, checkLimit)
	folder := os.TempDir()
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		folder = t.ArtifactDir() // which would else be gone with the test
	}
	name := strings.ReplaceAll(t.Name(), "/", "-")
	file, err := os.CreateTemp(folder, fmt.Sprintf("%s-%d-*.html", name, h.seed))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	require.NoError(t, porcupine.Visualize(modelOf(h.first), info, file))
	return filepath.ToSlash(file.Name())
}

// tally is what a run came to.
type tally struct {
	begun                     time.Time
	histories, calls, largest int
	answers                   [answerCount]int
	took, longest             time.Duration // of the checks
}

func newTally() *tally { return &tally{begun: time.Now()} }

func (y *tally) add(h *history, took time.Duration) {
	y.histories++
	y.took += took
	y.longest = max(y.longest, took)
	y.largest = max(y.largest, h.largest)
	for _, of := range h.answers {
		for a, n := range of {
			y.answers[a] += n
			y.calls += n
		}
	}
}

// report prints the tally, and looks whether what is to be tried was tried.
func (y *tally) report(t *testing.T, name string, s *mysqltest.Server, f *faults) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "linearizable, %v, %s: %d histories of %d calls in %v (", s, name,
		y.histories, y.calls, time.Since(y.begun).Round(100*time.Millisecond))
	for a := range answer(answerCount) {
		fmt.Fprintf(&text, "%d %v, ", y.answers[a], a)
	}
	fmt.Fprintf(&text, "largest batch %d); %d faults, %d kills, %d cuts; checks %v, longest %v",
		y.largest, f.struck(), f.kills.Load(), f.cuts.Load(),
		y.took.Round(time.Millisecond), y.longest.Round(time.Millisecond))
	mysqltest.Tables(func(w io.Writer) { fmt.Fprintln(w, text.String()) })
	for a := range answer(answerCount) {
		if a != unknown { // of which there may be none
			require.NotZero(t, y.answers[a], "calls that %v", a)
		}
	}
	require.NotZero(t, f.struck(), "faults")
	require.NotZero(t, f.kills.Load(), "kills")
	require.NotZero(t, f.cuts.Load(), "cuts")
	if name == "optimistic" {
		require.Greater(t, y.largest, 1, "calls that were written together")
	}
}

// firstSeed reads the environment.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(seedEnv)
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, seedEnv)
	return seed
}

// timeLimit reads the environment.
func timeLimit(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(timeEnv)
	if text == "" {
		return defaultTime
	}
	limit, err := time.ParseDuration(text)
	require.NoError(t, err, timeEnv)
	return limit
}
