package hotrow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// sound are the names of all strategies that a user can choose.
func sound() (names []string) {
	for _, s := range registry {
		if s.About != "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// Ensures that every strategy is measured on every server, with each number of callers; that a report is
// complete; and that Told is called as often as Steps says.
func TestEveryStrategyIsMeasured(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"cas", "cas-jitter", "queue", "for-update", "delta", "store", "pessimistic", "for-update-ledger", "ledger",
	}, sound())
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		s := short(t, server, sound()...)
		s.Callers, s.Keys = []int{1, 4}, 2
		var told []string
		s.Told = func(next string) { told = append(told, next) }
		r, err := Run(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, told, s.Steps())
		require.Equal(t, "1 callers, warming up: commits", told[0])
		require.Empty(t, told[len(told)-1], "what comes after the last step")
		require.Equal(t, []any{1, 3, 2, s.Duration, 2}, []any{r.Processes, r.Pool, r.Keys, r.Duration, r.Rounds})
		requireComplete(t, s, r)
	})
}

// Ensures that processes of their own measure what one process does, and that none is left; with a round
// trip that is added, which each of them sees.
func TestProcessesWorkTogether(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		s := short(t, server, "queue", "for-update", "store", "for-update-ledger", "ledger")
		s.Callers, s.RTT = []int{2}, 3*time.Millisecond
		c := s.inProcesses(t, 2, "worker")
		r, err := Run(t.Context(), s)
		require.NoError(t, err)
		c.requireGone(2)
		requireComplete(t, s, r)
		for _, res := range r.Cells[0].Results {
			require.Greater(t, res.Latency[0].Time, 5*time.Millisecond, "%s: two round trips", res.Strategy)
		}
	})
}

// requireComplete makes sure that nothing of a report is missing, and that its numbers fit to each other and to
// the rows.
func requireComplete(t *testing.T, s Setup, r Report) {
	t.Helper()
	require.Len(t, r.Cells, len(s.Callers))
	var done int64
	for i, cell := range r.Cells {
		require.Equal(t, s.Callers[i], cell.Callers)
		require.Len(t, cell.Commit, s.Rounds)
		require.Positive(t, slices.Min(cell.Commit))
		require.Len(t, cell.Results, len(s.Strategies))
		for j, res := range cell.Results {
			require.Equal(t, s.Strategies[j], res.Strategy)
			requireSensible(t, s, int64(cell.Callers*s.Processes), res)
			done += res.Done
		}
	}
	spent, moved := moves(t, s)
	require.Equal(t, spent, moved, "what the balances and the versions show")
	require.Greater(t, spent, done, "warming up and commits are in the rows as well")
}

func requireSensible(t *testing.T, s Setup, callers int64, res Result) {
	t.Helper()
	require.Len(t, res.Rates, s.Rounds, res.Strategy)
	var inTime float64
	for _, rate := range res.Rates {
		inTime += rate * s.slice().Seconds()
	}
	require.Positive(t, res.Done, res.Strategy)
	late := res.Done - int64(math.Round(inTime))
	require.GreaterOrEqual(t, late, int64(0), res.Strategy)
	require.LessOrEqual(t, late, callers*int64(s.Rounds), "%s: each caller is late once a turn", res.Strategy)
	require.LessOrEqual(t, res.FewestByCaller*callers, res.Done, res.Strategy)
	require.GreaterOrEqual(t, res.MostByCaller*callers, res.Done, res.Strategy)
	if slices.Contains([]string{"cas", "cas-jitter", "queue"}, res.Strategy) {
		require.GreaterOrEqual(t, res.Attempts, res.Done, res.Strategy)
	} else {
		require.Zero(t, res.Attempts, res.Strategy)
	}
	require.Len(t, res.Latency, len(Quantiles), res.Strategy)
	for i, q := range res.Latency {
		require.Equal(t, Quantiles[i], q.Part)
		require.Positive(t, q.Time, res.Strategy)
		require.GreaterOrEqual(t, q.Time, res.Latency[max(i-1, 0)].Time, res.Strategy)
	}
}

// moves returns what the rows of a run show: by how much the balances went down and the versions up.
func moves(t *testing.T, s Setup) (spent, moved int64) {
	t.Helper()
	var rows, balances, versions int64
	require.NoError(t, peek(t, s.DSN).QueryRowContext(t.Context(),
		"SELECT COUNT(*), CAST(SUM(balance) AS SIGNED), CAST(SUM(version) AS SIGNED) FROM account").
		Scan(&rows, &balances, &versions))
	require.Equal(t, int64(s.Keys)+1, rows)
	return rows*openingBalance - balances, versions - rows
}

