package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// place is where in the Go program a server's error comes up.
type place string

const (
	inExec  place = "Exec"
	inStmt  place = "prepared Stmt"
	inScan  place = "QueryRow.Scan"
	inNext  place = "Rows.Next"
	inClose place = "Rows.Close"
)

var places = []place{inExec, inStmt, inScan, inNext, inClose}

// partSchema is a table to read by a secondary index. A row is larger than the server's network
// buffer of 16 kB, so that the rows before a locked one have reached the client, and Query has
// returned, when the server meets the lock.
const partSchema = `CREATE TABLE part (
	id BIGINT UNSIGNED NOT NULL PRIMARY KEY, grp INT NOT NULL, n INT NOT NULL DEFAULT 0,
	pad MEDIUMTEXT NOT NULL, KEY part_by_group (grp)) ENGINE=InnoDB`

// partsInGroup is the size of a group; the last part of it is the one to run into.
const partsInGroup = 3

// Ensures that a closure that swallows 1205, 1213, 1020, 1317 or a statement's time limit (1969 and
// 3024), wherever in the program it comes up (and a locking read over a secondary index shows it
// only in Rows.Next or Rows.Close), gets ErrTxAborted with the server's error, and that nothing it
// wrote before or after becomes durable (cases 24, 25 and 53).
func TestSwallowedErrorsAreNeverCommitted(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		known, _ := variable(t, s, snapshotVariable)
		snapshot := known != ""
		e := newEnv(t, s, mode{}, snapshot)
		// The combinations run side by side, and each rival keeps a connection while another one
		// looks on: a smaller pool would make them wait for each other.
		e.other.SetMaxOpenConns(2 * len(provocations) * len(places))
		_, err := e.other.ExecContext(t.Context(), partSchema)
		require.NoError(t, err)
		group := 0
		for _, p := range provocations {
			for _, at := range places {
				group++
				if p.never != nil && p.never(e, at) != "" {
					outcomes.set(s, p.number, at, p.never(e, at))
					continue
				}
				sw := &swallowing{e: e, provocation: p, at: at, group: group}
				t.Run(fmt.Sprintf("%d in %s", p.number, at), func(t *testing.T) {
					t.Parallel()
					outcomes.set(s, p.number, at, "FAIL")
					sw.run(t)
					outcomes.set(s, p.number, at, "produced, refused")
				})
			}
		}
	})
}

// swallowing is one combination of an error and a place. Its rows are one group of parts.
type swallowing struct {
	e           *env
	provocation provocation
	at          place
	group       int
}

// id returns the key of a part of the group; the last one is the one that the rival wants too.
func (s *swallowing) id(part int) int { return s.group*10 + part }

func (s *swallowing) last() int { return s.id(partsInGroup) }

func (s *swallowing) memo(n string) string {
	return fmt.Sprintf("%d in %s: %s", s.provocation.number, s.at, n)
}

func (s *swallowing) run(t *testing.T) {
	e := s.e
	if name := s.provocation.param[0]; name != "" {
		e = e.tuned(t, name, s.provocation.param[1])
	}
	for part := 1; part <= partsInGroup; part++ {
		_, err := e.other.ExecContext(t.Context(),
			"INSERT INTO part (id, grp, pad) VALUES (?, ?, REPEAT('x', 20000))", s.id(part), s.group)
		require.NoError(t, err)
	}
	account := e.account(t)
	attempts := 0
	var after []func()
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if err := s.before(ctx, tx, account); err != nil {
			return err
		}
		after = append(after, s.provocation.prepare(t, s, tx))
		err := s.meet(ctx, t, tx)
		require.EqualValues(t, s.provocation.number, number(err), "error of %s: %v", s.at, err)
		_ = note(ctx, tx, s.memo("after")) // whether it is sent or not
		return nil
	})
	for _, end := range after {
		end()
	}
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.EqualValues(t, s.provocation.number, number(err), "the swallowed error is not in %v", err)
	require.Equal(t, 1, attempts, "a closure that swallows is a bug and must not be rerun")
	e.want(t, account, opening, 1)
	require.Zero(t, e.trail(t, s.memo("")), "statements of the aborted transaction that are durable")
	free := e.unlocked(t, "SELECT id FROM part WHERE grp = ?", s.group)
	require.True(t, free, "rows are still locked")
	idle(t, e.db)
}

// before is the half of the transaction that the server may leave standing. Its first statement is
// a read, which fixes the snapshot.
func (s *swallowing) before(ctx context.Context, tx *sql.Tx, account uint64) error {
	var n int
	row := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM part WHERE grp = ?", s.group)
	if err := row.Scan(&n); err != nil {
		return err
	}
	if err := optimistic.One(add(ctx, tx, account, nil)); err != nil {
		return err
	}
	// The row that a rival in a deadlock will wait for.
	if _, err := tx.ExecContext(ctx, "UPDATE part SET n = n + 1 WHERE id = ?", s.id(1)); err != nil {
		return err
	}
	return note(ctx, tx, s.memo("before"))
}

// meet runs the statement that runs into the rival, and returns the error from where it comes up.
func (s *swallowing) meet(ctx context.Context, t *testing.T, db shop.DBTX) error {
	const update = "UPDATE part SET n = n + 1 WHERE id = ?"
	switch s.at {
	case inExec:
		_, err := db.ExecContext(ctx, update, s.last())
		return err
	case inStmt:
		stmt, err := db.PrepareContext(ctx, update)
		require.NoError(t, err)
		defer stmt.Close()
		_, err = stmt.ExecContext(ctx, s.last())
		return err
	case inScan:
		var n int
		return db.QueryRowContext(ctx, "SELECT n FROM part WHERE id = ? FOR UPDATE", s.last()).Scan(&n)
	}
	rows, err := db.QueryContext(ctx,
		"SELECT id, pad FROM part FORCE INDEX (part_by_group) WHERE grp = ? FOR UPDATE", s.group)
	require.NoError(t, err, "Query must succeed for the error to come up later")
	require.True(t, rows.Next(), "the rows before the locked one must arrive: %v", rows.Err())
	if s.at == inClose {
		return rows.Close()
	}
	for rows.Next() { // to the error
	}
	err = rows.Err()
	_ = rows.Close()
	return err
}

// Ensures that the reason why nothing may be sent after a deadlock still holds: each server leaves
// the transaction, so that what a program sends next is durable at once and survives its ROLLBACK.
func TestServersAutocommitAfterDeadlock(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		first, second := e.account(t), e.account(t)
		tx, err := e.db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		require.EqualValues(t, 1213, number(transfer(t.Context(), e, t, tx, first, second, true)))
		require.NoError(t, note(t.Context(), tx, "naive program"))
		require.NoError(t, tx.Rollback())
		require.Equal(t, 1, e.trail(t, "naive program"),
			"rows that survived the ROLLBACK; if there is none, this server keeps the transaction")
	})
}
