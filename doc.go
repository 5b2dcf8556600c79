// Package sqlcas makes read-compute-update safe on MySQL and MariaDB.
//
// A change to a row is an ordinary Go closure that reads the row with its version, computes, and
// sends an UPDATE with WHERE key = ? AND version = ?. Retry and RetryTx rerun the closure until the
// number of affected rows shows that the UPDATE has landed, or say precisely why it did not:
// every failure has one typed cause (see the variables below).
//
// This package is the vocabulary that all of sqlcas shares: the two harnesses, their options,
// errors, Observer and Report. Most programs call them under the names optimistic.Update and
// optimistic.UpdateTx, which add a queue for hot rows. Tests of such programs force conflicts and
// lose commits with package sqlcastest.
package sqlcas
