package conformance

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// checkFirstAttempt ensures that without a rival both harnesses need one attempt, and that the
// attempt is applied once.
func checkFirstAttempt(t *testing.T, e *env) {
	id := e.account(t)
	var r sqlcas.Report
	err := optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) {
		return add(ctx, e.db, id, nil)
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 1, r.Attempts)

	err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		return optimistic.One(add(ctx, tx, id, nil))
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+2, 3)
}

// checkConflictUpdate ensures that a rival who gets in between read and swap costs one more
// attempt, that both writes are in the row, each once, and that the version has moved by two.
func checkConflictUpdate(t *testing.T, e *env) {
	id := e.account(t)
	var r sqlcas.Report
	attempts := 0
	err := optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) {
		attempts++
		return add(ctx, e.db, id, func() {
			if attempts == 1 {
				e.bump(t, id)
			}
		})
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 2, r.Attempts)
	require.Equal(t, 1, r.Conflicts)
	e.want(t, id, opening+rivals+1, 3)
}

// checkConflictUpdateTx ensures the same in a transaction, with a ledger entry that is written
// once.
func checkConflictUpdateTx(t *testing.T, e *env) {
	id := e.account(t)
	var r sqlcas.Report
	attempts := 0
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		err := optimistic.One(add(ctx, tx, id, func() {
			if attempts == 1 {
				e.bump(t, id)
			}
		}))
		if err != nil {
			return err
		}
		entry := shop.InsertLedgerEntryParams{AccountID: id, Amount: 1, Memo: "check"}
		return shop.New(tx).InsertLedgerEntry(ctx, entry)
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 2, r.Attempts)
	require.Equal(t, 1, r.Conflicts)
	e.want(t, id, opening+rivals+1, 3)
	sum, err := shop.New(e.other).SumLedger(t.Context(), id)
	require.NoError(t, err)
	require.EqualValues(t, 1, sum, "ledger of the account")
}

// checkUnchanged ensures that writing the same business values succeeds, moves the version, and is
// never taken for a conflict, whether the driver counts found or changed rows (case 1).
func checkUnchanged(t *testing.T, e *env) {
	id := e.account(t)
	same := func(ctx context.Context, db shop.DBTX) (int64, error) {
		q := shop.New(db)
		a, err := q.GetAccount(ctx, id)
		if err != nil {
			return 0, err
		}
		return q.DeductBalance(ctx,
			shop.DeductBalanceParams{Balance: a.Balance, ID: id, Version: a.Version})
	}
	var r sqlcas.Report
	err := optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) {
		return same(ctx, e.db)
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening, 2)

	err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		return optimistic.One(same(ctx, tx))
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening, 3)
}

// checkTooManyRows ensures that a swap which affects two rows is ErrTooManyRows, is not retried,
// and is rolled back where there is a transaction.
func checkTooManyRows(t *testing.T, e *env) {
	ctx := t.Context()
	_, err := e.other.ExecContext(ctx, "DELETE FROM twin")
	require.NoError(t, err)
	_, err = e.other.ExecContext(ctx, "INSERT INTO twin (id) VALUES (1), (1)")
	require.NoError(t, err)
	swap := func(ctx context.Context, db shop.DBTX) (int64, error) {
		res, err := db.ExecContext(ctx,
			"UPDATE twin SET version = version + 1 WHERE id = ? AND version = ?", 1, 1)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}
	attempts := 0
	err = optimistic.UpdateTx(ctx, e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		return optimistic.One(swap(ctx, tx))
	})
	require.ErrorIs(t, err, sqlcas.ErrTooManyRows)
	require.Equal(t, 1, attempts)
	moved := e.count(t, "twin WHERE version > 1")
	require.Zero(t, moved, "rows that were moved in spite of the rollback")

	err = optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
		attempts++
		return swap(ctx, e.db)
	})
	require.ErrorIs(t, err, sqlcas.ErrTooManyRows)
	require.Equal(t, 2, attempts)
}

// checkOneUpdate ensures that each attempt sends exactly one UPDATE, and that each carries the key
// and the version that this attempt has read: no UPDATE by key alone, and no write of the harness's
// own (case 9).
func checkOneUpdate(t *testing.T, e *env) {
	e, log := e.logged(t)
	plain, inTx := e.account(t), e.account(t)
	attempts := 0
	once := func(id uint64) func() {
		attempts = 0
		return func() {
			if attempts++; attempts == 1 {
				e.bump(t, id)
			}
		}
	}
	between := once(plain)
	require.NoError(t, optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) {
		return add(ctx, e.db, plain, between)
	}))
	between = once(inTx)
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		return optimistic.One(add(ctx, tx, inTx, between))
	})
	require.NoError(t, err)
	updates := log.of("UPDATE")
	require.Len(t, updates, 4, "two attempts of each harness")
	for i, id := range []uint64{plain, plain, inTx, inTx} {
		u := updates[i]
		require.True(t, strings.HasSuffix(u.text, "WHERE id = ? AND version = ?"), "sent: %s", u.text)
		version := uint64(1 + i%2)
		require.Equal(t, []any{id, version}, unsigned(u.args[1:]), "key, version of attempt %d", i%2+1)
	}
	for _, word := range []string{"INSERT", "DELETE", "REPLACE"} {
		require.Empty(t, log.of(word), "writes beside the UPDATE")
	}
}

// unsigned brings what drivers make of a uint64 argument back to one type.
func unsigned(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		if n, ok := a.(int64); ok {
			out[i] = uint64(n)
		}
	}
	return out
}

var errClosure = errors.New("insufficient funds")

// checkClosureError ensures that an error of the closure's own comes back as the same value, after
// one attempt, and that what the attempt had written is rolled back.
func checkClosureError(t *testing.T, e *env) {
	id := e.account(t)
	attempts := 0
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if err := optimistic.One(add(ctx, tx, id, nil)); err != nil {
			return err
		}
		return errClosure
	})
	require.True(t, err == errClosure, "UpdateTx returned %v, not the very value", err)
	err = optimistic.Update(t.Context(), func(context.Context) (int64, error) {
		attempts++
		return 0, errClosure
	})
	require.True(t, err == errClosure, "Update returned %v, not the very value", err)
	require.Equal(t, 2, attempts)
	e.want(t, id, opening, 1)
}
