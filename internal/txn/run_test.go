package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

func change(_ context.Context, tx *sql.Tx) error {
	_, err := tx.Exec("UPDATE a SET b = 1")
	return err
}

// Ensures that a closure that returns nil is committed by a statement, on the straight path only.
func TestRunCommits(t *testing.T) {
	t.Parallel()
	script := newServer().script()
	db := pool(t, script)
	require.Equal(t, Result{Outcome: Committed}, Run(t.Context(), db, defaults(), change))
	require.Equal(t, []string{identityQuery, "BEGIN", "UPDATE a SET b = 1", "COMMIT"}, script.Log())
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a driver without any of the optional interfaces, of a database without sessions to
// kill, works all the same.
func TestRunWorksOnABareDriver(t *testing.T) {
	t.Parallel()
	script := scriptdb.NewBare(nil)
	db := pool(t, script)
	require.Equal(t, Result{Outcome: Committed}, Run(t.Context(), db, defaults(), change))
	refused := errors.New("refused")
	res := Run(t.Context(), db, defaults(), func(context.Context, *sql.Tx) error { return refused })
	require.Equal(t, Result{Err: refused, FromClosure: true}, res)
	require.Equal(t, []string{"BEGIN", "UPDATE a SET b = 1", "COMMIT", "BEGIN", "ROLLBACK"}, script.Log())
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a connection of the pool that turns out to be dead at BEGIN is replaced by another
// before anything is called a failure, a few times and no more.
func TestADeadConnectionAtBeginIsReplaced(t *testing.T) {
	t.Parallel()
	for dead, want := range map[int]Outcome{1: Committed, 2: Committed, 3: NotApplied} {
		script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
			if st.Query == "BEGIN" && c.ID <= dead {
				c.Break()
				return scriptdb.Reply{}, driver.ErrBadConn
			}
			return scriptdb.Reply{}, nil
		})
		db := pool(t, script)
		runs := 0
		res := Run(t.Context(), db, defaults(), func(context.Context, *sql.Tx) error { runs++; return nil })
		require.Equal(t, want, res.Outcome, "%d dead connections", dead)
		if want == NotApplied {
			require.ErrorIs(t, res.Err, driver.ErrBadConn)
			require.Equal(t, mysqlerr.Lost, res.Class)
			require.Zero(t, runs, "runs of the closure")
		} else {
			require.Equal(t, dead+1, script.Dialed())
			require.Equal(t, 1, runs, "runs of the closure")
		}
		require.Zero(t, db.Stats().InUse)
	}
}

// Ensures that ErrBadConn out of the closure is not taken for a dead connection at BEGIN: the
// closure has run, and whether to run it again is not decided here.
func TestErrBadConnOutOfTheClosureIsNotReplayed(t *testing.T) {
	t.Parallel()
	runs := 0
	res := Run(t.Context(), pool(t, scriptdb.New(nil)), defaults(), func(context.Context, *sql.Tx) error {
		runs++
		return driver.ErrBadConn
	})
	require.Equal(t, 1, runs)
	require.Equal(t, Result{Err: driver.ErrBadConn, FromClosure: true, Class: mysqlerr.Other}, res)
}

// Ensures that an error of the pool, such as a refused dial, is the result, untouched.
func TestAnErrorOfThePoolIsTheResult(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res := Run(ctx, db, defaults(), change)
	require.Equal(t, Result{Err: context.Canceled, Class: mysqlerr.Context}, res)
}

// Ensures that a closure that ends the transaction itself is told so, whatever it returns.
func TestRunRefusesAClosureThatEndsTheTransaction(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sql.Tx) error{
		"Commit":   (*sql.Tx).Commit,
		"Rollback": (*sql.Tx).Rollback,
		"COMMIT":   func(tx *sql.Tx) error { _, err := tx.Exec("COMMIT"); return err },
		"DDL":      func(tx *sql.Tx) error { _, err := tx.Exec("CREATE TABLE b (id INT)"); return err },
	} {
		script := newServer().script()
		db := pool(t, script)
		res := Run(t.Context(), db, defaults(), func(ctx context.Context, tx *sql.Tx) error {
			require.NoError(t, change(ctx, tx))
			_ = end(tx)
			return nil
		})
		require.Equal(t, NotApplied, res.Outcome, name)
		require.True(t, res.Refused, name)
		require.Error(t, res.Abort, name)
		require.Zero(t, script.Count("COMMIT"), name)
		require.Equal(t, 1, script.Count("ROLLBACK"), name)
		require.Zero(t, db.Stats().InUse)
	}
}

