package conformance

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// lockedOperationChecks is the contract of operation ids in pessimistic.Store.
var lockedOperationChecks = []check{
	{"Update is noted and replayed", checkLockedUpdate},
	{"target is the row's, by whichever method", checkLockedTarget},
	{"row that is gone is replayed if it was changed", checkLockedGone},
	{"retried edit is no conflict", checkLockedIfVersion},
	{"Delete is replayed", checkLockedDelete},
	{"UpdateAll is noted and replayed", checkLockedAll},
	{"UpdateAll is replayed with a row gone", checkLockedAllGone},
	{"another key or method is a mismatch", checkLockedMismatch},
	{"refused call can be made again", checkLockedRefused},
	{"id is looked for under the lock", checkLockedTwin},
	{"NewStore and GetOrCreate refuse ids", checkLockedNowhere},
}

// accounts is the Store under test.
func (e *env) accounts() *pessimistic.Store[uint64, shop.Account] {
	return pessimistic.NewStore(e.db, shop.AccountTable)
}

// plusOne is the change of all checks, which counts its runs.
type plusOne struct{ runs int }

func (p *plusOne) change(a *shop.Account) error {
	p.runs++
	a.Balance++
	return nil
}

func (p *plusOne) changeAll(rows map[uint64]*shop.Account) error {
	p.runs++
	for _, a := range rows {
		a.Balance++
	}
	return nil
}

// byID is the options of a call with an id, and its report.
func byID(op string) (*sqlcas.Report, []sqlcas.Option) {
	r := &sqlcas.Report{}
	return r, []sqlcas.Option{sqlcas.WithOperationID(op), sqlcas.WithReport(r)}
}

// Ensures that a repeated Update does not run its closure and returns the row as it is now.
func checkLockedUpdate(t *testing.T, e *env) {
	id, p := e.account(t), &plusOne{}
	r, opts := byID("locked")
	row, err := e.accounts().Update(t.Context(), id, p.change, opts...)
	require.NoError(t, err)
	require.EqualValues(t, 2, row.Version)
	require.False(t, r.Replayed)
	e.bump(t, id)
	row, err = e.accounts().Update(t.Context(), id, p.change, opts...)
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, []int64{opening + 1 + rivals, 3}, []int64{row.Balance, int64(row.Version)})
	require.Equal(t, 1, p.runs)
	e.want(t, id, opening+1+rivals, 3)
}

// Ensures that what is stored as a target can be read by people, and is one for Update and UpdateIfVersion.
func checkLockedTarget(t *testing.T, e *env) {
	id, p := e.account(t), &plusOne{}
	r, opts := byID("readable")
	_, err := e.accounts().UpdateIfVersion(t.Context(), id, 1, p.change, opts...)
	require.NoError(t, err)
	require.Equal(t, 1, e.count(t, "sqlcas_operation WHERE id = 'readable' AND target = CONCAT('account ', ?)", id))
	_, err = e.accounts().Update(t.Context(), id, p.change, opts...)
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, 1, p.runs)
}

// Ensures that a row which was changed under the id and is gone now is a replay, and one that was not is gone.
func checkLockedGone(t *testing.T, e *env) {
	id, p := e.account(t), &plusOne{}
	r, opts := byID("gone")
	_, err := e.accounts().Update(t.Context(), id, p.change, opts...)
	require.NoError(t, err)
	_, err = e.other.ExecContext(t.Context(), "DELETE FROM account WHERE id = ?", id)
	require.NoError(t, err)
	row, err := e.accounts().Update(t.Context(), id, p.change, opts...)
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Zero(t, row)
	r, opts = byID("never")
	_, err = e.accounts().Update(t.Context(), id, p.change, opts...)
	require.ErrorIs(t, err, sqlcas.ErrGone)
	require.False(t, r.Replayed)
	require.Zero(t, e.noted(t, "never"))
	require.Equal(t, 1, p.runs)
}

