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
	"github.com/sqlcas/sqlcas/pessimistic"
)

// Ensures that sessions in which a success would be none are refused, with the mend, before anything is sent: one that
// reads what others may take back, a version or an operation's id; and one whose COMMIT begins another transaction,
// which the next plain UPDATE would be lost in.
func TestUnfitSessionsAreRefused(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		fit := newEnv(t, s, mode{}, false).noting(t)
		for _, c := range []struct{ variable, value, mend string }{
			{fit.isolation, "'READ-UNCOMMITTED'", "READ-COMMITTED"},
			{"completion_type", "'CHAIN'", "NO_CHAIN"},
			{"completion_type", "1", "NO_CHAIN"},
		} {
			e := fit.tuned(t, c.variable, c.value)
			id := e.account(t)
			twin := fit.holdBy(t, "INSERT INTO sqlcas_operation VALUES ('held', 'transaction', '', REPEAT('x', 16), UTC_TIMESTAMP(6))")
			for what, call := range map[string]func(ctx context.Context) error{
				"UpdateTx": func(ctx context.Context) error {
					_, err := e.pay(ctx, e.db, id)
					return err
				},
				"UpdateTx with an id": func(ctx context.Context) error {
					_, err := e.pay(ctx, e.db, id, sqlcas.WithOperationID("held"))
					return err
				},
				"optimistic.Store": func(ctx context.Context) error {
					_, err := optimistic.NewStore(e.db, shop.AccountTable).Update(ctx, id, plus(1))
					return err
				},
				"optimistic.Store with an id": func(ctx context.Context) error {
					_, err := optimistic.NewStore(e.db, shop.AccountTable).Update(ctx, id, plus(1), sqlcas.WithOperationID("held"))
					return err
				},
				"optimistic.Store, Get": func(ctx context.Context) error {
					_, err := optimistic.NewStore(e.db, shop.AccountTable).Get(ctx, id)
					return err
				},
				"pessimistic.Store": func(ctx context.Context) error {
					_, err := pessimistic.NewStore(e.db, shop.AccountTable).Update(ctx, id, plus(1))
					return err
				},
			} {
				require.ErrorContains(t, call(t.Context()), c.mend, what)
			}
			twin.rollback(t)
			e.want(t, id, opening, 1)
			if c.variable == fit.isolation {
				_, err := e.pay(t.Context(), e.db, id, sqlcas.WithIsolation(sql.LevelReadCommitted))
				require.NoError(t, err, "a transaction that sets its own isolation")
				e.want(t, id, opening+1, 2)
			}
		}
	})
}
