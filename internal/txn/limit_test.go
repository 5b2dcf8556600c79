package txn

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

const lockingRead = "SELECT balance FROM account WHERE id = 42 FOR UPDATE"

// onRead has a function answer the locking read, and everything else succeed.
func (f *fakeServer) onRead(answer scriptdb.Handler) *fakeServer {
	f.handle = func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == lockingRead {
			return answer(ctx, c, st)
		}
		return scriptdb.Reply{Affected: 1}, nil
	}
	return f
}

// waitsForKill is a locking read that waits until it is killed.
func (f *fakeServer) waitsForKill() *fakeServer {
	return f.onRead(func(ctx context.Context, c *scriptdb.Conn, _ scriptdb.Statement) (scriptdb.Reply, error) {
		for f.count("KILL QUERY 101") == 0 {
			if ctx.Err() != nil {
				c.Break()
				return scriptdb.Reply{}, ctx.Err()
			}
			time.Sleep(time.Millisecond) // a server's wait, which polls
		}
		return scriptdb.Reply{}, server(1317)
	})
}

// limited runs the locking read in a transaction of its own.
func limited(ctx context.Context, t *testing.T, db *sql.DB, limit time.Duration) error {
	t.Helper()
	tx := begin(t, db)
	defer func() { _ = tx.Rollback() }()
	return Limited(ctx, db, tx, limit, func(ctx context.Context) error {
		_, err := tx.ExecContext(ctx, lockingRead)
		return err
	})
}

// Ensures that a read which is in time is left alone.
func TestAReadWithinItsLimit(t *testing.T) {
	t.Parallel()
	f := newServer()
	script := f.committing(mysqlVersion)
	require.NoError(t, limited(t.Context(), t, pool(t, script), time.Minute))
	require.Zero(t, script.Count("KILL"))
	require.Equal(t, 1, script.Dialed())
}

// Ensures that a read which has waited for its limit is ended, and that the error says so and carries
// what the statement ended with; its connection is kept.
func TestAReadBeyondItsLimit(t *testing.T) {
	t.Parallel()
	f := newServer().waitsForKill()
	script := f.committing(mysqlVersion)
	const limit = 20 * time.Millisecond
	start := time.Now()
	err := limited(t.Context(), t, pool(t, script), limit)
	require.GreaterOrEqual(t, time.Since(start), limit)
	var tooLong *TooLongError
	require.ErrorAs(t, err, &tooLong)
	require.Equal(t, limit, tooLong.Limit)
	require.Equal(t, server(1317), tooLong.Cause)
	require.Zero(t, script.Closed())
}

// Ensures that a read which cannot be ended is left by closing its connection, and that this is the limit's
// doing and not an end of the caller's context.
func TestAReadThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	f := newServer().waitsForKill()
	db := pool(t, f.committing(mysqlVersion))
	db.SetMaxOpenConns(1) // the read's own
	err := limited(t.Context(), t, db, 20*time.Millisecond)
	var tooLong *TooLongError
	require.ErrorAs(t, err, &tooLong)
	require.NotErrorIs(t, err, context.Canceled)
	rests(t, db)
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a read which was served when the KILL had been sent is refused: the KILL might meet
// the next statement.
func TestAReadThatIsServedAtTheLastMoment(t *testing.T) {
	t.Parallel()
	f := newServer()
	f.onRead(func(context.Context, *scriptdb.Conn, scriptdb.Statement) (scriptdb.Reply, error) {
		for f.count("KILL QUERY 101") == 0 {
			time.Sleep(time.Millisecond) // a server's wait, which polls
		}
		return scriptdb.Reply{Affected: 1}, nil
	})
	err := limited(t.Context(), t, pool(t, f.committing(mysqlVersion)), 20*time.Millisecond)
	var tooLong *TooLongError
	require.ErrorAs(t, err, &tooLong)
	require.NoError(t, tooLong.Cause)
}

// Ensures that a caller whose context ends before the limit gets that for an answer.
func TestTheCallersContextComesBeforeTheLimit(t *testing.T) {
	t.Parallel()
	f := newServer().waitsForKill()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := limited(ctx, t, pool(t, f.committing(mysqlVersion)), time.Minute)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var tooLong *TooLongError
	require.False(t, errors.As(err, &tooLong), err)
	require.Zero(t, f.count("KILL QUERY 101"))
}

// Ensures that on a database without session numbers the read is run as it is.
func TestALimitThatNobodyCanKeep(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == identityQuery {
			return scriptdb.Reply{}, server(1305)
		}
		time.Sleep(5 * time.Millisecond) // longer than the limit
		return scriptdb.Reply{Affected: 1}, nil
	})
	require.NoError(t, limited(t.Context(), t, pool(t, script), time.Millisecond))
}

// Ensures that inside of a runner's transaction the session is known and not asked for.
func TestALimitInARunnersTransaction(t *testing.T) {
	t.Parallel()
	f := newServer().waitsForKill()
	db := pool(t, f.committing(mysqlVersion))
	res := Run(t.Context(), db, defaults(), func(ctx context.Context, tx *sql.Tx) error {
		asked := f.count("identity")
		err := Limited(ctx, db, tx, 20*time.Millisecond, func(ctx context.Context) error {
			_, err := tx.ExecContext(ctx, lockingRead)
			return err
		})
		require.Equal(t, asked+1, f.count("identity"), "the connection that kills has one as well")
		return err
	})
	var tooLong *TooLongError
	require.ErrorAs(t, res.Err, &tooLong)
	require.Equal(t, NotApplied, res.Outcome)
	rests(t, db)
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a read that panics leaves nobody behind who kills its session later, when it is
// somebody else's.
func TestAReadThatPanics(t *testing.T) {
	t.Parallel()
	f := newServer()
	script := f.committing(mysqlVersion)
	db := pool(t, script)
	tx := begin(t, db)
	require.Panics(t, func() {
		_ = Limited(t.Context(), db, tx, time.Minute, func(context.Context) error { panic("in the read") })
	})
	require.NoError(t, tx.Rollback())
	rests(t, db)
	time.Sleep(2 * longestPatience) // nothing is to happen
	require.Zero(t, script.Count("KILL"), "killed: %q", script.Log())
}
