package conformance

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// combineChecks are the clauses of a Store that writes the changes of callers who meet together.
var combineChecks = []storeCheck{
	{"callers who meet share a write, in the order in which they came", checkCombined},
	{"errors, panics and Goexit of one are no one else's", checkCombinedEndings},
	{"refusal on another's change stands once that is committed", checkCombinedRefusal},
	{"who leaves the line is not applied", checkCombinedLeaving},
	{"closure that blocks delays no one for long", checkCombinedBlocking},
	{"change that the server refuses is its caller's alone", checkCombinedBisection},
	{"other methods keep their meaning beside a batch", checkCombinedBeside},
	{"no line is joined by a call that wants its own transaction", checkCombinedBypass},
}

// inLine is a context that tells when a caller who has it waits in line: he looks whether it ends.
type inLine struct {
	context.Context
	once sync.Once
	in   chan struct{}
}

// Done tells, and is the context's.
func (c *inLine) Done() <-chan struct{} {
	c.once.Do(func() { close(c.in) })
	return c.Context.Done()
}

// party has callers meet on an account. While a rival holds it, one is alone with it, and the others come one
// after the other; then the rival goes. It returns when all have ended, and how the one has.
func party(t *testing.T, e *env, st store[uint64, shop.Account], id uint64, calls ...func(context.Context)) error {
	t.Helper()
	rival := e.hold(t, id)
	var all sync.WaitGroup
	working := make(chan struct{})
	var err error
	all.Go(func() {
		once := sync.OnceFunc(func() { close(working) })
		_, err = st.Update(t.Context(), id, func(a *shop.Account) error {
			once()
			a.Balance++
			return nil
		})
	})
	<-working
	for _, call := range calls {
		ctx := &inLine{Context: t.Context(), in: make(chan struct{})}
		all.Go(func() { call(ctx) })
		<-ctx.in
	}
	rival.rollback(t)
	all.Wait()
	return err
}

// checkCombined ensures that callers who meet are served in the order in which they came, each on the row as
// the one before has left it and at a version of its own, and that one UPDATE writes what they have made of it.
func checkCombined(t *testing.T, e *env, s strategy) {
	const guests = 20
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	given, got := make([]shop.Account, guests), make([]shop.Account, guests)
	var calls []func(context.Context)
	for i := range guests {
		calls = append(calls, func(ctx context.Context) {
			row, err := st.Update(ctx, id, func(a *shop.Account) error {
				given[i] = *a
				a.Balance += int64(i)
				return nil
			})
			got[i] = row
			if err != nil {
				t.Errorf("guest %d: %v", i, err)
			}
		})
	}
	require.NoError(t, party(t, e, st, id, calls...))
	balance := int64(opening + 1)
	for i := range guests {
		require.Equal(t, uint64(2+i), given[i].Version, "guest %d was given", i)
		require.Equal(t, balance, given[i].Balance, "guest %d was given", i)
		balance += int64(i)
		require.Equal(t, uint64(3+i), got[i].Version, "guest %d got", i)
		require.Equal(t, balance, got[i].Balance, "guest %d got", i)
	}
	e.want(t, id, balance, guests+2)
	require.Equal(t, e.row(t, id), got[guests-1])
	require.Len(t, log.of("UPDATE"), 2)
}

// checkCombinedEndings ensures that a closure's error, panic or Goexit undoes its own change only, and comes
// out at its own caller.
func checkCombinedEndings(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	boom := errors.New("boom")
	var refusal error
	var panicked any
	exited := false
	oops := func(do func()) func(context.Context) {
		return func(ctx context.Context) {
			_, refusal = st.Update(ctx, id, func(a *shop.Account) error {
				a.Balance = -1
				do()
				return boom
			})
		}
	}
	var lone, pair error
	err := party(t, e, st, id,
		func(ctx context.Context) { _, lone = st.Update(ctx, id, plus(10)) },
		oops(func() {}),
		func(ctx context.Context) {
			defer func() { panicked = recover() }()
			oops(func() { panic("help") })(ctx)
		},
		func(ctx context.Context) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { exited = true }()
				oops(runtime.Goexit)(ctx)
				exited = false
			}()
			<-done
		},
		func(ctx context.Context) { _, pair = st.Update(ctx, id, plus(100)) },
	)
	require.NoError(t, errors.Join(err, lone, pair))
	require.Equal(t, boom, refusal)
	require.Equal(t, "help", panicked)
	require.True(t, exited)
	e.want(t, id, opening+111, 4)
}

// checkCombinedRefusal ensures that a closure which refuses because of a change that is then lost is run
// again, on the row as it really is.
func checkCombinedRefusal(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var first, second error
	runs, seen := 0, []int64{}
	err := party(t, e, st, id,
		func(ctx context.Context) {
			_, first = st.Update(ctx, id, func(a *shop.Account) error {
				if runs++; runs == 1 {
					e.bump(t, id) // so that this batch is lost
				} else {
					return errRefused
				}
				a.Balance -= opening
				return nil
			})
		},
		func(ctx context.Context) {
			_, second = st.Update(ctx, id, func(a *shop.Account) error {
				seen = append(seen, a.Balance)
				if a.Balance < opening {
					return errRefused
				}
				a.Balance -= 5
				return nil
			})
		},
	)
	require.NoError(t, err)
	require.ErrorIs(t, first, errRefused)
	require.NoError(t, second, "it was refused on a change that was not committed")
	require.Equal(t, []int64{1, opening + 1 + rivals}, seen)
	e.want(t, id, opening+1+rivals-5, 4)
}

