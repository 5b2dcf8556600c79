package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// loses makes the swap's connection break under it.
func (f *fakeServer) loses(err error) *fakeServer {
	return f.onSwap(func(_ context.Context, c *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
		c.Break()
		return scriptdb.Reply{}, err
	})
}

// Ensures that after a lost swap its session is killed, that its end is waited for, and that only then the
// row is looked at: a session that was killed may still be committing.
func TestALostSwapIsLookedUpWhenItsSessionHasEnded(t *testing.T) {
	t.Parallel()
	f := newServer().loses(mysql.ErrInvalidConn)
	f.stays()
	script := scriptdb.New(f.until(3, func() { f.sessions = nil }))
	db := pool(t, script)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := RunStep(ctx, db, defaults(), swapStep(true))
	require.Equal(t, Result{Err: mysql.ErrInvalidConn, Abort: mysql.ErrInvalidConn, Class: mysqlerr.Lost}, res)
	log := script.Log()
	kill := slices.Index(log, "KILL 101")
	require.Positive(t, kill)
	polls := func(s string) bool { return strings.HasPrefix(s, "SELECT HOST FROM information_schema.PROCESSLIST") }
	require.Equal(t, []string{"START TRANSACTION", "SELECT version FROM account WHERE id = 42", "ROLLBACK"},
		slices.DeleteFunc(log[kill+1:], polls), "after the KILL")
	require.GreaterOrEqual(t, f.count("host"), 3, "looks whether the session has ended")
	require.Equal(t, 1, script.Closed(), "the lost connection")
	rests(t, db)
	require.Zero(t, db.Stats().InUse)
}

// stays has the server list the session of a lost connection as if nothing had ended it.
func (f *fakeServer) stays() {
	const addr = "10.0.0.7:50123"
	f.host, f.sessions = addr, [][]driver.Value{{addr}}
}

// until does something before the n-th question for the session's address is answered.
func (f *fakeServer) until(n int, then func()) scriptdb.Handler {
	answer := f.commits(mysqlVersion)
	return func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if strings.HasPrefix(st.Query, "SELECT HOST FROM") {
			f.mu.Lock()
			if f.asked["host"] == n-1 {
				then()
			}
			f.mu.Unlock()
		}
		return answer(ctx, c, st)
	}
}

// Ensures that a lost swap stays unknown wherever something is missing from the proof that it was not
// applied, and that it is never called a failure.
func TestALostSwapStaysUnknown(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(*fakeServer)
		unmoved bool
		looks   int
	}{
		"the row has moved":       {func(*fakeServer) {}, false, 1},
		"the KILL is refused":     {func(f *fakeServer) { f.kill = server(1095) }, true, 0},
		"the session does not go": {(*fakeServer).stays, true, 0},
		"another server answers": {func(f *fakeServer) {
			f.onSwap(func(_ context.Context, c *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
				f.mu.Lock()
				f.name = "other:3306:2"
				f.mu.Unlock()
				c.Break()
				return scriptdb.Reply{}, mysql.ErrInvalidConn
			})
		}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newServer().loses(mysql.ErrInvalidConn)
			tc.prepare(f)
			script := f.committing(mysqlVersion)
			db := pool(t, script)
			s := defaults()
			s.CommitTimeout = time.Millisecond // killBound is more
			res := RunStep(t.Context(), db, s, swapStep(tc.unmoved))
			require.Equal(t, Unknown, res.Outcome)
			require.ErrorIs(t, res.Err, mysql.ErrInvalidConn)
			require.Equal(t, mysqlerr.Lost, res.Class)
			require.Equal(t, tc.looks, script.Count("SELECT version FROM account"), "looks at the row")
			if name == "another server answers" {
				require.Zero(t, script.Count("KILL"), "somebody else's session was killed")
			}
			rests(t, db)
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// Ensures that a look at the row which fails proves nothing.
func TestALookThatFailsProvesNothing(t *testing.T) {
	t.Parallel()
	f := newServer().loses(mysql.ErrInvalidConn)
	s := swapStep(true)
	broken := errors.New("the look failed")
	s.unmoved = func(context.Context, DBTX) (bool, error) { return true, broken }
	res := RunStep(t.Context(), pool(t, f.committing(mysqlVersion)), defaults(), s)
	require.Equal(t, Unknown, res.Outcome)
	require.ErrorIs(t, res.Err, broken)
}

// Ensures that every error by which a driver says that it could not read the server's answer, or the
// Store that it cannot judge it, is doubt, and not a failure: the server may have carried the swap out.
func TestAnAnswerThatCannotBeReadIsDoubt(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		mysql.ErrInvalidConn, mysql.ErrMalformPkt, mysql.ErrPktSync, mysql.ErrPktSyncMul,
		driver.ErrBadConn, io.ErrUnexpectedEOF, io.ErrShortWrite,
		&InDoubtError{errors.New("no count of affected rows")},
	} {
		f := newServer().loses(err)
		res := RunStep(t.Context(), pool(t, f.committing(mysqlVersion)), defaults(), swapStep(false))
		if res.Outcome != Unknown {
			t.Errorf("%v: got outcome %d, want unknown", err, res.Outcome)
		}
		require.ErrorIs(t, res.Err, err)
	}
}

// Ensures that the swap of a caller who has left, and which nobody can end, is given up in bounded time; that
// its session is then ended and its row looked at; and that what this cannot tell is unknown and
// never a failure.
func TestASwapThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	for unmoved, want := range map[bool]Outcome{true: NotApplied, false: Unknown} {
		f := newServer().onSwap(func(ctx context.Context, c *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
			<-ctx.Done() // the KILL QUERY has no effect
			c.Break()
			return scriptdb.Reply{}, ctx.Err()
		})
		script := f.committing(mysqlVersion)
		db := pool(t, script)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		start := time.Now()
		res := RunStep(ctx, db, defaults(), swapStep(unmoved))
		cancel()
		require.Equal(t, want, res.Outcome, res.Err)
		require.Less(t, time.Since(start), answerBound+killBound)
		require.Equal(t, 1, f.count("KILL 101"))
		rests(t, db)
		require.Zero(t, db.Stats().InUse)
	}
}

