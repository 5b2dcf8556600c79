package sqlcas_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// failing is a script on which the named statement fails with the errors in turn, and then works.
func failing(query string, errs ...error) *scriptdb.Script {
	return scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == query && len(errs) > 0 {
			err := errs[0]
			errs = errs[1:]
			return scriptdb.Reply{}, err
		}
		return scriptdb.Reply{Affected: 1}, nil
	})
}

var quick = sqlcas.WithDelays(time.Microsecond, time.Microsecond)

// ends returns the statements of the log that begin and end transactions.
func ends(s *scriptdb.Script) []string {
	return slices.DeleteFunc(s.Log(), func(l string) bool { return l != "BEGIN" && l != "COMMIT" && l != "ROLLBACK" })
}

// Ensures that a conflict is rolled back first, then paused for with no transaction and no
// connection held, and then run again in a transaction of its own (cases 10, 13).
func TestConflictRollsBackPausesAndBeginsAnew(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	paused := 0
	runs := 0
	err := sqlcas.RetryTx(t.Context(), db, func(context.Context, *sql.Tx) error {
		if runs++; runs < 3 {
			return fmt.Errorf("deduct: %w", sqlcas.One(0, nil))
		}
		return nil
	}, sqlcas.WithBackOff(func() backoff.BackOff {
		return &backoff.ZeroBackOff{}
	}), sqlcas.WithObserver(onPause(func() {
		paused++
		log := ends(script)
		require.Equal(t, "ROLLBACK", log[len(log)-1], "the last word before the pause")
		require.Zero(t, db.Stats().InUse, "connections held in the pause")
	})))
	require.NoError(t, err)
	require.Equal(t, 2, paused, "pauses")
	require.Equal(t, []string{"BEGIN", "ROLLBACK", "BEGIN", "ROLLBACK", "BEGIN", "COMMIT"}, ends(script))
	require.Equal(t, 1, script.Dialed(), "connections: a clean one is used again")
}

// onPause is an observer that is called when an attempt will be retried.
type onPause func()

func (f onPause) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context { return ctx }
func (f onPause) CallEnd(context.Context, sqlcas.CallEnd)                                 {}

func (f onPause) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	if a.RetryIn >= 0 {
		f()
	}
}

// Ensures that the closure's own error comes back as the very value it is, rolled back and not
// retried, and so does the server's plain no: a row count above one among them.
func TestRetryTxReturnsOtherErrorsAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"the caller's own":   errors.New("insufficient funds"),
		"duplicate key 1062": server(1062),
		"interrupted 1317":   server(1317),
		"too many rows":      sqlcas.One(2, nil),
		"lost elsewhere":     fmt.Errorf("queue: %w", mysql.ErrInvalidConn),
		"someone's context":  fmt.Errorf("rpc: %w", context.DeadlineExceeded),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := scriptdb.New(nil)
			db := pool(t, script)
			got := sqlcas.RetryTx(t.Context(), db, func(context.Context, *sql.Tx) error { return err })
			if got != err { // the same value is what is promised
				t.Errorf("got error %v, want the very value %v", got, err)
			}
			require.Equal(t, []string{"BEGIN", "ROLLBACK"}, ends(script))
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// Ensures that only the committed attempt's value is returned, and the zero value with an error: a
// lost attempt's must not leak (case 18).
func TestRetryTxResultReturnsTheCommittedValueOnly(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	runs := 0
	got, err := sqlcas.RetryTxResult(t.Context(), db, func(context.Context, *sql.Tx) ([]int, error) {
		if runs++; runs < 3 {
			return []int{-runs}, sqlcas.ErrConflict
		}
		return []int{runs}, nil
	}, quick)
	require.NoError(t, err)
	require.Equal(t, []int{3}, got)

	refused := errors.New("refused")
	got, err = sqlcas.RetryTxResult(t.Context(), db, func(context.Context, *sql.Tx) ([]int, error) { return []int{1}, refused })
	require.Equal(t, refused, err)
	require.Nil(t, got)

	lostCommit := pool(t, failing("COMMIT", mysql.ErrInvalidConn))
	got, err = sqlcas.RetryTxResult(t.Context(), lostCommit, func(context.Context, *sql.Tx) ([]int, error) { return []int{1}, nil })
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	require.Nil(t, got)
}

