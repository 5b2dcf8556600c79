package sqlcas_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// changeOne is a closure that changes one row.
func changeOne(_ context.Context, tx *sql.Tx) error { return exec("UPDATE a SET b = 1")(tx) }

// Ensures that a server's plain no to a COMMIT, as a cluster gives it when certification fails, is
// a definite rollback: retried, never called unknown, and on another connection if the ROLLBACK
// that follows is refused too (cases 55, 56, 57).
func TestARefusedCommitIsRetried(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		commit, rollback error
		dialed           int
	}{
		"1213 from Galera":                {server(1213), nil, 2},
		"1213, and 1213 from ROLLBACK":    {server(1213), server(1213), 2},
		"3101 from group replication":     {server(3101), nil, 2},
		"3100 from group replication":     {server(3100), nil, 2},
		"1020 at the end":                 {server(1020), nil, 2},
		"1205 waiting for the replicas":   {server(1205), nil, 2},
		"3101, and ROLLBACK has lost it":  {server(3101), mysql.ErrInvalidConn, 2},
		"1213, and a bad conn afterwards": {server(1213), driver.ErrBadConn, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
				switch {
				case st.Query == "COMMIT" && c.ID == 1:
					refused++
					return scriptdb.Reply{}, tc.commit
				case st.Query == "ROLLBACK" && c.ID == 1:
					return scriptdb.Reply{}, tc.rollback
				}
				return scriptdb.Reply{Affected: 1}, nil
			})
			db := pool(t, script)
			var r sqlcas.Report
			require.NoError(t, sqlcas.RetryTx(t.Context(), db, changeOne, quick, sqlcas.WithReport(&r)))
			require.Equal(t, 1, refused, "COMMITs refused on the first connection")
			require.Equal(t, 2, r.Attempts, "attempts")
			require.Equal(t, tc.dialed, script.Dialed(), "connections: one that a COMMIT failed on is not used again")
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// Ensures that a COMMIT whose answer is lost is ErrOutcomeUnknown with its cause, whatever the
// driver calls the loss, and is never retried: a rerun might apply it twice (cases 44, 52).
func TestALostCommitIsUnknownAndNotRetried(t *testing.T) {
	t.Parallel()
	for name, loss := range map[string]error{
		"invalid connection":  mysql.ErrInvalidConn,
		"bad connection":      driver.ErrBadConn,
		"cut in its answer":   io.ErrUnexpectedEOF,
		"an error of its own": errors.New("proxy: upstream gone"),
		"killed, 1927":        server(1927),
		"interrupted, 1317":   server(1317),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := failing("COMMIT", loss)
			db := pool(t, script)
			runs := 0
			var r sqlcas.Report
			err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				runs++
				return changeOne(ctx, tx)
			}, quick, sqlcas.WithReport(&r))
			require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
			require.ErrorIs(t, err, loss)
			require.Equal(t, 1, runs, "runs")
			require.Equal(t, 1, script.Closed(), "connections closed")
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// Ensures that a COMMIT which is never answered is given up after WithCommitTimeout, though the
// caller's context has no end and Tx.Commit knows none (case 45).
func TestAStalledCommitIsBounded(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query != "COMMIT" {
			return scriptdb.Reply{Affected: 1}, nil
		}
		<-ctx.Done()
		c.Break() // as the driver does when a context ends in mid-statement
		return scriptdb.Reply{}, ctx.Err()
	})
	db := pool(t, script)
	start := time.Now()
	err := sqlcas.RetryTx(context.Background(), db, changeOne, sqlcas.WithCommitTimeout(50*time.Millisecond))
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	require.NotErrorIs(t, err, context.DeadlineExceeded, "that is for the caller's own deadline")
	require.ErrorContains(t, err, "no answer to COMMIT within 50ms")
	require.GreaterOrEqual(t, time.Since(start), 50*time.Millisecond)
	require.Less(t, time.Since(start), 3*time.Second, "a bound of 50 ms")
	require.Zero(t, db.Stats().InUse)
}

