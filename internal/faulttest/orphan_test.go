package faulttest

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	patience = 200 * time.Millisecond
	sessions = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()"
)

// Ensures that a call whose context ends while its UPDATE waits for a lock comes back at once, that
// the session it leaves is ended while the lock is still held, and that nothing is written when the
// lock is free (case 48).
func TestNoWriteAfterTheContextHasEnded(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		release := r.lock(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		start := time.Now()
		err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			return take(ctx, tx, 1)
		})
		took := time.Since(start)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		if took > patience+100*time.Millisecond+slack {
			t.Errorf("took %v, want about %v", took, patience)
		}
		eventually(t, lockGrace, "the orphan no longer waits for the lock", func() bool {
			return r.waiting(t) == 0
		})
		release()
		start = time.Now()
		r.assertUnlocked(t)
		if free := time.Since(start); free > slack {
			t.Errorf("the row was free after %v, want at once", free)
		}
		require.Zero(t, r.swaps(t, 1), "writes after the caller has its error")
		eventually(t, lockGrace, "no session is left beside the pools' own", func() bool {
			own := db.Stats().OpenConnections + r.truth.Stats().OpenConnections
			return r.number(t, sessions) <= own
		})
	})
}

// Ensures that plain Update in the same place says that it does not know, and the context's error
// with it: its UPDATE is carried out when the lock is free (case 48).
func TestPlainUpdateDoesNotKnowAfterItsContext(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		release := r.lock(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		start := time.Now()
		attempts := 0
		err := optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
			attempts++
			q := shop.New(db)
			a, err := q.GetAccount(ctx, 1)
			if err != nil {
				return 0, err
			}
			return q.DeductBalance(ctx, shop.DeductBalanceParams{
				Balance: a.Balance - 1, ID: 1, Version: a.Version,
			})
		})
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, attempts, "attempts")
		require.Less(t, time.Since(start), patience+slack)
		release()
		eventually(t, 5*time.Second, "the orphan's UPDATE has ended", func() bool {
			return r.waiting(t) == 0
		})
		n := r.swaps(t, 1)
		require.LessOrEqual(t, n, 1)
		t.Logf("%v: the UPDATE of the call that gave up was applied %d times", s, n)
	})
}

// sessionID asks for the number of the transaction's session.
func sessionID(ctx context.Context, tx *sql.Tx) (id int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id)
	return id, err
}

// Ensures that a session killed in mid transaction, be it by an administrator, loses nothing and
// doubles nothing: the closure is run again in another session.
func TestKilledSessionIsRunAgain(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		attempts := 0
		err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			if err := take(ctx, tx, 1); err != nil {
				return err
			}
			if attempts == 1 {
				id, err := sessionID(ctx, tx)
				if err != nil {
					return err
				}
				r.exec(t, fmt.Sprintf("KILL %d", id))
			}
			return note(ctx, tx, 1, -1, "killed")
		})
		require.NoError(t, err)
		require.Equal(t, 2, attempts, "attempts")
		require.Equal(t, 1, r.swaps(t, 1), "swaps")
		require.Equal(t, 1, r.number(t, "SELECT COUNT(*) FROM ledger_entry"), "ledger entries")
		r.assertUnlocked(t)
	})
}

// Ensures that a session killed between its last statement and its COMMIT is run again as well,
// because the row tells that nothing was applied.
func TestSessionKilledBeforeItsCommit(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		attempts := 0
		err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			id, err := sessionID(ctx, tx)
			if err != nil {
				return err
			}
			if err := take(ctx, tx, 1); err != nil {
				return err
			}
			if attempts == 1 {
				r.exec(t, fmt.Sprintf("KILL %d", id))
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 2, attempts, "attempts")
		require.Equal(t, 1, r.swaps(t, 1), "swaps")
	})
}

// Ensures that a KILL QUERY is obeyed: the statement's 1317 is returned as it is, after a rollback,
// and nothing is retried.
func TestKilledQueryIsNotRetried(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 2)
		db := open(t, dial(t, r.cfg))
		r.lock(t, 2)
		ids := make(chan int, 1)
		go func() {
			id := <-ids
			// Not by the process list: it may still show the UPDATE before, whose answer has come already, and
			// servers drop a KILL QUERY for an idle session.
			eventually(t, 5*time.Second, "the UPDATE waits for the lock", func() bool {
				time.Sleep(150 * time.Millisecond) // MariaDB gives its last answer again to who asks within 100 ms
				return r.number(t, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.INNODB_TRX "+
					"WHERE trx_mysql_thread_id = %d AND trx_state = 'LOCK WAIT'", id)) == 1
			})
			_, err := r.truth.ExecContext(t.Context(), fmt.Sprintf("KILL QUERY %d", id))
			if err != nil {
				t.Error(err)
			}
		}()
		attempts := 0
		err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			id, err := sessionID(ctx, tx)
			if err != nil {
				return err
			}
			if err := take(ctx, tx, 1); err != nil {
				return err
			}
			if attempts == 1 {
				ids <- id
			}
			return take(ctx, tx, 2)
		})
		requireNumber(t, err, 1317)
		require.Equal(t, 1, attempts, "attempts")
		require.Zero(t, r.swaps(t, 1), "the part before the killed statement")
	})
}
