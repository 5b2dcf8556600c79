package conformance

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/optimistic"
)

// number returns the server's error number in err, 0 if there is none.
func number(err error) uint16 {
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		return server.Number
	}
	return 0
}

// checkLockTimeout ensures that a lock wait that runs out after the transaction has written
// elsewhere undoes that write as well, though the server keeps the transaction open, and is
// retried; and that a row that stays locked is ErrLocked within ErrExhausted (case 24). A closure
// that hides the timeout is in the table of swallowed errors.
func checkLockTimeout(t *testing.T, e *env) {
	e = e.impatient(t)
	first, second := e.account(t), e.account(t)
	h := e.hold(t, second)
	attempts := 0
	both := func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if err := optimistic.One(add(ctx, tx, first, nil)); err != nil {
			return err
		}
		err := optimistic.One(add(ctx, tx, second, nil))
		if attempts == 2 {
			h.rollback(t)
		}
		return err
	}
	err := optimistic.UpdateTx(t.Context(), e.db, both, sqlcas.WithMaxAttempts(1))
	require.ErrorIs(t, err, sqlcas.ErrLocked)
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.EqualValues(t, 1205, number(err))
	e.want(t, first, opening, 1)

	require.NoError(t, optimistic.UpdateTx(t.Context(), e.db, both))
	require.Equal(t, 3, attempts)
	e.want(t, first, opening+1, 2)
	e.want(t, second, opening+1, 2)
}

// checkWaiter ensures that a swap that waits behind an uncommitted writer conflicts if that writer
// commits and succeeds if it rolls back: the version decides, never the mere existence of a rival
// (case 54).
func checkWaiter(t *testing.T, e *env) {
	for _, commits := range []bool{true, false} {
		id := e.account(t)
		attempts := 0
		ended := make(chan error, 1)
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			session, err := sessionOf(ctx, tx)
			if err != nil {
				return err
			}
			return optimistic.One(add(ctx, tx, id, func() {
				if attempts == 1 {
					h := e.hold(t, id)
					go func() { ended <- h.endWhenAwaited(e, session, commits) }()
				}
			}))
		})
		require.NoError(t, err, "the writer before commits: %v", commits)
		require.NoError(t, <-ended)
		tries, sum := 1, int64(opening+1)
		if commits {
			tries, sum = 2, sum+rivals
		}
		require.Equal(t, tries, attempts, "attempts; the writer before commits: %v", commits)
		e.want(t, id, sum, uint64(1+tries))
	}
}

// endWhenAwaited ends the holder's transaction once the session waits for it.
func (h *holder) endWhenAwaited(e *env, session uint64, commit bool) error {
	if err := e.awaitLockWait(session); err != nil || !commit {
		return errors.Join(err, h.tx.Rollback())
	}
	return h.tx.Commit()
}

// checkGetOrCreate ensures that two callers who both find a row missing under a locking read, and
// both insert it, end with one row and no error: the gap locks they hold make a deadlock, which is
// absorbed, and the loser's next attempt sees the winner's row (case 28). READ COMMITTED takes no
// gap lock, so that there the loser gets 1062, which only the closure can call a conflict.
func checkGetOrCreate(t *testing.T, e *env) {
	_, err := e.other.ExecContext(t.Context(), "DELETE FROM registry")
	require.NoError(t, err)
	var created, sawOther [2]bool
	both := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	errs := make(chan error, 2)
	for me := range 2 {
		go func() {
			attempts := 0
			errs <- optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
				attempts++
				created[me], sawOther[me] = false, false
				var owner int
				row := tx.QueryRowContext(ctx, "SELECT owner FROM registry WHERE name = 'hot' FOR UPDATE")
				err := row.Scan(&owner)
				if attempts == 1 {
					close(both[me])
					<-both[1-me]
				}
				if err == nil {
					sawOther[me] = owner != me
					return nil
				}
				if !errors.Is(err, sql.ErrNoRows) {
					return err
				}
				_, err = tx.ExecContext(ctx, "INSERT INTO registry VALUES ('hot', ?)", me)
				if e.mode.readCommitted && number(err) == 1062 {
					return sqlcas.ErrConflict
				}
				created[me] = err == nil
				return err
			})
		}()
	}
	require.NoError(t, <-errs)
	require.NoError(t, <-errs)
	require.Equal(t, 1, count(created), "callers who created the row")
	require.Equal(t, 1, count(sawOther), "callers who saw the other one's row")
	require.Equal(t, 1, e.count(t, "registry"), "rows")
}

func count(flags [2]bool) (n int) {
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}
