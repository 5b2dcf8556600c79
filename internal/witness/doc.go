// Package witness watches a driver connection, so that what the server said cannot be hidden from
// whoever has to decide about the COMMIT.
//
// Wrap puts a Hook around every statement of a connection. Begin goes further: it opens a genuine
// *sql.Tx on a connection borrowed from the user's own pool, records the errors of everything that
// happens in it, and refuses its COMMIT once the server has aborted any of it.
//
// The errors have to be seen at this level because database/sql does not show them all. A locking
// read that times out over a secondary index succeeds in Query and fails in Rows.Next or even only
// in Rows.Close; a closure that drops that error and commits makes half a transaction durable.
//
// The package knows no database: it imports the standard library alone, and asks a Verdict what an
// error means.
package witness
