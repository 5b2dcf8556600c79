package oncemodel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// scenarios are those in which the protocol must hold.
var scenarios = []struct {
	name string
	Scenario
}{
	{"one id is shared", Scenario{IDs: [2][]ID{{S, A}, {S, B}}, Faults: 2}},
	{"one id is shared, three faults", Scenario{IDs: [2][]ID{{S}, {S}}, Faults: 3}},
	{"one id is shared, READ COMMITTED", Scenario{IDs: [2][]ID{{S, A}, {S, B}}, Faults: 2, ReadCommitted: true}},
	{"one id is shared, ids first", Scenario{IDs: [2][]ID{{S, A}, {S, B}}, Faults: 2, IDsFirst: true}},
	{"all ids are shared", Scenario{IDs: [2][]ID{{S, A}, {S, A}}, Faults: 2}},
	{"no id is shared", Scenario{IDs: [2][]ID{{A}, {B}}, Faults: 2}},
	{"one id on two rows", Scenario{IDs: [2][]ID{{S, A}, {S, B}}, Row: [2]int{0, 1}, Faults: 2}},
	{"all ids on two rows", Scenario{IDs: [2][]ID{{S, A}, {S, A}}, Row: [2]int{0, 1}, Faults: 2}},
	{"unsorted ids on two rows", Scenario{IDs: [2][]ID{{S, A}, {A, S}}, Row: [2]int{0, 1}, Faults: 2}},
}

// Ensures that each id is applied exactly once, and each answer true, in every state that two processes, their
// server and so many faults can reach; that a deadlock takes ids in different orders; that one row that is read
// before the ids meets no duplicate entry; and that all that the model knows of does happen, so that it proves
// something.
func TestEveryRunAppliesEachIDExactlyOnce(t *testing.T) {
	t.Parallel()
	var taken [events]int
	gaveUp := 0
	for _, sc := range scenarios {
		res := Explore(sc.Scenario, 0)
		t.Logf("%-34s %7d states, %7d moves, %5d ends", sc.name, res.States, res.Moves, res.Ends)
		require.Nil(t, res.Violation, "%s:\n%s", sc.name, res.Violation)
		require.NotZero(t, res.Ends)
		inOrder, rowFirst := sc.name != "unsorted ids on two rows", sc.Row[0] == sc.Row[1] && !sc.IDsFirst
		require.Equal(t, inOrder, res.taken[deadlock] == 0, "%s: deadlocks", sc.name)
		require.Equal(t, rowFirst, res.taken[findsDuplicate] == 0, "%s: duplicate entries", sc.name)
		gaveUp += res.gaveUp
		for e, n := range res.taken {
			taken[e] += n
		}
	}
	require.NotZero(t, gaveUp)
	for e, n := range taken {
		if flawed := event(e) == insertsApart || event(e) == looksUnasked; flawed {
			require.Zero(t, n, sentences[e])
			continue
		}
		require.NotZero(t, n, "never happens: %s", sentences[e])
	}
}

// Ensures that without a fault nobody kills, waits in vain or is left in doubt.
func TestWithoutFaultsNobodyIsLeftInDoubt(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios {
		sc.Faults = 0
		res := Explore(sc.Scenario, 0)
		require.Nil(t, res.Violation, "%s:\n%s", sc.name, res.Violation)
		for _, e := range []event{cannotAsk, runsAgain, findsAbsent, waitRunsOut, killsOpen, killsEarly} {
			require.Zero(t, res.taken[e], "%s: %s", sc.name, sentences[e])
		}
	}
}
