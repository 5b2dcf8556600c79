// Package faulttest proves by faults what the harness promises about outcomes: on real servers, a
// call of RetryTx that returned nil is applied once, one that failed cleanly is not applied, and
// only ErrOutcomeUnknown leaves it open.
//
// It holds tests alone. They lose COMMITs and their answers in a proxy, end contexts at random and
// at chosen points, kill sessions and servers, and answer statements in the driver's place. After
// each fault they compare what the call said with what a connection past all faults can read, and
// look for what a fault likes to leave behind: row locks, sessions, connections in use, goroutines.
//
// A connection has one session, which the server knows by a number; an orphan is a session whose client has gone.
//
// The environment makes them longer or rarer:
//
//   - SQLCAS_TEST_CANCELLED is the number of calls per server that are cancelled at random points, by default 10,000.
//   - SQLCAS_TEST_HELD=5s has the foreign transaction that callers wait for hold its row for so long, instead of
//     until all have their answers.
//   - SQLCAS_TEST_HOTCOMMIT is how often the commit of a batch is lost, by each fault and on each path, by default 20.
//   - SQLCAS_TEST_COMBINE is how long random closures meet on a row on each server, by default 10s.
//   - SQLCAS_TEST_MILLION=1 has a million rows updated once each, and looks at the heap.
//
// The case numbers in the tests' comments are those of the project's list of reported bugs of
// optimistic locking and transaction retries.
package faulttest