var errRefused = errors.New("refused")

// checkCombinedLeaving ensures that a caller whose context ends while he is in line gets its error, and that
// nothing of his is applied then.
func checkCombinedLeaving(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var left, stayed error
	ran, hasLeft := false, make(chan struct{})
	err := party(t, e, st, id,
		func(ctx context.Context) {
			defer close(hasLeft)
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Millisecond, cancel)
			_, left = st.Update(ctx, id, func(*shop.Account) error { ran = true; return nil })
		},
		func(ctx context.Context) {
			<-hasLeft // the rival stays until then
			_, stayed = st.Update(ctx, id, plus(10))
		},
	)
	require.NoError(t, errors.Join(err, stayed))
	require.ErrorIs(t, left, context.Canceled)
	require.NotErrorIs(t, left, sqlcas.ErrOutcomeUnknown)
	require.False(t, ran)
	e.want(t, id, opening+11, 3)
}

// checkCombinedBlocking ensures that a closure which waits for something does not have the others wait
// for it, and that it is applied, once, when it is done.
func checkCombinedBlocking(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	served := make(chan struct{})
	var slow, quick error
	var once sync.Once
	err := party(t, e, st, id,
		func(ctx context.Context) {
			_, slow = st.Update(ctx, id, func(a *shop.Account) error {
				once.Do(func() { <-served })
				a.Balance += 100
				return nil
			})
		},
		func(ctx context.Context) {
			defer close(served)
			_, quick = st.Update(ctx, id, plus(10))
		},
	)
	require.NoError(t, errors.Join(err, slow, quick))
	e.want(t, id, opening+111, 4)

	// The same where the one that blocks is alone with the row.
	blocked, free := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		runs := 0
		_, slow = st.Update(t.Context(), id, func(a *shop.Account) error {
			if runs++; runs == 1 {
				close(blocked)
				<-free
			}
			a.Balance += 1000
			return nil
		})
	})
	<-blocked
	_, err = st.Update(t.Context(), id, plus(1))
	close(free)
	all.Wait()
	require.NoError(t, errors.Join(err, slow))
	e.want(t, id, opening+1112, 6)
}

// checkCombinedBisection ensures that the server's error about a batch is that of the callers who have caused
// it, and that the changes of all others are written.
func checkCombinedBisection(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	const guests = 9
	errs := make([]error, guests)
	var calls []func(context.Context)
	for i := range guests {
		calls = append(calls, func(ctx context.Context) {
			_, errs[i] = st.Update(ctx, id, func(a *shop.Account) error {
				a.Balance++
				if i == 2 || i == 7 {
					a.Owner = strings.Repeat("x", 65) // one more than the column holds
				}
				return nil
			})
		})
	}
	require.NoError(t, party(t, e, st, id, calls...))
	for i, err := range errs {
		require.Equal(t, i == 2 || i == 7, err != nil, "guest %d: %v", i, err)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	}
	e.want(t, id, opening+1+guests-2, guests)
}

// checkCombinedBeside ensures that the methods which do not combine are as correct beside a batch: a stale
// version conflicts, the right one is written.
func checkCombinedBeside(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	id, other := e.account(t), e.account(t)
	var batched, stale, all, gone error
	err := party(t, e, st, id,
		func(ctx context.Context) { _, batched = st.Update(ctx, id, plus(10)) },
		func(ctx context.Context) { _, stale = st.UpdateIfVersion(ctx, id, 7, plus(1000)) },
		func(ctx context.Context) {
			_, all = st.UpdateAll(ctx, []uint64{other, id}, func(rows map[uint64]*shop.Account) error {
				rows[id].Balance -= 5
				rows[other].Balance += 5
				return nil
			})
		},
		func(ctx context.Context) { gone = st.Delete(ctx, shop.Account{ID: id, Version: 9}) },
	)
	require.NoError(t, errors.Join(err, batched, all))
	require.ErrorIs(t, stale, sqlcas.ErrConflict)
	require.ErrorIs(t, gone, sqlcas.ErrConflict)
	e.want(t, id, opening+1+10-5, 4)
	e.want(t, other, opening+5, 2)
}

// checkCombinedBypass ensures that a call whose own options make its transaction another one does not wait in
// line, nor one WithoutCombining.
func checkCombinedBypass(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	for name, opt := range map[string]sqlcas.Option{
		"WithoutCombining":  optimistic.WithoutCombining(),
		"WithKey":           optimistic.WithKey(t.Name()),
		"WithCommitTimeout": sqlcas.WithCommitTimeout(time.Second),
	} {
		id := e.account(t)
		rival := e.hold(t, id) // the one alone in line waits for it, and so would who stood behind him
		var all sync.WaitGroup
		working, called := make(chan struct{}), make(chan struct{})
		var err, own error
		all.Go(func() {
			once := sync.OnceFunc(func() { close(working) })
			_, err = st.Update(t.Context(), id, func(a *shop.Account) error { once(); a.Balance++; return nil })
		})
		<-working
		all.Go(func() {
			once := sync.OnceFunc(func() { close(called) })
			_, own = st.Update(t.Context(), id, func(a *shop.Account) error { once(); a.Balance++; return nil }, opt)
		})
		<-called // while the other one is still waiting
		rival.rollback(t)
		all.Wait()
		require.NoError(t, errors.Join(err, own), name)
		e.want(t, id, opening+2, 3)
	}
}