// Ensures that a closure that swallows what aborted its transaction cannot commit the rest: a
// 1205 or 1317 would leave the first half, a 1213 or 1020 the second (cases 24, 53).
func TestASwallowedAbortCannotBeCommitted(t *testing.T) {
	t.Parallel()
	for _, number := range []uint16{1205, 1213, 1020, 1317, 1969, 3024} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			script := failing("UPDATE two", server(number))
			db := pool(t, script)
			runs := 0
			err := sqlcas.RetryTx(t.Context(), db, func(_ context.Context, tx *sql.Tx) error {
				runs++
				require.NoError(t, exec("UPDATE one")(tx))
				_ = exec("UPDATE two")(tx)
				return nil
			})
			require.ErrorIs(t, err, sqlcas.ErrTxAborted)
			require.ErrorIs(t, err, server(number))
			require.Equal(t, 1, runs, "runs: a bug is not retried")
			require.Equal(t, []string{"BEGIN", "ROLLBACK"}, ends(script))
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// Ensures that an error which ends only its statement may be handled, and the rest committed.
func TestAHandledStatementErrorMayBeCommitted(t *testing.T) {
	t.Parallel()
	script := failing("INSERT", server(1062))
	require.NoError(t, sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error {
		require.Error(t, exec("INSERT")(tx))
		return exec("UPDATE")(tx)
	}))
	require.Equal(t, []string{"BEGIN", "COMMIT"}, ends(script))
}

// Ensures that what the server said decides although the closure has flattened it with %v, or
// returns an error that came of it, such as the 1305 of a savepoint that went with a deadlock; and
// that the error then tells of both (cases 25, 27).
func TestTheServersWordDecidesWhateverTheClosureMakesOfIt(t *testing.T) {
	t.Parallel()
	for name, remake := range map[string]func(error) error{
		"as it is":      func(err error) error { return err },
		"wrapped by %w": func(err error) error { return fmt.Errorf("deduct: %w", err) },
		"joined":        func(err error) error { return errors.Join(errors.New("deduct failed"), err) },
		"flattened":     func(err error) error { return fmt.Errorf("deduct: %v", err) },
		"replaced":      func(error) error { return errors.New("something went wrong") },
		"1305":          func(error) error { return server(1305) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, attempts := range []int{1, 2} {
				db := pool(t, failing("UPDATE", server(1213)))
				var returned error
				err := sqlcas.RetryTx(t.Context(), db, func(_ context.Context, tx *sql.Tx) error {
					if err := exec("UPDATE")(tx); err != nil {
						returned = remake(err)
						return returned
					}
					return nil
				}, quick, sqlcas.WithMaxAttempts(attempts))
				if attempts == 2 {
					require.NoError(t, err, "the second attempt")
					continue
				}
				require.ErrorIs(t, err, sqlcas.ErrExhausted)
				require.ErrorIs(t, err, server(1213))
				require.ErrorIs(t, err, returned)
			}
		})
	}
}

// Ensures that a lock met by a NOWAIT read is ErrLocked on both kinds of server, not retried, and
// may be handled by the closure; a 1205 of a read that waits is retried (case 30).
func TestNoWaitIsLockedAndNotAborted(t *testing.T) {
	t.Parallel()
	const noWait, waiting = "SELECT 1 FROM a FOR UPDATE NOWAIT", "SELECT 1 FROM a FOR UPDATE"
	for _, number := range []uint16{1205, 3572} {
		err := sqlcas.RetryTx(t.Context(), pool(t, failing(noWait, server(number))),
			func(_ context.Context, tx *sql.Tx) error { return query(noWait)(tx) })
		require.ErrorIs(t, err, sqlcas.ErrLocked)
		require.ErrorIs(t, err, server(number))
		require.NotErrorIs(t, err, sqlcas.ErrExhausted, "it was retried")

		script := failing(noWait, server(number))
		require.NoError(t, sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error {
			_ = query(noWait)(tx)
			return exec("UPDATE b")(tx)
		}))
		require.Equal(t, 1, script.Count("COMMIT"), "a handled NOWAIT forbids the COMMIT")
	}
	err := sqlcas.RetryTx(t.Context(), pool(t, failing(waiting, server(1205), server(1205))),
		func(_ context.Context, tx *sql.Tx) error { return query(waiting)(tx) }, quick, sqlcas.WithMaxAttempts(2))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.ErrorIs(t, err, sqlcas.ErrLocked)
}

