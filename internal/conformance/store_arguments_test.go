package conformance

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// everyMethod are all methods of a Store and of its In(tx), called with what makes sense.
func everyMethod(t *testing.T, e *env, st store[uint64, shop.Account], id uint64) map[string]func() error {
	row := shop.Account{ID: id, Version: 1}
	calls := map[string]func() error{
		"Get": func() error {
			_, err := st.Get(t.Context(), id)
			return err
		},
		"Delete": func() error { return st.Delete(t.Context(), row) },
	}
	for name, change := range changers(t.Context(), st, id) {
		calls[name] = func() error { return change(plus(1)) }
	}
	for name, call := range map[string]func(context.Context, inAccounts) error{
		"In.Get": func(ctx context.Context, in inAccounts) error {
			_, err := in.Get(ctx, id)
			return err
		},
		"In.Update": func(ctx context.Context, in inAccounts) error { return in.Update(ctx, &row) },
		"In.Touch":  func(ctx context.Context, in inAccounts) error { return in.Touch(ctx, &row) },
		"In.Check":  func(ctx context.Context, in inAccounts) error { return in.Check(ctx, row) },
		"In.Delete": func(ctx context.Context, in inAccounts) error { return in.Delete(ctx, row) },
	} {
		calls[name] = func() error { return inTx(t, e, st, call, sqlcas.WithMaxAttempts(1)) }
	}
	return calls
}

// refusesAll ensures that every method is ErrInvalidArgument with the text in it.
func refusesAll(t *testing.T, e *env, st store[uint64, shop.Account], text string) {
	t.Helper()
	for name, call := range everyMethod(t, e, st, absent) {
		err := call()
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, "%s: %s", text, name)
		require.ErrorContains(t, err, text, name)
	}
}

// checkBrokenTable ensures that a Table that lacks what every Store needs is the ErrInvalidArgument of
// every method, which names the field, and that no statement is sent.
func checkBrokenTable(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	for field, breaks := range map[string]func(*sqlcas.Table[uint64, shop.Account]){
		"Schema.Name":    func(t *sqlcas.Table[uint64, shop.Account]) { t.Schema.Name = "" },
		"Schema.Version": func(t *sqlcas.Table[uint64, shop.Account]) { t.Schema.Version = "" },
		"Key":            func(t *sqlcas.Table[uint64, shop.Account]) { t.Key = nil },
		"Compare":        func(t *sqlcas.Table[uint64, shop.Account]) { t.Compare = nil },
		"Version":        func(t *sqlcas.Table[uint64, shop.Account]) { t.Version = nil },
		"SetVersion":     func(t *sqlcas.Table[uint64, shop.Account]) { t.SetVersion = nil },
		"Get":            func(t *sqlcas.Table[uint64, shop.Account]) { t.Get = nil },
		"Swap":           func(t *sqlcas.Table[uint64, shop.Account]) { t.Swap = nil },
	} {
		table := shop.AccountTable
		breaks(&table)
		refusesAll(t, e, s.accounts(e.db, table), "has no "+field)
	}
	log.nothing(t)
}

// checkPoorTable ensures that a Table without Delete or without GetForUpdate is refused, by the name of
// the field, by those methods alone that need it.
func checkPoorTable(t *testing.T, e *env, s strategy) {
	id := e.account(t)
	poor := shop.AccountTable
	poor.Delete, poor.GetForUpdate = nil, nil
	needs := map[string]string{"Delete": "Delete", "In.Delete": "Delete", "In.Check": "GetForUpdate"}
	if s.locks {
		for _, name := range []string{"Update", "UpdateIfVersion", "UpdateAll", "In.Get"} {
			needs[name] = "GetForUpdate"
		}
		needs["Delete"] = "" // either
	}
	for name, call := range everyMethod(t, e, s.accounts(e.db, poor), id) {
		err := call()
		if field, refused := needs[name]; refused {
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, name)
			require.ErrorContains(t, err, field, name)
		} else {
			require.NotErrorIs(t, err, sqlcas.ErrInvalidArgument, name)
		}
	}
}

