package conformance

import (
	"context"
	"database/sql/driver"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/witness"
)

// losing returns e with a driver that answers the first UPDATE of the account in the server's place,
// with the 0 rows of a swap that was lost.
func (e *env) losing(t *testing.T, id uint64) *env {
	t.Helper()
	var lost atomic.Bool
	return e.tapped(t, tap{
		exec: func(ctx context.Context, _ *tappedConn, st statement, send sendExec) (driver.Result, error) {
			// SwapAccount's arguments: owner, balance, steps, id, version.
			if witness.Keyword(st.Query) == "UPDATE" && len(st.Args) == 5 && isID(st.Args[3].Value, id) && !lost.Swap(true) {
				return driver.RowsAffected(0), nil
			}
			return send(ctx)
		},
	})
}

// isID reports whether a statement's argument is the id, whatever the driver has made of it.
func isID(value driver.Value, id uint64) bool {
	return unsigned([]any{value})[0] == any(id)
}

// checkAllOrder ensures that rows are locked and swapped in the order of their keys, whatever the order
// in which the caller names them (case 32).
func checkAllOrder(t *testing.T, e *env, s strategy) {
	a, b, c := e.three(t)
	for _, keys := range [][]uint64{{a, b, c}, {c, b, a}, {b, c, a, b}} {
		var order []uint64
		st := s.accounts(e.db, told(shop.AccountTable, func(id uint64) { order = append(order, id) }))
		_, err := st.UpdateAll(t.Context(), keys, func(rows) error { return nil })
		require.NoError(t, err)
		want := []uint64{a, b, c}
		if s.locks {
			want = append(want, want...) // all are locked, and then all are swapped
		}
		require.Equal(t, want, order, "asked for %v", keys)
	}
}

// deadlockCounter counts the attempts that ended in a deadlock.
type deadlockCounter struct {
	pauseProbe
	n atomic.Int64
}

func (d *deadlockCounter) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	if number(a.Err) == 1213 {
		d.n.Add(1)
	}
}

// checkAllCrossing ensures that callers who name the same rows in opposite orders never meet in a
// deadlock, not even in one that is absorbed, and that what they move adds up (case 32).
func checkAllCrossing(t *testing.T, e *env, s strategy) {
	const rounds = 10
	st := s.accounts(e.db, shop.AccountTable)
	a, b, _ := e.three(t)
	var seen deadlockCounter
	errs := make(chan error, 2*rounds)
	var wg sync.WaitGroup
	for _, keys := range [][]uint64{{a, b}, {b, a}} {
		wg.Go(func() {
			for range rounds {
				_, err := st.UpdateAll(t.Context(), keys, func(rows rows) error {
					rows[keys[0]].Balance--
					rows[keys[1]].Balance++
					return nil
				}, sqlcas.WithObserver(&seen))
				errs <- err
			}
		})
	}
	wg.Wait()
	for range 2 * rounds {
		require.NoError(t, <-errs)
	}
	require.Zero(t, seen.n.Load(), "deadlocks")
	e.want(t, a, opening, 1+2*rounds)
	e.want(t, b, opening, 1+2*rounds)
}

// checkAllDeadlock ensures that a deadlock that hits the second of three rows, after which the server
// has undone the first and would make the third durable by itself, undoes all three and has them done
// again: all are in the table once. The rival holds the second row and wants the first; where there is
// snapshot isolation his uncommitted change may be answered by 1020 instead.
func checkAllDeadlock(t *testing.T, e *env, s strategy) {
	a, b, c := e.three(t)
	var done func()
	st := s.accounts(e.db, told(shop.AccountTable, func(id uint64) {
		if id == b && done == nil {
			done = e.deadlock(t, a, b)
		}
	}))
	var r sqlcas.Report
	written, err := st.UpdateAll(t.Context(), []uint64{a, b, c}, func(rows rows) error {
		rows[a].Balance -= 20
		rows[b].Balance += 5
		rows[c].Balance += 15
		return nil
	}, sqlcas.WithReport(&r))
	require.NotNil(t, done, "the second row was never reached")
	done()
	e.want(t, a, opening-20, 2)
	e.want(t, b, opening+5, 2)
	e.want(t, c, opening+15, 2)
	require.NoError(t, err)
	require.Equal(t, 2, r.Attempts, "attempts; the first should have met the deadlock")
	require.Equal(t, map[uint64]shop.Account{a: e.row(t, a), b: e.row(t, b), c: e.row(t, c)}, written)
}

// checkAllMap ensures that a closure that removes, adds or replaces rows of the map is refused with a
// text that says so, and that nothing is written.
func checkAllMap(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	a, b, other := e.three(t)
	for what, meddle := range map[string]func(rows rows){
		"removed": func(rows rows) { delete(rows, a) },
		"remove":  func(rows rows) { rows[a] = nil },
		"added":   func(rows rows) { rows[other] = &shop.Account{ID: other, Version: 1} },
		"another": func(rows rows) { rows[a] = &shop.Account{ID: a, Version: 1} },
		"place":   func(rows rows) { rows[a], rows[b] = rows[b], rows[a] },
	} {
		runs := 0
		_, err := st.UpdateAll(t.Context(), []uint64{a, b}, func(rows rows) error {
			runs++
			rows[b].Balance++
			meddle(rows)
			return nil
		})
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, what)
		require.ErrorContains(t, err, what)
		require.Equal(t, 1, runs, what)
	}
	for _, id := range []uint64{a, b, other} {
		e.want(t, id, opening, 1)
	}
}
