// Package shop is the example domain as sqlc writes it from queries/shop: accounts with a ledger,
// and stock.
//
// It is what an application's own sqlc output looks like, and what the README, the examples and the
// tests call. Everything beside this file and tables.go is generated; change the SQL and run
// `make gen`.
//
// DeductBalance, CreditBalance, DeductStock and AddStock are compare-and-swap: they write the new
// value that the caller computed, only if the row is still at the version that was read, and move
// the version by one. Their row count is the answer, so it must be looked at: by sqlcas.Retry, or
// by sqlcas.One inside a transaction.
//
// A Queries is as safe for concurrent use as the handle it was made from: over a *sql.DB it is,
// over a *sql.Tx it belongs to that transaction and to one goroutine at a time.
package shop
