package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/optimistic"
)

// manyErrors is a program's own error with several causes.
type manyErrors []error

func (m manyErrors) Error() string   { return fmt.Sprintf("%d things went wrong", len(m)) }
func (m manyErrors) Unwrap() []error { return m }

// checkWrapped ensures that a deadlock is retried however the closure has dressed it: wrapped by
// %w, inside an error with several causes, joined, or flattened to text by %v, where only what the
// server had said on this transaction can tell (case 27).
func checkWrapped(t *testing.T, e *env) {
	dresses := map[string]func(error) error{
		"wrapped by %w":     func(err error) error { return fmt.Errorf("transfer: %w", err) },
		"one of several":    func(err error) error { return manyErrors{errClosure, err} },
		"joined":            func(err error) error { return errors.Join(errClosure, err) },
		"flattened by %v":   func(err error) error { return fmt.Errorf("transfer: %v", err) },
		"replaced outright": func(error) error { return errClosure },
	}
	for name, dress := range dresses {
		first, second := e.account(t), e.account(t)
		attempts := 0
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			if err := transfer(ctx, e, t, tx, first, second, attempts == 1); err != nil {
				return dress(err)
			}
			return nil
		})
		require.NoError(t, err, name)
		require.Equal(t, 2, attempts, name)
		e.want(t, first, opening+1, 2)
		e.want(t, second, opening+1, 2)
	}

	first, second := e.account(t), e.account(t)
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		err := transfer(ctx, e, t, tx, first, second, true)
		return fmt.Errorf("transfer: %v", err)
	}, sqlcas.WithMaxAttempts(1))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.EqualValues(t, 1213, number(err), "the flattened deadlock does not show in %v", err)
	e.want(t, first, opening, 1)
}

// transfer adds to two accounts, and meets a deadlock at the second one if it is to. It has no
// plain read, which would make a conflict of the deadlock where there is snapshot isolation.
func transfer(
	ctx context.Context, e *env, t *testing.T, tx *sql.Tx, first, second uint64, deadlock bool,
) error {
	const one = "UPDATE account SET balance = balance + 1, version = version + 1 WHERE id = ?"
	if _, err := tx.ExecContext(ctx, one, first); err != nil {
		return err
	}
	if deadlock {
		done := e.deadlock(t, first, second)
		t.Cleanup(done)
	}
	_, err := tx.ExecContext(ctx, one, second)
	if deadlock {
		require.EqualValues(t, 1213, number(err), "deadlock of the second account: %v", err)
	}
	return err
}

// checkSavepoint ensures that a closure that answers a deadlock with ROLLBACK TO SAVEPOINT does not
// get the 1305 of a savepoint that went with the transaction, but still the 1213, and is rerun as a
// whole; and that one which goes on regardless has neither half made durable (case 25).
func checkSavepoint(t *testing.T, e *env) {
	first, second := e.account(t), e.account(t)
	clearTrail(t, e)
	attempts := 0
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		return withSavepoint(ctx, e, t, tx, first, second, attempts == 1)
	})
	require.NoError(t, err)
	require.Equal(t, 2, attempts)
	e.want(t, first, opening+1, 2)
	e.want(t, second, opening+1, 2)

	first, second = e.account(t), e.account(t)
	err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		require.Error(t, withSavepoint(ctx, e, t, tx, first, second, true))
		_ = note(ctx, tx, "second half")
		return nil
	})
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.EqualValues(t, 1213, number(err), "cause of the refusal: %v", err)
	e.want(t, first, opening, 1)
	require.Zero(t, e.trail(t, "second half"), "the half after the deadlock is durable alone")
}

// withSavepoint is transfer in a nested call that undoes its own part when it fails.
func withSavepoint(
	ctx context.Context, e *env, t *testing.T, tx *sql.Tx, first, second uint64, deadlock bool,
) error {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT inner_call"); err != nil {
		return err
	}
	err := transfer(ctx, e, t, tx, first, second, deadlock)
	if err == nil {
		return nil
	}
	_, back := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT inner_call")
	require.EqualValues(t, 1213, number(back), "a savepoint after the deadlock: %v", back)
	return fmt.Errorf("back to the savepoint: %w", back)
}
