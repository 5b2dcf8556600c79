package sqlcastest

import (
	"errors"
	"fmt"
	"sync"
)

// Loss is the way in which a COMMIT gets lost. To the client both look the same.
type Loss uint8

const (
	// Request loses the COMMIT on its way to the server: the transaction is rolled back.
	Request Loss = iota
	// Reply loses the answer on its way back: the transaction is committed.
	Reply
)

// Faults is what is to go wrong on the connections of a wrapped connector. The zero value orders
// nothing. Each order is carried out by the next statements that fit it, whatever the connection,
// and is then used up. Its methods are safe for concurrent use; they panic on an order that makes
// no sense, which is a mistake in the test.
type Faults struct {
	mu        sync.Mutex
	conflicts int
	commits   []commitFault
}

// commitFault is the fate of one COMMIT: to fail with err, or to be lost.
type commitFault struct {
	err  error
	loss Loss
}

// Conflict makes the next n UPDATE and DELETE statements affect no row, as if another writer had
// changed it first. They are not sent.
func (f *Faults) Conflict(n int) {
	mustBePositive("Conflict", n)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conflicts += n
}

// FailCommit makes the next n COMMITs fail with err, after a rollback. Give an error of the driver,
// such as &mysql.MySQLError{Number: 1213}, to have what a cluster does when a transaction fails
// its certification.
func (f *Faults) FailCommit(n int, err error) {
	mustBePositive("FailCommit", n)
	if err == nil {
		panic("sqlcastest: FailCommit: the error is nil: say what the COMMIT is to fail with")
	}
	f.order(n, commitFault{err: err})
}

// LoseCommit makes the next n COMMITs end with a lost connection.
func (f *Faults) LoseCommit(n int, loss Loss) {
	mustBePositive("LoseCommit", n)
	if loss > Reply {
		panic(fmt.Sprintf("sqlcastest: LoseCommit: %d is no Loss: give Request or Reply", loss))
	}
	f.order(n, commitFault{loss: loss})
}

// Pending reports how many orders have not been carried out. A test that expects faults checks at
// its end that none is left.
func (f *Faults) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conflicts + len(f.commits)
}

func (f *Faults) order(n int, fault commitFault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range n {
		f.commits = append(f.commits, fault)
	}
}

func (f *Faults) takeConflict() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conflicts == 0 {
		return false
	}
	f.conflicts--
	return true
}

func (f *Faults) takeCommit() (commitFault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.commits) == 0 {
		return commitFault{}, false
	}
	fault := f.commits[0]
	f.commits = f.commits[1:]
	return fault, true
}

func mustBePositive(method string, n int) {
	if n < 1 {
		panic(fmt.Sprintf("sqlcastest: %s(%d): give at least 1", method, n))
	}
}

var errNilArgument = errors.New("sqlcastest: Wrap needs a connector and a *Faults")
