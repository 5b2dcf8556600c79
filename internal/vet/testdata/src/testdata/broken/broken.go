// Package broken does not compile.
package broken

import "database/sql"

var db *sql.DB

func broken() {
	missing(db)
}
