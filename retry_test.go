package sqlcas_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// Ensures that an attempt that affects one row is the only one.
func TestRetryStopsAtTheFirstSuccess(t *testing.T) {
	t.Parallel()
	calls := 0
	require.NoError(t, sqlcas.Retry(t.Context(), answers(&calls, won)))
	require.Equal(t, 1, calls, "attempts")
}

// Ensures that what means "another writer was faster" or "the server chose a victim" is run again,
// by number and through every way of wrapping, never by text (cases 11, 27, 53, 56).
func TestRetryRunsAgainWhatMayStillSucceed(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]answer{
		"no row affected":         lost,
		"ErrConflict":             {err: sqlcas.ErrConflict},
		"ErrConflict wrapped":     {err: fmt.Errorf("deduct: %w", sqlcas.ErrConflict)},
		"1020, MariaDB's shape":   {err: server(1020)},
		"1213":                    {err: server(1213)},
		"1205":                    {err: server(1205)},
		"3101":                    {err: server(3101)},
		"1213 wrapped by %w":      {err: fmt.Errorf("deduct: %w", server(1213))},
		"1205 wrapped twice":      {err: fmt.Errorf("a: %w", fmt.Errorf("b: %w", server(1205)))},
		"1213 under errors.Join":  {err: errors.Join(errors.New("deduct failed"), server(1213))},
		"1020 in a type of users": {err: manyErrors{errors.New("other"), server(1020)}},
		"rows count besides":      {affected: 1, err: server(1213)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				require.NoError(t, sqlcas.Retry(t.Context(), answers(&calls, first, won)))
				require.Equal(t, 2, calls, "attempts")
			})
		})
	}
}

// manyErrors is a user's error with several causes.
type manyErrors []error

func (m manyErrors) Error() string   { return "several things went wrong" }
func (m manyErrors) Unwrap() []error { return m }

// Ensures that every other error of the closure comes back as the very value it is, after one
// attempt: a lost cause by type, by number, and one whose deadlock is flattened into text (case 27).
func TestRetryReturnsOtherErrorsAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"the caller's own":      errors.New("insufficient funds"),
		"duplicate key 1062":    server(1062),
		"foreign key 1452":      server(1452),
		"out of range 1264":     server(1264),
		"interrupted 1317":      server(1317),
		"timed out 3024":        server(3024),
		"1213 flattened by %v":  fmt.Errorf("deduct: %v", server(1213)),
		"a conflict made final": fmt.Errorf("deduct: %w", sqlcas.Permanent(sqlcas.ErrConflict)),
		"a refused dial":        &net.OpError{Op: "dial", Err: errors.New("refused")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			got := sqlcas.Retry(t.Context(), answers(&calls, answer{err: err}, won))
			if got != err { // the same value is what is promised
				t.Errorf("got error %v, want the very value %v", got, err)
			}
			require.Equal(t, 1, calls, "attempts")
		})
	}
}

// Ensures that Permanent stops the retries of an error that would be retried, that the caller gets
// that error without the mark, and that Permanent(nil) is nil.
func TestPermanentIsTakenOffAndNotRetried(t *testing.T) {
	t.Parallel()
	require.NoError(t, sqlcas.Permanent(nil))
	deadlock := server(1213)
	calls := 0
	got := sqlcas.Retry(t.Context(), answers(&calls, answer{err: sqlcas.Permanent(deadlock)}, won))
	require.Equal(t, 1, calls, "attempts")
	if got != error(deadlock) { // the same value is what is promised
		t.Errorf("got %T %v, want the error that was marked", got, got)
	}
	require.ErrorIs(t, sqlcas.Permanent(sqlcas.ErrConflict), sqlcas.ErrConflict, "the mark hides nothing")
	require.EqualError(t, sqlcas.Permanent(errors.New("no use")), "no use", "the mark adds no text")
}

// Ensures that a count above one is ErrTooManyRows, a negative one an error of its own, and that
// neither is tried again.
func TestRetryRefusesCountsThatAreNoSwap(t *testing.T) {
	t.Parallel()
	calls := 0
	err := sqlcas.Retry(t.Context(), answers(&calls, answer{affected: 3}, won))
	require.ErrorIs(t, err, sqlcas.ErrTooManyRows)
	require.ErrorContains(t, err, "3 rows")

	err = sqlcas.Retry(t.Context(), answers(&calls, answer{}, answer{affected: -1}, won))
	require.ErrorIs(t, err, sqlcas.ErrNoRowCount)
	require.ErrorContains(t, err, "-1")
	require.NotErrorIs(t, err, sqlcas.ErrConflict)
	require.Equal(t, 2, calls, "attempts of both calls")
}

