package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// amongRows are the ways to send a statement while the rows of another are still open.
var amongRows = map[string]func(ctx context.Context, tx *sql.Tx, id uint64) error{
	"Exec": func(ctx context.Context, tx *sql.Tx, _ uint64) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance + 1, version = version + 1")
		return err
	},
	"Exec with an argument": func(ctx context.Context, tx *sql.Tx, id uint64) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET version = version + 1 WHERE id = ?", id)
		return err
	},
	"Query": func(ctx context.Context, tx *sql.Tx, _ uint64) error {
		rows, err := tx.QueryContext(ctx, "SELECT 1")
		if err != nil {
			return err
		}
		return rows.Close()
	},
	"QueryRow with an argument": func(ctx context.Context, tx *sql.Tx, id uint64) error {
		return tx.QueryRowContext(ctx, "SELECT id FROM account WHERE id = ?", id).Scan(&id)
	},
	"Prepare": func(ctx context.Context, tx *sql.Tx, _ uint64) error {
		stmt, err := tx.PrepareContext(ctx, "SELECT 1")
		if err != nil {
			return err
		}
		return stmt.Close()
	},
	"a swap by sqlc's code": func(ctx context.Context, tx *sql.Tx, id uint64) error {
		return optimistic.One(add(ctx, tx, id, nil))
	},
}

// Ensures that a statement sent while rows are open, which a MySQL connection cannot take, is told
// as what it is, at once: the driver calls it a bad connection, and rerunning it for the whole
// budget would fail each time. Nothing is durable, and the pool goes on.
func TestStatementAmongOpenRows(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, m := range []mode{{}, {interpolate: true}} {
			e := newEnv(t, s, m, false)
			ids := []uint64{e.account(t), e.account(t), e.account(t)}
			for name, send := range amongRows {
				for reading, query := range map[string]string{
					"text":     "SELECT id FROM account",
					"prepared": "SELECT id FROM account WHERE id > ?",
				} {
					e.sendAmongRows(t, m.String()+", "+reading+", "+name, query, send)
				}
			}
			for _, id := range ids {
				e.want(t, id, opening, 1)
			}
			e.settled(t)
			one := func(ctx context.Context, tx *sql.Tx) error {
				return optimistic.One(add(ctx, tx, ids[0], nil))
			}
			require.NoError(t, optimistic.UpdateTx(t.Context(), e.db, one), "the pool goes on")
		}
	})
}

// sendAmongRows sends a statement for each row that the query returns. A closure that hides how it
// went gets no COMMIT either.
func (e *env) sendAmongRows(
	t *testing.T, name, query string, send func(context.Context, *sql.Tx, uint64) error,
) {
	t.Helper()
	for _, hides := range []bool{false, true} {
		attempts := 0
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			require.NoError(t, note(ctx, tx, name))
			var args []any
			if query[len(query)-1] == '?' {
				args = append(args, 0)
			}
			rows, err := tx.QueryContext(ctx, query, args...)
			require.NoError(t, err)
			defer rows.Close()
			for rows.Next() {
				var id uint64
				require.NoError(t, rows.Scan(&id))
				if err := send(ctx, tx, id); err != nil && !hides {
					return err
				}
			}
			return nil
		}, sqlcas.WithMaxAttempts(3))
		require.ErrorContains(t, err, "close them first", "%s, hidden: %v", name, hides)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown, name)
		require.NotErrorIs(t, err, sqlcas.ErrExhausted, name)
		require.Equal(t, 1, attempts, "%s: attempts", name)
		require.Zero(t, e.trail(t, name), "%s: durable notes", name)
		if hides {
			require.ErrorIs(t, err, sqlcas.ErrTxAborted, name)
		}
	}
}
