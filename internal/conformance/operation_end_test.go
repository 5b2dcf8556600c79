package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that a call whose last attempt is lost to a call with the same id is a replay, and does not say that its
// attempts are exhausted, by which nothing would have been applied.
func TestOperationLostToItsTwinAtTheEnd(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t)
		for what, call := range map[string]func(id uint64, twin func(), opts ...sqlcas.Option) error{
			"UpdateTx": func(id uint64, twin func(), opts ...sqlcas.Option) error {
				accounts := optimistic.NewStore(e.db, shop.AccountTable)
				return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
					a, err := accounts.In(tx).Get(ctx, id)
					if err != nil {
						return err
					}
					twin()
					a.Balance++
					return accounts.In(tx).Update(ctx, &a)
				}, opts...)
			},
			"Store": func(id uint64, twin func(), opts ...sqlcas.Option) error {
				row, err := optimistic.NewStore(e.db, shop.AccountTable).Update(t.Context(), id, func(a *shop.Account) error {
					twin()
					a.Balance++
					return nil
				}, opts...)
				if err == nil {
					require.EqualValues(t, opening+1, row.Balance, "the row as the twin has made it")
				}
				return err
			},
		} {
			id := e.account(t)
			op := sqlcas.WithOperationID(what)
			var r sqlcas.Report
			err := call(id, func() {
				require.NoError(t, call(id, func() {}, op), "the twin")
			}, op, sqlcas.WithMaxAttempts(1), sqlcas.WithReport(&r))
			require.NoError(t, err, what)
			require.True(t, r.Replayed, what)
			e.want(t, id, opening+1, 2)
		}
		e.settled(t)
	})
}
