package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// row returns an account as it is in the table.
func (e *env) row(t *testing.T, id uint64) shop.Account {
	t.Helper()
	a, err := shop.New(e.other).GetAccount(context.Background(), id)
	require.NoError(t, err)
	return a
}

// plus adds n to the balance: a closure.
func plus(n int64) func(*shop.Account) error {
	return func(a *shop.Account) error {
		a.Balance += n
		return nil
	}
}

// inTx runs fn in UpdateTx, with the Store for use in it.
func inTx[K comparable, R any](
	t *testing.T, e *env, st store[K, R], fn func(ctx context.Context, in txStore[K, R]) error, opts ...sqlcas.Option,
) error {
	t.Helper()
	return optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		return fn(ctx, st.In(tx))
	}, opts...)
}

// told returns the table with a listener, who hears the key before each statement that may wait for
// the row's lock: locking reads and swaps.
func told[K comparable, R any](table sqlcas.Table[K, R], listen func(key K)) sqlcas.Table[K, R] {
	lock, swap, key := table.GetForUpdate, table.Swap, table.Key
	table.GetForUpdate = func(ctx context.Context, tx *sql.Tx, k K, wait sqlcas.LockWait) (R, error) {
		listen(k)
		return lock(ctx, tx, k, wait)
	}
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, row R, steps uint64) (int64, error) {
		listen(key(row))
		return swap(ctx, db, row, steps)
	}
	return table
}

// whenAwaited ends the holder's transaction, by COMMIT or ROLLBACK, once somebody waits for a row of
// the table. The channel tells how that went.
func (h *holder) whenAwaited(e *env, table string, commit bool) <-chan error {
	ended := make(chan error, 1)
	go func() {
		if err := e.awaitWaiter(table); err != nil || !commit {
			ended <- errors.Join(err, h.tx.Rollback())
			return
		}
		ended <- h.tx.Commit()
	}()
	return ended
}

// awaitWaiter returns once a session waits for a row lock in a table of this cell's, as awaitLockWait
// does for a session whose number is known.
func (e *env) awaitWaiter(table string) error {
	name := fmt.Sprintf("`%s`.`%s`", e.cfg.DBName, table)
	for deadline := time.Now().Add(lockWait); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var kind, instance, status string
		row := e.other.QueryRow("SHOW ENGINE INNODB STATUS")
		if err := row.Scan(&kind, &instance, &status); err != nil {
			return err
		}
		for _, trx := range strings.Split(status, "---TRANSACTION")[1:] {
			if strings.Contains(trx, "LOCK WAIT") && strings.Contains(trx, name) {
				return nil
			}
		}
	}
	return fmt.Errorf("nobody waits for a row of %s", name)
}

// isConflict ensures that the error tells of a conflict on one row, and where the row was.
func isConflict(t *testing.T, err error, want sqlcas.ConflictError) {
	t.Helper()
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	var conflict *sqlcas.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, want, *conflict)
}

// isGone ensures that the error says that there is no such row, and which.
func isGone(t *testing.T, err error, table string, key any) {
	t.Helper()
	require.ErrorIs(t, err, sqlcas.ErrGone)
	require.ErrorIs(t, err, sql.ErrNoRows)
	require.NotErrorIs(t, err, sqlcas.ErrConflict)
	require.NotErrorIs(t, err, sqlcas.ErrExhausted)
	var gone *sqlcas.GoneError
	require.ErrorAs(t, err, &gone)
	require.Equal(t, sqlcas.GoneError{Table: table, Key: key}, *gone)
}

// warm opens connections of the program's pool, so that none has to be dialled when one is needed.
func (e *env) warm(t *testing.T, n int) {
	t.Helper()
	conns := make([]*sql.Conn, n)
	for i := range conns {
		var err error
		conns[i], err = e.db.Conn(t.Context())
		require.NoError(t, err)
	}
	for _, c := range conns {
		require.NoError(t, c.Close())
	}
}

// nothing ensures that no statement was sent, but for what opens and closes a caller's transaction.
func (l *statementLog) nothing(t *testing.T) {
	t.Helper()
	for _, word := range l.words() {
		require.Contains(t, []string{"BEGIN", "ROLLBACK"}, word, "statements that were sent")
	}
}
