// Package built puts SQL together while it runs.
package built

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

const table = "Account"

func where(db *sql.DB, where string) (sql.Result, error) {
	return db.Exec("DELETE FROM account WHERE " + where) // want CAS028
}

func fields(ctx context.Context, db *sql.DB, sets []string, id uint64) (sql.Result, error) {
	query := "UPDATE `account` SET " + strings.Join(sets, ", ") + " WHERE id = ?"
	return db.ExecContext(ctx, query, id) // want CAS028
}

func format(db *sql.DB, column string) (sql.Result, error) {
	return db.Exec(fmt.Sprintf("update low_priority shop.account set %[1]s = %[1]s + %*[2]d", column, 3)) // want CAS028
}

func formatArgument(db *sql.DB, column string) (sql.Result, error) {
	return db.Exec(fmt.Sprintf("update low_priority shop.%s set `%s` = %d", table, column, 3)) // want CAS028
}

func grown(db *sql.DB, all bool) (sql.Result, error) {
	query := `
		UPDATE account
		SET balance = 0`
	if !all {
		query += " WHERE id = 1"
	}
	return db.Exec(query) // want CAS028
}

func grownLate(db *sql.DB, owner string) (sql.Result, error) {
	var query string
	query = "INSERT INTO account (owner, balance) VALUES "
	query = query + "('" + owner + "', 0)"
	query += " ON DUPLICATE KEY UPDATE balance = 0"
	return db.Exec(query) // want CAS028
}

func inBranch(db *sql.DB, all bool) (sql.Result, error) {
	query := "DELETE FROM note"
	if all {
		query = "DELETE FROM account"
	}
	return db.Exec(query) // want CAS028
}

func replaces(tx *sql.Tx, values string) (*sql.Stmt, error) {
	return tx.Prepare("REPLACE account VALUES " + values) // want CAS028
}

func joined(db *sql.DB, id string) {
	db.Exec("UPDATE note n JOIN account a ON a.id = n.id SET a.balance = 0 WHERE n.id = " + id) // want CAS028
	db.Exec("DELETE a, n FROM note n, account a WHERE a.id = n.id AND n.id = " + id)            // want CAS028
	db.Exec("DELETE FROM account USING account JOIN note WHERE note.id = " + id)                // want CAS028
}

func behindOthers(db *sql.DB, id string) {
	db.Exec("INSERT INTO note (id) VALUES (1); /* then */ WITH a AS (SELECT 1) UPDATE account SET owner = " + id) // want CAS028
}

func anySchema(db *sql.DB, schema string) {
	db.Exec("DELETE FROM " + schema + ".account") // want CAS028
}

func builder(db *sql.DB, names []string) (sql.Result, error) {
	var b strings.Builder
	b.Grow(100)
	b.WriteString("UPDATE")
	b.WriteByte(' ')
	fmt.Fprintf(&b, "%s SET balance = 0", table)
	for i, name := range names {
		fmt.Fprintf(&b, ", %s = %d", name, i)
	}
	return db.Exec(b.String()) // want CAS028
}

func buffer(db *sql.DB, ids string) (sql.Result, error) {
	b := new(bytes.Buffer)
	b.WriteString("DELETE FROM account WHERE id IN (")
	b.WriteString(ids)
	return db.Exec(strings.TrimSuffix(b.String(), ",")) // want CAS028
}

func withSqlx(db *sqlx.DB, ids []int) error {
	query, args, err := sqlx.In("DELETE FROM account WHERE id IN (?)", ids)
	if err != nil {
		return err
	}
	query = db.Rebind(query)
	db.MustExec(query, args...) // want CAS028
	return nil
}

var changed = "DELETE FROM account"

func change(db *sql.DB, where string) (sql.Result, error) {
	changed += where
	return db.Exec(changed) // want CAS028
}

func lines(db *sql.DB, where string) (sql.Result, error) {
	return db.Exec("DELETE FROM account " + // want CAS028
		"WHERE " + where)
}
