// Package txn runs one attempt of a transaction and finds out what became of it.
//
// Run borrows a connection of the user's pool, opens a transaction on it under the eyes of package
// witness, calls the closure and commits on the straight path only: an error, a panic and
// runtime.Goexit roll back. Whatever happens, the attempt ends as one of three outcomes, and the
// doubtful cases are resolved before Run returns: a session that may still hold locks is killed
// from another connection, and after a lost COMMIT a locking read looks for a row that the
// transaction had moved. Whether to try again is not decided here; the root package does that.
//
// RunStep is the same for a Store's change of one row: a read and a swap that commits itself, on one
// connection. A statement that may wait for a lock has a sentry beside it, which ends it by KILL QUERY from
// another connection when its context ends, or in Limited when its time is over. All KILLs of a pool are
// sent by its reaper.
package txn
