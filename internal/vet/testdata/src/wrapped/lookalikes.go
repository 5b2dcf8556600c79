package wrapped

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
)

type logger struct{ label string }

// Infof tells people.
func (logger) Infof(format string, args ...any) { log.Printf(format, args...) }

// Label is of a button.
func (l logger) Label(text string) { l.label = text }

// Run does nothing with it.
func (logger) Run(text string) {}

type mock struct{ q string }

// ExpectExec takes what is to be run by somebody else.
func (mock) ExpectExec(q string) mock { return mock{q} }

func tells(l logger, m mock) error {
	log.Print("UPDATE account SET balance = 1")
	log.Default().Printf("UPDATE account SET balance = 1")
	l.Infof("UPDATE account SET balance = 1")
	l.Label("Update account")
	l.Run("DELETE FROM account")
	l.Label("Delete the account")
	m.ExpectExec("DELETE FROM account")
	fmt.Println("DELETE FROM account")
	var b bytes.Buffer
	b.WriteString("DELETE FROM account")
	if strings.Contains("DELETE FROM account", b.String()) {
		panic("DELETE FROM account")
	}
	return errors.New("DELETE FROM account")
}

// TestRun names its parts.
func TestRun(t *testing.T) {
	t.Run("UPDATE account SET balance = 1", func(t *testing.T) { t.Log("DELETE FROM account") })
}

type plan struct{ q string }

// Explain keeps the text and runs nothing: there are no rows to count.
func (p *plan) Explain(q string) (int64, error) {
	p.q = q
	return 0, nil
}

type text string

func otherwise(d *DB, db *sql.DB, say func(string, ...any)) {
	d.Run("UPDATE note SET body = ''")
	d.Run("SELECT owner FROM account")
	d.Run("UPDATE account_archive SET owner = ''")
	d.Run("backup account") // no statement
	d.Exec("UPDATE note SET body = ''", []any{1})
	new(plan).Explain(swap)
	say("the accounts: %d", 1)
	_ = text("DELETE FROM account")
	_ = append([]string{}, "DELETE FROM account")
	db.Exec("SET STATEMENT max_statement_time=1 FOR UPDATE note SET body = ''")
	db.Exec("EXECUTE IMMEDIATE 'UPDATE accounts SET balance = 1'")
	db.Exec("SET STATEMENT max_statement_time=1 FOR SELECT 1 /* accountant */")
}

// expand replaces :name by ?, as sqlx.Named does.
func expand(q string, args map[string]any) (string, []any) {
	return strings.ReplaceAll(q, ":", "?"), nil
}

func byName(db *sql.DB) (sql.Result, error) {
	q, args := expand("UPDATE account SET version = version + 1 WHERE id = :id AND version = :version", nil)
	return db.Exec(q, args...)
}
