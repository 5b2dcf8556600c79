package conformance

import (
	"context"
	"database/sql"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// checkLockAll ensures that LockAll locks its rows in the order of their keys, each once, whatever the
// order in which the caller names them, returns them by their keys, and holds the locks until the
// transaction ends.
func checkLockAll(t *testing.T, e *env, _ strategy) {
	a, b, c := e.three(t)
	var order []uint64
	st := pessimistic.NewStore(e.db, told(shop.AccountTable, func(id uint64) { order = append(order, id) }))
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		order = nil
		locked, err := st.LockAll(ctx, tx, []uint64{c, a, b, a, c})
		if err != nil {
			return err
		}
		require.Equal(t, []uint64{a, b, c}, order)
		require.Equal(t, map[uint64]shop.Account{a: e.row(t, a), b: e.row(t, b), c: e.row(t, c)}, locked)
		for _, id := range []uint64{a, b, c} {
			require.False(t, e.unlocked(t, "SELECT id FROM account WHERE id = ?", id), "account %d", id)
		}
		row := locked[b]
		row.Balance++
		return st.In(tx).Update(ctx, &row)
	})
	require.NoError(t, err)
	e.want(t, b, opening+1, 2)
	err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		locked, err := st.LockAll(ctx, tx, nil)
		require.Empty(t, locked)
		return err
	})
	require.NoError(t, err)
}

// checkLockAllRefuses ensures that LockAll names a row that is not there, or that is locked where the
// constructor's options do not wait, and that it refuses a missing transaction and a table that never
// locks.
func checkLockAllRefuses(t *testing.T, e *env, _ strategy) {
	a, b, _ := e.three(t)
	lock := func(table sqlcas.Table[uint64, shop.Account], keys []uint64, opts ...sqlcas.Option) error {
		st := pessimistic.NewStore(e.db, table, opts...)
		return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			_, err := st.LockAll(ctx, tx, keys)
			return err
		})
	}
	isGone(t, lock(shop.AccountTable, []uint64{a, absent, b}), "account", absent)
	h := e.hold(t, b)
	for _, way := range lockWays {
		isLocked(t, lock(shop.AccountTable, []uint64{b, a}, way.opt), b)
	}
	h.rollback(t)
	unlockable := shop.AccountTable
	unlockable.GetForUpdate = nil
	err := lock(unlockable, []uint64{a})
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "GetForUpdate")
	_, err = pessimistic.NewStore(e.db, shop.AccountTable).LockAll(t.Context(), nil, []uint64{a})
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "*sql.Tx is nil")
}

// units are items that can be taken: those at N = opening.
func units(limit string) sqlcas.Table[itemKey, item] {
	table := pairs.table()
	table.Take = func(ctx context.Context, tx *sql.Tx, n int) ([]item, error) {
		var args []any
		if limit != "" {
			args = append(args, n)
		}
		free := pairs.query() + " WHERE n = 100 ORDER BY name, part"
		rows, err := tx.QueryContext(ctx, free+limit+" FOR UPDATE SKIP LOCKED", args...)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var all []item
		for rows.Next() {
			row, err := pairs.scan(rows.Scan)
			if err != nil {
				return nil, err
			}
			all = append(all, row)
		}
		return all, rows.Err()
	}
	return table
}

// checkTake ensures that takers at the same time get different rows without waiting for each other; that
// the last one gets fewer when there are no more, and then none; and that rows that a taker gives back by
// failing can be taken again.
func checkTake(t *testing.T, e *env, _ strategy) {
	keys := []itemKey{{"unit", 1}, {"unit", 2}, {"unit", 3}, {"unit", 4}, {"unit", 5}}
	pairs.put(t, e, 1, keys...)
	st := pessimistic.NewStore(e.db, units(" LIMIT ?"))
	take := func(n int, inside func(got []itemKey) error) error {
		return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			taken, err := st.Take(ctx, tx, n)
			if err != nil {
				return err
			}
			var got []itemKey
			for _, row := range taken {
				row.N = 0
				if err := st.In(tx).Update(ctx, &row); err != nil {
					return err
				}
				got = append(got, row.itemKey)
			}
			return inside(got)
		}, sqlcas.WithIsolation(sql.LevelReadCommitted))
	}
	// Each inner call has the test's context, and so a transaction of its own beside the outer ones.
	var first, second, third []itemKey
	err := take(2, func(got []itemKey) error {
		first = got
		return take(2, func(got []itemKey) error {
			second = got
			err := take(2, func(got []itemKey) error {
				third = got
				return errClosure
			})
			require.ErrorIs(t, err, errClosure)
			return nil
		})
	})
	require.NoError(t, err)
	require.Len(t, first, 2)
	require.Len(t, second, 2)
	require.Len(t, third, 1, "rows that the third taker got, of 2 that he wanted")
	require.ElementsMatch(t, keys, slices.Concat(first, second, third))

	require.NoError(t, take(9, func(got []itemKey) error {
		require.Equal(t, third, got, "what the third taker gave back")
		return nil
	}))
	require.NoError(t, take(1, func(got []itemKey) error {
		require.Empty(t, got)
		return nil
	}))
	require.Equal(t, 5, e.count(t, "item_pair WHERE n = 0 AND version = 2"))
}

// checkTakeRefuses ensures that Take refuses a number below one, a missing transaction, a table without
// a Take, a query without a LIMIT, which would lock all that is free, and rows without a version.
func checkTakeRefuses(t *testing.T, e *env, _ strategy) {
	pairs.put(t, e, 1, itemKey{"unit", 1}, itemKey{"unit", 2})
	take := func(table sqlcas.Table[itemKey, item], n int) error {
		st := pessimistic.NewStore(e.db, table)
		return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			_, err := st.Take(ctx, tx, n)
			return err
		})
	}
	refused := func(err error, text string) {
		t.Helper()
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, text)
	}
	for _, n := range []int{0, -1} {
		refused(take(units(" LIMIT ?"), n), "at least 1")
	}
	refused(take(pairs.table(), 1), "no Take")
	refused(take(units(""), 1), "LIMIT")
	require.NoError(t, take(units(""), 2), "as many as there are")
	_, err := pessimistic.NewStore(e.db, units(" LIMIT ?")).Take(t.Context(), nil, 1)
	refused(err, "*sql.Tx is nil")

	pairs.put(t, e, 0, itemKey{"unit", 1})
	require.ErrorIs(t, take(units(" LIMIT ?"), 1), sqlcas.ErrNoVersion)
}
