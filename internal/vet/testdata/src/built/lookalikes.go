package built

import (
	"database/sql"
	"fmt"
	"strings"
)

// What follows is only counted: 29 strings.

func reads(db *sql.DB, where string) {
	db.Query("SELECT * FROM account WHERE " + where)
	db.Query("SELECT * FROM account WHERE " + where + " FOR UPDATE")
	db.Query("SELECT * FROM note, account WHERE " + where + " FOR UPDATE OF account")
	db.Query("SELECT REPLACE(owner, 'a', 'b'), INSERT(owner, 1, 1, 'b') FROM account WHERE " + where)
}

func otherTables(db *sql.DB, where string) {
	db.Exec("UPDATE note SET body = '' WHERE " + where)
	db.Exec("DELETE FROM note WHERE id IN (SELECT id FROM account WHERE " + where + ")")
	db.Exec("UPDATE note SET id = 1, account = 2, body = (SELECT owner FROM account WHERE " + where + ")")
	db.Exec("REPLACE INTO note SELECT id, owner, 1 FROM account WHERE " + where)
	db.Exec("UPDATE account_archive SET owner = '' WHERE " + where)
	db.Exec("UPDATE accounts SET owner = '' WHERE " + where)
}

func otherNames(db *sql.DB, shard int, table, prefix string) {
	db.Exec(fmt.Sprintf("UPDATE account_%d SET balance = 0", shard))
	db.Exec(fmt.Sprintf("UPDATE account%02d SET balance = 0", shard))
	db.Exec("UPDATE " + table + " SET balance = 0")
	db.Exec("UPDATE " + prefix + "account SET balance = 0")
	db.Exec(fmt.Sprintf("%s account SET balance = 0", table))
	db.Exec(fmt.Sprintf("UPDATE %[2]s SET owner = '%[1]s'", "account", table))
	db.Exec(fmt.Sprintf("UPDATE %s SET owner = '%s'", []any{table, "account"}...))
}

func inserts(db *sql.DB, owner string) {
	db.Exec("INSERT INTO account (owner, balance) VALUES " + owner)
	db.Exec("INSERT INTO account (owner, balance) VALUES (1, 1); INSERT INTO note (id) VALUES " + owner + " ON DUPLICATE KEY UPDATE id = id")
	db.Exec("INSERT INTO note (id) VALUES " + owner + " ON DUPLICATE KEY UPDATE account = 1")
}

func words(db *sql.DB, text string) {
	db.Exec("SELECT 'UPDATE account SET x' /* DELETE FROM account */ " + text + " -- DELETE FROM account")
	db.Exec("CREATE TRIGGER t BEFORE UPDATE ON account FOR EACH ROW SET @a = " + text)
	db.Exec("CREATE TABLE c (id INT, FOREIGN KEY (id) REFERENCES account (id) ON DELETE CASCADE) " + text)
	db.Exec("SELECT `delete`, account FROM note WHERE " + text)
}

// build is not followed.
func build(where string) string { return "DELETE FROM account WHERE " + where }

func result(db *sql.DB, where string) (sql.Result, error) { return db.Exec(build(where)) }

func usedAgain(db *sql.DB, where string) {
	query := "UPDATE account SET owner = " + where
	db.Exec(query) // want CAS028
	query = "SELECT 1 FROM account WHERE " + where
	db.Exec(query)
	query = "DELETE FROM account WHERE " + where
	db.Exec(query) // want CAS028
	if where == "" {
		query = "DELETE FROM account"
	}
	query = strings.ToLower("SELECT 2 FROM account WHERE " + where)
	db.Exec(query)
}

func builtAgain(db *sql.DB, where string) {
	var b strings.Builder
	b.WriteString("SELECT 1 FROM account WHERE " + where)
	db.Exec(b.String())
	b.Reset()
	b.WriteString("DELETE FROM account WHERE " + where)
	db.Exec(b.String()) // want CAS028
	b.Reset()
	b.WriteString("SELECT 2 FROM account WHERE " + where)
	db.Exec(b.String())
}

// What follows is not even that.

func allowed(db *sql.DB, where string) {
	//sqlcas:allow CAS028 where compares the version
	db.Exec("DELETE FROM account WHERE " + where)
}

type repository struct{ db *sql.DB }

// Exec hands on.
func (r repository) Exec(query string, args ...any) (sql.Result, error) {
	return r.db.Exec(query, args...)
}
