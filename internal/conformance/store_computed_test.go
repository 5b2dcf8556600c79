package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// checkComputed ensures that of a table of which the server computes columns, here a generated one and
// one that is set by ON UPDATE, every method returns the row as it then is in the table, and that the
// closure got it so.
func checkComputed(t *testing.T, e *env, s strategy) {
	st := s.items(e.db, stamped.table())
	key := part(1)
	stamped.put(t, e, 1, key)
	compare := func(method string, got item, err error) {
		t.Helper()
		require.NoError(t, err, method)
		require.Equal(t, stamped.read(t, e, key), got, method)
		require.Equal(t, 2*got.N, got.Twice, method)
	}
	double := func(r *item) error {
		require.Equal(t, 2*r.N, r.Twice)
		r.N = r.Twice
		return nil
	}
	old := stamped.read(t, e, key)
	row, err := st.Update(t.Context(), key, double)
	compare("Update", row, err)
	require.NotEqual(t, old.Changed, row.Changed)
	row, err = st.UpdateIfVersion(t.Context(), key, row.Version, double)
	compare("UpdateIfVersion", row, err)
	rows, err := st.UpdateAll(t.Context(), []itemKey{key}, func(rows map[itemKey]*item) error {
		return double(rows[key])
	})
	compare("UpdateAll", rows[key], err)
	err = inTx(t, e, st, func(ctx context.Context, in txStore[itemKey, item]) error {
		if row, err = in.Get(ctx, key); err != nil {
			return err
		}
		if err := double(&row); err != nil {
			return err
		}
		return in.Update(ctx, &row)
	})
	compare("In(tx).Update", row, err)
	require.EqualValues(t, 16*opening, row.N)
	require.EqualValues(t, 5, row.Version)
}

// checkComposite ensures that a key of several columns names its row in every method: the rows that
// share a part of it stay as they are, and errors name all of it.
func checkComposite(t *testing.T, e *env, s strategy) {
	st := s.items(e.db, pairs.table())
	key, sameName, samePart := itemKey{"rum", 1}, itemKey{"rum", 2}, itemKey{"tea", 1}
	pairs.put(t, e, 1, key, sameName, samePart)
	row, err := st.Update(t.Context(), key, grow)
	require.NoError(t, err)
	require.Equal(t, item{itemKey: key, N: opening + 1, Version: 2}, row)
	_, err = st.UpdateIfVersion(t.Context(), key, 2, grow)
	require.NoError(t, err)
	err = inTx(t, e, st, func(ctx context.Context, in txStore[itemKey, item]) error {
		row, err := in.Get(ctx, key)
		require.NoError(t, err)
		require.NoError(t, in.Check(ctx, row))
		return in.Touch(ctx, &row)
	})
	require.NoError(t, err)
	require.Equal(t, item{itemKey: key, N: opening + 2, Version: 4}, pairs.read(t, e, key))

	_, err = st.UpdateIfVersion(t.Context(), key, 1, grow)
	isConflict(t, err, sqlcas.ConflictError{Table: "item_pair", Key: key, Expected: 1, Actual: 4})
	_, err = st.Update(t.Context(), itemKey{"tea", 2}, grow)
	isGone(t, err, "item_pair", itemKey{"tea", 2})
	require.ErrorContains(t, err, "{tea 2}")
	_, err = st.Update(t.Context(), key, func(r *item) error {
		r.Part = 2
		return nil
	})
	require.ErrorContains(t, err, "(name, part)")

	rows, err := st.UpdateAll(t.Context(), []itemKey{samePart, key}, func(rows map[itemKey]*item) error {
		return grow(rows[key])
	})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.NoError(t, st.Delete(t.Context(), rows[key]))
	require.Equal(t, 2, e.count(t, "item_pair"))
	require.EqualValues(t, 1, pairs.read(t, e, sameName).Version)
	require.EqualValues(t, 2, pairs.read(t, e, samePart).Version)
}
