package backoffsim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// by returns the rows with one number of clients, by policy.
func (t Table) by(clients int) map[string]Row {
	rows := map[string]Row{}
	for _, r := range t.Rows {
		if r.Clients == clients {
			rows[r.Policy] = r
		}
	}
	return rows
}

// Ensures that the study's order comes out: of the policies that pause, full jitter sends the fewest writes, or
// within 5 % of the fewest; exponential pauses without jitter are the worst in writes and time; not to pause is the
// quickest, for by far the most writes once there are some clients.
func TestTheOrderIsTheStudys(t *testing.T) {
	t.Parallel()
	clients := []int{10, 20, 50, 100, 190}
	table := Run(Options{Clients: clients, Trials: 20, Seed: 1})
	for _, n := range clients {
		rows := table.by(n)
		none, expo, full := rows["none"], rows["exponential"], rows["full jitter"]
		for _, name := range []string{"equal jitter", "full jitter", "decorrelated"} {
			require.LessOrEqual(t, full.Calls, 1.05*rows[name].Calls, "%d clients, %s", n, name)
			require.Less(t, rows[name].Calls, expo.Calls, "%d clients, %s", n, name)
			require.Less(t, rows[name].Finish, expo.Finish, "%d clients, %s", n, name)
			require.Less(t, none.Finish, rows[name].Finish, "%d clients, %s", n, name)
		}
		require.Less(t, full.Finish, rows["equal jitter"].Finish, "%d clients", n)
		if n >= 50 {
			require.Greater(t, none.Calls, expo.Calls, "%d clients", n)
		}
	}
}

// Ensures that over all of the study's numbers of clients full jitter is the least work, and pauses without jitter the
// most of those that pause.
func TestFullJitterIsTheLeastWork(t *testing.T) {
	t.Parallel()
	table := Run(Options{Clients: []int{10, 20, 50, 100, 190, 500}, Trials: 20, Seed: 1})
	work := map[string]float64{}
	for i, w := range table.Work() {
		work[table.Policies[i]] = w
	}
	for _, name := range []string{"none", "equal jitter", "decorrelated", "exponential"} {
		require.Less(t, work["full jitter"], work[name], name)
	}
	for _, name := range []string{"full jitter", "equal jitter", "decorrelated"} {
		require.Less(t, work[name], work["exponential"], name)
	}
	require.Nil(t, Run(Options{Clients: []int{9, 191}, Trials: 1}).Work(), "none of the study's")
}

// Ensures that the simulation is the study's and not just alike: 20 trials of its own program, with the same network
// and the same base and cap, came to these numbers. With few clients and no jitter a trial more or less in which two
// stay together for long makes the difference.
func TestTheNumbersAreThoseOfTheStudysProgram(t *testing.T) {
	t.Parallel()
	table := Run(Options{Clients: []int{10, 50, 100, 190}, Trials: 20, Seed: 1})
	for clients, want := range map[int]map[string]struct{ ms, calls float64 }{
		10: {
			"none": {373, 50}, "full jitter": {480, 39}, "equal jitter": {710, 42},
			"decorrelated": {400, 37}, "exponential": {2934, 49},
		},
		50: {
			"none": {1136, 689}, "full jitter": {2508, 332}, "equal jitter": {4121, 346},
			"decorrelated": {2153, 375}, "exponential": {36174, 614},
		},
		100: {
			"none": {2014, 2420}, "full jitter": {4886, 794}, "equal jitter": {6839, 812},
			"decorrelated": {4691, 1016}, "exponential": {63924, 1871},
		},
		190: {
			"none": {3527, 7993}, "full jitter": {7553, 1773}, "equal jitter": {9548, 1756},
			"decorrelated": {7953, 2447}, "exponential": {100641, 5191},
		},
	} {
		for policy, w := range want {
			got := table.by(clients)[policy]
			require.InEpsilon(t, w.calls, got.Calls, 0.06, "writes of %d clients, %s", clients, policy)
			require.InEpsilon(t, w.ms, float64(got.Finish.Milliseconds()), 0.2, "time of %d clients, %s", clients, policy)
		}
	}
}

// Ensures that a seed repeats the study's policies, also in a run of other numbers of clients, and that
// another seed does not.
func TestASeedRepeatsTheNumbers(t *testing.T) {
	t.Parallel()
	for _, m := range []Model{Study, OneAtATime} {
		one := Run(Options{Clients: []int{10, 30}, Trials: 3, Seed: 7, Model: m})
		two := Run(Options{Clients: []int{30, 20}, Trials: 3, Seed: 7, Model: m})
		other := Run(Options{Clients: []int{30}, Trials: 3, Seed: 8, Model: m})
		require.Len(t, one.Rows, 2*len(policies))
		for _, p := range policies {
			if p.name == Ours {
				continue // draws from the library's own generator
			}
			require.Equal(t, one.by(30)[p.name], two.by(30)[p.name], "%s", p.name)
			require.NotEqual(t, one.by(30)[p.name], other.by(30)[p.name], "%s", p.name)
		}
	}
}

// Ensures that who is alone writes once, after four ways through the network, however he would pause.
func TestOneClientWritesOnce(t *testing.T) {
	t.Parallel()
	for m, server := range map[Model]time.Duration{Study: 0, OneAtATime: commit} {
		for _, r := range Run(Options{Clients: []int{1}, Trials: 200, Seed: 3, Model: m}).Rows {
			require.InDelta(t, 1, r.Calls, 0, "%s", r.Policy)
			require.InDelta(t, 1, r.CallsPerClient, 0, "%s", r.Policy)
			require.InDelta(t, float64(4*delayMean+server), float64(r.Finish), float64(time.Millisecond), "%s", r.Policy)
		}
	}
}

// Ensures that our own policy sends fewer writes than not to pause and is done sooner than the study's jitter, for
// as many clients as the study has, and that it is not hurt by writes that wait for each other.
func TestOurPolicyIsQuickAmongTheStudysClients(t *testing.T) {
	t.Parallel()
	for _, m := range []Model{Study, OneAtATime} {
		table := Run(Options{Clients: []int{50, 100, 190}, Trials: 20, Seed: 1, Model: m})
		for _, n := range []int{50, 100, 190} {
			rows := table.by(n)
			require.Less(t, rows[Ours].Calls, 0.7*rows["none"].Calls, "%d clients", n)
			require.Less(t, rows[Ours].Calls, rows["exponential"].Calls, "%d clients", n)
			require.Less(t, rows[Ours].Finish, rows["full jitter"].Finish, "%d clients", n)
		}
	}
}

// Ensures that not to pause only looks fast where a write that loses costs the server nothing.
func TestNotToPauseIsSlowWhereWritesWaitForEachOther(t *testing.T) {
	t.Parallel()
	rows := Run(Options{Clients: []int{500}, Trials: 3, Seed: 1, Model: OneAtATime}).by(500)
	for _, name := range []string{"equal jitter", "full jitter", "decorrelated", Ours} {
		require.Greater(t, rows["none"].Finish, 2*rows[name].Finish, name)
	}
}
