package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// grow adds one to an item: a closure.
func grow(r *item) error {
	r.N++
	return nil
}

// itemChanges are the ways to change the row of a key that read it first.
func itemChanges(
	t *testing.T, e *env, st store[itemKey, item], key itemKey, version uint64,
) map[string]func(change func(*item) error, opts ...sqlcas.Option) error {
	return map[string]func(change func(*item) error, opts ...sqlcas.Option) error{
		"Update": func(change func(*item) error, opts ...sqlcas.Option) error {
			_, err := st.Update(t.Context(), key, change, opts...)
			return err
		},
		"UpdateIfVersion": func(change func(*item) error, opts ...sqlcas.Option) error {
			_, err := st.UpdateIfVersion(t.Context(), key, version, change, opts...)
			return err
		},
		"UpdateAll": func(change func(*item) error, opts ...sqlcas.Option) error {
			_, err := st.UpdateAll(t.Context(), []itemKey{key}, func(rows map[itemKey]*item) error {
				return change(rows[key])
			}, opts...)
			return err
		},
		"In(tx)": func(change func(*item) error, opts ...sqlcas.Option) error {
			return inTx(t, e, st, func(ctx context.Context, in txStore[itemKey, item]) error {
				row, err := in.Get(ctx, key)
				if err != nil {
					return err
				}
				if err := change(&row); err != nil {
					return err
				}
				return in.Update(ctx, &row)
			}, opts...)
		},
	}
}

// checkNoVersion ensures that a row whose version is NULL, as of a column that was added later, or 0,
// is ErrNoVersion with a text that says which, and neither a conflict that is retried for ever nor
// written unchecked (case 36).
func checkNoVersion(t *testing.T, e *env, s strategy) {
	st := s.items(e.db, loose.table())
	for text, version := range map[string]any{"is NULL": nil, "is 0": 0} {
		loose.put(t, e, version, part(1))
		_, err := st.Get(t.Context(), part(1))
		require.ErrorIs(t, err, sqlcas.ErrNoVersion)
		require.ErrorContains(t, err, text)
		for method, change := range itemChanges(t, e, st, part(1), 1) {
			runs := 0
			var r sqlcas.Report
			err := change(func(r *item) error {
				runs++
				return grow(r)
			}, sqlcas.WithReport(&r))
			require.ErrorIs(t, err, sqlcas.ErrNoVersion, method)
			require.NotErrorIs(t, err, sqlcas.ErrConflict, method)
			require.ErrorContains(t, err, text, method)
			require.ErrorContains(t, err, "item_loose", method)
			require.Zero(t, runs, "runs of the closure in %s", method)
			require.Equal(t, 1, r.Attempts, method)
		}
		require.Equal(t, 1, e.count(t, "item_loose WHERE n = ? AND COALESCE(version, 0) = 0", opening))
	}
}

// checkZeroValue ensures that a row value that was never read from the table, having version 0, is
// refused before any statement, so that a forgotten read never ends in an unchecked write (case 63).
func checkZeroValue(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	id := e.account(t)
	st := s.accounts(e.db, shop.AccountTable)
	blank := shop.Account{ID: id, Owner: "nobody"}
	require.ErrorIs(t, st.Delete(t.Context(), blank), sqlcas.ErrNoVersion)
	_, err := st.UpdateIfVersion(t.Context(), id, 0, plus(1))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "version 0")
	require.Empty(t, log.words())

	type in = txStore[uint64, shop.Account]
	for name, call := range map[string]func(context.Context, in) error{
		"Update": func(ctx context.Context, in in) error { return in.Update(ctx, &blank) },
		"Touch":  func(ctx context.Context, in in) error { return in.Touch(ctx, &blank) },
		"Check":  func(ctx context.Context, in in) error { return in.Check(ctx, blank) },
		"Delete": func(ctx context.Context, in in) error { return in.Delete(ctx, blank) },
	} {
		err := inTx(t, e, st, call)
		require.ErrorIs(t, err, sqlcas.ErrNoVersion, name)
		require.ErrorContains(t, err, "is 0", name)
	}
	log.nothing(t)
	e.want(t, id, opening, 1)
}

// checkZeroAccepted ensures that a table that says that its versions start at 0 has them so: they are
// changed, compared and deleted like any other.
func checkZeroAccepted(t *testing.T, e *env, s strategy) {
	rails := loose
	rails.zero = true
	st := s.items(e.db, rails.table())
	for method, version := range map[string]uint64{"Update": 1, "UpdateIfVersion": 1, "UpdateAll": 1, "In(tx)": 1} {
		loose.put(t, e, 0, part(1))
		require.NoError(t, itemChanges(t, e, st, part(1), 0)[method](grow), method)
		got := loose.read(t, e, part(1))
		require.Equal(t, version, got.Version, method)
		require.EqualValues(t, opening+1, got.N, method)
	}
	current, err := st.UpdateIfVersion(t.Context(), part(1), 0, grow)
	isConflict(t, err, sqlcas.ConflictError{Table: "item_loose", Key: part(1), Expected: 0, Actual: 1})
	require.Equal(t, loose.read(t, e, part(1)), current)
	err = st.Delete(t.Context(), item{itemKey: part(1)})
	isConflict(t, err, sqlcas.ConflictError{Table: "item_loose", Key: part(1), Expected: 0, Actual: 1})

	loose.put(t, e, 0, part(1))
	require.NoError(t, st.Delete(t.Context(), item{itemKey: part(1)}))
	require.Zero(t, e.count(t, "item_loose"))
}

// checkHighestVersion ensures that a version at its column's maximum is ErrVersionOverflow, before
// anything is written and without a retry; also without a strict sql_mode, where the server would leave
// the version where it is and report success to every stale writer. The last step to the maximum is
// still made, and a row there can still be deleted (case 37).
func checkHighestVersion(t *testing.T, e *env, s strategy) {
	for _, sqlMode := range []string{"'STRICT_TRANS_TABLES'", "''"} {
		e := e.tuned(t, "sql_mode", sqlMode)
		st := s.items(e.db, tiny.table())
		for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll", "In(tx)"} {
			tiny.put(t, e, 126, part(1))
			require.NoError(t, itemChanges(t, e, st, part(1), 126)[method](grow), "%s, sql_mode %s", method, sqlMode)
			row := tiny.read(t, e, part(1))
			require.EqualValues(t, 127, row.Version, "%s, sql_mode %s", method, sqlMode)

			var r sqlcas.Report
			err := itemChanges(t, e, st, part(1), 127)[method](grow, sqlcas.WithReport(&r))
			require.ErrorIs(t, err, sqlcas.ErrVersionOverflow, "%s, sql_mode %s", method, sqlMode)
			require.NotErrorIs(t, err, sqlcas.ErrConflict)
			require.ErrorContains(t, err, "127")
			require.Zero(t, number(err), "the server was asked: %v", err)
			require.Equal(t, 1, r.Attempts)
			require.Equal(t, row, tiny.read(t, e, part(1)))
		}
		err := inTx(t, e, st, func(ctx context.Context, in txStore[itemKey, item]) error {
			row, err := in.Get(ctx, part(1))
			require.NoError(t, err)
			return in.Touch(ctx, &row)
		})
		require.ErrorIs(t, err, sqlcas.ErrVersionOverflow, "Touch, sql_mode %s", sqlMode)
		require.NoError(t, st.Delete(t.Context(), tiny.read(t, e, part(1))))
	}
}
