package conformance

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// changer is a method that runs a closure on the account, which is at version 1.
type changer func(change func(*shop.Account) error, opts ...sqlcas.Option) error

// changers are all methods that run closures.
func changers(ctx context.Context, st store[uint64, shop.Account], id uint64) map[string]changer {
	return map[string]changer{
		"Update": func(change func(*shop.Account) error, opts ...sqlcas.Option) error {
			_, err := st.Update(ctx, id, change, opts...)
			return err
		},
		"UpdateIfVersion": func(change func(*shop.Account) error, opts ...sqlcas.Option) error {
			_, err := st.UpdateIfVersion(ctx, id, 1, change, opts...)
			return err
		},
		"UpdateAll": func(change func(*shop.Account) error, opts ...sqlcas.Option) error {
			_, err := st.UpdateAll(ctx, []uint64{id}, func(rows map[uint64]*shop.Account) error {
				return change(rows[id])
			}, opts...)
			return err
		},
	}
}

// finalErrors are closures' errors. Each is the caller's decision, whatever it wraps.
var finalErrors = map[string]error{
	"its own":                  errClosure,
	"wraps a conflict":         fmt.Errorf("refused: %w", sqlcas.ErrConflict),
	"wraps a ConflictError":    fmt.Errorf("refused: %w", &sqlcas.ConflictError{Table: "other"}),
	"wraps a deadlock":         fmt.Errorf("refused: %w", &mysql.MySQLError{Number: 1213}),
	"is MariaDB's 1020":        &mysql.MySQLError{Number: 1020},
	"is a lost connection":     mysql.ErrInvalidConn,
	"is a context's":           context.DeadlineExceeded,
	"joins a lock's and gone":  errors.Join(&mysql.MySQLError{Number: 1205}, sqlcas.ErrGone),
	"is an unknown outcome":    &sqlcas.OutcomeUnknownError{Cause: errClosure},
	"has no rows, as of a Get": &sqlcas.GoneError{Table: "other"},
}

// checkStoreClosureError ensures that an error of the closure comes back as the very value, after one
// attempt, also where it wraps what the Store itself would retry or explain, and a rival has really moved
// the row meanwhile; and that nothing of what the closure had done to the row is written.
func checkStoreClosureError(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	st := s.accounts(e.db, shop.AccountTable)
	for what, final := range finalErrors {
		for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
			id, runs, balance, version := e.account(t), 0, int64(opening), uint64(1)
			err := changers(t.Context(), st, id)[method](func(a *shop.Account) error {
				if runs++; runs == 1 && !s.locks {
					e.bump(t, id)
					balance, version = balance+rivals, version+1
				}
				a.Balance = 0
				return final
			})
			require.True(t, err == final, "%s returned %v for an error that %s", method, err, what)
			require.Equal(t, 1, runs, "runs in %s for an error that %s", method, what)
			e.want(t, id, balance, version)
		}
	}
	require.Empty(t, log.of("UPDATE"))
}

// checkStoreClosureBadConn ensures the same of driver.ErrBadConn, which is what database/sql itself repeats
// a call for: a closure has it from a connection of its own, and not from the Store's.
func checkStoreClosureBadConn(t *testing.T, e *env, s strategy) {
	id := e.account(t)
	for method, change := range changers(t.Context(), s.accounts(e.db, shop.AccountTable), id) {
		runs := 0
		err := change(func(*shop.Account) error {
			runs++
			return driver.ErrBadConn
		})
		require.True(t, err == driver.ErrBadConn, "%s returned %v", method, err)
		require.Equal(t, 1, runs, method)
	}
	e.want(t, id, opening, 1)
}

// checkStorePanic ensures that a panic of the closure goes on with its value, and that nothing is left:
// no change, no connection in use, no lock that the next writer would wait for.
func checkStorePanic(t *testing.T, e *env, s strategy) {
	for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
		id := e.account(t)
		change := changers(t.Context(), s.accounts(e.db, shop.AccountTable), id)[method]
		require.PanicsWithValue(t, "boom", func() {
			_ = change(func(a *shop.Account) error {
				a.Balance = 0
				panic("boom")
			})
		}, method)
		require.Zero(t, e.db.Stats().InUse, "connections in use when the panic of %s has arrived", method)
		nextWriter(t, e, id)
	}
}

// checkStoreGoexit ensures the same of runtime.Goexit, which t.FailNow calls.
func checkStoreGoexit(t *testing.T, e *env, s strategy) {
	for _, method := range []string{"Update", "UpdateIfVersion", "UpdateAll"} {
		id := e.account(t)
		change := changers(t.Context(), s.accounts(e.db, shop.AccountTable), id)[method]
		returned := false
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_ = change(func(a *shop.Account) error {
				a.Balance = 0
				runtime.Goexit()
				return nil
			})
			returned = true
		}()
		<-gone
		require.False(t, returned, "%s returned although its goroutine was to end", method)
		require.Zero(t, e.db.Stats().InUse, "connections in use when the goroutine of %s has ended", method)
		nextWriter(t, e, id)
	}
}

// checkStoreMeddling ensures that a closure that changes the key or the version of its row is refused,
// that the text names the column, that nothing is written, and that the closure is not run again.
func checkStoreMeddling(t *testing.T, e *env, s strategy) {
	e, log := e.logged(t)
	id := e.account(t)
	meddlings := map[string]func(*shop.Account){
		"(id)":    func(a *shop.Account) { a.ID++ },
		"version": func(a *shop.Account) { a.Version++ },
	}
	for method, change := range changers(t.Context(), s.accounts(e.db, shop.AccountTable), id) {
		for column, meddle := range meddlings {
			runs := 0
			err := change(func(a *shop.Account) error {
				runs++
				meddle(a)
				return nil
			})
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, "%s, %s", method, column)
			require.ErrorContains(t, err, column, method)
			require.ErrorContains(t, err, "account", method)
			require.Equal(t, 1, runs, "%s, %s", method, column)
		}
	}
	require.Empty(t, log.of("UPDATE"))
	e.want(t, id, opening, 1)
}
