package conformance

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

type rows = map[uint64]*shop.Account

// three opens accounts, in ascending order of their ids.
func (e *env) three(t *testing.T) (a, b, c uint64) {
	t.Helper()
	return e.account(t), e.account(t), e.account(t)
}

// checkAll ensures that UpdateAll runs its closure once on all rows, writes all of them in one
// transaction, changed or not, and returns them by their keys as they then are in the table.
func checkAll(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	a, b, c := e.three(t)
	before := map[uint64]shop.Account{a: e.row(t, a), b: e.row(t, b), c: e.row(t, c)}
	runs := 0
	var r sqlcas.Report
	written, err := st.UpdateAll(t.Context(), []uint64{a, b, c}, func(rows rows) error {
		runs++
		got := map[uint64]shop.Account{}
		for k, row := range rows {
			got[k] = *row
		}
		require.Equal(t, before, got)
		rows[a].Balance -= 30
		rows[c].Balance += 30
		return nil
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 1, runs)
	require.Equal(t, 1, r.Attempts)
	e.want(t, a, opening-30, 2)
	e.want(t, b, opening, 2)
	e.want(t, c, opening+30, 2)
	require.Equal(t, map[uint64]shop.Account{a: e.row(t, a), b: e.row(t, b), c: e.row(t, c)}, written)
}

// checkAllLoses ensures that of three rows none is written when the swap of one is lost, whichever it
// is, that the error names that one, and that all three are written by another attempt (case 62).
func checkAllLoses(t *testing.T, e *env, s strategy) {
	a, b, c := e.three(t)
	keys := []uint64{a, b, c}
	for i, loser := range keys {
		losing := e.losing(t, loser)
		st := s.accounts(losing.db, shop.AccountTable)
		_, err := st.UpdateAll(t.Context(), keys, func(rows rows) error {
			for _, row := range rows {
				row.Balance++
			}
			return nil
		}, sqlcas.WithMaxAttempts(1))
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		var conflict *sqlcas.ConflictError
		require.ErrorAs(t, err, &conflict)
		require.Equal(t, loser, conflict.Key)
		for _, k := range keys {
			e.want(t, k, int64(opening+i), uint64(1+i))
		}
		_, err = st.UpdateAll(t.Context(), keys, func(rows rows) error {
			for _, row := range rows {
				row.Balance++
			}
			return nil
		}, sqlcas.WithMaxAttempts(1))
		require.NoError(t, err)
		for _, k := range keys {
			e.want(t, k, int64(opening+i+1), uint64(2+i))
		}
	}
}

// checkAllStale ensures that rivals who get in between read and swap at some of the rows have it all
// done again, and that at the end of the budget the error names exactly the rows that were lost, in the
// order of their keys, and nothing was written (case 62).
func checkAllStale(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	a, b, c := e.three(t)
	keys := []uint64{c, a, b}
	for _, stale := range [][]uint64{{b}, {c, a}} {
		before := map[uint64]uint64{a: e.row(t, a).Version, b: e.row(t, b).Version, c: e.row(t, c).Version}
		_, err := st.UpdateAll(t.Context(), keys, func(rows rows) error {
			for _, k := range stale {
				e.bump(t, k)
			}
			return nil
		}, sqlcas.WithMaxAttempts(1))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		var losers sqlcas.ConflictErrors
		require.ErrorAs(t, err, &losers)
		var want sqlcas.ConflictErrors
		for _, k := range slices.Sorted(slices.Values(stale)) {
			want = append(want, &sqlcas.ConflictError{Table: "account", Key: k, Expected: before[k], Actual: before[k] + 1})
		}
		require.Equal(t, want, losers)
		for k, version := range before {
			if slices.Contains(stale, k) {
				version++
			}
			require.Equal(t, version, e.row(t, k).Version, "version of %d, stale were %v", k, stale)
		}
	}
	runs := 0
	var r sqlcas.Report
	written, err := st.UpdateAll(t.Context(), keys, func(rows rows) error {
		if runs++; runs == 1 {
			e.bump(t, b)
		}
		rows[a].Balance--
		rows[b].Balance++
		return nil
	}, sqlcas.WithReport(&r))
	require.NoError(t, err)
	require.Equal(t, 2, r.Attempts)
	require.Equal(t, 1, r.Conflicts)
	e.want(t, a, opening+rivals-1, 3)
	e.want(t, b, opening+2*rivals+1, 4)
	require.Equal(t, e.row(t, b), written[b])
}

// checkAllGone ensures that a key without a row is ErrGone for all, names the row, and leaves the
// others alone; the closure is not run.
func checkAllGone(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	a, b, _ := e.three(t)
	var r sqlcas.Report
	_, err := st.UpdateAll(t.Context(), []uint64{a, absent, b}, func(rows) error {
		t.Error("the closure was run")
		return nil
	}, sqlcas.WithReport(&r))
	isGone(t, err, "account", absent)
	require.Equal(t, 1, r.Attempts)
	e.want(t, a, opening, 1)
	e.want(t, b, opening, 1)
}

// checkAllDuplicates ensures that a key that is given several times counts once: one row in the map, one
// swap, one step of the version (case 8).
func checkAllDuplicates(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	a, b, _ := e.three(t)
	written, err := st.UpdateAll(t.Context(), []uint64{b, a, b, b}, func(rows rows) error {
		require.ElementsMatch(t, []uint64{a, b}, slices.Collect(maps.Keys(rows)))
		rows[b].Balance++
		return nil
	})
	require.NoError(t, err)
	require.Len(t, written, 2)
	require.Len(t, log.of("UPDATE"), 2)
	e.want(t, a, opening, 2)
	e.want(t, b, opening+1, 2)
}

// checkAllCollation ensures that keys that are different strings in Go and equal under the column's
// collation are one row: the same pointer in the map, one swap, one step of the version, and one entry
// for each key in the result; instead of a swap that conflicts with the other for ever (case 8).
func checkAllCollation(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.items(e.db, named.table())
	rum, tea := itemKey{Name: "rum"}, itemKey{Name: "tea"}
	shouted := itemKey{Name: "RUM"}
	named.put(t, e, 1, rum, tea)
	written, err := st.UpdateAll(t.Context(), []itemKey{shouted, tea, rum}, func(rows map[itemKey]*item) error {
		require.Len(t, rows, 3)
		require.Same(t, rows[rum], rows[shouted])
		rows[rum].N++
		rows[shouted].N++
		return nil
	})
	require.NoError(t, err)
	require.Len(t, log.of("UPDATE"), 2)
	now := named.read(t, e, rum)
	require.EqualValues(t, opening+2, now.N)
	require.EqualValues(t, 2, now.Version)
	require.Equal(t, map[itemKey]item{rum: now, shouted: now, tea: named.read(t, e, tea)}, written)
}

// checkAllEmpty ensures that no keys are no work: no statement, no run of the closure, an empty result.
func checkAllEmpty(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	for _, keys := range [][]uint64{nil, {}} {
		written, err := st.UpdateAll(t.Context(), keys, func(rows) error {
			t.Error("the closure was run")
			return nil
		})
		require.NoError(t, err)
		require.NotNil(t, written)
		require.Empty(t, written)
	}
	require.Empty(t, log.words())
}
