// Package sqlcas makes read-compute-update safe on MySQL and MariaDB.
//
// A change to a row is an ordinary Go closure on the row as it was read. Stores read the row, run the
// closure, and send an UPDATE with WHERE key = ? AND version = ?, again until the number of affected
// rows shows that it has landed; or they say precisely why it did not: every failure has one typed
// cause (see the variables below). optimistic.Store compares versions alone, and pessimistic.Store
// locks the row first. Both need a Table, which says how one row is read, written and locked, and are
// an Updater.
//
// Closures that send SQL of their own are run by Retry and, in a transaction, by RetryTx. Most
// programs call them under the names optimistic.Update and optimistic.UpdateTx, which add a queue for
// hot rows; a Store takes part in RetryTx's transaction by In(tx).
//
// A change that is asked for more than once, by a client that retries or a queue, is applied once
// WithOperationID. DeleteOperations deletes ids that nobody asks for any more.
//
// This package is the vocabulary that all of sqlcas shares: Table, the two harnesses, their options,
// errors, Observer and Report. Tests of programs that use it force conflicts and lose commits with
// package sqlcastest. The documents in docs/ say what each call sends and what each error means.
package sqlcas
