// Package schema carries the project's SQL schemas as text, for tests, examples and the demo that
// create tables.
//
// The .sql files beside it are the one source: sqlc generates gen/ from them, and this package
// embeds the same bytes, so that a table and the Go code that reads it cannot drift apart. It
// imports the standard library alone.
package schema

import (
	"embed"
	"fmt"
)

//go:embed shop/*.sql
var shop embed.FS

//go:embed sqlcas/*.sql
var own embed.FS

// Shop returns the statements that create the example domain: account, inventory and ledger_entry,
// one statement a table, in an order that their foreign keys allow. Run them one by one in an empty
// database:
//
//	for _, stmt := range schema.Shop() {
//		if _, err := db.ExecContext(ctx, stmt); err != nil { ... }
//	}
//
// Do not join them into one string: a connection without multiStatements=true takes one statement a
// call. They say CREATE TABLE without IF NOT EXISTS, so running them twice is error 1050, not a
// table of an older shape kept unseen. Each call returns a new slice, which the caller may change.
func Shop() []string {
	return statements(shop, "shop")
}

// Sqlcas returns the statements that create the tables of sqlcas itself, one statement a table:
// sqlcas_operation, which WithOperationID needs, in the default database of the connections that are given
// it. They are to be run as those of Shop are, once.
func Sqlcas() []string {
	return statements(own, "sqlcas")
}

// statements reads the files of one embedded folder in the order of their names; each holds one
// statement. Reading what the compiler embedded cannot fail, so an error here is a mistake in this
// package and panics.
func statements(files embed.FS, folder string) []string {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(fmt.Sprintf("schema: %s is not embedded: %v", folder, err))
	}
	stmts := make([]string, 0, len(entries))
	for _, entry := range entries {
		text, err := files.ReadFile(folder + "/" + entry.Name())
		if err != nil {
			panic(fmt.Sprintf("schema: %s/%s is not embedded: %v", folder, entry.Name(), err))
		}
		stmts = append(stmts, string(text))
	}
	return stmts
}
