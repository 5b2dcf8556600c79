package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// errLimit is the refusal of a closure that would break the rule.
var errLimit = fmt.Errorf("over the limit")

// meeting makes a number of goroutines wait for each other once. It is safe for concurrent use.
type meeting struct{ absent sync.WaitGroup }

func meetingOf(n int) *meeting {
	m := &meeting{}
	m.absent.Add(n)
	return m
}

func (m *meeting) attend() {
	m.absent.Done()
	m.absent.Wait()
}

// raceOfTwo runs the two writers at once and ensures that one of them has succeeded and the other one has
// found that the rule forbids it.
func raceOfTwo(t *testing.T, write func(me int) error) {
	t.Helper()
	errs := make(chan error, 2)
	for me := range 2 {
		go func() { errs <- write(me) }()
	}
	first, second := <-errs, <-errs
	if first != nil {
		first, second = second, first
	}
	require.NoError(t, first)
	require.ErrorIs(t, second, errLimit)
}

// checkParentTouched ensures that two writers who each change another line of an order, and both decide
// by the total of its lines, never break the order's limit together, if each touches the order: one of
// them conflicts, and finds the limit reached when it is rerun (case 60). The order is an account, its
// limit the balance; each line has 30 of the 100 and wants 30 more.
func checkParentTouched(t *testing.T, e *env, s strategy) {
	orders, lines := s.accounts(e.db, shop.AccountTable), s.items(e.db, pairs.table())
	order := e.account(t)
	keys := []itemKey{{"order", 1}, {"order", 2}}
	pairs.put(t, e, 1, keys...)
	_, err := e.other.ExecContext(t.Context(), "UPDATE item_pair SET n = 30")
	require.NoError(t, err)
	both := meetingOf(2)
	raceOfTwo(t, func(me int) error {
		attempts := 0
		return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			parent, err := orders.In(tx).Get(ctx, order)
			if err != nil {
				return err
			}
			var total int64
			row := tx.QueryRowContext(ctx, "SELECT CAST(SUM(n) AS SIGNED) FROM item_pair WHERE name = 'order'")
			if err := row.Scan(&total); err != nil {
				return err
			}
			if attempts == 1 && !s.locks {
				both.attend()
			}
			if total+30 > parent.Balance {
				return errLimit
			}
			line, err := lines.In(tx).Get(ctx, keys[me])
			if err != nil {
				return err
			}
			line.N += 30
			if err := lines.In(tx).Update(ctx, &line); err != nil {
				return err
			}
			return orders.In(tx).Touch(ctx, &parent)
		})
	})
	total := pairs.read(t, e, keys[0]).N + pairs.read(t, e, keys[1]).N
	require.EqualValues(t, 90, total, "total of the lines")
	e.want(t, order, opening, 2)
}

// checkOtherChecked ensures that two writers who each change another row, and both decide by the sum of
// the two, never break the rule together, if each checks the row that it does not change (case 60). Each
// wants to take the whole of its own account, and one of the two must stay.
func checkOtherChecked(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	ids := [2]uint64{e.account(t), e.account(t)}
	both := meetingOf(2)
	raceOfTwo(t, func(me int) error {
		attempts := 0
		return inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
			attempts++
			var rows [2]shop.Account
			for i, id := range ids {
				var err error
				if rows[i], err = in.Get(ctx, id); err != nil {
					return err
				}
			}
			if attempts == 1 && !s.locks {
				both.attend()
			}
			if rows[0].Balance+rows[1].Balance < 2*opening {
				return errLimit
			}
			rows[me].Balance = 0
			if err := in.Update(ctx, &rows[me]); err != nil {
				return err
			}
			return in.Check(ctx, rows[1-me])
		})
	})
	a, b := e.row(t, ids[0]), e.row(t, ids[1])
	require.EqualValues(t, opening, a.Balance+b.Balance, "what is left")
	require.EqualValues(t, 3, a.Version+b.Version, "versions of both")
}

// checkStoreNested ensures that a Store's own methods inside the closure of UpdateTx are ErrNested, with
// the mend in the text, at once and without a statement: outside of the transaction they would wait for
// its locks, and escape its rollback. Inside a plain Update, which has no transaction, those that write
// are too.
func checkStoreNested(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	id := e.account(t)
	calls := map[string]func(ctx context.Context) error{
		"Get": func(ctx context.Context) error {
			_, err := st.Get(ctx, id)
			return err
		},
		"Delete": func(ctx context.Context) error { return st.Delete(ctx, shop.Account{ID: id, Version: 1}) },
	}
	for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
		calls[method] = func(ctx context.Context) error { return changers(ctx, st, id)[method](plus(1)) }
	}
	for name, call := range calls {
		var r sqlcas.Report
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, _ *sql.Tx) error {
			return call(ctx)
		}, sqlcas.WithReport(&r))
		require.ErrorIs(t, err, sqlcas.ErrNested, name)
		require.ErrorContains(t, err, "In(tx)", name)
		require.ErrorContains(t, err, name)
		require.Equal(t, 1, r.Attempts, name)

		if name == "Get" {
			continue
		}
		err = optimistic.Update(t.Context(), func(ctx context.Context) (int64, error) { return 0, call(ctx) })
		require.ErrorIs(t, err, sqlcas.ErrNested, name)
		require.ErrorContains(t, err, name)
	}
	log.nothing(t)
	e.want(t, id, opening, 1)
}
