package conformance

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// What steers the histories. Their seeds are 1, 2, 3 and so on, so that every run plays the same
// ones; SQLCAS_TEST_SEED is another first seed, alone unless SQLCAS_TEST_HISTORIES says how many.
const (
	historiesEnv = "SQLCAS_TEST_HISTORIES"
	seedEnv      = "SQLCAS_TEST_SEED"

	defaultHistories = 1000
)

// Ensures that random histories of all methods, of closures that do what they may and what they may
// not, and of writers who come in between, have on both Stores the answers, and leave the rows and
// versions, that a model in memory says (cases 13, 15, 58, 59, 60 and 62 among others). The histories
// are spread over the modes of the grid, by their seeds.
func TestRandomHistoriesAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	first, n := historySeeds(t)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for i, m := range modes() {
			t.Run(m.String(), func(t *testing.T) {
				t.Parallel()
				playMode(t, newEnv(t, s, m, false), func(yield func(uint64) bool) {
					for seed := first; seed < first+n; seed++ {
						if seed%8 == uint64(i) && !yield(seed) {
							return
						}
					}
				})
			})
		}
	})
}

// historySeeds reads the environment.
func historySeeds(t *testing.T) (first, n uint64) {
	t.Helper()
	read := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, name)
		return n
	}
	n = defaultHistories
	if os.Getenv(seedEnv) != "" {
		n = 1
	}
	return read(seedEnv, 1), read(historiesEnv, n)
}

// maxFailures is how many histories of one mode may fail before the rest is left out.
const maxFailures = 3

// playMode plays histories on both Stores, each on the same rows.
func playMode(t *testing.T, e *env, seeds func(yield func(uint64) bool)) {
	t.Helper()
	stores := []struct {
		name    string
		store   historyStore
		locking bool
	}{
		{"optimistic", optimisticHistory{optimistic.NewStore(e.db, shop.AccountTable), e.other}, false},
		{"pessimistic", pessimisticHistory{pessimistic.NewStore(e.db, shop.AccountTable)}, true},
	}
	failed := 0
	for seed := range seeds {
		var ends []string
		for _, s := range stores {
			p := &historyPlayer{e: e, store: s.store}
			m := &historyModel{locking: s.locking, repeatable: !e.mode.readCommitted}
			told, err := playHistory(t, p, m, seed, histories.of(e.server, s.name))
			if err != nil {
				failed++
				t.Errorf("%s.Store: history %d: %v\n%s\nPlay it again:\n"+
					"  %s=%d go run ./internal/cmd/withdb -- go test -count=1 -run %s ./internal/conformance",
					s.name, seed, err, told, seedEnv, seed, strings.SplitN(t.Name(), "/", 2)[0])
			}
			ends = append(ends, showRows(m.rows))
		}
		if historyIsQuiet(seed) && failed == 0 {
			require.Equal(t, ends[0], ends[1], "history %d: nobody came in between, and the Stores differ", seed)
		}
		if failed >= maxFailures {
			t.Errorf("%d histories failed: the rest of the mode is left out", failed)
			break
		}
	}
	e.settled(t)
}

// playHistory plays one history on one Store, and returns an error at the first answer, row or
// version that is not the model's, with all steps up to there.
func playHistory(
	t *testing.T, p *historyPlayer, m *historyModel, seed uint64, sum *historySum,
) (told string, err error) {
	t.Helper()
	rows, steps := historyBegin(seed)
	m.rows = maps.Clone(rows)
	if err := fill(t.Context(), p.e, rows); err != nil {
		return "", err
	}
	lines := []string{"   0  " + showRows(rows)}
	sum.begin()
	for i := 1; i <= steps; i++ {
		s := historyStepOf(seed, i, m.rows)
		want := m.do(s)
		got := p.do(t.Context(), s)
		sum.add(s, want)
		lines = append(lines, fmt.Sprintf("%4d  %s\n      -> %s", i, s, got))
		told = strings.Join(lines, "\n")
		if p.broken != nil {
			return told, fmt.Errorf("step %d: writing by hand: %w", i, p.broken)
		}
		if p.e.snapshot && s.call == callTx && got.about == "" {
			want.about, want.actual = "", 0 // it was 1020 that told of the conflict, and knows no row
		}
		if !got.agrees(want) {
			return told, fmt.Errorf("step %d: got another answer than the model's\n  got   %s\n  want  %s", i, got, want)
		}
	}
	left, err := shop.New(p.e.other).ListAccounts(t.Context())
	if err != nil {
		return told, err
	}
	final := map[uint64]shop.Account{}
	for _, row := range left {
		final[row.ID] = row
	}
	if !maps.Equal(final, m.rows) {
		return told, fmt.Errorf("the rows at the end are not the model's\n  got   %s\n  want  %s",
			showRows(final), showRows(m.rows))
	}
	return told, nil
}

// fill makes the table hold just these rows.
func fill(ctx context.Context, e *env, rows map[uint64]shop.Account) error {
	if _, err := e.other.ExecContext(ctx, "DELETE FROM account"); err != nil || len(rows) == 0 {
		return err
	}
	var args []any
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		args = append(args, k, rows[k].Owner, rows[k].Balance, rows[k].Version)
	}
	_, err := e.other.ExecContext(ctx, enterAccount+strings.Repeat(", (?, ?, ?, ?)", len(rows)-1), args...)
	return err
}
