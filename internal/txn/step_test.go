package txn

import (
	"context"
	"database/sql/driver"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

const stepRead = "SELECT balance FROM account WHERE id = 42"

// funcStep is a Step of functions. The one of compute may be nil.
type funcStep struct {
	read, write func(ctx context.Context, db DBTX) error
	compute     func() error
	unmoved     func(ctx context.Context, db DBTX) (bool, error)
}

func (s *funcStep) Read(ctx context.Context, db DBTX) error  { return s.read(ctx, db) }
func (s *funcStep) Write(ctx context.Context, db DBTX) error { return s.write(ctx, db) }

func (s *funcStep) Unmoved(ctx context.Context, db DBTX) (bool, error) { return s.unmoved(ctx, db) }

func (s *funcStep) Compute() error {
	if s.compute == nil {
		return nil
	}
	return s.compute()
}

// swapStep reads and swaps, and takes the row for unmoved if unmoved says so.
func swapStep(unmoved bool) *funcStep {
	return &funcStep{
		read: func(ctx context.Context, db DBTX) error {
			_, err := db.ExecContext(ctx, stepRead)
			return err
		},
		write: func(ctx context.Context, db DBTX) error {
			_, err := db.ExecContext(ctx, swapUpdate, int64(70), int64(42), int64(7))
			return err
		},
		unmoved: func(ctx context.Context, db DBTX) (bool, error) {
			_, err := db.ExecContext(ctx, "SELECT version FROM account WHERE id = 42")
			return unmoved, err
		},
	}
}

// onSwap has a function answer the swap, and everything else succeed.
func (f *fakeServer) onSwap(answer scriptdb.Handler) *fakeServer {
	f.handle = func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == swapUpdate {
			return answer(ctx, c, st)
		}
		return scriptdb.Reply{Affected: 1}, nil
	}
	return f
}

// killable makes a swap that waits for a lock until a KILL QUERY of session 101 has come, and then ends
// as ended says.
func (f *fakeServer) killable(ended func(ctx context.Context) (scriptdb.Reply, error)) *fakeServer {
	return f.onSwap(func(ctx context.Context, _ *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
		for f.count("KILL QUERY 101") == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond) // a server's wait, which polls
		}
		return ended(ctx)
	})
}

// Ensures that a step is two statements on one connection, without a transaction, and that a caller who
// cannot leave has nobody stand beside it.
func TestAStepIsTwoStatementsOnOneConnection(t *testing.T) {
	t.Parallel()
	f := newServer()
	script := f.committing(mysqlVersion)
	db := pool(t, script)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, ctx := range []context.Context{ctx, context.Background()} {
		require.Equal(t, Result{Outcome: Committed}, RunStep(ctx, db, defaults(), swapStep(true)))
	}
	require.Equal(t, []string{identityQuery, stepRead, swapUpdate, stepRead, swapUpdate}, script.Log())
	require.Equal(t, 1, script.Dialed())
	rests(t, db)
	require.Zero(t, db.Stats().InUse)
}

// Ensures that the user's part runs between the two statements, that its error is its own, and that
// nothing is written after it or after the end of the context: the swap of a caller who has left would
// only have to be ended.
func TestAStepThatIsNotWritten(t *testing.T) {
	t.Parallel()
	refused := errors.New("insufficient funds")
	ctx, cancel := context.WithCancel(t.Context())
	for want, compute := range map[error]func() error{
		refused: func() error { return refused },
		context.Canceled: func() error {
			cancel()
			return nil
		},
	} {
		script := newServer().committing(mysqlVersion)
		db := pool(t, script)
		s := swapStep(true)
		s.compute = compute
		res := RunStep(ctx, db, defaults(), s)
		require.Equal(t, NotApplied, res.Outcome)
		require.True(t, res.FromClosure)
		require.Equal(t, want, res.Err)
		require.Zero(t, script.Count(swapUpdate))
		require.Zero(t, script.Count("KILL"))
		rests(t, db)
		require.Zero(t, db.Stats().InUse)
		ctx, cancel = context.WithCancel(t.Context())
	}
	cancel()
}

// Ensures that where a statement does not commit itself, or nobody could end it from outside, the step
// is a transaction.
func TestAStepIsATransactionWhereItMustBe(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]*scriptdb.Script{
		"autocommit is off": newServer().script(), // it has no column for it, and so it is 0
		"no identity": scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
			if st.Query == identityQuery {
				return scriptdb.Reply{}, server(1305)
			}
			return scriptdb.Reply{Affected: 1}, nil
		}),
	} {
		db := pool(t, script)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		require.Equal(t, Result{Outcome: Committed}, RunStep(ctx, db, defaults(), swapStep(true)), name)
		log := slices.DeleteFunc(script.Log(), func(s string) bool { return s == identityQuery })
		require.Equal(t, []string{"BEGIN", stepRead, swapUpdate, "COMMIT"}, log, name)
		rests(t, db)
		require.Zero(t, db.Stats().InUse, name)
	}
}

