package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

const (
	idCallers = 32 // goroutines, of two pools
	sharedIDs = 8  // which each of them asks for
)

// payers are ways to add one to an account under an id.
var payers = map[string]func(ctx context.Context, db *sql.DB, id uint64, opts ...sqlcas.Option) error{
	"UpdateTx": func(ctx context.Context, db *sql.DB, id uint64, opts ...sqlcas.Option) error {
		return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			return optimistic.One(add(ctx, tx, id, nil))
		}, opts...)
	},
	"UpdateTx with locks": func(ctx context.Context, db *sql.DB, id uint64, opts ...sqlcas.Option) error {
		return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			if _, err := shop.New(tx).GetAccountForUpdate(ctx, id); err != nil {
				return err
			}
			return optimistic.One(add(ctx, tx, id, nil))
		}, opts...)
	},
	"pessimistic.Store": func(ctx context.Context, db *sql.DB, id uint64, opts ...sqlcas.Option) error {
		_, err := pessimistic.NewStore(db, shop.AccountTable).Update(ctx, id, func(a *shop.Account) error {
			a.Balance++
			return nil
		}, opts...)
		return err
	},
}

// Ensures that of many who ask for the same operations at the same time, in two pools as two processes would, for
// each exactly one applies it and all others are replays, and that none is told of what lies between them: no
// duplicate key, no deadlock, no conflict.
func TestTwinsApplyEachOperationOnce(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for name, pay := range payers {
			for _, m := range []mode{{}, {readCommitted: true, interpolate: true}} {
				t.Run(fmt.Sprintf("%s/%v", name, m), func(t *testing.T) {
					t.Parallel()
					twinsApplyOnce(t, newEnv(t, s, m, false).noting(t), pay)
				})
			}
		}
	})
}

func twinsApplyOnce(t *testing.T, e *env, pay func(context.Context, *sql.DB, uint64, ...sqlcas.Option) error) {
	accounts := []uint64{e.account(t), e.account(t), e.account(t)}
	pools := []*sql.DB{e.db, open(t, e.cfg.Clone(), 8)}
	var applied [sharedIDs]atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for g := range idCallers {
		wg.Go(func() {
			<-start
			for n := range sharedIDs {
				op := (n + g) % sharedIDs
				var r sqlcas.Report
				err := pay(t.Context(), pools[g%len(pools)], accounts[op%len(accounts)],
					sqlcas.WithOperationID(fmt.Sprint("shared ", op)), sqlcas.WithReport(&r))
				if err != nil {
					t.Errorf("operation %d: %v", op, err)
				} else if !r.Replayed {
					applied[op].Add(1)
				}
			}
		})
	}
	close(start)
	wg.Wait()
	for op := range applied {
		require.EqualValues(t, 1, applied[op].Load(), "who applied operation %d", op)
	}
	require.Equal(t, sharedIDs, e.count(t, "sqlcas_operation"))
	for i, id := range accounts {
		n := (sharedIDs - i + len(accounts) - 1) / len(accounts)
		e.want(t, id, opening+int64(n), uint64(1+n))
	}
	e.settled(t)
}
