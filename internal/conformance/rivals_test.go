package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// holder is a rival transaction that holds row locks.
type holder struct{ tx *sql.Tx }

// hold adds to the account and keeps the transaction open until the holder ends it, or the test.
func (e *env) hold(t *testing.T, id uint64) *holder {
	t.Helper()
	return e.holdBy(t,
		"UPDATE account SET balance = balance + ?, version = version + 1 WHERE id = ?", rivals, id)
}

// holdBy keeps open the transaction of any statement.
func (e *env) holdBy(t *testing.T, query string, args ...any) *holder {
	t.Helper()
	tx, err := e.other.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() }) // after a failure; else it is over by then
	_, err = tx.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
	return &holder{tx}
}

func (h *holder) rollback(t *testing.T) {
	t.Helper()
	require.NoError(t, h.tx.Rollback())
}

// deadlock makes the next statement of the caller's transaction that locks the account want the
// victim of a deadlock: a rival, which the server will spare because it has written more, holds
// want and asks for have, which the caller must hold already. Once the caller has rolled back, the
// rival rolls back too; done returns when it has.
func (e *env) deadlock(t *testing.T, have, want uint64) (done func()) {
	t.Helper()
	return e.deadlockOn(t, "UPDATE account SET balance = 0 WHERE id = ?", have, want)
}

// deadlockOn is deadlock on rows of any table; update takes one argument, the row's key.
func (e *env) deadlockOn(t *testing.T, update string, have, want any) (done func()) {
	t.Helper()
	h := e.holdBy(t, update, want)
	ballast := "INSERT INTO ballast VALUES (1)" + strings.Repeat(", (1)", 300)
	_, err := h.tx.ExecContext(t.Context(), ballast)
	require.NoError(t, err)
	finished := make(chan error, 1)
	go func() {
		_, err := h.tx.Exec(update, have)
		_ = h.tx.Rollback()
		finished <- err
	}()
	return func() {
		t.Helper()
		require.NoError(t, <-finished, "the server has chosen the rival for the victim")
	}
}

// sessionOf returns the number of the transaction's connection.
func sessionOf(ctx context.Context, tx *sql.Tx) (id uint64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id)
	return id, err
}

// awaitLockWait returns once the session waits for a row lock. SHOW ENGINE INNODB STATUS is asked
// because information_schema.INNODB_TRX shows a cached state for as long as somebody keeps asking.
// It returns an error instead of failing the test, since it is called beside the test's goroutine.
func (e *env) awaitLockWait(session uint64) error {
	thread := fmt.Sprintf("thread id %d,", session)
	deadline := time.Now().Add(lockWait)
	for ; time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var kind, name, status string
		row := e.other.QueryRow("SHOW ENGINE INNODB STATUS")
		if err := row.Scan(&kind, &name, &status); err != nil {
			return err
		}
		for _, trx := range strings.Split(status, "---TRANSACTION")[1:] {
			if strings.Contains(trx, thread) && strings.Contains(trx, "LOCK WAIT") {
				return nil
			}
		}
	}
	return fmt.Errorf("session %d does not wait for a lock", session)
}