// Ensures that a panic goes on after a rollback, and that nothing is left: no connection held, no
// lock for the next writer to meet (case 49).
func TestPanicRollsBackAndGoesOn(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	var r sqlcas.Report
	boom := errors.New("boom")
	require.PanicsWithValue(t, boom, func() {
		_ = sqlcas.RetryTx(t.Context(), db, func(_ context.Context, tx *sql.Tx) error {
			_ = exec("UPDATE")(tx)
			panic(boom)
		}, sqlcas.WithReport(&r))
	})
	require.Equal(t, []string{"BEGIN", "ROLLBACK"}, ends(script))
	require.Zero(t, db.Stats().InUse)
	require.Equal(t, 1, r.Attempts)
}

// Ensures that runtime.Goexit inside the closure, which a test's FailNow calls, rolls back and
// returns the connection (case 49).
func TestGoexitRollsBack(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	done := make(chan struct{})
	returned := false
	go func() {
		defer close(done)
		_ = sqlcas.RetryTx(context.Background(), db, func(_ context.Context, tx *sql.Tx) error {
			_ = exec("UPDATE")(tx)
			runtime.Goexit()
			return nil
		})
		returned = true
	}()
	<-done
	require.False(t, returned, "RetryTx returned, want the goroutine to end")
	require.Equal(t, []string{"BEGIN", "ROLLBACK"}, ends(script))
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a connection lost before the COMMIT is not used again, and that the attempt is run
// again on another.
func TestAConnectionLostBeforeTheCommitIsReplaced(t *testing.T) {
	t.Parallel()
	cut := true
	script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "UPDATE" && cut {
			cut = false
			c.Break()
			return scriptdb.Reply{}, mysql.ErrInvalidConn
		}
		return scriptdb.Reply{}, nil
	})
	db := pool(t, script)
	require.NoError(t, sqlcas.RetryTx(t.Context(), db, func(_ context.Context, tx *sql.Tx) error { return exec("UPDATE")(tx) }, quick))
	require.Equal(t, 2, script.Dialed(), "connections")
	require.Equal(t, 1, script.Closed(), "connections closed")
	require.Equal(t, 1, script.Count("COMMIT"))
}

// Ensures that the isolation asked for reaches the driver, and that the default asks for none.
func TestIsolationReachesTheDriver(t *testing.T) {
	t.Parallel()
	var got []driver.TxOptions
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "BEGIN" {
			got = append(got, st.Options)
		}
		return scriptdb.Reply{}, nil
	})
	db := pool(t, script)
	nothing := func(context.Context, *sql.Tx) error { return nil }
	require.NoError(t, sqlcas.RetryTx(t.Context(), db, nothing))
	require.NoError(t, sqlcas.RetryTx(t.Context(), db, nothing, sqlcas.WithIsolation(sql.LevelReadCommitted)))
	want := []driver.TxOptions{{}, {Isolation: driver.IsolationLevel(sql.LevelReadCommitted)}}
	require.Equal(t, want, got)
}

// Ensures that values an attempt put outside of itself are the closure's own affair, which forced
// conflicts show: the harness runs it again and does not clean up behind it (case 18).
func TestARerunSeesWhatTheClosureLeftOutside(t *testing.T) {
	t.Parallel()
	var lines []string
	runs := 0
	require.NoError(t, sqlcas.RetryTx(t.Context(), pool(t, scriptdb.New(nil)), func(context.Context, *sql.Tx) error {
		lines = append(lines, "line")
		if runs++; runs < 3 {
			return sqlcas.ErrConflict
		}
		return nil
	}, quick))
	require.Len(t, lines, 3, "lines: one of each attempt")
}
