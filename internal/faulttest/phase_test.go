package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// atEnd is an Observer that does something after each attempt.
type atEnd func(sqlcas.AttemptEnd)

func (f atEnd) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context {
	return ctx
}
func (f atEnd) AttemptEnd(_ context.Context, e sqlcas.AttemptEnd) { f(e) }
func (f atEnd) CallEnd(context.Context, sqlcas.CallEnd)           {}

// conflict is a closure that writes and then says that it has lost.
func conflict(ctx context.Context, tx *sql.Tx) error {
	if err := take(ctx, tx, 1); err != nil {
		return err
	}
	return sqlcas.ErrConflict
}

// soon ends a measured call: it returned promptly, wrote nothing, and left nothing.
func (r *rig) soon(t *testing.T, start time.Time, db *sql.DB) {
	t.Helper()
	if took := time.Since(start); took > slack {
		t.Errorf("took %v, want well below %v", took, slack)
	}
	assertIdle(t, db)
	r.assertUnlocked(t)
	require.Zero(t, r.swaps(t, 1), "swaps")
}

// Ensures that a context which ends while the call waits for a connection ends the call, and that
// the error still tells of the conflict that made a second attempt necessary (case 84).
func TestContextEndsWhileWaitingForAConnection(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		db.SetMaxOpenConns(1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		var taken *sql.Conn
		err := optimistic.UpdateTx(ctx, db, conflict, sqlcas.WithDelays(1, 1),
			sqlcas.WithObserver(atEnd(func(e sqlcas.AttemptEnd) {
				if e.Attempt > 1 {
					return
				}
				var err error
				taken, err = db.Conn(t.Context()) // the second attempt will find none
				require.NoError(t, err)
				time.AfterFunc(50*time.Millisecond, cancel)
			})))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.NoError(t, taken.Close())
		r.soon(t, start, db)
	})
}

// Ensures that a context which ends in the queue for a key ends the call before any SQL.
func TestContextEndsInTheQueue(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		type key struct{ server string }
		turn := optimistic.WithKey(key{s.Name})
		inside, leave := make(chan struct{}), make(chan struct{})
		first := make(chan error, 1)
		go func() {
			first <- optimistic.Update(t.Context(), func(context.Context) (int64, error) {
				close(inside)
				<-leave
				return 1, nil
			}, turn)
		}()
		<-inside
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := optimistic.UpdateTx(ctx, db, func(context.Context, *sql.Tx) error {
			t.Error("the closure ran out of its turn")
			return nil
		}, turn)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		r.soon(t, start, db)
		close(leave)
		require.NoError(t, <-first)
		require.Zero(t, db.Stats().OpenConnections, "connections of a call that never had its turn")
	})
}

// Ensures that a context which ends during a statement ends the call with its error, kills what
// still runs, and leaves nothing.
func TestContextEndsDuringAStatement(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			if err := take(ctx, tx, 1); err != nil {
				return err
			}
			time.AfterFunc(20*time.Millisecond, cancel)
			_, err := tx.ExecContext(ctx, "DO SLEEP(30)")
			return err
		})
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		r.soon(t, start, db)
		eventually(t, lockGrace, "the statement no longer runs", func() bool {
			return r.number(t, "SELECT COUNT(*) FROM information_schema.PROCESSLIST "+
				"WHERE DB = DATABASE() AND INFO LIKE 'DO SLEEP%'") == 0
		})
	})
}

// Ensures that a context which ends between two statements, or after the last one, ends the call
// with its error whatever the closure does then, and nothing is committed.
func TestContextEndsBetweenStatements(t *testing.T) {
	t.Parallel()
	mine := errors.New("the closure's own")
	after := map[string]func(context.Context, *sql.Tx) error{
		"returns nil": func(context.Context, *sql.Tx) error { return nil },
		"goes on":     func(ctx context.Context, tx *sql.Tx) error { return take(ctx, tx, 2) },
		"goes on without ctx": func(ctx context.Context, tx *sql.Tx) error {
			return take(context.WithoutCancel(ctx), tx, 2)
		},
		"hides it": func(ctx context.Context, tx *sql.Tx) error {
			_ = take(ctx, tx, 2)
			return nil
		},
		"returns its own":    func(context.Context, *sql.Tx) error { return mine },
		"returns a conflict": func(context.Context, *sql.Tx) error { return sqlcas.ErrConflict },
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 2)
		db := open(t, dial(t, r.cfg))
		for name, then := range after {
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			err := optimistic.UpdateTx(ctx, db, func(_ context.Context, tx *sql.Tx) error {
				if err := take(ctx, tx, 1); err != nil {
					return err
				}
				cancel()
				return then(ctx, tx)
			})
			want := context.Canceled
			if name == "returns its own" {
				want = mine
			}
			require.ErrorIs(t, err, want, name)
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown, name)
			r.soon(t, start, db)
			require.Zero(t, r.swaps(t, 2), name)
		}
	})
}

// Ensures that a context which ends in the pause between two attempts ends the pause, and that the
// error tells of both; and that no pause is begun which the deadline would cut (case 84).
func TestContextEndsWhileSleeping(t *testing.T) {
	t.Parallel()
	long := sqlcas.WithBackOff(constant(time.Minute))
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		watch := atEnd(func(e sqlcas.AttemptEnd) {
			if e.RetryIn <= 0 {
				t.Errorf("pause: got %v, want a minute", e.RetryIn)
			}
			r.assertUnlocked(t) // no lock is held during the pause
			time.AfterFunc(20*time.Millisecond, cancel)
		})
		err := optimistic.UpdateTx(ctx, db, conflict, long, sqlcas.WithObserver(watch))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		r.soon(t, start, db)

		ctx, cancel = context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		start = time.Now()
		err = optimistic.UpdateTx(ctx, db, conflict, long)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		r.soon(t, start, db)
	})
}

// Ensures that a context which ends during BEGIN, or between BEGIN and the closure, ends the call
// and leaves no transaction open.
func TestContextEndsDuringBegin(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, sent := range []bool{false, true} {
			r := newRig(t, s, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			db := open(t, &script{
				Connector: dial(t, r.cfg),
				begin: func(send func() (driver.Tx, error)) (driver.Tx, error) {
					if !sent {
						cancel()
					}
					tx, err := send()
					cancel()
					return tx, err
				},
			})
			start := time.Now()
			err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
				return take(ctx, tx, 1)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
			r.soon(t, start, db)
		}
	})
}

// lateContext says its deadline and ends a while after it, as a context does whose timer is late.
type lateContext struct {
	context.Context
	deadline time.Time
}

func (c lateContext) Deadline() (time.Time, bool) { return c.deadline, true }

// lateDial is a connector whose dials end at the deadline, as the net package's do.
type lateDial struct{ driver.Connector }

func (d lateDial) Connect(ctx context.Context) (driver.Conn, error) {
	deadline, _ := ctx.Deadline()
	for time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
}

// Ensures that a dial which the context's deadline ends is the context's error, although the
// dialler says "i/o timeout" and says so before the context has ended.
func TestDeadlineEndsADial(t *testing.T) {
	t.Parallel()
	connector, err := mysql.NewConnector(mysql.NewConfig())
	require.NoError(t, err)
	db := open(t, lateDial{connector})
	start := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), start.Add(100*time.Millisecond))
	defer cancel()
	late := lateContext{ctx, start.Add(20 * time.Millisecond)}
	err = optimistic.UpdateTx(late, db, func(context.Context, *sql.Tx) error { return nil })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
}
