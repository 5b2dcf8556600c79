// Package hotrow measures strategies for rows that many callers want, side by side: the engine of `sqlcas bench`.
//
// All strategies do the same update, a deduction from a balance, and take turns in rounds, so that whatever else the
// machine does meanwhile hits all alike. After each turn each row must show every update of it that was reported, by its
// balance and by its version.
//
// Some strategies also enter each update in a ledger, with the id of an operation that is applied once. After their turns
// there must be as many entries and ids as updates that were reported.
package hotrow

import (
	"errors"
	"os/exec"
	"time"
)

// ErrLost says that the rows, or the ledger, do not show every update once, as it was reported. Nothing that was measured
// counts then.
var ErrLost = errors.New("the rows do not show every update once, as it was reported")

// Setup is what to measure.
type Setup struct {
	// DSN is of an empty database of the run's own, in which the tables are made. It should have interpolateParams=true: without
	// it the driver prepares and closes a statement around each execution.
	DSN string

	Strategies []string // names of Strategies or LedgerStrategies
	Callers    []int    // of each process; each number is a cell of the report
	Processes  int      // 1 is this one; more are started by Worker
	Pool       int      // connections of each process
	Keys       int      // rows, of which each update draws one
	RTT        time.Duration
	Duration   time.Duration // of each strategy at each number of callers, all rounds together
	Rounds     int           // one more goes ahead to warm up, and does not count

	// Worker makes the command of a process that calls Serve with its standard input and output. It is called if
	// Processes is more than 1.
	Worker func() *exec.Cmd

	// Told, if not nil, is called after each step of the run, and says what comes next. There are Steps of them.
	Told func(next string)
}
