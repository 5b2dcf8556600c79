package conformance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// storeCheck is one clause of the contract of the Stores. Its function's comment says what it ensures.
type storeCheck struct {
	name string
	run  func(*testing.T, *env, strategy)
}

// storeChecks are the clauses that hold for every strategy.
var storeChecks = []storeCheck{
	{"Update is applied once and returns the row", checkStoreUpdate},
	{"unchanged row moves the version", checkStoreUnchanged},
	{"call follows the fate of the rival before it", checkStoreWaiter},
	{"many callers of one row all succeed", checkStoreMany},
	{"ended context leaves nothing to come", checkStoreDeadline},
	{"lock timeout is ErrLocked", checkStoreLockTimeout},
	{"closure's error is returned as the very value", checkStoreClosureError},
	{"closure's bad connection is not the Store's", checkStoreClosureBadConn},
	{"panic of a closure leaves nothing", checkStorePanic},
	{"Goexit of a closure leaves nothing", checkStoreGoexit},
	{"key and version are not the closure's to change", checkStoreMeddling},
	{"absent key is gone at once", checkStoreGone},
	{"row deleted by the rival before is gone", checkStoreGoneWhileWaiting},
	{"version NULL or 0 is refused", checkNoVersion},
	{"row value that was never read is refused", checkZeroValue},
	{"versions may start at 0", checkZeroAccepted},
	{"version at its maximum is refused", checkHighestVersion},
	{"swap without a count is ErrNoRowCount", checkNoRowCount},
	{"swap of two rows is ErrTooManyRows", checkTwoRows},
	{"UpdateIfVersion takes the old version and returns the new", checkIfVersion},
	{"UpdateIfVersion of a stale version returns the current row", checkIfVersionStale},
	{"UpdateIfVersion loses to the rival before it", checkIfVersionWaiter},
	{"row value that has lost conflicts again", checkSavedAgain},
	{"Delete is checked", checkDelete},
	{"Delete in a transaction is checked", checkDeleteInTx},
	{"UpdateAll writes all rows and returns them", checkAll},
	{"UpdateAll is all or nothing when one swap is lost", checkAllLoses},
	{"UpdateAll is all or nothing when one row is gone", checkAllGone},
	{"UpdateAll counts duplicate keys once", checkAllDuplicates},
	{"UpdateAll knows keys that are equal by collation", checkAllCollation},
	{"UpdateAll of no keys sends nothing", checkAllEmpty},
	{"UpdateAll works in the order of keys", checkAllOrder},
	{"UpdateAll on crossing keys never deadlocks", checkAllCrossing},
	{"UpdateAll survives a deadlock with no half durable", checkAllDeadlock},
	{"UpdateAll keeps its map", checkAllMap},
	{"In saves one row value twice", checkSavedTwice},
	{"In refuses its own stale copy", checkOwnCopy},
	{"In conflicts with a side write", checkSideWrite},
	{"Touch moves only the version, and once", checkTouch},
	{"Touch of a stale row conflicts", checkTouchStale},
	{"Touch undone by a savepoint is made again", checkTouchUndone},
	{"Check locks, passes and conflicts", checkCheck},
	{"touched parent keeps its children's rule", checkParentTouched},
	{"checked row keeps a rule over two rows", checkOtherChecked},
	{"nested calls are refused with the mend", checkStoreNested},
	{"table without a needed field is refused", checkBrokenTable},
	{"table without an optional field is refused where needed", checkPoorTable},
	{"nil arguments are refused", checkNil},
	{"senseless options are refused", checkSenselessOptions},
	{"options of constructor and call", checkOptions},
	{"one UPDATE an attempt carries key and version", checkStoreOneUpdate},
	{"sessions without autocommit see and commit", checkManualCommit},
	{"computed columns come back as the server has them", checkComputed},
	{"composite key names one row", checkComposite},
	{"transaction of another pool is refused", checkForeignPool},
	{"conflict that the closure keeps to itself is not committed", checkSwallowedConflict},
	{"count that is not the statement's is refused", checkWrongCount},
}

// racingChecks are the clauses of strategies whose closures run while the row is free.
var racingChecks = []storeCheck{
	{"conflict is retried on the fresh row and applied once", checkStoreConflict},
	{"exhausted call tells who was where", checkStoreExhausted},
	{"row deleted between read and swap is gone", checkStoreGoneBetween},
	{"UpdateIfVersion loses to a rival in between", checkIfVersionBetween},
	{"UpdateAll names exactly the rows that were lost", checkAllStale},
	{"options about locks are refused by name", checkLockOptions},
	{"swap that never matches is told so", checkNeverMatches},
	{"UpdateAll that has lost locks the next time", checkAllLocksNext},
	{"closure changes a clone", checkClone},
}

// plainChecks are the clauses of strategies whose swap of one row commits itself.
var plainChecks = []storeCheck{
	{"plain path is two statements", checkPlainPath},
	{"explicit transaction only where it is needed", checkExplicitPath},
	{"outcome is known where connections open slowly", checkSlowDial},
}

// clauses is the whole contract of a strategy.
func (s strategy) clauses() []check {
	all := slices.Clone(storeChecks)
	if !s.locks {
		all = append(all, racingChecks...)
	}
	if s.plain {
		all = append(all, plainChecks...)
	}
	all = append(all, s.own...)
	bound := make([]check, len(all))
	for i, c := range all {
		bound[i] = check{c.name, func(t *testing.T, e *env) { c.run(t, e, s) }}
	}
	return bound
}

// stocked returns e with the tables of items, which the clauses of the Stores need.
func (e *env) stocked(t *testing.T) *env {
	t.Helper()
	twin := *e
	twin.tables = slices.Clone(e.tables)
	for _, l := range layouts {
		_, err := e.other.ExecContext(t.Context(), l.create())
		require.NoError(t, err)
		twin.tables = append(twin.tables, l.name)
	}
	return &twin
}