// Ensures that savepoints and temporary tables, which end nothing, are let through.
func TestRunLetsSavepointsAndTemporaryTablesPass(t *testing.T) {
	t.Parallel()
	script := newServer().script()
	res := Run(t.Context(), pool(t, script), defaults(), func(_ context.Context, tx *sql.Tx) error {
		for _, text := range []string{"SAVEPOINT s", "CREATE TEMPORARY TABLE b (id INT)", "ROLLBACK TO SAVEPOINT s"} {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, Result{Outcome: Committed}, res)
}

// Ensures that a panic and a Goexit of the closure roll back and give the connection back before
// the stack is gone (case 49). database/sql closes it, which does not matter.
func TestPanicAndGoexitGiveTheConnectionBack(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("boom") }, "Goexit": runtime.Goexit} {
		script := newServer().script()
		db := pool(t, script)
		recovered := make(chan any)
		go func() {
			defer func() { recovered <- recover() }()
			Run(context.Background(), db, defaults(), func(ctx context.Context, tx *sql.Tx) error {
				_ = change(ctx, tx)
				end()
				return nil
			})
			t.Errorf("%s: Run returned", name)
		}()
		got := <-recovered
		require.Equal(t, name == "panic", got != nil, name)
		require.Equal(t, 1, script.Count("ROLLBACK"), name)
		require.Zero(t, script.Count("COMMIT"), name)
		require.Zero(t, db.Stats().InUse, name)
	}
}

// Ensures what a COMMIT's error comes to: a server's no is definite, everything else is unknown
// (cases 44, 55, 56).
func TestWhatACommitErrorComesTo(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]Outcome{
		server(1213): NotApplied, server(3101): NotApplied, server(1020): NotApplied, server(1290): NotApplied,
		mysql.ErrInvalidConn: Unknown, driver.ErrBadConn: Unknown, errors.New("odd"): Unknown,
		server(1317): Unknown, server(1053): Unknown, context.DeadlineExceeded: Unknown,
	} {
		f := newServer()
		f.row = false
		f.handle = func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
			if st.Query == "COMMIT" {
				return scriptdb.Reply{}, err
			}
			return scriptdb.Reply{Affected: 1}, nil
		}
		db := pool(t, f.script())
		res := Run(t.Context(), db, defaults(), change)
		require.Equal(t, want, res.Outcome, "COMMIT ends with %v", err)
		require.Equal(t, err, res.Err)
		require.False(t, res.FromClosure)
		require.Zero(t, db.Stats().InUse)
	}
}

// Ensures that the COMMIT of a closure whose context ended at the last moment is either not sent or
// decided, and that Run is back within its bound when the network stalls (case 45).
func TestAStalledCommitIsBounded(t *testing.T) {
	t.Parallel()
	f := newServer()
	f.row = false
	f.handle = func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "COMMIT" {
			<-ctx.Done()
			c.Break()
			return scriptdb.Reply{}, ctx.Err()
		}
		return scriptdb.Reply{Affected: 1}, nil
	}
	script := f.script()
	db := pool(t, script)
	s := defaults()
	s.CommitTimeout = 50 * time.Millisecond
	start := time.Now()
	res := Run(t.Context(), db, s, change)
	require.Equal(t, Unknown, res.Outcome)
	require.Less(t, time.Since(start), time.Second, "a bound of 50 ms")
	require.Equal(t, 1, f.asked["KILL 101"], "the session that may hold locks is killed")
	require.Equal(t, 1, script.Closed(), "the connection is not used again")
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a refused COMMIT whose ROLLBACK is refused too is a definite no, and that the
// connection does not go back to the pool (case 55).
func TestAFailedRollbackIsIgnoredAndItsConnectionDropped(t *testing.T) {
	t.Parallel()
	f := newServer()
	f.handle = func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "COMMIT" || st.Query == "ROLLBACK" {
			return scriptdb.Reply{}, server(1213)
		}
		return scriptdb.Reply{Affected: 1}, nil
	}
	script := f.script()
	db := pool(t, script)
	res := Run(t.Context(), db, defaults(), change)
	require.Equal(t, NotApplied, res.Outcome)
	require.Equal(t, mysqlerr.Deadlock, res.Class)
	require.Equal(t, 1, script.Closed())

	refused := errors.New("refused")
	res = Run(t.Context(), db, defaults(), func(context.Context, *sql.Tx) error { return refused })
	require.Equal(t, Result{Err: refused, FromClosure: true}, res, "a ROLLBACK that fails is not the caller's affair")
	require.Equal(t, 2, script.Closed())
	require.Zero(t, db.Stats().InUse)
}
