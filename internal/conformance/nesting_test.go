package conformance

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/optimistic"
)

// checkJoin ensures that UpdateTx inside UpdateTx on the same database runs in the outer one's
// transaction, and that there is one COMMIT, after both (cases 11 and 12).
func checkJoin(t *testing.T, e *env) {
	e, log := e.logged(t)
	outerID, innerID := e.account(t), e.account(t)
	var r sqlcas.Report
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, outer *sql.Tx) error {
		err := optimistic.UpdateTx(ctx, e.db, func(ctx context.Context, inner *sql.Tx) error {
			require.Same(t, outer, inner, "transaction of the joined call")
			return optimistic.One(add(ctx, inner, innerID, nil))
		}, sqlcas.WithReport(&r))
		if err != nil {
			return err
		}
		e.want(t, innerID, opening, 1) // nothing is durable yet
		return optimistic.One(add(ctx, outer, outerID, nil))
	})
	require.NoError(t, err)
	require.True(t, r.Joined)
	require.Len(t, log.of("BEGIN"), 1)
	require.Len(t, log.of("COMMIT"), 1)
	e.want(t, outerID, opening+1, 2)
	e.want(t, innerID, opening+1, 2)
}

// checkJoinedConflict ensures that a conflict inside a joined call is not retried there, where the
// old snapshot would make each retry lose again, but by the outermost call, in a new transaction;
// attempts are not multiplied (cases 11, 12 and 22).
func checkJoinedConflict(t *testing.T, e *env) {
	id := e.account(t)
	outer, inner := 0, 0
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, _ *sql.Tx) error {
		outer++
		return optimistic.UpdateTx(ctx, e.db, func(ctx context.Context, tx *sql.Tx) error {
			inner++
			return optimistic.One(add(ctx, tx, id, func() {
				if inner <= 2 {
					e.bump(t, id)
				}
			}))
		}, sqlcas.WithMaxAttempts(10))
	})
	require.NoError(t, err)
	require.Equal(t, 3, outer, "runs of the outer closure")
	require.Equal(t, 3, inner, "runs of the joined closure")
	e.want(t, id, opening+2*rivals+1, 4)
}

// checkJoinedFailure ensures that a joined call which fails after it has written takes the outer
// transaction with it, even if the outer closure handles the error: its write cannot be undone
// alone. One that has written nothing leaves the outer one free to go on.
func checkJoinedFailure(t *testing.T, e *env) {
	id, other := e.account(t), e.account(t)
	run := func(inner func(ctx context.Context, tx *sql.Tx) error) error {
		return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			err := optimistic.UpdateTx(ctx, e.db, inner)
			require.ErrorIs(t, err, errClosure)
			return optimistic.One(add(ctx, tx, other, nil))
		})
	}
	err := run(func(ctx context.Context, tx *sql.Tx) error {
		require.NoError(t, optimistic.One(add(ctx, tx, id, nil)))
		return errClosure
	})
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.ErrorIs(t, err, errClosure)
	e.want(t, id, opening, 1)
	e.want(t, other, opening, 1)

	require.NoError(t, run(func(context.Context, *sql.Tx) error { return errClosure }))
	e.want(t, other, opening+1, 2)
}

// checkNested ensures that a plain Update inside either harness, and UpdateTx inside a plain one,
// is ErrNested before any SQL: its retries would multiply, or escape the transaction (case 22).
func checkNested(t *testing.T, e *env) {
	id := e.account(t)
	plain := func(ctx context.Context) error {
		return optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
			return add(ctx, e.db, id, nil)
		})
	}
	inTx := func(ctx context.Context) error {
		return optimistic.UpdateTx(ctx, e.db, func(ctx context.Context, tx *sql.Tx) error {
			return optimistic.One(add(ctx, tx, id, nil))
		})
	}
	attempts := 0
	inside := func(nested func(context.Context) error) func(context.Context) (int64, error) {
		return func(ctx context.Context) (int64, error) {
			attempts++
			return 0, nested(ctx)
		}
	}
	require.ErrorIs(t, optimistic.Update(t.Context(), inside(plain)), sqlcas.ErrNested)
	require.ErrorIs(t, optimistic.Update(t.Context(), inside(inTx)), sqlcas.ErrNested)
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, _ *sql.Tx) error {
		attempts++
		return plain(ctx)
	})
	require.ErrorIs(t, err, sqlcas.ErrNested)
	require.Equal(t, 3, attempts, "a nested call was retried")
	e.want(t, id, opening, 1)
}
