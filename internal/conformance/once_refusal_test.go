package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// differs ensures that a call was refused since its id stands for something else.
func differs(t *testing.T, err error, want sqlcas.OperationMismatchError) {
	t.Helper()
	require.ErrorIs(t, err, sqlcas.ErrOperationMismatch)
	require.NotErrorIs(t, err, sqlcas.ErrConflict)
	require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	var mismatch *sqlcas.OperationMismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, want, *mismatch)
}

// Ensures that an id that comes with another amount, with one where there was none, or without, changes nothing.
func checkOnceFingerprint(t *testing.T, e *env, w onceWay) {
	st, id := w.open(e.db), e.account(t)
	target := fmt.Sprintf("account %d", id)
	five, six := sqlcas.WithFingerprint([]byte("5")), sqlcas.WithFingerprint([]byte("6"))
	none := sqlcas.WithMaxAttempts(9)
	for name, o := range map[string][2]sqlcas.Option{"other": {five, six}, "gone": {five, none}, "new": {none, six}} {
		op := sqlcas.WithOperationID(idOf(t, name))
		_, err := st.Update(t.Context(), id, plus(5), op, o[0])
		require.NoError(t, err, name)
		want := sqlcas.OperationMismatchError{
			ID: idOf(t, name), Target: target, StoredTarget: target, Differs: "fingerprint",
		}
		row, err := st.Update(t.Context(), id, unrunRow(t), op, o[1])
		differs(t, err, want)
		require.Zero(t, row)
		_, err = st.UpdateIfVersion(t.Context(), id, 1, unrunRow(t), op, o[1])
		differs(t, err, want)
		_, err = st.UpdateAll(t.Context(), []uint64{id}, unrunAll(t), op, o[1])
		differs(t, err, want)
	}
	w.agrees(t, e, id, opening+15, 4)
}

// Ensures that an id that comes for another row, for more rows, for a row of another table, or for a Delete, changes
// nothing.
func checkOnceTarget(t *testing.T, e *env, w onceWay) {
	st, id, other, op := w.open(e.db), e.account(t), e.account(t), idOf(t, "pay")
	_, err := st.Update(t.Context(), id, plus(5), sqlcas.WithOperationID(op))
	require.NoError(t, err)
	want := func(target string) sqlcas.OperationMismatchError {
		return sqlcas.OperationMismatchError{
			ID: op, Target: target, StoredTarget: fmt.Sprintf("account %d", id), Differs: "target",
		}
	}
	same := sqlcas.WithOperationID(op)
	_, err = st.Update(t.Context(), other, unrunRow(t), same)
	differs(t, err, want(fmt.Sprintf("account %d", other)))
	_, err = st.UpdateAll(t.Context(), []uint64{other, id}, unrunAll(t), same)
	differs(t, err, want(fmt.Sprintf("account (%d %d)", id, other)))
	err = optimistic.NewStore(e.db, shop.AccountTable).Delete(t.Context(), e.row(t, id), same)
	differs(t, err, want(fmt.Sprintf("delete account %d", id)))

	_, err = e.other.ExecContext(t.Context(),
		"INSERT IGNORE INTO inventory (product_id, name, on_hand) VALUES (?, 'x', 9)", id)
	require.NoError(t, err)
	_, err = optimistic.NewStore(e.db, shop.StockTable).Update(t.Context(), id, func(*shop.Inventory) error {
		t.Error("the closure was run")
		return nil
	}, same)
	differs(t, err, want(fmt.Sprintf("inventory %d", id)))
	require.Equal(t, 1, e.count(t, "inventory WHERE product_id = ? AND version = 1", id))
	w.agrees(t, e, id, opening+5, 2)
	w.agrees(t, e, other, opening, 1)
}

// Ensures that an operation that its closure refuses is not noted, and is done when it is asked for again.
func checkOnceRefused(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), sqlcas.WithOperationID(idOf(t, "pay"))
	poor := errors.New("insufficient funds")
	refuse := func(a *shop.Account) error { a.Balance = -1; return poor }
	_, err := st.Update(t.Context(), id, refuse, op)
	require.True(t, err == poor, "got %v, want the very value", err)
	_, err = st.UpdateIfVersion(t.Context(), id, 1, refuse, op)
	require.True(t, err == poor, "got %v, want the very value", err)
	_, err = st.UpdateAll(t.Context(), []uint64{id}, func(rows map[uint64]*shop.Account) error {
		return refuse(rows[id])
	}, op)
	require.True(t, err == poor, "got %v, want the very value", err)
	require.Zero(t, e.noted(t, idOf(t, "pay")))
	w.agrees(t, e, id, opening, 1)
	var c called
	_, err = st.Update(t.Context(), id, plus(5), op, sqlcas.WithReport(&c.Report))
	require.NoError(t, err)
	require.False(t, c.Replayed)
	w.agrees(t, e, id, opening+5, 2)
}

