// Package wrapped runs SQL by functions of its own, and by values of functions.
package wrapped

import (
	"context"
	"database/sql"
)

const swap = "UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?"

const lock = "SELECT balance FROM account WHERE id = ? FOR UPDATE"

// DB has values in slices.
type DB struct{ db *sql.DB }

// Exec takes a slice.
func (d *DB) Exec(q string, args []any) error {
	_, err := d.db.Exec(q, args...)
	return err
}

// Query takes SQL, and then something else: its calls are not known to be any, so what is in it is counted.
func (d *DB) Query(q string, limit int) (*sql.Rows, error) {
	return d.db.Query(q, limit) // counted
}

// Execute is of another name.
func (d *DB) Execute(ctx context.Context, q string, args ...any) error {
	_, err := d.db.ExecContext(ctx, q, args...) // counted
	return err
}

// Run gives the result.
func (d *DB) Run(q string) (sql.Result, error) {
	return d.db.Exec(q) // counted
}

type executor interface{ Do(q string) }

func run(db *sql.DB, q string) {
	db.Exec(q) // counted
}

func methods(ctx context.Context, d *DB, e executor) {
	d.Exec("UPDATE account SET balance = 1", nil)                           // want CAS001
	d.Execute(ctx, "DELETE FROM account")                                   // want CAS001
	d.Run(`REPLACE INTO account (id) VALUES (1)`)                           // want CAS011
	e.Do("SELECT 1; UPDATE account SET balance = 1")                        // want CAS001
	run(d.db, "UPDATE account SET balance = 1")                             // want CAS001
	d.Execute(ctx, swap, 1, 2, 3)                                           // want CAS004
	d.Run(swap)                                                             // want CAS004
	d.Run("WITH a AS (SELECT 1) UPDATE account, a SET account.balance = 1") // want CAS001
}

type exec func(q string, args ...any) (sql.Result, error)

type held struct {
	exec  func(ctx context.Context, q string, args ...any) (sql.Result, error)
	query func(q string, args ...any) *sql.Row
}

func values(ctx context.Context, db *sql.DB, named exec, h held) error {
	run := db.Exec
	run("UPDATE account SET balance = 1")   // want CAS001
	named("UPDATE account SET balance = 1") // want CAS001
	h.exec(ctx, "DELETE FROM account")      // want CAS001
	_, err := h.exec(ctx, swap, 1, 2, 3)    // want CAS004
	h.query(swap, 1, 2, 3)                  // want CAS004
	read := db.QueryRow
	read(lock, 1) // want CAS008
	prepare := db.Prepare
	prepare("DELETE FROM account") // want CAS001
	func(q string, args ...any) (sql.Result, error) {
		return db.Exec(q, args...) // counted
	}("DELETE FROM account") // want CAS001
	named("DELETE FROM account WHERE id = " + h.name()) // want CAS028
	return err
}

func (h held) name() string { return "" }

func locks(ctx context.Context, d *DB, h held) {
	h.query(lock, 1)        // not known
	d.Execute(ctx, lock, 1) // not known
}

func unknown(db *sql.DB, d *DB, run exec) {
	db.Exec("SET STATEMENT max_statement_time=1 FOR UPDATE account SET balance = 1") // want CAS028
	db.Exec("BEGIN NOT ATOMIC UPDATE `account` SET balance = 1; END")                // want CAS028
	db.Exec("EXECUTE IMMEDIATE 'UPDATE account SET balance = 1'")                    // want CAS028
	run("SET STATEMENT max_statement_time=1 FOR DELETE FROM shop.account")           // want CAS028
	db.Exec("DELETE FROM account WHERE id = 1 RETURNING id")                         // want CAS028
	d.Run("DELETE FROM account WHERE id = 1 RETURNING id")                           // want CAS028
}

func byNameWithoutVersion(db *sql.DB) (sql.Result, error) {
	q, args := expand("UPDATE account SET version = version + 1 WHERE id = :id", nil) // want CAS001
	return db.Exec(q, args...)
}
