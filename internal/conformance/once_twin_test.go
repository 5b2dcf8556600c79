package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that a call which loses its swap to a twin with the same id, in another process, is a replay and no conflict:
// also of an edit, for which a conflict is final.
func checkOnceTwin(t *testing.T, e *env, w onceWay) {
	st, twin := w.open(e.db), optimistic.NewStore(e.other, shop.AccountTable)
	id, version := e.account(t), uint64(1)
	calls := []func(change func(*shop.Account) error, c *called) error{
		func(change func(*shop.Account) error, c *called) error {
			row, err := st.Update(t.Context(), id, change, c.with(idOf(t, "Update"), "5")...)
			require.Equal(t, e.row(t, id), row)
			return err
		},
		func(change func(*shop.Account) error, c *called) error {
			row, err := st.UpdateIfVersion(t.Context(), id, version, change, c.with(idOf(t, "UpdateIfVersion"), "5")...)
			require.Equal(t, e.row(t, id), row)
			return err
		},
		func(change func(*shop.Account) error, c *called) error {
			rows, err := st.UpdateAll(t.Context(), []uint64{id}, func(rows map[uint64]*shop.Account) error {
				return change(rows[id])
			}, c.with(idOf(t, "UpdateAll"), "5")...)
			require.Equal(t, e.row(t, id), rows[id])
			return err
		},
	}
	for i, name := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
		runs := 0
		var mine, other called
		err := calls[i](func(a *shop.Account) error {
			runs++
			_, err := twin.Update(t.Context(), id, plus(5), other.with(idOf(t, name), "5")...)
			a.Balance += 5
			return err
		}, &mine)
		require.NoError(t, err, name)
		require.Equal(t, 1, runs, name)
		require.False(t, other.Replayed, name)
		require.True(t, mine.Replayed, name)
		version++
		e.want(t, id, opening+5*int64(i+1), version)
		require.Zero(t, e.count(t, "ledger_entry WHERE account_id = ?", id), name)
	}
}