// Ensures that an edit which has been applied and is sent again is a replay, though the row has another version
// by its own doing; and that one under another id conflicts and notes nothing.
func checkLockedIfVersion(t *testing.T, e *env) {
	id, p := e.account(t), &plusOne{}
	r, opts := byID("edit")
	for range 2 {
		row, err := e.accounts().UpdateIfVersion(t.Context(), id, 1, p.change, opts...)
		require.NoError(t, err)
		require.EqualValues(t, 2, row.Version)
	}
	require.True(t, r.Replayed)
	_, opts = byID("stale")
	row, err := e.accounts().UpdateIfVersion(t.Context(), id, 1, p.change, opts...)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.EqualValues(t, 2, row.Version, "the row as it is now")
	require.Zero(t, e.noted(t, "stale"))
	require.Equal(t, 1, p.runs)
}

// Ensures that a row that was deleted under the id is deleted for whoever asks again, also if there is another
// with its key by now, which stays.
func checkLockedDelete(t *testing.T, e *env) {
	id := e.account(t)
	row, err := e.accounts().Get(t.Context(), id)
	require.NoError(t, err)
	r, opts := byID("delete")
	require.NoError(t, e.accounts().Delete(t.Context(), row, opts...))
	require.False(t, r.Replayed)
	require.NoError(t, e.accounts().Delete(t.Context(), row, opts...))
	require.True(t, r.Replayed)
	_, err = e.other.ExecContext(t.Context(), "INSERT INTO account (id, owner, balance) VALUES (?, 'next', 5)", id)
	require.NoError(t, err)
	require.NoError(t, e.accounts().Delete(t.Context(), row, opts...))
	require.Equal(t, 1, e.count(t, "account WHERE id = ?", id))
	require.Equal(t, 1, e.count(t, "sqlcas_operation WHERE id = 'delete' AND target = CONCAT('delete account ', ?)", id))
}

// Ensures that a repeated UpdateAll does not run its closure, whatever the order of its keys, and returns the
// rows as they are now.
func checkLockedAll(t *testing.T, e *env) {
	a, b, p := e.account(t), e.account(t), &plusOne{}
	r, opts := byID("all")
	_, err := e.accounts().UpdateAll(t.Context(), []uint64{a, b}, p.changeAll, opts...)
	require.NoError(t, err)
	require.False(t, r.Replayed)
	e.bump(t, b)
	rows, err := e.accounts().UpdateAll(t.Context(), []uint64{b, a, b}, p.changeAll, opts...)
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, 1, p.runs)
	require.Len(t, rows, 2)
	require.EqualValues(t, opening+1, rows[a].Balance)
	require.EqualValues(t, opening+1+rivals, rows[b].Balance)
	_, err = e.accounts().UpdateAll(t.Context(), []uint64{a}, p.changeAll, opts...)
	require.ErrorIs(t, err, sqlcas.ErrOperationMismatch, "one key less")
	e.want(t, a, opening+1, 2)
}

// Ensures that a repeated UpdateAll is a replay also if a row is gone, and returns the others; and that one
// that was not applied is gone.
func checkLockedAllGone(t *testing.T, e *env) {
	a, b, c, p := e.account(t), e.account(t), e.account(t), &plusOne{}
	r, opts := byID("all gone")
	_, err := e.accounts().UpdateAll(t.Context(), []uint64{a, b, c}, p.changeAll, opts...)
	require.NoError(t, err)
	_, err = e.other.ExecContext(t.Context(), "DELETE FROM account WHERE id = ?", b)
	require.NoError(t, err)
	rows, err := e.accounts().UpdateAll(t.Context(), []uint64{a, b, c}, p.changeAll, opts...)
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Len(t, rows, 2)
	require.Equal(t, []uint64{a, c}, []uint64{rows[a].ID, rows[c].ID})
	_, opts = byID("all gone before")
	_, err = e.accounts().UpdateAll(t.Context(), []uint64{a, b, c}, p.changeAll, opts...)
	require.ErrorIs(t, err, sqlcas.ErrGone)
	require.Zero(t, e.noted(t, "all gone before"))
	require.Equal(t, 1, p.runs)
}

