// Package crashtest proves by crashes that an operation with an id is applied once and whole: a client, or the
// server, is killed in the middle of its work as by kill -9, the ids that it was at work on are given
// again, and in the end account, ledger and table of operations agree to the last row.
//
// It holds tests alone. 32 callers debit four accounts through optimistic.JournalStore, most of them the same one, so
// that a batch is nearly always under way; each debit has an id and a ledger entry. A client is this test
// binary in a process of its own, which tells what it was answered line by line, so that its parent knows what it
// must find. A server is one that the test has started itself. Where there is none to start, that test skips.
//
// Besides the books each answer is judged: a call is a replay if, and only if, the id had been applied by a call
// whose caller has not heard of it; nothing but a lost connection or an unknown outcome is an error; and both are
// mended by calling again.
//
// What the crashes have found that is not about a crash has a test of its own.
//
// The environment makes them longer:
//
//   - SQLCAS_TEST_CRASHES is how many clients are killed on each server, by default 3.
//   - SQLCAS_TEST_SERVER_CRASHES is how often each server is killed and started again, by default once.
package crashtest