// Ensures that a closure that panics or ends its goroutine leaves no id behind, and can be run again with it.
func checkOnceEndings(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), sqlcas.WithOperationID(idOf(t, "pay"))
	for _, end := range []func(){func() { panic("boom") }, runtime.Goexit} {
		var all sync.WaitGroup
		all.Go(func() {
			defer func() { _ = recover() }()
			_, _ = st.Update(t.Context(), id, func(a *shop.Account) error { a.Balance = -1; end(); return nil }, op)
			t.Error("the call has returned")
		})
		all.Wait()
		require.Zero(t, e.noted(t, idOf(t, "pay")))
		e.settled(t)
	}
	w.agrees(t, e, id, opening, 1)
	_, err := st.Update(t.Context(), id, plus(5), op)
	require.NoError(t, err)
	w.agrees(t, e, id, opening+5, 2)
}

// enterAs notes an operation past the Stores: so does a process that has applied it to another replica of the row.
func (e *env) enterAs(t *testing.T, op, target string) {
	_, err := e.other.ExecContext(t.Context(), "INSERT INTO sqlcas_operation (id, target, fingerprint, attempt, created_at) "+
		"VALUES (?, ?, '', REPEAT('x', 16), UTC_TIMESTAMP(6))", []byte(op), target)
	if err != nil {
		t.Error(err)
	}
}

// Ensures that a call which finds, when it notes its id, that another has done so since it looked, undoes what it has
// done, looks again, and is a replay, or a mismatch; whoever it is, he is not told of duplicate entries.
func checkOnceTaken(t *testing.T, e *env, w onceWay) {
	st, id := w.open(e.db), e.account(t)
	target := fmt.Sprintf("account %d", id)
	calls := map[string]func(op string, change func(*shop.Account) error, opts ...sqlcas.Option) error{
		"Update": func(op string, change func(*shop.Account) error, opts ...sqlcas.Option) error {
			_, err := st.Update(t.Context(), id, change, opts...)
			return err
		},
		"UpdateIfVersion": func(op string, change func(*shop.Account) error, opts ...sqlcas.Option) error {
			_, err := st.UpdateIfVersion(t.Context(), id, 1, change, opts...)
			return err
		},
		"UpdateAll": func(op string, change func(*shop.Account) error, opts ...sqlcas.Option) error {
			_, err := st.UpdateAll(t.Context(), []uint64{id}, func(rows map[uint64]*shop.Account) error {
				return change(rows[id])
			}, opts...)
			return err
		},
	}
	for name, call := range calls {
		for _, stored := range []string{target, "account 0"} {
			op, runs := idOf(t, name+stored), 0
			var c called
			err := call(op, func(*shop.Account) error {
				runs++
				e.enterAs(t, op, stored)
				return nil
			}, sqlcas.WithOperationID(op), sqlcas.WithReport(&c.Report))
			require.Equal(t, 1, runs, name)
			require.Equal(t, c.Attempts, c.Conflicts+1, name)
			require.LessOrEqual(t, c.Attempts, 2, name) // one, where the snapshot tells of the conflict (1020)
			if stored == target {
				require.NoError(t, err, name)
				require.True(t, c.Replayed, name)
				continue
			}
			differs(t, err, sqlcas.OperationMismatchError{ID: op, Target: target, StoredTarget: stored, Differs: "target"})
			require.False(t, c.Replayed, name)
		}
	}
	w.agrees(t, e, id, opening, 1)
}

// Ensures that who has not created the table is told how to, also in a batch, and that calls without an id do not
// need it.
func checkOnceNoTable(t *testing.T, e *env, w onceWay) {
	bare := newEnv(t, e.server, e.mode, e.snapshot)
	st, id := w.open(bare.db), bare.account(t)
	ctx, cancel := context.WithTimeout(t.Context(), lockWait)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() {
			var opts []sqlcas.Option
			if i%2 == 0 {
				opts = append(opts, sqlcas.WithOperationID(fmt.Sprint(i)))
			}
			_, errs[i] = st.Update(ctx, id, plus(1), opts...)
		})
	}
	all.Wait()
	for i, err := range errs {
		if i%2 == 1 {
			require.NoError(t, err, "caller %d, who has no id", i)
			continue
		}
		var server *mysql.MySQLError
		require.ErrorAs(t, err, &server)
		require.EqualValues(t, 1146, server.Number)
		require.ErrorContains(t, err, "sqlcas migrate sqlcas")
		require.ErrorContains(t, err, "CREATE TABLE sqlcas_operation")
	}
	w.agrees(t, bare, id, opening+4, 5)
}
