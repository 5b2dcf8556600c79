package oncemodel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that each promise is looked after: a state that breaks it is called broken, and says how.
func TestEachPromiseCanBeBroken(t *testing.T) {
	t.Parallel()
	sc := Scenario{IDs: [2][]ID{{S, A}, {S, B}}}
	w := &world{sc: &sc}
	for promise, breaks := range map[string]func(s *state){
		"": func(*state) {},
		"P2 has not answered, and nothing that is bound to happen lets it go on": func(s *state) {
			s.procs[1].at = atSwap
		},
		"P1 told that it has applied S, and it has not": func(s *state) {
			s.procs[0].answers[S] = applied
		},
		"P1 told that it has not applied A, and it has": func(s *state) {
			s.procs[0].answers[A] = notApplied
		},
		"P2 told that B was applied before, and it was not": func(s *state) {
			s.procs[1].answers[B] = replayed
		},
		"P1 told that A was applied before, and has applied it itself": func(s *state) {
			s.procs[0].answers[A] = replayed
		},
		"P1 told that S was used for another row, and it was not": func(s *state) {
			s.procs[0].answers[S] = mismatch
		},
		"P2 told that the outcome of B is unknown, and the server was there to be asked": func(s *state) {
			s.procs[1].answers[B] = needless
		},
		"two callers were told that they have applied S": func(s *state) {
			s.procs[0].told = s.procs[0].told.with(S)
		},
		"a caller was told that B is applied, and it is not there": func(s *state) {
			s.procs[1].told = s.procs[1].told.with(B)
		},
		"row 1 holds the amount of S 2 x, and S is there 1 x": func(s *state) { s.rows[0].balance[S]++ },
		"row 2 holds the amount of B 1 x, and B is there 0 x": func(s *state) { s.rows[1].balance[B]++ },
		"row 1 has version 4, and after its ids it should have 3": func(s *state) {
			s.rows[0].version++
		},
	} {
		s := start(&sc)
		s.rows[0] = s.rows[0].add(idSet(0).with(S).with(A))
		s.ids[S], s.ids[A] = tokenOf(1, current), tokenOf(0, earlier)
		s.procs[0] = process{at: atEnd, answers: [ids]answer{S: replayed, A: applied}, told: idSet(0).with(A)}
		s.procs[1] = process{at: atEnd, answers: [ids]answer{S: applied, B: notApplied}, told: idSet(0).with(S)}
		breaks(&s)
		require.Equal(t, promise, w.broken(&s, true))
	}
}