// Ensures that a strategy which loses an update, applies one twice or does not move the version has no
// report, and is named; in one process and in several.
func TestALostUpdateHasNoReport(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for _, name := range []string{"lossy", "twice", "versionless", "forgetful"} {
			s := short(t, server, name)
			requireLost(t, s)
		}
		s := short(t, server, "delta", "lossy")
		c := s.inProcesses(t, 2, "worker")
		requireLost(t, s)
		c.requireGone(2)
	})
}

func requireLost(t *testing.T, s Setup) {
	t.Helper()
	r, err := Run(t.Context(), s)
	require.ErrorIs(t, err, ErrLost)
	require.ErrorContains(t, err, fmt.Sprintf("%s, %d callers: ", s.Strategies[len(s.Strategies)-1], 3*s.Processes))
	require.Regexp(t, `: row 1: of \d+ that were reported, its balance shows \d+ and its version \d+; `+
		`rows that are not as reported: 1 of 2$`, err.Error())
	require.Zero(t, r)
}

// Ensures that an error of a call ends the run, also in another process, and says whose it was.
func TestAnErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		s := short(t, server, "store", "broken")
		r, err := Run(t.Context(), s)
		require.EqualError(t, err, "broken, 3 callers: the sky has fallen")
		require.Zero(t, r)

		s = short(t, server, "store", "broken")
		c := s.inProcesses(t, 2, "worker")
		_, err = Run(t.Context(), s)
		require.ErrorContains(t, err, "broken, 6 callers: process ")
		require.ErrorContains(t, err, ": the sky has fallen")
		c.requireGone(2)
	})
}

// bystander is a crew that works until it is called off.
type bystander struct{}

func (bystander) take(ctx context.Context, _ turn) (tally, error) {
	<-ctx.Done()
	return tally{}, ctx.Err()
}

func (bystander) close() {}

// Ensures that an error in one process ends the turn of the others, and is the one that is told.
func TestAnErrorOfOneProcessEndsTheTurnOfAll(t *testing.T) {
	t.Parallel()
	errFirst := errors.New("first")
	faulty := idle(func(limits, uint64) (int64, error) { return 0, errFirst })
	r := run{setup: Setup{Processes: 3}, crews: []crew{bystander{}, faulty, bystander{}}}
	_, err := r.everybody(t.Context(), turn{Strategy: "w", Callers: 1, Keys: 1, Slice: time.Hour})
	require.Equal(t, errFirst, err)
}

// Ensures that a run can be ended in the middle of a turn: it returns at once with ctx's error, and leaves no
// session and no process. TestMain looks for goroutines.
func TestTheContextEndsARun(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for _, name := range sound() {
			s := short(t, server, name)
			requireEnds(t, s)
		}
		s := short(t, server, "store")
		c := s.inProcesses(t, 2, "worker")
		requireEnds(t, s)
		c.requireGone(2)
	})
}

// requireEnds runs one strategy until its first turn is under way, and then ends it.
func requireEnds(t *testing.T, s Setup) {
	t.Helper()
	const turn = time.Second // an eighth of it goes ahead, for commits
	s.Duration = turn * time.Duration(s.Rounds)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db := peek(t, s.DSN)
	var ended time.Time
	s.Told = func(next string) {
		if strings.HasSuffix(next, ": "+s.Strategies[0]) {
			go func() {
				awaitMove(ctx, db)
				ended = time.Now()
				cancel()
			}()
		}
	}
	r, err := Run(ctx, s)
	require.Equal(t, context.Canceled, err)
	require.Zero(t, r)
	require.Less(t, time.Since(ended), turn/2, s.Strategies[0])
	requireNoSession(t, db)
}

// awaitMove returns when the hot row has been changed.
func awaitMove(ctx context.Context, db *sql.DB) {
	for version := 1; version < 5 && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if db.QueryRowContext(ctx, "SELECT version FROM account WHERE id = 1").Scan(&version) != nil {
			return
		}
	}
}

// requireNoSession waits for a moment until nobody else is connected to the database.
func requireNoSession(t *testing.T, db *sql.DB) {
	t.Helper()
	require.Eventually(t, func() bool {
		var others int
		err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist "+
			"WHERE db = DATABASE() AND id <> CONNECTION_ID()").Scan(&others)
		return err == nil && others == 0
	}, 2*time.Second, 5*time.Millisecond)
}
