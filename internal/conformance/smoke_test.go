package conformance

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

func TestSmokeStores(t *testing.T) {
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{interpolate: true}, false)
		o := optimistic.NewStore(e.db, shop.AccountTable)
		p := pessimistic.NewStore(e.db, shop.AccountTable)
		for _, u := range []sqlcas.Updater[uint64, shop.Account]{o, p} {
			id := e.account(t)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 10 {
						_, err := u.Update(t.Context(), id, func(a *shop.Account) error { a.Balance++; return nil })
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			e.want(t, id, opening+80, 81)
			_, err := u.Update(t.Context(), 1<<40, func(a *shop.Account) error { return nil })
			require.ErrorIs(t, err, sqlcas.ErrGone)

			h := e.hold(t, id)
			for range 2 {
				var wg sync.WaitGroup
				for range 20 {
					wg.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
						defer cancel()
						start := time.Now()
						_, err := u.Update(ctx, id, func(a *shop.Account) error { a.Balance++; return nil })
						d := time.Since(start)
						if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sqlcas.ErrOutcomeUnknown) || d > 300*time.Millisecond {
							t.Errorf("%T %v %v", u, d, err)
						}
					})
				}
				wg.Wait()
			}
			_, err = p.Update(t.Context(), id, func(a *shop.Account) error { return nil }, pessimistic.Wait(50*time.Millisecond))
			t.Log(err)
			require.ErrorIs(t, err, sqlcas.ErrLocked)
			_, err = p.Update(t.Context(), id, func(a *shop.Account) error { return nil }, pessimistic.NoWait())
			t.Log(err)
			require.ErrorIs(t, err, sqlcas.ErrLocked)
			_, err = p.Update(t.Context(), id, func(a *shop.Account) error { return nil }, pessimistic.SkipLocked())
			t.Log(err)
			require.ErrorIs(t, err, sqlcas.ErrLocked)
			h.rollback(t)
			e.want(t, id, opening+80, 81)
			id2 := e.account(t)
			_, err = o.UpdateAll(t.Context(), []uint64{id2, id, id2}, func(rows map[uint64]*shop.Account) error {
				rows[id].Balance -= 5
				rows[id2].Balance += 5
				return nil
			})
			require.NoError(t, err)
			_, err = p.UpdateAll(t.Context(), []uint64{id2, id, id2}, func(rows map[uint64]*shop.Account) error {
				rows[id].Balance -= 5
				rows[id2].Balance += 5
				return nil
			})
			require.NoError(t, err)
			e.want(t, id2, opening+10, 3)
			cur, err := o.UpdateIfVersion(t.Context(), id2, 2, func(a *shop.Account) error { return nil })
			t.Log(cur, err)
			require.ErrorIs(t, err, sqlcas.ErrConflict)
			require.EqualValues(t, 3, cur.Version)
			err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
				in := o.In(tx)
				a, err := in.Get(ctx, id2)
				if err != nil {
					return err
				}
				b := a
				if err := in.Touch(ctx, &a); err != nil {
					return err
				}
				if err := in.Touch(ctx, &b); err != nil {
					return err
				}
				a.Balance++
				return in.Update(ctx, &a)
			})
			require.NoError(t, err)
			e.want(t, id2, opening+11, 5)
			e.settled(t)
		}
	})
}