// Ensures that a connection which turns out to be dead before a statement was answered on it is replaced, a
// few times, and that one which dies under the swap is not: the swap may have been applied.
func TestAStepOnADeadConnection(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		query string // the statement that meets the dead connection
		dead  int    // so many of them
		want  Outcome
		err   error
		swaps int
	}{
		"identity, once":     {identityQuery, 1, Committed, nil, 1},
		"read, twice":        {stepRead, beginTries - 1, Committed, nil, 1},
		"read, all the time": {stepRead, beginTries, NotApplied, driver.ErrBadConn, 0},
		"swap":               {swapUpdate, 1, Unknown, driver.ErrBadConn, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alive := newServer().commits(mysqlVersion)
			var met atomic.Int32
			script := scriptdb.New(func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
				if st.Query == tc.query && int(met.Add(1)) <= tc.dead {
					c.Break()
					return scriptdb.Reply{}, driver.ErrBadConn
				}
				return alive(ctx, c, st)
			})
			db := pool(t, script)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			res := RunStep(ctx, db, defaults(), swapStep(false))
			require.Equal(t, tc.want, res.Outcome, res.Err)
			require.ErrorIs(t, res.Err, tc.err)
			require.Equal(t, tc.swaps, script.Count(swapUpdate), "swaps sent")
			rests(t, db)
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// Ensures that the swap's context carries the caller's values and does not end with it: a driver would
// leave, and the swap would be applied behind its back.
func TestTheSwapDoesNotEndWithItsCaller(t *testing.T) {
	t.Parallel()
	type key struct{}
	f := newServer()
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	s := swapStep(true)
	write := s.write
	s.write = func(own context.Context, db DBTX) error {
		cancel()
		require.NoError(t, own.Err())
		require.Equal(t, "value", own.Value(key{}))
		_, limited := own.Deadline()
		require.False(t, limited, "deadline")
		return write(own, db)
	}
	res := RunStep(ctx, pool(t, f.committing(mysqlVersion)), defaults(), s)
	require.Equal(t, Result{Outcome: Committed}, res, "the swap was answered, and its caller may as well know")
}

// Ensures that a swap which waits for a lock when its context ends is ended by KILL QUERY, that it is
// then the context's error and certainly not applied, and that the connection is kept.
func TestASwapThatWaitsIsEnded(t *testing.T) {
	t.Parallel()
	f := newServer().killable(func(context.Context) (scriptdb.Reply, error) { return scriptdb.Reply{}, server(1317) })
	script := f.committing(mysqlVersion)
	db := pool(t, script)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	res := RunStep(ctx, db, defaults(), swapStep(false))
	require.ErrorIs(t, res.Err, context.DeadlineExceeded)
	res.Err = context.DeadlineExceeded
	require.Equal(t, Result{Err: context.DeadlineExceeded, FromClosure: true, Class: mysqlerr.Context}, res)
	require.Zero(t, f.count("KILL 101"), "the session itself is not to end")
	require.Zero(t, script.Closed())
	rests(t, db)
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a KILL QUERY which the swap was faster than is taken up on its connection before that
// goes back to the pool, and that the swap's answer holds, whatever it is.
func TestALateKillIsTakenUp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want Result
	}{
		"applied":  {nil, Result{Outcome: Committed}},
		"deadlock": {server(1213), Result{Err: server(1213), FromClosure: true, Class: mysqlerr.Deadlock}},
	} {
		f := newServer().killable(func(context.Context) (scriptdb.Reply, error) {
			return scriptdb.Reply{Affected: 1}, tc.err
		})
		script := f.committing(mysqlVersion)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		res := RunStep(ctx, pool(t, script), defaults(), swapStep(false))
		cancel()
		require.Equal(t, tc.want, res, name)
		log := script.Log()
		require.Equal(t, "DO 0", log[len(log)-1], "%s: %q", name, log)
		require.Zero(t, f.count("KILL 101"), name)
	}
}

// Ensures that an interrupted swap whose caller still waits was interrupted by somebody else, whose
// business it is: the error is returned as it is.
func TestASwapThatSomebodyElseHasKilled(t *testing.T) {
	t.Parallel()
	f := newServer().onSwap(func(context.Context, *scriptdb.Conn, scriptdb.Statement) (scriptdb.Reply, error) {
		return scriptdb.Reply{}, server(1317)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := RunStep(ctx, pool(t, f.committing(mysqlVersion)), defaults(), swapStep(true))
	require.Equal(t, Result{Err: server(1317), FromClosure: true, Class: mysqlerr.Interrupted}, res)
}

// Ensures that a panic and Goexit, of the closure or of a table's functions, release the connection, and
// that nothing is killed afterwards: the session is somebody else's by then.
func TestAStepThatUnwinds(t *testing.T) {
	t.Parallel()
	for name, unwind := range map[string]func(){
		"panic":  func() { panic("in the step") },
		"Goexit": runtime.Goexit,
	} {
		for _, where := range []string{"read", "write"} {
			t.Run(name+" in "+where, func(t *testing.T) {
				t.Parallel()
				f := newServer()
				script := f.committing(mysqlVersion)
				db := pool(t, script)
				s := swapStep(true)
				stop := func(context.Context, DBTX) error {
					unwind()
					return nil
				}
				if where == "read" {
					s.read = stop
				} else {
					s.write = stop
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan any)
				go func() {
					defer close(ended)
					defer func() { _ = recover() }()
					RunStep(ctx, db, defaults(), s)
					t.Error("RunStep has returned")
				}()
				<-ended
				rests(t, db)
				require.Zero(t, db.Stats().InUse)
				cancel() // as a caller's defer does
				rests(t, db)
				time.Sleep(2 * longestPatience) // nothing is to happen
				require.Zero(t, script.Count("KILL"), "killed: %q", script.Log())
			})
		}
	}
}
