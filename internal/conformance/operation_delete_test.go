package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// age enters operations, n of them, that are as old as that.
func (e *env) age(t *testing.T, prefix string, n, hours int) {
	t.Helper()
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("('%s%05d', 'account 1', '', REPEAT('x', 16), UTC_TIMESTAMP(6) - INTERVAL %d HOUR)", prefix, i, hours)
	}
	_, err := e.other.ExecContext(t.Context(), "INSERT INTO sqlcas_operation VALUES "+strings.Join(rows, ","))
	require.NoError(t, err)
}

// Ensures that exactly the operations that are older are deleted, over several pages, whatever the time zone of
// the session, and that the count is theirs.
func TestOldOperationsAreDeleted(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, m := range modes()[:4] {
			e := newEnv(t, s, m, false).noting(t).tuned(t, "time_zone", "'+13:00'")
			e.age(t, "a", 700, 1)
			e.age(t, "b", 1500, 30)
			e.age(t, "c", 300, 25)
			e.age(t, "\\0", 3, 25)
			n, err := sqlcas.DeleteOperations(t.Context(), e.db, 24*time.Hour)
			require.NoError(t, err)
			require.EqualValues(t, 1803, n)
			require.Equal(t, 700, e.count(t, "sqlcas_operation WHERE id LIKE 'a%'"))
			require.Equal(t, 700, e.count(t, "sqlcas_operation"))
			n, err = sqlcas.DeleteOperations(t.Context(), e.db, 24*time.Hour)
			require.NoError(t, err)
			require.Zero(t, n)
			e.settled(t)
		}
	})
}

// Ensures that old operations are deleted for good, and no lock is left, on sessions that do not commit each
// statement.
func TestOldOperationsAreDeletedWithoutAutocommit(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t).tuned(t, "autocommit", "0")
		e.age(t, "a", 1250, 30)
		e.age(t, "b", 3, 1)
		n, err := sqlcas.DeleteOperations(t.Context(), e.db, 24*time.Hour)
		require.NoError(t, err)
		require.EqualValues(t, 1250, n)
		require.Equal(t, 3, e.count(t, "sqlcas_operation"))
		e.settled(t)
	})
}

// Ensures that the deletion takes one statement's locks at a time and no more than those of the rows it deletes,
// so that who enters ids beside it waits for nobody; and that an id that was entered anew stays.
func TestDeletionLocksNoMoreThanItDeletes(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t).impatient(t)
		for _, n := range []int{3, 40, 900} { // the fewer there are, the rather a server scans all
			e.age(t, "m", n, 30)
			h := e.holdBy(t, "INSERT INTO sqlcas_operation VALUES ('young', '', '', REPEAT('x', 16), UTC_TIMESTAMP(6))")
			deleted, err := sqlcas.DeleteOperations(t.Context(), e.db, time.Hour)
			require.NoError(t, err, "%d rows", n)
			require.EqualValues(t, n, deleted)
			h.rollback(t)
		}
		e.settled(t)
	})
}

// Ensures that who waits for the lock of a row that another transaction keeps is retried within the budget and
// ends with its context, with what has been deleted by then.
func TestDeletionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t).impatient(t)
		e.age(t, "a", 250, 30)
		h := e.holdBy(t, "UPDATE sqlcas_operation SET target = 'x' WHERE id = 'a00220'")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var n int64
		var err error
		over := make(chan struct{})
		go func() {
			defer close(over)
			n, err = sqlcas.DeleteOperations(ctx, e.db, time.Hour)
		}()
		eventually(t, lockWait, func() bool { return e.count(t, "sqlcas_operation") == 50 }, "no 200 rows were deleted")
		cancel()
		<-over
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.EqualValues(t, 200, n)
		released := make(chan struct{})
		go func() { // past one lock wait timeout
			time.Sleep(1200 * time.Millisecond)
			_ = h.tx.Rollback()
			close(released)
		}()
		n, err = sqlcas.DeleteOperations(t.Context(), e.db, time.Hour)
		<-released
		require.NoError(t, err)
		require.EqualValues(t, 50, n, "the statement that was left is rolled back")
		require.Zero(t, e.count(t, "sqlcas_operation"))
		e.settled(t)
	})
}

// Ensures that writers under ids go on beside several deletions, and that nothing of either is lost.
func TestDeletionBesideWriters(t *testing.T) {
	t.Parallel()
	const writers, calls, old = 8, 25, 2000
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t)
		e.age(t, "5", old, 30)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var deleted int64
		accounts := make([]uint64, writers)
		for w := range writers {
			accounts[w] = e.account(t)
		}
		for w := range writers {
			wg.Go(func() {
				for n := range calls {
					_, err := e.pay(t.Context(), e.db, accounts[w], sqlcas.WithOperationID(fmt.Sprintf("%d5%d", n%10, n*writers+w)))
					if err != nil {
						t.Errorf("writer: %v", err)
					}
				}
			})
		}
		for range 3 {
			wg.Go(func() {
				n, err := sqlcas.DeleteOperations(t.Context(), e.other, 24*time.Hour)
				if err != nil {
					t.Errorf("deletion: %v", err)
				}
				mu.Lock()
				deleted += n
				mu.Unlock()
			})
		}
		wg.Wait()
		require.EqualValues(t, old, deleted)
		require.Equal(t, writers*calls, e.count(t, "sqlcas_operation"))
		for _, id := range accounts {
			e.want(t, id, opening+calls, 1+calls)
		}
		e.settled(t)
	})
}

// Ensures that a deletion refuses what makes no sense, before any SQL.
func TestDeletionRefusesItsArguments(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t)
		for _, age := range []time.Duration{0, -time.Hour} {
			_, err := sqlcas.DeleteOperations(t.Context(), e.db, age)
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		}
		_, err := sqlcas.DeleteOperations(t.Context(), nil, time.Hour)
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		err = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, _ *sql.Tx) error {
			_, err := sqlcas.DeleteOperations(ctx, e.db, time.Hour)
			return err
		})
		require.ErrorIs(t, err, sqlcas.ErrNested)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = sqlcas.DeleteOperations(ctx, e.db, time.Hour)
		require.ErrorIs(t, err, context.Canceled)
	})
}
