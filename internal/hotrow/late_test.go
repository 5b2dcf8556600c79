package hotrow

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// tardy is a crew that does nothing, and begins late for so many turns.
type tardy struct {
	turns int
	by    time.Duration
	taken int
}

func (c *tardy) take(context.Context, turn) (tally, error) {
	all := tally{InTime: int64(c.taken), Callers: []int64{0}, Times: newTimes()}
	if c.taken++; c.taken <= c.turns {
		all.Late = c.by
	}
	return all, nil
}

func (*tardy) close() {}

// Ensures that a turn which a process has begun late does not count and is taken again, that a process which is late
// again and again is named, and that a tenth of the turn is not yet late.
func TestATurnThatBeginsLateIsTakenAgain(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		cfg := server.Config(t)
		db, err := benchdb.Open(cfg.FormatDSN(), 1, 0)
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, benchdb.CreateTables(t.Context(), db))
		b, err := openBooks(t.Context(), db, 1)
		require.NoError(t, err)
		const slice = time.Second
		for _, c := range []struct {
			tardy tardy
			taken int
			want  string
		}{
			{tardy{turns: turns, by: slice / 10}, 1, ""},
			{tardy{turns: turns - 1, by: slice/10 + 1}, turns, ""},
			{
				tardy{turns: turns, by: 120 * time.Millisecond},
				turns,
				"store, 2 callers: process 2 began a turn of 1 s 120 ms late: the processes did not work at the same time",
			},
		} {
			sum := newTotal()
			r := run{
				setup: Setup{
					Strategies: []string{"store"}, Callers: []int{1}, Processes: 2, Keys: 1, Duration: slice, Rounds: 1,
				},
				crews: []crew{&tardy{}, &c.tardy}, books: b, totals: [][]*total{{sum}},
			}
			err := r.turn(t.Context(), step{round: 1})
			require.Equal(t, c.taken, c.tardy.taken)
			if c.want == "" {
				require.NoError(t, err)
				require.Equal(t, []float64{2 * float64(c.taken-1)}, sum.rates, "the last one alone counts")
				continue
			}
			require.ErrorContains(t, err, c.want)
			require.ErrorIs(t, err, errLate)
			require.Empty(t, sum.rates)
		}
	})
}
