package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// checkSwallowedConflict ensures that a conflict which In(tx) has told, and which the closure has not
// passed on, is not committed, whichever method told it; that a ROLLBACK TO SAVEPOINT settles it; and
// that nothing is owed for a conflict that was passed on.
func checkSwallowedConflict(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	for name, tell := range map[string]func(context.Context, txStore[uint64, shop.Account], shop.Account) error{
		"Check": func(ctx context.Context, in txStore[uint64, shop.Account], row shop.Account) error {
			return in.Check(ctx, row)
		},
		"Touch": func(ctx context.Context, in txStore[uint64, shop.Account], row shop.Account) error {
			return in.Touch(ctx, &row)
		},
		"Update": func(ctx context.Context, in txStore[uint64, shop.Account], row shop.Account) error {
			return in.Update(ctx, &row)
		},
		"Delete": func(ctx context.Context, in txStore[uint64, shop.Account], row shop.Account) error {
			return in.Delete(ctx, row)
		},
	} {
		for _, savepoint := range []bool{false, true} {
			id := e.account(t)
			stale := e.row(t, id)
			e.bump(t, id)
			memo := "swallowed " + name
			err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
				if _, err := tx.ExecContext(ctx, "SAVEPOINT sp"); err != nil {
					return err
				}
				require.ErrorIs(t, tell(ctx, st.In(tx), stale), sqlcas.ErrConflict, name)
				if savepoint {
					if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT sp"); err != nil {
						return err
					}
				}
				_, err := tx.ExecContext(ctx, "INSERT INTO trail VALUES (?)", memo)
				return err
			})
			if savepoint {
				require.NoError(t, err, name)
				require.Equal(t, 1, e.trail(t, memo), name)
				_, err := e.other.ExecContext(t.Context(), "DELETE FROM trail WHERE memo = ?", memo)
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, sqlcas.ErrTxAborted, name)
			require.ErrorIs(t, err, sqlcas.ErrConflict, name)
			require.Zero(t, e.trail(t, memo), name)
		}
	}
}

// checkWrongCount ensures that a Swap which does not return its statement's own count is refused by
// name and not retried, so that neither a lost swap passes for a success nor a success for a conflict.
func checkWrongCount(t *testing.T, e *env, s strategy) {
	for says, matches := range map[int64]bool{0: true, 1: false, 2: true} {
		table := shop.AccountTable
		table.Swap = func(ctx context.Context, db sqlcas.DBTX, row shop.Account, steps uint64) (int64, error) {
			if !matches {
				row.Version += 100
			}
			_, err := shop.AccountTable.Swap(ctx, db, row, steps)
			return says, err
		}
		id := e.account(t)
		runs := 0
		_, err := s.accounts(e.db, table).Update(t.Context(), id, func(a *shop.Account) error {
			runs++
			a.Balance++
			return nil
		})
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, "says %d", says)
		require.ErrorContains(t, err, "Swap of the Table account returned")
		require.Equal(t, 1, runs, "says %d", says)
	}
}

// checkNeverMatches ensures that a call whose swaps find no row while the row stays where it is stops
// after a few attempts, and that the error says that the row has not moved.
func checkNeverMatches(t *testing.T, e *env, s strategy) {
	table := shop.AccountTable
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, row shop.Account, steps uint64) (int64, error) {
		row.Version += 100
		return shop.AccountTable.Swap(ctx, db, row, steps)
	}
	id := e.account(t)
	var r sqlcas.Report
	_, err := s.accounts(e.db, table).Update(t.Context(), id, plus(1), sqlcas.WithReport(&r))
	var conflict *sqlcas.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 1}, *conflict)
	require.ErrorContains(t, err, "is still at version 1")
	require.Less(t, r.Attempts, 6)
	e.want(t, id, opening, 1)
}
