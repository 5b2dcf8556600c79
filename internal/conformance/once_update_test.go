package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Ensures that an Update with a new id is applied and noted with all that is kept of it; and that the same call again is a
// success that runs no closure, changes nothing, and returns the row as it is by then.
func checkOnceUpdate(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), idOf(t, "pay")
	var first, again called
	row, err := st.Update(t.Context(), id, plus(5), first.with(op, "5")...)
	require.NoError(t, err)
	require.False(t, first.Replayed)
	require.Equal(t, 1, first.Attempts)
	require.Equal(t, shop.Account{ID: id, Owner: "check", Balance: opening + 5, Version: 2}, row)
	require.Equal(t, 1, e.count(t, "sqlcas_operation WHERE id = ? AND target = ? AND fingerprint = UNHEX(SHA2('5', 256)) "+
		"AND ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP())) < 60", []byte(op), fmt.Sprintf("account %d", id)))

	_, err = st.Update(t.Context(), id, plus(20))
	require.NoError(t, err)
	for range 2 {
		row, err = st.Update(t.Context(), id, unrunRow(t), again.with(op, "5")...)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, []int{1, 0}, []int{again.Attempts, again.Conflicts})
		require.Equal(t, e.row(t, id), row)
	}
	w.agrees(t, e, id, opening+25, 3)
}

// Ensures that an operation whose row has been deleted since is a replay without a row; and that the row's being gone is
// told to a new operation, which keeps no id.
func checkOnceGone(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), idOf(t, "pay")
	_, err := st.Update(t.Context(), id, plus(5), sqlcas.WithOperationID(op))
	require.NoError(t, err)
	e.remove(t, id)
	var again called
	row, err := st.Update(t.Context(), id, unrunRow(t), again.with(op, "")...)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Zero(t, row)
	again = called{}
	row, err = st.UpdateIfVersion(t.Context(), id, 1, unrunRow(t), again.with(op, "")...)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Zero(t, row)
	again = called{}
	rows, err := st.UpdateAll(t.Context(), []uint64{id}, unrunAll(t), again.with(op, "")...)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Empty(t, rows)

	_, err = st.Update(t.Context(), id, unrunRow(t), sqlcas.WithOperationID(op), sqlcas.WithFingerprint(nil))
	require.ErrorIs(t, err, sqlcas.ErrOperationMismatch)
	_, err = st.Update(t.Context(), id, unrunRow(t), sqlcas.WithOperationID(idOf(t, "new")))
	isGone(t, err, "account", id)
	require.Zero(t, e.noted(t, idOf(t, "new")))
}

// Ensures that a retried edit whose first try was applied is a replay although the version has moved, by that and by
// others since, and returns the row as it is; and that Update knows the edit by the same id, as the edit does Update.
func checkOnceIfVersion(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), idOf(t, "edit")
	var first, again called
	row, err := st.UpdateIfVersion(t.Context(), id, 1, plus(5), first.with(op, "5")...)
	require.NoError(t, err)
	require.False(t, first.Replayed)
	require.Equal(t, e.row(t, id), row)
	_, err = st.Update(t.Context(), id, plus(20), sqlcas.WithOperationID(idOf(t, "pay")))
	require.NoError(t, err)
	row, err = st.UpdateIfVersion(t.Context(), id, 1, unrunRow(t), again.with(op, "5")...)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, e.row(t, id), row)

	again = called{}
	_, err = st.Update(t.Context(), id, unrunRow(t), again.with(op, "5")...)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	again = called{}
	_, err = st.UpdateIfVersion(t.Context(), id, 2, unrunRow(t),
		sqlcas.WithOperationID(idOf(t, "pay")), sqlcas.WithReport(&again.Report))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	w.agrees(t, e, id, opening+25, 3)
}

// Ensures that an edit of a version that is past conflicts as without an id, keeps none, and can be made again on the
// version that there is.
func checkOnceIfVersionStale(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), idOf(t, "edit")
	_, err := st.Update(t.Context(), id, plus(20))
	require.NoError(t, err)
	row, err := st.UpdateIfVersion(t.Context(), id, 1, unrunRow(t), sqlcas.WithOperationID(op))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})
	require.Equal(t, e.row(t, id), row)
	require.Zero(t, e.noted(t, op))
	_, err = st.UpdateIfVersion(t.Context(), id, 2, plus(5), sqlcas.WithOperationID(op))
	require.NoError(t, err)
	require.Equal(t, 1, e.noted(t, op))
	w.agrees(t, e, id, opening+25, 3)
}

// Ensures that an UpdateAll is applied once, whatever the order in which its keys are given again, and that a replay
// returns those rows that there are, as they are.
func checkOnceAll(t *testing.T, e *env, w onceWay) {
	st, op := w.open(e.db), idOf(t, "transfer")
	from, to := e.account(t), e.account(t)
	move := func(rows map[uint64]*shop.Account) error {
		rows[from].Balance -= 5
		rows[to].Balance += 5
		return nil
	}
	var c called
	rows, err := st.UpdateAll(t.Context(), []uint64{to, from, to}, move, c.with(op, "5")...)
	require.NoError(t, err)
	require.False(t, c.Replayed)
	require.Equal(t, map[uint64]shop.Account{from: e.row(t, from), to: e.row(t, to)}, rows)
	_, err = st.Update(t.Context(), to, plus(20))
	require.NoError(t, err)
	rows, err = st.UpdateAll(t.Context(), []uint64{from, to}, unrunAll(t), c.with(op, "5")...)
	require.NoError(t, err)
	require.True(t, c.Replayed)
	require.Equal(t, map[uint64]shop.Account{from: e.row(t, from), to: e.row(t, to)}, rows)
	w.agrees(t, e, from, opening-5, 2)
	w.agrees(t, e, to, opening+25, 3)

	e.remove(t, from)
	c = called{}
	rows, err = st.UpdateAll(t.Context(), []uint64{from, to}, unrunAll(t), c.with(op, "5")...)
	require.NoError(t, err)
	require.True(t, c.Replayed)
	require.Equal(t, map[uint64]shop.Account{to: e.row(t, to)}, rows)
	_, err = st.UpdateAll(t.Context(), []uint64{from, to}, unrunAll(t), c.with(idOf(t, "new"), "5")...)
	require.ErrorIs(t, err, sqlcas.ErrGone)
	require.Zero(t, e.noted(t, idOf(t, "new")))
	w.agrees(t, e, to, opening+25, 3)
}

// unrunAll is the closure of an UpdateAll that must not run one.
func unrunAll(t *testing.T) func(map[uint64]*shop.Account) error {
	return func(map[uint64]*shop.Account) error {
		t.Error("the closure was run")
		return nil
	}
}
