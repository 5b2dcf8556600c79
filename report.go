package sqlcas

import "time"

// Report is the story of one call; see WithReport.
type Report struct {
	Attempts  int           // times the closure was run; a Store may run it more often in one, see optimistic.Store.Update
	Conflicts int           // attempts that were lost to another writer and absorbed or given up on
	Elapsed   time.Duration // from the call to its return
	Queued    time.Duration // of that: waiting for the turn of the call's key
	Slept     time.Duration // of that: pausing between attempts
	Joined    bool          // the call was a part of another's transaction
	Batch     int           // calls of a Store whose changes were written together, this one included; 0 if it was alone
	Replayed  bool          // the operation had been applied by an earlier call; see WithOperationID
}