// Ensures One's table: the count decides, and an error comes back as it is whatever the count.
func TestOneDecidesByCount(t *testing.T) {
	t.Parallel()
	require.NoError(t, sqlcas.One(1, nil))
	require.Equal(t, sqlcas.ErrConflict, sqlcas.One(0, nil))
	require.ErrorIs(t, sqlcas.One(2, nil), sqlcas.ErrTooManyRows)
	require.Error(t, sqlcas.One(-1, nil))
	boom := errors.New("boom")
	for _, n := range []int64{-1, 0, 1, 2} {
		if got := sqlcas.One(n, boom); got != boom { // the same value
			t.Errorf("One(%d, boom): got %v, want boom itself", n, got)
		}
	}
}

// Ensures that the INSERT of a row that has come since is a conflict, on the primary key alone, as MySQL
// and MariaDB word it.
func TestInsertedDecidesByThePrimaryKey(t *testing.T) {
	t.Parallel()
	require.NoError(t, sqlcas.Inserted(nil))
	for message, conflict := range map[string]bool{
		"Duplicate entry 'x' for key 'coupon.PRIMARY'":       true,
		"Duplicate entry 'x' for key 'PRIMARY'":              true,
		"Duplicate entry 'x' for key 'coupon.by_code'":       false,
		"Duplicate entry 'PRIMARY' for key 'coupon.by_code'": false,
		"Duplicate entry 'x' for key 'NOT_PRIMARY'":          false,
	} {
		err := fmt.Errorf("insert: %w", &mysql.MySQLError{Number: 1062, Message: message})
		got := sqlcas.Inserted(err)
		require.Equal(t, conflict, errors.Is(got, sqlcas.ErrConflict), message)
		require.ErrorIs(t, got, err, message)
	}
	other := server(1452)
	require.Equal(t, other, sqlcas.Inserted(other))
}

// Ensures that a connection or context that ended inside a plain attempt is reported as an unknown
// outcome beside the error itself, and never retried: the UPDATE may be applied all the same
// (cases 43, 48).
func TestRetryDoesNotRepeatAnUpdateOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"connection lost":          mysql.ErrInvalidConn,
		"connection lost, wrapped": fmt.Errorf("deduct: %w", mysql.ErrInvalidConn),
		"bad connection":           driver.ErrBadConn,
		"cut in an answer":         io.ErrUnexpectedEOF,
		"reset by peer":            &net.OpError{Op: "read", Err: errors.New("reset")},
		"session killed 1927":      server(1927),
		"deadline of its own":      context.DeadlineExceeded,
		"canceled of its own":      fmt.Errorf("deduct: %w", context.Canceled),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			got := sqlcas.Retry(t.Context(), answers(&calls, answer{err: err}, won))
			require.Equal(t, 1, calls, "attempts")
			require.ErrorIs(t, got, sqlcas.ErrOutcomeUnknown)
			require.ErrorIs(t, got, err)
			var unknown *sqlcas.OutcomeUnknownError
			require.ErrorAs(t, got, &unknown)
			require.Equal(t, err, unknown.Cause)
			require.ErrorContains(t, got, err.Error())
		})
	}
}

// Ensures that an unknown outcome after a conflict tells of both, and of the caller's ended context.
func TestUnknownOutcomeKeepsTheLastConflictAndTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		err := sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
			if calls++; calls == 1 {
				return 0, nil
			}
			cancel()
			return 0, ctx.Err()
		})
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.Equal(t, 2, calls, "attempts")
	})
}

// Ensures that a verdict of a harness further inside, on another database say, is not retried by
// the one outside, though it wraps a conflict that would be: retries must not multiply (case 22).
func TestRetryAcceptsTheVerdictOfAnotherHarness(t *testing.T) {
	t.Parallel()
	for _, verdict := range []error{
		&sqlcas.ExhaustedError{Attempts: 3, Last: sqlcas.ErrConflict},
		&sqlcas.OutcomeUnknownError{Cause: server(1213)},
		errors.Join(sqlcas.ErrTxAborted, server(1213)),
		errors.Join(sqlcas.ErrLocked, server(1205)),
		errors.Join(sqlcas.ErrTooManyRows, sqlcas.ErrConflict),
		errors.Join(sqlcas.ErrNested, sqlcas.ErrConflict),
		errors.Join(sqlcas.ErrInvalidArgument, sqlcas.ErrConflict),
	} {
		calls := 0
		got := sqlcas.Retry(t.Context(), answers(&calls, answer{err: verdict}, won))
		require.Equal(t, 1, calls, "attempts at %v", verdict)
		require.Equal(t, verdict, got)
	}
}

// Ensures that a panic of the attempt goes on to the caller, who gets the report all the same.
func TestRetryLetsPanicsThrough(t *testing.T) {
	t.Parallel()
	var r sqlcas.Report
	require.PanicsWithValue(t, "boom", func() {
		_ = sqlcas.Retry(t.Context(), func(context.Context) (int64, error) { panic("boom") }, sqlcas.WithReport(&r))
	})
	require.Equal(t, 1, r.Attempts, "attempts in the report")
}
