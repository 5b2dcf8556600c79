package hotrow

import (
	"errors"
	"fmt"
	"time"
)

// step is a part of a run that is told when it is done.
type step struct {
	kind     stepKind
	cell     int // index in Setup.Callers
	round    int // 0 is the one that warms up
	strategy int // index in Setup.Strategies
	next     string
}

type stepKind uint8

const (
	prepare stepKind = iota // tables, rows and processes
	commits                 // one caller alone
	slice                   // one strategy
)

// plan returns all steps of a run, in order.
func (s Setup) plan() []step {
	all := []step{{kind: prepare}}
	for cell, callers := range s.Callers {
		for round := range s.Rounds + 1 {
			when := fmt.Sprintf("%d callers, round %d of %d", callers*max(s.Processes, 1), round, s.Rounds)
			if round == 0 {
				when = fmt.Sprintf("%d callers, warming up", callers*max(s.Processes, 1))
			}
			all[len(all)-1].next = when + ": commits"
			all = append(all, step{kind: commits, cell: cell, round: round})
			for _, i := range order(len(s.Strategies), round) {
				all[len(all)-1].next = when + ": " + s.Strategies[i]
				all = append(all, step{kind: slice, cell: cell, round: round, strategy: i})
			}
		}
	}
	return all
}

// Steps returns how often Told is called in a run that succeeds.
func (s Setup) Steps() int { return len(s.plan()) }

// slice is how long one turn of a strategy takes.
func (s Setup) slice() time.Duration { return s.Duration / time.Duration(s.Rounds) }

// check refuses what cannot be measured; its errors name the field and the mend.
func (s Setup) check() error {
	for _, n := range s.Callers {
		if n < 1 {
			return fmt.Errorf("callers: %d are none: give at least 1", n)
		}
	}
	for _, field := range []struct {
		name string
		n    int
	}{
		{"callers", len(s.Callers)},
		{"strategies", len(s.Strategies)},
		{"processes", s.Processes},
		{"pool", s.Pool},
		{"keys", s.Keys},
		{"rounds", s.Rounds},
	} {
		if field.n < 1 {
			return fmt.Errorf("%s: got %d: give at least 1", field.name, field.n)
		}
	}
	switch {
	case s.RTT < 0:
		return fmt.Errorf("round trip: %v cannot be added: give 0 or more", s.RTT)
	case s.slice() <= 0:
		return fmt.Errorf("duration: %v is nothing to divide by %d rounds: give at least a second", s.Duration, s.Rounds)
	case s.Processes > 1 && s.Worker == nil:
		return errors.New("processes: more than one need a Worker")
	}
	_, err := named(s.Strategies)
	return err
}
