package oncemodel

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// oneID is a batch of one id that both processes run.
func oneID(faults int) Scenario { return Scenario{IDs: [2][]ID{{S}, {S}}, Faults: faults} }

// alone is a batch of one id that one process runs.
func alone(faults int) Scenario { return Scenario{IDs: [2][]ID{{S}}, Faults: faults} }

// books holds states to the books alone, and not to the answers.
func (w *world) books(s *state, quiet bool) string {
	if !quiet {
		return ""
	}
	return cmp.Or(s.stuck(), w.booksBroken(s))
}

// Ensures that each flaw of the look-up is found by what callers are told, with no more faults than it takes.
func TestFlawsOfTheLookUpAreFound(t *testing.T) {
	t.Parallel()
	for _, f := range []flawed{
		{"plain look-up", PlainLookUp, alone(1), "P1 told that it has not applied S, and it has"},
		{"no KILL", NoKill, alone(1), "P1 told that the outcome of S is unknown, and the server was there to be asked"},
		{"no KILL, plain look-up", NoKill | PlainLookUp, alone(1), "P1 told that it has not applied S, and it has"},
		{"absent is done", AbsentIsDone, alone(1), "P1 told that it has applied S, and it has not"},
		{"anybody's is ours", AnybodysIsOurs, oneID(1), "P1 told that it has applied S, and it has not"},
		{"unknown is undone", UnknownIsUndone, alone(2), "P1 told that it has not applied S, and it has"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.isFound(t, func(w *world) Result { return Explore(*w.sc, w.flaws) })
		})
	}
}

// Ensures that each flaw of the writes is found by the books, with no more faults than it takes.
func TestFlawsOfTheWritesAreFound(t *testing.T) {
	t.Parallel()
	shared := Scenario{IDs: [2][]ID{{S, A}, {S, B}}}
	apart := Scenario{IDs: [2][]ID{{A}, {B}}}
	twoRows := oneID(0)
	twoRows.Row[1] = 1
	idsFirst := oneID(0)
	idsFirst.IDsFirst = true
	for _, f := range []flawed{
		{"ids before", IDsBefore, shared, "row 1 holds the amount of B 0 x, and B is there 1 x"},
		{"ids before, a fault", IDsBefore, alone(1), "row 1 holds the amount of S 0 x, and S is there 1 x"},
		{"ids after", IDsAfter, oneID(0), "row 1 holds the amount of S 2 x, and S is there 1 x"},
		{"ids after, a fault", IDsAfter, alone(1), "row 1 holds the amount of S 1 x, and S is there 0 x"},
		{"blind swap", BlindSwap, apart, "row 1 holds the amount of A 0 x, and A is there 1 x"},
		{"duplicate is fine", DuplicateIsFine, idsFirst, "row 1 holds the amount of S 2 x, and S is there 1 x"},
		{"duplicate is fine, two rows", DuplicateIsFine, twoRows, "row 2 holds the amount of S 1 x, and S is there 0 x"},
		{
			"blind swap, duplicate is fine", BlindSwap | DuplicateIsFine, oneID(0),
			"row 1 has version 3, and after its ids it should have 2",
		},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.isFound(t, func(w *world) Result { return w.explore(w.books) })
			require.NotNil(t, Explore(f.in, f.flaws).Violation)
		})
	}
}

// flawed is a client with a flaw, and what is found.
type flawed struct {
	name    string
	flaws   Flaw
	in      Scenario
	promise string
}

func (f flawed) isFound(t *testing.T, explore func(w *world) Result) {
	v := explore(&world{&f.in, f.flaws}).Violation
	require.NotNil(t, v)
	t.Logf("faults: %d\n%s", f.in.Faults, v)
	require.Equal(t, f.promise, v.Promise)
	for f.in.Faults > 0 {
		f.in.Faults--
		require.Nil(t, explore(&world{&f.in, f.flaws}).Violation, "with %d faults", f.in.Faults)
	}
}

// Ensures that a flawed look-up applies nothing twice and loses nothing, since the ids are in the row's
// transaction: what it breaks is the answers.
func TestAFlawedLookUpLeavesTheBooksRight(t *testing.T) {
	t.Parallel()
	for _, flaws := range []Flaw{
		PlainLookUp, NoKill, NoKill | PlainLookUp, AbsentIsDone, AnybodysIsOurs, UnknownIsUndone,
	} {
		sc := oneID(2)
		w := &world{sc: &sc, flaws: flaws}
		res := w.explore(w.books)
		require.Nil(t, res.Violation, "%v", res.Violation)
	}
}

// Ensures that without the KILL the only thing wrong is that some are told "unknown" who need not be.
func TestWithoutTheKillAnswersAreTrue(t *testing.T) {
	t.Parallel()
	sc := oneID(2)
	w := &world{sc: &sc, flaws: NoKill}
	res := w.explore(func(s *state, quiet bool) string {
		seen := *s
		for p := range seen.procs {
			for id, a := range seen.procs[p].answers {
				if a == needless {
					seen.procs[p].answers[id] = unknown
				}
			}
		}
		return w.broken(&seen, quiet)
	})
	require.Nil(t, res.Violation, "%v", res.Violation)
	require.NotZero(t, res.taken[lookUpRunsOut])
}

// Example shows what a look-up by a plain read leads to: it does not wait for the COMMIT that the KILL came too
// late for.
func Example() {
	fmt.Print(Explore(Scenario{IDs: [2][]ID{{S}}, Faults: 1}, PlainLookUp).Violation)
	// Output:
	//  1. P1 reads the row
	//  2. P1 reads the ids: some are new
	//  3. P1 swaps the row
	//  4. P1 inserts id S
	//  5. P1 sends COMMIT
	//  6. the COMMIT of P1 reaches the server
	//  7. the connection of P1 is cut, and the server does not notice
	//  8. P1 kills its old session, which is in its COMMIT
	//  9. P1 looks the ids up: not all are there, and gives up: "not applied"
	// 10. the server commits the transaction of P1
	//     Wrong: P1 told that it has not applied S, and it has.
}