// checkNil ensures that nil for a context, a closure, a pool, a transaction or a row value is
// ErrInvalidArgument with a text that says which, before any statement.
func checkNil(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	var none context.Context
	refused := func(text string, err error) {
		t.Helper()
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, text)
		require.ErrorContains(t, err, text)
	}
	for name, change := range changers(none, st, id) {
		err := change(plus(1))
		refused("context is nil", err)
		refused(name, err)
	}
	_, err := st.Get(none, id)
	refused("context is nil", err)
	refused("context is nil", st.Delete(none, shop.Account{ID: id, Version: 1}))
	_, err = st.Update(t.Context(), id, nil)
	refused("closure is nil", err)
	_, err = st.UpdateIfVersion(t.Context(), id, 1, nil)
	refused("closure is nil", err)
	_, err = st.UpdateAll(t.Context(), []uint64{id}, nil)
	refused("closure is nil", err)
	refusesAll(t, e, s.accounts(nil, shop.AccountTable), "*sql.DB is nil")
	err = optimistic.UpdateTx(t.Context(), e.other, func(_ context.Context, tx *sql.Tx) error {
		_, err := s.accounts(e.other, shop.AccountTable).In(tx).Get(none, id)
		refused("context is nil", err)
		_, err = pessimistic.NewStore(e.other, shop.AccountTable).LockAll(none, tx, []uint64{id})
		refused("is nil", err)
		return nil
	})
	require.NoError(t, err)
	_, err = st.In(nil).Get(t.Context(), id)
	refused("*sql.Tx is nil", err)
	refused("*sql.Tx is nil", st.In(nil).Touch(t.Context(), &shop.Account{ID: id, Version: 1}))
	err = inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
		refused("is nil", in.Touch(ctx, nil))
		return in.Update(ctx, nil)
	})
	refused("is nil", err)
	log.nothing(t)
	e.want(t, id, opening, 1)
}

// senseless are options that make no sense, by what the error has to name.
var senseless = map[string][]sqlcas.Option{
	"WithMaxAttempts(0)": {sqlcas.WithMaxAttempts(0)},
	"WithMaxElapsed":     {sqlcas.WithMaxElapsed(-1)},
	"WithBackOff": {
		sqlcas.WithDelays(1, 2),
		sqlcas.WithBackOff(func() backoff.BackOff { return &backoff.ZeroBackOff{} }),
	},
	"is nil": {nil},
}

// checkSenselessOptions ensures that options that make no sense are the ErrInvalidArgument of the call
// they are given to, and of every call if they are given to the constructor, by name and before any
// statement; and that WithReport, which is one call's, is refused there too.
func checkSenselessOptions(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	for name, opts := range senseless {
		for method, change := range changers(t.Context(), s.accounts(e.db, shop.AccountTable), absent) {
			err := change(plus(1), opts...)
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, "%s: %s", name, method)
			require.ErrorContains(t, err, name, method)
		}
		refusesAll(t, e, s.accounts(e.db, shop.AccountTable, opts...), name)
	}
	refusesAll(t, e, s.accounts(e.db, shop.AccountTable, sqlcas.WithReport(&sqlcas.Report{})), "WithReport")
	log.nothing(t)
}

// checkLockOptions ensures that options about waiting for locks are refused by name by whoever reads
// without a lock: an optimistic Store, in its constructor and in a call, and the harnesses.
func checkLockOptions(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	for name, opt := range map[string]sqlcas.Option{
		"NoWait": pessimistic.NoWait(), "SkipLocked": pessimistic.SkipLocked(), "Wait": pessimistic.Wait(time.Second),
	} {
		for method, change := range changers(t.Context(), s.accounts(e.db, shop.AccountTable), absent) {
			err := change(plus(1), opt)
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, "%s: %s", name, method)
			require.ErrorContains(t, err, name, method)
		}
		err := s.accounts(e.db, shop.AccountTable).Delete(t.Context(), shop.Account{ID: absent, Version: 1}, opt)
		require.ErrorContains(t, err, name)
		refusesAll(t, e, s.accounts(e.db, shop.AccountTable, opt), name)
		err = optimistic.UpdateTx(t.Context(), e.db, func(context.Context, *sql.Tx) error { return nil }, opt)
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, name)
		require.ErrorContains(t, err, name)
	}
	log.nothing(t)
}

// checkOptions ensures that the constructor's options hold for every call, that a call's own come after
// them, and that WithReport tells of one call alone. The swap is broken, and declared worth a retry.
func checkOptions(t *testing.T, e *env, s strategy) {
	id := e.account(t)
	table, broken := shop.AccountTable, true
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, row shop.Account, steps uint64) (int64, error) {
		if broken {
			_, err := db.ExecContext(ctx, "UPDATE account SET")
			return 0, err
		}
		return shop.AccountTable.Swap(ctx, db, row, steps)
	}
	st := s.accounts(e.db, table, sqlcas.WithMaxAttempts(2),
		sqlcas.WithClassifier(func(error) sqlcas.Class { return sqlcas.ClassTransient }))
	var first, second, third sqlcas.Report
	_, err := st.Update(t.Context(), id, plus(1), sqlcas.WithReport(&first))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.EqualValues(t, 1064, number(err), "the syntax error does not show in %v", err)
	_, err = st.Update(t.Context(), id, plus(1), sqlcas.WithReport(&second), sqlcas.WithMaxAttempts(3))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	broken = false
	_, err = st.Update(t.Context(), id, plus(1), sqlcas.WithReport(&third))
	require.NoError(t, err)
	require.Equal(t, []int{2, 3, 1}, []int{first.Attempts, second.Attempts, third.Attempts})
	e.want(t, id, opening+1, 2)
}
