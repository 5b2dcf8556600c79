package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// check is one clause of the contract. Its function's comment says what it ensures.
type check struct {
	name string
	run  func(*testing.T, *env)
}

// checks is the contract of the harnesses.
var checks = []check{
	{"mode is what it says", checkMode},
	{"first attempt succeeds", checkFirstAttempt},
	{"conflict is retried and applied once", checkConflictUpdate},
	{"conflict in a transaction is retried and applied once", checkConflictUpdateTx},
	{"unchanged values are no conflict", checkUnchanged},
	{"two rows are refused", checkTooManyRows},
	{"one UPDATE an attempt carries key and version", checkOneUpdate},
	{"closure's error is returned as it is", checkClosureError},
	{"panic rolls back", checkPanic},
	{"Goexit rolls back", checkGoexit},
	{"retry is a new transaction", checkNewTransaction},
	{"no lock is held while pausing", checkNoLockInPause},
	{"only the committed attempt's value is returned", checkResult},
	{"isolation level is the call's own", checkIsolation},
	{"joined call commits with the outer one", checkJoin},
	{"joined call leaves the retry to the outer one", checkJoinedConflict},
	{"joined call that failed forbids the commit", checkJoinedFailure},
	{"nested plain calls are refused", checkNested},
	{"NOWAIT says locked and leaves the transaction usable", checkNoWait},
	{"lock timeout is retried, then reported", checkLockTimeout},
	{"stale swap conflicts in both shapes", checkStaleSwap},
	{"stale locking read conflicts or sees the new row", checkStaleLockingRead},
	{"waiter follows the fate of the writer before it", checkWaiter},
	{"wrapped deadlock is retried", checkWrapped},
	{"savepoint lost in a deadlock does not hide it", checkSavepoint},
	{"gap-lock deadlock of get-or-create is absorbed", checkGetOrCreate},
}

// suite runs the contract in one cell, and returns how many checks held and how many there are.
// What a check leaves behind fails it.
func suite(t *testing.T, e *env, contract []check) (held, all int) {
	t.Helper()
	for _, c := range contract {
		ok := t.Run(c.name, func(t *testing.T) {
			c.run(t, e)
			if !t.Skipped() {
				e.settled(t)
			}
		})
		all++
		if ok {
			held++
		}
	}
	require.NotZero(t, all, "an empty contract holds nowhere")
	return held, all
}