// Ensures that an answer which has come is believed, whatever had become of the KILL by then: an applied
// swap is a success, and one that has lost a conflict.
func TestAnAnswerThatComesAfterAllIsBelieved(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer error
		want   Outcome
	}{
		"applied":  {nil, Committed},
		"deadlock": {server(1213), NotApplied},
	} {
		f := newServer().onSwap(func(ctx context.Context, _ *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
			<-ctx.Done() // the answer and the sentry's end of patience come together
			return scriptdb.Reply{Affected: 1}, tc.answer
		})
		f.kill = server(1095)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		res := RunStep(ctx, pool(t, f.committing(mysqlVersion)), defaults(), swapStep(false))
		cancel()
		if res.Outcome != tc.want {
			t.Errorf("%s: got outcome %d, %v; want %d", name, res.Outcome, res.Err, tc.want)
		}
	}
}

// Ensures that a session which could not be ended while its caller waited for that, because the pool was
// full, is ended when there is a connection: it waits for its row, and would go on doing so for as
// long as the server lets it, beyond what the pool is allowed.
func TestASessionThatIsLeftIsEndedLater(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(ctx context.Context, db *sql.DB) Result{
		"step": func(ctx context.Context, db *sql.DB) Result { return RunStep(ctx, db, defaults(), swapStep(true)) },
		"transaction": func(ctx context.Context, db *sql.DB) Result {
			return Run(ctx, db, defaults(), func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, swapUpdate, int64(70), int64(42), int64(7))
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := make(chan *sql.Conn, 1)
			var db *sql.DB
			ctx, cancel := context.WithCancel(t.Context())
			f := newServer().onSwap(func(own context.Context, c *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
				waiting := db.Stats().WaitCount
				go func() {
					conn, _ := db.Conn(context.Background()) // the next caller, who keeps it for long
					taken <- conn
				}()
				for db.Stats().WaitCount == waiting {
					runtime.Gosched()
				}
				cancel()
				<-own.Done()
				c.Break()
				return scriptdb.Reply{}, own.Err()
			})
			db = pool(t, f.committing(mysqlVersion))
			db.SetMaxOpenConns(1)
			run(ctx, db)
			require.NoError(t, (<-taken).Close())
			require.Eventually(t, func() bool { return f.count("KILL 101") == 1 }, 5*time.Second, time.Millisecond,
				"the session stays on the server")
			rests(t, db)
		})
	}
}

// Ensures the same where the KILL was under way when the time for it was over.
func TestAKillThatTakesTooLongIsSentAgain(t *testing.T) {
	t.Parallel()
	f := newServer().onSwap(func(own context.Context, c *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
		<-own.Done()
		c.Break()
		return scriptdb.Reply{}, own.Err()
	})
	answer, asked := f.commits(mysqlVersion), atomic.Int32{}
	db := pool(t, scriptdb.New(func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if strings.HasPrefix(st.Query, "SHOW GLOBAL STATUS") && asked.Add(1) == 1 {
			<-ctx.Done() // a server that is too busy
			c.Break()
			return scriptdb.Reply{}, ctx.Err()
		}
		return answer(ctx, c, st)
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	res := Run(ctx, db, defaults(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, swapUpdate, int64(70), int64(42), int64(7))
		return err
	})
	require.Equal(t, NotApplied, res.Outcome)
	require.Eventually(t, func() bool { return f.count("KILL 101") == 1 }, 5*time.Second, time.Millisecond,
		"the session stays on the server")
	rests(t, db)
}