// Ensures that an id which was used for one row cannot be used for another, for its deletion or by RetryTx, and that
// nothing is changed then.
func checkLockedMismatch(t *testing.T, e *env) {
	a, b, p := e.account(t), e.account(t), &plusOne{}
	_, opts := byID("one row's")
	_, err := e.accounts().Update(t.Context(), a, p.change, opts...)
	require.NoError(t, err)
	_, err = e.accounts().Update(t.Context(), b, p.change, opts...)
	var mismatch *sqlcas.OperationMismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, "target", mismatch.Differs)
	_, err = e.accounts().Update(t.Context(), a, p.change, append(opts, sqlcas.WithFingerprint([]byte("x")))...)
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, "fingerprint", mismatch.Differs)
	row, err := e.accounts().Get(t.Context(), a)
	require.NoError(t, err)
	require.ErrorIs(t, e.accounts().Delete(t.Context(), row, opts...), sqlcas.ErrOperationMismatch)
	require.ErrorIs(t, optimistic.UpdateTx(t.Context(), e.db, unrun(t), opts...), sqlcas.ErrOperationMismatch)
	require.Equal(t, 1, p.runs)
	e.want(t, a, opening+1, 2)
	e.want(t, b, opening, 1)
}

// Ensures that a call whose closure has refused notes nothing and can be made again.
func checkLockedRefused(t *testing.T, e *env) {
	id, p := e.account(t), &plusOne{}
	poor := errors.New("insufficient funds")
	r, opts := byID("refused by the row")
	_, err := e.accounts().Update(t.Context(), id, func(*shop.Account) error { return poor }, opts...)
	require.True(t, err == poor, "got %v, want the very value", err)
	_, err = e.accounts().UpdateAll(t.Context(), []uint64{id}, func(map[uint64]*shop.Account) error { return poor }, opts...)
	require.True(t, err == poor, "got %v, want the very value", err)
	require.Zero(t, e.noted(t, "refused by the row"))
	_, err = e.accounts().Update(t.Context(), id, p.change, opts...)
	require.NoError(t, err)
	require.False(t, r.Replayed)
	e.want(t, id, opening+1, 2)
}

// Ensures that who has waited for the lock of a twin finds its id at once: no second attempt, no 1020, and no
// closure that would refuse what the twin has done.
func checkLockedTwin(t *testing.T, e *env) {
	id := e.account(t)
	r, opts := byID("twins")
	began, go2 := make(chan struct{}), make(chan struct{})
	twin := make(chan error, 1)
	go func() {
		_, err := pessimistic.NewStore(e.other, shop.AccountTable).Update(t.Context(), id, func(a *shop.Account) error {
			close(began)
			<-go2
			a.Balance++
			return nil
		}, sqlcas.WithOperationID("twins"))
		twin <- err
	}()
	<-began
	done := make(chan error, 1)
	go func() {
		_, err := e.accounts().Update(t.Context(), id, func(*shop.Account) error {
			return errors.New("the closure was run")
		}, opts...)
		done <- err
	}()
	eventually(t, lockWait, func() bool { return e.db.Stats().InUse > 0 }, "the second call has not begun")
	close(go2)
	require.NoError(t, <-twin)
	require.NoError(t, <-done)
	require.True(t, r.Replayed)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+1, 2)
}

// Ensures that an id is refused where it would stand for all calls of a Store, and where none is needed.
func checkLockedNowhere(t *testing.T, e *env) {
	for _, o := range []sqlcas.Option{sqlcas.WithOperationID("x"), sqlcas.WithFingerprint(nil)} {
		_, err := pessimistic.NewStore(e.db, shop.AccountTable, o).Get(t.Context(), 1)
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, "for one call")
	}
	_, err := e.accounts().GetOrCreate(t.Context(), e.account(t), nil, sqlcas.WithOperationID("x"))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "leave WithOperationID out")
}
