package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// requireNumber checks that err is the server's error of this number.
func requireNumber(t *testing.T, err error, number uint16) {
	t.Helper()
	var server *mysql.MySQLError
	require.ErrorAs(t, err, &server)
	require.Equal(t, number, server.Number, err)
}

// Ensures that a driver which carries a statement out and then says driver.ErrBadConn, at which
// database/sql would send it again, increments once under UpdateTx (case 43).
func TestStatementThatIsExecutedAndDenied(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		faults, sent := 1, 0
		db := open(t, &script{
			Connector: dial(t, r.cfg),
			exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
				res, err := send()
				if !is(query, "UPDATE") || errors.Is(err, driver.ErrSkip) {
					return res, err
				}
				sent++
				if faults > 0 {
					faults--
					return nil, driver.ErrBadConn
				}
				return res, err
			},
		})
		err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			return take(ctx, tx, 1)
		})
		require.NoError(t, err)
		require.Equal(t, 2, sent, "UPDATEs that reached the server, the first one rolled back")
		require.Equal(t, opening-1, r.number(t, "SELECT balance FROM account WHERE id = 1"))
		require.Equal(t, 1, r.swaps(t, 1))
		r.assertUnlocked(t)
	})
}

// Ensures that a closure which panics or calls runtime.Goexit is rolled back: the panic goes on
// with its value, the next writer is not blocked, and the connection is back in its pool
// (case 49).
func TestClosureThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	ends := map[string]func(){
		"panic":  func() { panic("closure") },
		"Goexit": runtime.Goexit,
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for name, end := range ends {
			r := newRig(t, s, 1)
			db := open(t, dial(t, r.cfg))
			db.SetMaxOpenConns(1)
			recovered, returned := any(nil), false
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { recovered = recover() }()
				_ = optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
					if err := take(ctx, tx, 1); err != nil {
						t.Error(err)
					}
					end()
					return nil
				})
				returned = true
			}()
			<-done
			if want := map[string]any{"panic": "closure"}[name]; recovered != want || returned {
				t.Errorf("%s: recovered %v, returned %v; want %v, false", name, recovered, returned, want)
			}
			if got := db.Stats().InUse; got != 0 {
				t.Errorf("%s: %d connections in use, want 0", name, got)
			}
			// The one connection of the pool, and no wait for the row.
			err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				var one int
				row := tx.QueryRowContext(ctx, "SELECT 1 FROM account WHERE id = 1 FOR UPDATE NOWAIT")
				if err := row.Scan(&one); err != nil {
					return err
				}
				return take(ctx, tx, 1)
			})
			require.NoError(t, err, name)
			require.Equal(t, 1, r.swaps(t, 1), name)
		}
	})
}

// Ensures that a panic while a statement's rows are still open gives the connection back too
// (case 49).
func TestPanicWithOpenRows(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 3)
		db := open(t, dial(t, r.cfg))
		require.PanicsWithValue(t, "open rows", func() {
			_ = optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				rows, err := tx.QueryContext(ctx, "SELECT id FROM account FOR UPDATE")
				if err != nil {
					return err
				}
				rows.Next()
				panic("open rows")
			})
		})
		assertIdle(t, db)
		r.assertUnlocked(t)
		_, err := shop.New(db).GetAccount(t.Context(), 1)
		require.NoError(t, err)
	})
}
