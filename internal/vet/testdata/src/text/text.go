// Package text has SQL in all the ways that Go knows to write a string.
package text

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"

	"example.com/shop/text/words"
)

const bare = "UPDATE account SET version = version + 1" // want CAS001

const table = "account"

func constant(db *sql.DB) (sql.Result, error) {
	return db.Exec(bare)
}

func raw(ctx context.Context, db *sql.DB) (sql.Result, error) {
	return db.ExecContext(ctx, `
		-- the version is moved but not compared
		UPDATE account
		SET balance = ?, version = version + 1
		WHERE id = ?`, 1, 2) // want CAS001
}

func concatenated(db *sql.DB) (sql.Result, error) {
	return db.Exec("UPDATE "+
		"account SET version = version + 1 "+
		"WHERE id = ?", 1) // want CAS001
}

func named(db *sql.DB) (sql.Result, error) {
	return db.Exec("UPDATE " + table + " SET version = version + 1") // want CAS001
}

func escaped(db *sql.DB) (sql.Result, error) {
	return db.Exec("\tUPDATE\u0020\x61ccount SET owner = \"世界\",\n version = version + 1 WHERE id = ?", 1) // want CAS001
}

func fromAfar(db *sql.DB) (sql.Result, error) {
	return db.Exec(words.Wipe)
}

func variable(db *sql.DB) (sql.Result, error) {
	query := "DELETE FROM account WHERE id = ?" // want CAS001
	return db.Exec(query, 1)
}

func twoStatements(db *sql.DB) (sql.Result, error) {
	return db.Exec("DELETE FROM note; DELETE FROM account") // want CAS001
}

func prepared(db *sql.DB) (*sql.Stmt, error) {
	return db.Prepare("DELETE FROM account WHERE id = ?") // want CAS001
}

func noSQL(r runner) {
	r.Exec("DELETE all the accounts", 1) // counted as a statement that the parser does not know
	r.Exec("update-accounts --all", 1)
}

type runner struct{}

// Exec takes something.
func (runner) Exec(command string, args ...any) {}

// What follows is known to the running program alone: 8 strings, 3 of which write a versioned table for sure.

// Open may be anything by the time that it is used.
var Open = "DELETE FROM account"

func open(db *sql.DB) (sql.Result, error) {
	return db.Exec(Open)
}

func pointedTo(db *sql.DB) (sql.Result, error) {
	query := "DELETE FROM note"
	fmt.Sscan("DELETE FROM account", &query)
	return db.Exec(query)
}

func formatted(db *sql.DB, table string) (sql.Result, error) {
	return db.Exec(fmt.Sprintf("DELETE FROM %s", table))
}

func formattedConstant(db *sql.DB) (sql.Result, error) {
	return db.Exec(fmt.Sprintf("DELETE FROM %s", "account")) // want CAS028
}

func appended(db *sql.DB, where string) (sql.Result, error) {
	return db.Exec("DELETE FROM account WHERE " + where) // want CAS028
}

func branched(db *sql.DB, all bool) (sql.Result, error) {
	query := "DELETE FROM account WHERE id = 1"
	if all {
		query = "DELETE FROM account"
	}
	return db.Exec(query) // want CAS028
}

func grown(db *sql.DB) (*sql.Rows, error) {
	var b strings.Builder
	b.WriteString("SELECT 1")
	return db.Query(b.String())
}

func itself(db *sql.DB) (*sql.Rows, error) {
	var query string
	for range 3 {
		query = query + os.Args[0]
	}
	return db.Query(query)
}
