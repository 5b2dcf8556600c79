// Package tested has a test that writes as no program should.
package tested

import "database/sql"

func count(db *sql.DB) *sql.Row { return db.QueryRow("SELECT COUNT(*) FROM account") }