// Ensures that the caller's context does not cut a COMMIT short, since giving up on it means not
// knowing: one that succeeds is a success.
func TestTheCallersContextDoesNotCutACommitShort(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	script := scriptdb.New(func(commit context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "COMMIT" {
			cancel()
			return scriptdb.Reply{}, commit.Err()
		}
		return scriptdb.Reply{}, nil
	})
	err := sqlcas.RetryTx(ctx, pool(t, script), changeOne)
	require.NoError(t, err)
	require.Error(t, ctx.Err())
}

// Ensures that a context that ends inside the closure always shows as the context's own error,
// never as database/sql's "transaction has already been committed or rolled back" alone, and that
// nothing is committed (cases 46, 47).
func TestAContextEndingInTheClosureIsTheContextsError(t *testing.T) {
	t.Parallel()
	shutdown := errors.New("shutting down")
	for range 200 {
		script := scriptdb.New(nil)
		db := pool(t, script)
		ctx, cancel := context.WithCancelCause(context.Background())
		err := sqlcas.RetryTx(ctx, db, func(_ context.Context, tx *sql.Tx) error {
			if err := exec("UPDATE a SET b = 1")(tx); err != nil {
				return err
			}
			cancel(shutdown)
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, shutdown)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.Zero(t, script.Count("COMMIT"))
		require.Zero(t, db.Stats().InUse)
	}
}

// Ensures that a caller whose context ends while it waits for a connection of a busy pool gets the
// context's error, and the last conflict's if there was one (case 84).
func TestAContextEndingWhileThePoolIsBusy(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	db.SetMaxOpenConns(1)
	var held *sql.Conn
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := sqlcas.RetryTx(ctx, db, func(context.Context, *sql.Tx) error { return sqlcas.ErrConflict },
		quick, sqlcas.WithObserver(onPause(func() {
			var err error
			held, err = db.Conn(t.Context())
			require.NoError(t, err)
		})))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.NoError(t, held.Close())
	require.Zero(t, db.Stats().InUse)
}

// Ensures that what a conflict absorbed before is still in the error of a COMMIT that is lost
// later.
func TestALostCommitKeepsTheLastConflict(t *testing.T) {
	t.Parallel()
	runs := 0
	err := sqlcas.RetryTx(t.Context(), pool(t, failing("COMMIT", mysql.ErrInvalidConn)), func(context.Context, *sql.Tx) error {
		if runs++; runs == 1 {
			return sqlcas.ErrConflict
		}
		return nil
	}, quick)
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
}

// Ensures that a classifier decides in transactions too, for drivers of other databases: what it
// calls transient is retried when returned, and forbids the COMMIT when swallowed; what it calls
// permanent forbids nothing.
func TestClassifierDecidesInTransactions(t *testing.T) {
	t.Parallel()
	busy := errors.New("database is locked")
	for class, want := range map[sqlcas.Class]error{sqlcas.ClassTransient: sqlcas.ErrTxAborted, sqlcas.ClassPermanent: nil} {
		classify := sqlcas.WithClassifier(func(err error) sqlcas.Class {
			if errors.Is(err, busy) {
				return class
			}
			return sqlcas.ClassDefault
		})
		err := sqlcas.RetryTx(t.Context(), pool(t, failing("UPDATE a SET b = 1", busy)), func(ctx context.Context, tx *sql.Tx) error {
			_ = changeOne(ctx, tx)
			return nil
		}, classify)
		require.ErrorIs(t, err, want)

		var r sqlcas.Report
		err = sqlcas.RetryTx(t.Context(), pool(t, failing("UPDATE a SET b = 1", busy)), changeOne, classify, quick, sqlcas.WithReport(&r))
		require.Equal(t, class == sqlcas.ClassTransient, err == nil, "error %v", err)
		require.Equal(t, class == sqlcas.ClassTransient, r.Attempts == 2, "%d attempts", r.Attempts)
	}
}
