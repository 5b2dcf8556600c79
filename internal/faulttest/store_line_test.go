package faulttest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// inTime is within what a caller has his answer whom nothing should keep for longer than a lock or two. A machine
// that has much else to do must not be taken for a line that stands.
const inTime = 10 * time.Second

// lined is a context that tells when its caller waits in line.
type lined struct {
	context.Context
	once sync.Once
	in   chan struct{}
}

func (l *lined) Done() <-chan struct{} {
	l.once.Do(func() { close(l.in) })
	return l.Context.Done()
}

// occupied is row 1 of a Store while a caller is alone with it, in his closure. He writes nothing.
type occupied struct {
	free chan struct{}
	all  sync.WaitGroup
}

func occupy[R any](st *optimistic.Store[uint64, R]) *occupied {
	o := &occupied{free: make(chan struct{})}
	working := make(chan struct{})
	began := sync.OnceFunc(func() { close(working) })
	o.all.Go(func() {
		defer began() // also if the row cannot be read
		_, _ = st.Update(context.Background(), 1, func(*R) error {
			began()
			<-o.free
			return errRefusal
		})
	})
	<-working
	return o
}

// join has a call made whose first try waits in line. One that takes a batch's time to come may find that those
// before it are served already, as a blocked closure is overtaken.
func (o *occupied) join(ctx context.Context, call func(ctx context.Context)) {
	l := &lined{Context: ctx, in: make(chan struct{})}
	o.all.Go(func() { call(l) })
	<-l.in
}

// leave frees the row, and waits until all have their answers.
func (o *occupied) leave() {
	close(o.free)
	o.all.Wait()
}

func credit(a *shop.Account) error { a.Balance++; return nil }

// Ensures that who leaves after his turn does not wait for all the closures behind him that block, and that
// neither do those who stay: they have their answers while the closures still do.
func TestStoreCallersDoNotWaitForManyBlockedClosures(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		db.SetMaxOpenConns(8)
		st := optimistic.NewStore(db, shop.AccountTable)
		const blocked, bound = 160, 4 * time.Second // half of what it takes to look at each of them in turn
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var left, stayed error
		var times [2]time.Duration
		var answered sync.WaitGroup
		answered.Add(2)
		start := time.Now()
		o := occupy(st)
		o.join(ctx, func(ctx context.Context) {
			_, left = st.Update(ctx, 1, func(a *shop.Account) error { cancel(); a.Balance += 1000; return nil })
			times[0] = time.Since(start)
			answered.Done()
		})
		o.join(t.Context(), func(ctx context.Context) {
			_, stayed = st.Update(ctx, 1, credit)
			times[1] = time.Since(start)
			answered.Done()
		})
		unblock := make(chan struct{})
		for range blocked {
			o.join(t.Context(), func(ctx context.Context) {
				_, _ = st.Update(ctx, 1, func(*shop.Account) error { <-unblock; return errRefusal })
			})
		}
		go func() { answered.Wait(); close(unblock) }()
		o.leave()
		require.NoError(t, stayed)
		want := opening + 1
		if left == nil { // the batch was faster
			want += 1000
		} else {
			require.ErrorIs(t, left, context.Canceled)
			require.NotErrorIs(t, left, sqlcas.ErrOutcomeUnknown)
		}
		require.Equal(t, want, r.number(t, "SELECT balance FROM account WHERE id = 1"))
		require.Less(t, times[0], bound, "who leaves")
		require.Less(t, times[1], bound, "who stays")
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}

// Ensures that a caller does not wait for the batches of those before him who have all left: their row is
// not even read.
func TestStoreDoesNothingForThoseWhoHaveLeft(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		table := shop.AccountTable
		table.Computed = true // so that each has a batch of his own
		var reads atomic.Int64
		table.Get = func(ctx context.Context, db sqlcas.DBTX, key uint64) (shop.Account, error) {
			reads.Add(1)
			return shop.AccountTable.Get(ctx, db, key)
		}
		st := optimistic.NewStore(db, table)
		const many = 200
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var kept error
		errs := make([]error, many)
		var leaving sync.WaitGroup
		leaving.Add(many)
		o := occupy(st)
		o.join(t.Context(), func(ctx context.Context) {
			_, kept = st.Update(ctx, 1, func(*shop.Account) error { cancel(); leaving.Wait(); return nil })
		})
		for i := range errs {
			o.join(ctx, func(ctx context.Context) {
				defer leaving.Done()
				_, errs[i] = st.Update(ctx, 1, credit)
			})
		}
		o.leave()
		_, err := st.Update(t.Context(), 1, credit)
		require.NoError(t, err)
		require.NoError(t, kept)
		served := 1
		for _, err := range errs {
			if err == nil { // he had his turn before he was told to leave
				served++
				continue
			}
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		}
		require.Less(t, reads.Load(), int64(many/2), "reads")
		require.Equal(t, opening+served, r.number(t, "SELECT balance FROM account WHERE id = 1"))
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}

// Ensures that a caller whose closure is slow is served beside others who write together without a pause: he
// locks the row once he has lost.
func TestStoreServesASlowClosureBesideBatches(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		st := optimistic.NewStore(db, shop.AccountTable)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all, busy sync.WaitGroup
		for range 8 {
			busy.Add(1)
			all.Go(func() {
				began := sync.OnceFunc(busy.Done)
				for ctx.Err() == nil {
					_, _ = st.Update(ctx, 1, credit)
					began()
				}
			})
		}
		busy.Wait()
		_, err := st.Update(t.Context(), 1, func(a *shop.Account) error {
			time.Sleep(150 * time.Millisecond) // some of the times that a batch waits for a closure
			return credit(a)
		}, sqlcas.WithMaxElapsed(inTime))
		cancel()
		all.Wait()
		require.NoError(t, err)
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}

// keep locks the account for a while again and again, as a service does that works under a lock.
func (r *rig) keep(ctx context.Context, id uint64, hold time.Duration) error {
	for ctx.Err() == nil {
		tx, err := r.truth.BeginTx(context.WithoutCancel(ctx), nil)
		if err != nil {
			return err
		}
		_, err = shop.New(tx).GetAccountForUpdate(ctx, id)
		if err == nil {
			time.Sleep(hold)
		}
		if err := errors.Join(err, tx.Rollback()); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// Ensures that callers with little time, who leave a row that others lock all the time, do not have those
// with more of it start over and over again.
func TestStoreServesThePatientAmongThoseInAHurry(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		st := optimistic.NewStore(db, shop.AccountTable)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all sync.WaitGroup
		var kept [3]error
		for i := range kept {
			all.Go(func() { kept[i] = r.keep(ctx, 1, 100*time.Millisecond) })
		}
		var left atomic.Int64
		for range 10 {
			all.Go(func() {
				for ctx.Err() == nil {
					own, stop := context.WithTimeout(ctx, 120*time.Millisecond)
					if _, err := st.Update(own, 1, credit); err != nil {
						left.Add(1)
					}
					stop()
				}
			})
		}
		eventually(t, inTime, "some have left", func() bool { return left.Load() > 5 })
		var errs [2]error
		for i := range errs {
			own, stop := context.WithTimeout(ctx, inTime)
			_, errs[i] = st.Update(own, 1, credit)
			stop()
		}
		cancel()
		all.Wait()
		require.NoError(t, errors.Join(errs[:]...), "the patient")
		require.NoError(t, errors.Join(kept[:]...))
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}
