package faulttest

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that a call which stops after a conflict, because its context ends in the pause before the next
// attempt or would, is the context's error and the conflict in one, and is not mistaken for the
// conflict of a detached edit (case 84).
func TestStoreContextEndsInAPause(t *testing.T) {
	t.Parallel()
	long := sqlcas.WithDelays(time.Minute, time.Minute)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 2)
		db := open(t, dial(t, r.cfg))
		o := optimistic.NewStore(db, shop.AccountTable)
		rival := func() { r.exec(t, "UPDATE account SET version = version + 1 WHERE id = 1") }
		for name, call := range map[string]func(ctx context.Context, opts ...sqlcas.Option) error{
			"Update": func(ctx context.Context, opts ...sqlcas.Option) error {
				_, err := o.Update(ctx, 1, func(*shop.Account) error {
					rival()
					return nil
				}, opts...)
				return err
			},
			"UpdateAll": func(ctx context.Context, opts ...sqlcas.Option) error {
				_, err := o.UpdateAll(ctx, []uint64{1, 2}, func(map[uint64]*shop.Account) error {
					rival()
					return nil
				}, opts...)
				return err
			},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			start := time.Now()
			err := call(ctx, sqlcas.WithBackOff(constant(time.Minute)))
			if err == nil || time.Since(start) > 5*time.Second {
				t.Errorf("%s, whose pause would outlast its deadline: got %v after %v", name, err, time.Since(start))
			}
			if !errorsAre(err, context.DeadlineExceeded, sqlcas.ErrConflict) {
				t.Errorf("%s, whose pause would outlast its deadline: got %v, want the deadline's error and the conflict", name, err)
			}
			cancel()

			ctx, cancel = context.WithCancel(t.Context())
			err = call(ctx, long, sqlcas.WithObserver(atEnd(func(sqlcas.AttemptEnd) { cancel() })))
			if !errorsAre(err, context.Canceled, sqlcas.ErrConflict) {
				t.Errorf("%s, canceled in its pause: got %v, want the context's error and the conflict", name, err)
			}
			cancel()
		}
		require.Zero(t, r.number(t, "SELECT version FROM account WHERE id = 2")-firstVersion)
		assertIdle(t, db)
		r.assertUnlocked(t)
	})
}

// Ensures that a call which cannot connect after a conflict says both: the conflict alone would not tell why
// it was not tried again.
func TestStoreCannotConnectAfterAConflict(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		d := &door{Connector: dial(t, r.cfg), once: true}
		db := open(t, d)
		db.SetMaxIdleConns(-1) // each attempt connects anew
		_, err := optimistic.NewStore(db, shop.AccountTable).Update(t.Context(), 1, func(*shop.Account) error {
			r.exec(t, "UPDATE account SET version = version + 1 WHERE id = 1")
			d.shut.Store(true)
			return nil
		})
		if !errorsAre(err, syscall.ECONNREFUSED, sqlcas.ErrConflict) {
			t.Errorf("got %v, want the refused connection and the conflict", err)
		}
		require.Equal(t, 1, r.swaps(t, 1), "swaps: the rival's alone")
	})
}
