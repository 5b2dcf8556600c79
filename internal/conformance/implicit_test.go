package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// ending is a text that ends the transaction it is sent in, on some servers by its own name and on
// some only by what it is inside.
type ending struct {
	text           string
	mySQL, mariaDB bool // the other one does not know it
}

// endings are what the servers commit for, in spellings that hide it. None of them changes a server
// when it is sent after all: the user of SET PASSWORD and the replica do not exist.
var endings = []ending{
	{text: "COMMIT"},
	{text: "/*!50000 COMMIT */"},
	{text: "/*! COMMIT */"},
	{text: "/*M!100000 COMMIT */", mariaDB: true},
	{text: "\fCOMMIT"},
	{text: "\v\f\tCOMMIT"},
	{text: "-- a note\nCOMMIT"},
	{text: "/* a note */ /*!50000 START TRANSACTION */"},
	{text: "/*!50000 BEGIN */"},
	{text: "/*!40000 ALTER TABLE ballast COMMENT 'x' */"},
	{text: "/*!40000 ALTER TABLE ballast DISABLE KEYS */"},
	{text: "SET STATEMENT lock_wait_timeout = 1 FOR ALTER TABLE ballast COMMENT 'x'", mariaDB: true},
	{text: "/*!50000 SET STATEMENT lock_wait_timeout = 1 FOR TRUNCATE ballast */", mariaDB: true},
	{text: "SET/**/STATEMENT lock_wait_timeout = 1 FOR/**/TRUNCATE TABLE ballast", mariaDB: true},
	{text: "/*!50000 */ COMMIT"},
	{text: "/*!999999 SELECT */ COMMIT"}, // for servers of a later version, and so for none
	{text: "SET autocommit = 1"},
	{text: "SET DEFAULT ROLE NONE TO 'sqlcas_nobody'@'nowhere'", mySQL: true},
	{text: "SET PASSWORD FOR 'sqlcas_nobody'@'nowhere' = '*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29'"},
	{text: "STOP REPLICA"},
	{text: "ANALYZE TABLE ballast"},
	{text: "CREATE TABLE IF NOT EXISTS ballast (n INT)"},
	{text: "DROP TABLE IF EXISTS sqlcas_nothing"},
}

// several are texts of two statements, the second of which commits. The first one's %d is an
// account.
var several = []string{
	"UPDATE account SET version = version + 1 WHERE id = %d; COMMIT",
	"UPDATE account SET version = version + 1 WHERE id = %d;\n-- a note; more\n/*!50000 COMMIT */;",
	"UPDATE account SET owner = 'a;\\'b' WHERE id = %d; ALTER TABLE ballast COMMENT 'x'",
	"/*!50000 UPDATE account SET version = version + 1 WHERE id = %d; COMMIT */",
	"UPDATE account SET version = version + 1 WHERE id = %d --\tdon't\n; COMMIT",
}

// senders are the ways to send a text.
var senders = map[string]func(context.Context, *sql.Tx, string) error{
	"Exec": func(ctx context.Context, tx *sql.Tx, text string) error {
		_, err := tx.ExecContext(ctx, text)
		return err
	},
	"Query": func(ctx context.Context, tx *sql.Tx, text string) error {
		rows, err := tx.QueryContext(ctx, text)
		if err != nil {
			return err
		}
		return rows.Close()
	},
	"Prepare": func(ctx context.Context, tx *sql.Tx, text string) error {
		stmt, err := tx.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer stmt.Close()
		_, err = stmt.ExecContext(ctx)
		return err
	},
}

// Ensures that a statement which would commit the transaction behind its runner's back is refused,
// whatever hides it, so that a closure that fails after it leaves nothing behind, and that one
// which goes on as if nothing were is not committed (case 49).
func TestHiddenEndingsAreRefused(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		for _, end := range endings {
			if end.mariaDB && !s.MariaDB() || end.mySQL && s.MariaDB() {
				continue
			}
			t.Run(end.text, func(t *testing.T) {
				id := e.account(t)
				for how, send := range senders {
					e.requireRefused(t, id, end.text, how, send)
				}
			})
		}
	})
}

// Ensures the same of a connection that takes several statements in one text.
func TestSeveralStatementsAreRefused(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		cfg := e.cfg.Clone()
		cfg.MultiStatements = true
		e = e.with(open(t, cfg, 4))
		for _, text := range several {
			t.Run(text, func(t *testing.T) {
				id, other := e.account(t), e.account(t)
				for _, how := range []string{"Exec", "Query"} { // the servers prepare no two at once
					e.requireRefused(t, id, fmt.Sprintf(text, other), how, senders[how])
				}
				e.want(t, other, opening, 1)
			})
		}
		// A semicolon alone makes no second statement.
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO trail VALUES ('a;b'); -- the end;")
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 1, e.trail(t, "a;b"))
	})
}

// requireRefused writes to the account and then sends the text, once in a closure that fails and
// once in one that hides what became of it.
func (e *env) requireRefused(
	t *testing.T, id uint64, text, how string, send func(context.Context, *sql.Tx, string) error,
) {
	t.Helper()
	for _, hides := range []bool{false, true} {
		attempts, sent, hidden := 0, false, false
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			require.NoError(t, optimistic.One(add(ctx, tx, id, nil)))
			err := send(ctx, tx, text)
			sent = err == nil
			hidden = hides && number(err) == 0 // some texts no server prepares
			switch {
			case hidden:
				return nil
			case sent:
				return errClosure
			}
			return err
		})
		require.False(t, sent, "%s of %q was sent", how, text)
		undone := e.count(t, "account WHERE id = ? AND version = 1", id) == 1
		require.True(t, undone, "%s of %q has made durable what came before it; error %v", how, text, err)
		require.Error(t, err, "%s of %q", how, text)
		require.Equal(t, 1, attempts, "%s of %q: attempts", how, text)
		if hidden {
			require.ErrorIs(t, err, sqlcas.ErrTxAborted, "%s of %q", how, text)
		}
	}
}
