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

// Ensures that a joined call which fails dooms the transaction it has joined if it has written, and
// only then, by whatever word its statement begins: a WITH may be a query or an UPDATE, and
// MariaDB's SET STATEMENT ... FOR is what comes after it (case 12).
func TestJoinedFailureByWhatWasSent(t *testing.T) {
	t.Parallel()
	const (
		onlyMySQL, onlyMariaDB = true, true
		update                 = "UPDATE account SET balance = 0, version = version + 1 WHERE id = ?"
	)
	texts := []struct {
		text           string
		writes         bool
		mySQL, mariaDB bool // on this one alone
	}{
		{text: "WITH a AS (SELECT ? AS id) SELECT id FROM a"},
		{text: "WITH RECURSIVE a AS (SELECT ? AS id UNION SELECT id FROM account) SELECT id FROM a"},
		{text: "(SELECT version FROM account WHERE id = ?)"},
		{text: "SET STATEMENT max_statement_time = 5 FOR SELECT ?", mariaDB: onlyMariaDB},
		{text: update, writes: true},
		{text: "WITH a AS (SELECT 1 AS one) " + update, writes: true, mySQL: onlyMySQL},
		{text: "SET STATEMENT max_statement_time = 5 FOR " + update, writes: true, mariaDB: onlyMariaDB},
		{text: "/*!50000 UPDATE */" + update[len("UPDATE"):], writes: true},
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false)
		for _, c := range texts {
			if c.mySQL && s.MariaDB() || c.mariaDB && !s.MariaDB() {
				continue
			}
			id, other := e.account(t), e.account(t)
			err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, outer *sql.Tx) error {
				require.NoError(t, optimistic.One(add(ctx, outer, other, nil)))
				err := optimistic.UpdateTx(ctx, e.db, func(ctx context.Context, tx *sql.Tx) error {
					require.NoError(t, sendEither(ctx, tx, c.text, c.writes, id), c.text)
					return errClosure
				})
				require.ErrorIs(t, err, errClosure, c.text)
				return nil
			})
			e.want(t, id, opening, 1)
			if c.writes {
				require.ErrorIs(t, err, sqlcas.ErrTxAborted, c.text)
				require.ErrorIs(t, err, errClosure, c.text)
				e.want(t, other, opening, 1)
				continue
			}
			require.NoError(t, err, c.text)
			e.want(t, other, opening+1, 2)
		}
		e.settled(t)
	})
}

// sendEither sends a statement that writes one row, or one that reads one.
func sendEither(ctx context.Context, tx *sql.Tx, text string, writes bool, id uint64) error {
	if !writes {
		return tx.QueryRowContext(ctx, text, id).Scan(&id)
	}
	res, err := tx.ExecContext(ctx, text, id)
	if err != nil {
		return err
	}
	return optimistic.One(res.RowsAffected())
}
