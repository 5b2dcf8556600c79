package hotrow

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ensures that each round has all strategies, and that over the rounds each follows each other one equally
// often.
func TestOrderIsBalanced(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 8; k++ {
		follows := map[[2]int]int{}
		for round := range 2 * k {
			all := order(k, round)
			for i := 1; i < k; i++ {
				follows[[2]int{all[i-1], all[i]}]++
			}
			slices.Sort(all)
			for i, strategy := range all {
				require.Equal(t, i, strategy, "%d strategies, round %d", k, round)
			}
		}
		require.Len(t, follows, k*(k-1), "%d strategies", k)
		for pair, times := range follows {
			require.Equal(t, 2, times, "%d strategies: %v", k, pair)
		}
	}
}

// Ensures that a run which makes no sense is refused before anything is done, with the field's name and the
// mend.
func TestSetupIsChecked(t *testing.T) {
	t.Parallel()
	good := Setup{
		DSN: "root@tcp(127.0.0.1:1)/x", Strategies: []string{"cas", "store"}, Callers: []int{1}, Processes: 1, Pool: 1,
		Keys: 1, Duration: time.Second, Rounds: 1,
	}
	require.NoError(t, good.check())
	const known = "cas, cas-jitter, queue, for-update, delta, store, pessimistic, for-update-ledger, ledger"
	for want, spoil := range map[string]func(*Setup){
		`there is no strategy "stor": there are ` + known: func(s *Setup) { s.Strategies = []string{"cas", "stor"} },
		`strategy "cas" is given twice`:                   func(s *Setup) { s.Strategies = []string{"cas", "store", "cas"} },
		"strategies: got 0: give at least 1":              func(s *Setup) { s.Strategies = nil },
		"callers: got 0: give at least 1":                 func(s *Setup) { s.Callers = nil },
		"callers: 0 are none: give at least 1":            func(s *Setup) { s.Callers = []int{1, 0} },
		"processes: got 0: give at least 1":               func(s *Setup) { s.Processes = 0 },
		"processes: more than one need a Worker":          func(s *Setup) { s.Processes = 2 },
		"pool: got -1: give at least 1":                   func(s *Setup) { s.Pool = -1 },
		"keys: got 0: give at least 1":                    func(s *Setup) { s.Keys = 0 },
		"rounds: got 0: give at least 1":                  func(s *Setup) { s.Rounds = 0 },
		"round trip: -1ns cannot be added":                func(s *Setup) { s.RTT = -1 },
		"duration: 0s is nothing to divide":               func(s *Setup) { s.Duration = 0 },
		"the DSN names no database":                       func(s *Setup) { s.DSN = "root@tcp(127.0.0.1:1)/" },
		"invalid DSN":                                     func(s *Setup) { s.DSN = "mysql" },
	} {
		bad := good
		spoil(&bad)
		_, err := Run(t.Context(), bad)
		require.ErrorContains(t, err, want)
	}
}

// Ensures that an ended context is the error of a run that has not begun.
func TestRunAfterTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, Setup{
		DSN: "root@tcp(127.0.0.1:1)/x", Strategies: []string{"store"}, Callers: []int{1}, Processes: 2, Pool: 1, Keys: 1,
		Duration: time.Second, Rounds: 1, Worker: func() *exec.Cmd { panic("not yet") },
	})
	require.ErrorIs(t, err, context.Canceled)
}

// Ensures that the plan has a turn of each strategy in each round, one for commits, and one round that warms up; and
// that callers are told over all processes.
func TestPlan(t *testing.T) {
	t.Parallel()
	s := Setup{Strategies: []string{"cas", "store"}, Callers: []int{1, 32}, Processes: 4, Rounds: 2}
	require.Equal(t, 1+2*3*(1+2), s.Steps())
	var told []string
	for _, step := range s.plan()[9:13] {
		told = append(told, step.next)
	}
	require.Equal(t, []string{
		"128 callers, warming up: commits", "128 callers, warming up: cas", "128 callers, warming up: store",
		"128 callers, round 1 of 2: commits",
	}, told)
}
