package conformance

import (
	"context"
	"database/sql"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/optimistic"
)

// checkPanic ensures that a closure that panics is rolled back, that the panic goes on with its
// value, that no connection stays in use, and that the next writer does not wait.
func checkPanic(t *testing.T, e *env) {
	id := e.account(t)
	require.PanicsWithValue(t, "boom", func() {
		_ = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			if err := optimistic.One(add(ctx, tx, id, nil)); err != nil {
				return err
			}
			panic("boom")
		})
	})
	require.Zero(t, e.db.Stats().InUse, "connections in use when the panic has arrived")
	nextWriter(t, e, id)
}

// checkGoexit ensures the same of runtime.Goexit, which t.FailNow calls.
func checkGoexit(t *testing.T, e *env) {
	id := e.account(t)
	returned := false
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			if err := optimistic.One(add(ctx, tx, id, nil)); err != nil {
				return err
			}
			runtime.Goexit()
			return nil
		})
		returned = true
	}()
	<-gone
	require.False(t, returned, "UpdateTx returned although its goroutine was to end")
	require.Zero(t, e.db.Stats().InUse, "connections in use when the goroutine has ended")
	nextWriter(t, e, id)
}

// nextWriter ensures that nothing of an attempt on the account is left, by writing to it.
func nextWriter(t *testing.T, e *env, id uint64) {
	t.Helper()
	e.want(t, id, opening, 1)
	began := time.Now()
	e.bump(t, id)
	require.Less(t, time.Since(began), lockWait/2, "the next writer had to wait")
	e.want(t, id, opening+rivals, 2)
}

// checkNewTransaction ensures that attempt 2 runs in another transaction than attempt 1, begun
// after the end of the first, and so reads the version that a snapshot would never show (case 10).
func checkNewTransaction(t *testing.T, e *env) {
	e, log := e.logged(t)
	id := e.account(t)
	var seen []uint64
	var txs []*sql.Tx
	version := func(ctx context.Context, tx *sql.Tx) (v uint64, err error) {
		err = tx.QueryRowContext(ctx, "SELECT version FROM account WHERE id = ?", id).Scan(&v)
		return v, err
	}
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		txs = append(txs, tx)
		v, err := version(ctx, tx)
		if err != nil {
			return err
		}
		seen = append(seen, v)
		swapped := optimistic.One(add(ctx, tx, id, func() {
			if len(txs) == 1 {
				e.bump(t, id)
			}
		}))
		if len(txs) == 1 && !e.mode.readCommitted && !e.snapshot {
			// What a retry in the same transaction would run into for ever.
			again, err := version(ctx, tx)
			require.NoError(t, err)
			require.Equal(t, v, again, "version that the old snapshot shows after the conflict")
		}
		return swapped
	})
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2}, seen, "version read by each attempt")
	require.NotSame(t, txs[0], txs[1])
	var ends []string
	for _, w := range log.words() {
		switch w {
		case "BEGIN", "COMMIT", "ROLLBACK":
			ends = append(ends, w)
		}
	}
	require.Equal(t, []string{"BEGIN", "ROLLBACK", "BEGIN", "COMMIT"}, ends)
	e.want(t, id, opening+rivals+1, 3)
}

// pauseProbe looks at the server when an attempt is over and the pause has not begun.
type pauseProbe struct{ look func() }

func (p *pauseProbe) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context {
	return ctx
}

func (p *pauseProbe) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	if a.RetryIn >= 0 {
		p.look()
	}
}

func (p *pauseProbe) CallEnd(context.Context, sqlcas.CallEnd) {}

// checkNoLockInPause ensures that the rows of an attempt that has lost are free before the pause
// begins: under REPEATABLE READ a swap that matched no row has locked the row all the same, and
// pausing with it would stop the very writer one is waiting for.
func checkNoLockInPause(t *testing.T, e *env) {
	id := e.account(t)
	attempts, looks := 0, 0
	probe := &pauseProbe{look: func() {
		looks++
		free := e.unlocked(t, "SELECT id FROM account WHERE id = ?", id)
		require.True(t, free, "the row is locked during the pause")
	}}
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		return optimistic.One(add(ctx, tx, id, func() {
			if attempts <= 2 {
				e.bump(t, id)
			}
		}))
	}, sqlcas.WithObserver(probe))
	require.NoError(t, err)
	require.Equal(t, 3, attempts)
	require.Equal(t, 2, looks)
	e.want(t, id, opening+2*rivals+1, 4)
}

// checkResult ensures that a result is that of the committed attempt alone, and that there is none
// when no attempt was committed (case 18).
func checkResult(t *testing.T, e *env) {
	id := e.account(t)
	attempts := 0
	run := func(fn func(context.Context, *sql.Tx) ([]int, error), opts ...sqlcas.Option) ([]int, error) {
		return optimistic.UpdateTxResult(t.Context(), e.db, fn, opts...)
	}
	value, err := run(func(ctx context.Context, tx *sql.Tx) ([]int, error) {
		attempts++
		return []int{attempts}, optimistic.One(add(ctx, tx, id, func() {
			if attempts <= 2 {
				e.bump(t, id)
			}
		}))
	})
	require.NoError(t, err)
	require.Equal(t, []int{3}, value)
	e.want(t, id, opening+2*rivals+1, 4)

	value, err = run(func(context.Context, *sql.Tx) ([]int, error) { return []int{4}, errClosure })
	require.ErrorIs(t, err, errClosure)
	require.Nil(t, value, "value of an attempt that was not committed")
	value, err = run(func(ctx context.Context, tx *sql.Tx) ([]int, error) {
		return []int{5}, optimistic.One(add(ctx, tx, id, func() { e.bump(t, id) }))
	}, sqlcas.WithMaxAttempts(2))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.Nil(t, value, "value of an exhausted call")
}

// checkIsolation ensures that WithIsolation holds for the transactions of its own call alone: each
// shows, by whether a plain read sees what was committed after the first one, which level it has.
func checkIsolation(t *testing.T, e *env) {
	id := e.account(t)
	seesNew := func(opts ...sqlcas.Option) bool {
		var before, after uint64
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			const query = "SELECT version FROM account WHERE id = ?"
			if err := tx.QueryRowContext(ctx, query, id).Scan(&before); err != nil {
				return err
			}
			e.bump(t, id)
			return tx.QueryRowContext(ctx, query, id).Scan(&after)
		}, opts...)
		require.NoError(t, err)
		return after > before
	}
	require.True(t, seesNew(sqlcas.WithIsolation(sql.LevelReadCommitted)), "READ COMMITTED")
	require.False(t, seesNew(sqlcas.WithIsolation(sql.LevelRepeatableRead)), "REPEATABLE READ")
	for range e.db.Stats().OpenConnections + 1 {
		require.Equal(t, e.mode.readCommitted, seesNew(), "the session's own level, afterwards")
	}
}
