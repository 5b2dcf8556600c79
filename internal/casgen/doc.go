// Package casgen writes what a versioned table needs: the queries that read, lock and swap a row, for sqlc to
// compile, and the Go that makes sqlcas.Tables of them.
//
// Both are pure functions from texts to files. Queries is behind `sqlcas queries`; Generate is behind the plugin
// that sqlc runs.
package casgen
