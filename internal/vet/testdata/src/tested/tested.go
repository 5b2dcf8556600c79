// Package tested has a test that writes as no program should.
package tested

import "database/sql"

func run(db *sql.DB, query string) (*sql.Rows, error) { return db.Query(query) }

func count(db *sql.DB) *sql.Row { return db.QueryRow("SELECT COUNT(*) FROM account") }
