package tested

import (
	"database/sql"
	"testing"
)

func TestCount(t *testing.T) {
	var db *sql.DB
	if _, err := db.Exec("DELETE FROM account"); err == nil {
		count(db)
	}
}
