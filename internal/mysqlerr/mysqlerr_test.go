package mysqlerr_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

func server(number uint16) *mysql.MySQLError {
	return &mysql.MySQLError{Number: number, SQLState: [5]byte{'H', 'Y', '0', '0', '0'}, Message: "Deadlock found"}
}

// table is the class of every error that is told from others, and of some neighbours.
var table = map[mysqlerr.Class][]error{
	mysqlerr.Conflict:    {server(1020)},
	mysqlerr.Deadlock:    {server(1206), server(1213), server(3100), server(3101)},
	mysqlerr.LockTimeout: {server(1205)},
	mysqlerr.LockNoWait:  {server(3572)},
	mysqlerr.Interrupted: {server(1317), server(1969), server(3024)},
	mysqlerr.Lost: {
		server(1053), server(1927), server(2006), server(2013), server(2055), server(3169), server(4031),
		driver.ErrBadConn, mysql.ErrInvalidConn, mysql.ErrMalformPkt, mysql.ErrBusyBuffer,
		io.ErrUnexpectedEOF, net.ErrClosed, os.NewSyscallError("read", net.ErrClosed),
		&net.OpError{Op: "read", Err: syscall.ECONNRESET}, &net.OpError{Op: "write", Err: syscall.EPIPE},
	},
	mysqlerr.ReadOnly: {server(1290), server(1792), server(1836)},
	mysqlerr.Context:  {context.Canceled, context.DeadlineExceeded},
	mysqlerr.Statement: {
		server(1062), server(1064), server(1146), server(1180), server(1264), server(1305), server(1452),
		server(1690), server(3819), server(0), server(65535),
	},
	mysqlerr.Other: {
		nil, errors.New("insufficient funds"), sql.ErrNoRows, sql.ErrTxDone, io.EOF,
		errors.New("Error 1213 (40001): Deadlock found"), &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		&net.DNSError{Err: "no such host", Name: "db"},
	},
}

// many is a user's error with several causes.
type many []error

func (m many) Error() string   { return "several" }
func (m many) Unwrap() []error { return m }

// Ensures that the class of an error is found by its number or identity through any wrapping, and
// never by its text (cases 27, 53, 55, 56).
func TestClassifyThroughWrapping(t *testing.T) {
	t.Parallel()
	for want, errs := range table {
		for _, err := range errs {
			require.Equal(t, want, mysqlerr.Classify(err), "%v", err)
			if err == nil {
				continue
			}
			for how, wrapped := range map[string]error{
				"%w":       fmt.Errorf("deduct: %w", err),
				"%w twice": fmt.Errorf("a: %w", fmt.Errorf("b: %w", err)),
				"Join":     errors.Join(errors.New("other"), err),
				"many":     many{errors.New("other"), fmt.Errorf("c: %w", err)},
			} {
				require.Equal(t, want, mysqlerr.Classify(wrapped), "%v by %s", err, how)
			}
			require.Equal(t, mysqlerr.Other, mysqlerr.Classify(fmt.Errorf("deduct: %v", err)), "%v flattened", err)
		}
	}
}

// Ensures that the server's number comes before everything else that is joined to it: an answer was
// received, so that the statement's fate is known.
func TestTheServersAnswerComesFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, mysqlerr.Deadlock, mysqlerr.Classify(errors.Join(context.Canceled, server(1213))))
	require.Equal(t, mysqlerr.Statement, mysqlerr.Classify(errors.Join(mysql.ErrInvalidConn, server(1062))))
	require.Equal(t, mysqlerr.Context, mysqlerr.Classify(errors.Join(driver.ErrBadConn, context.Canceled)))
}

// Ensures that a failed dial, on which nothing was sent, is no lost connection: a wrong address is
// told at once instead of being retried for the whole budget.
func TestAFailedDialIsNotALostConnection(t *testing.T) {
	t.Parallel()
	_, err := net.Dial("unix", t.TempDir()+"/no-such-socket")
	require.Error(t, err)
	require.Equal(t, mysqlerr.Other, mysqlerr.Classify(err))
	require.Equal(t, mysqlerr.Other, mysqlerr.Classify(fmt.Errorf("open: %w", err)))
}

// Ensures what each class forbids and allows.
func TestWhatClassesMean(t *testing.T) {
	t.Parallel()
	for class, want := range map[mysqlerr.Class]struct{ aborts, rerun, refusal bool }{
		mysqlerr.Other:       {false, false, false},
		mysqlerr.Statement:   {false, false, false},
		mysqlerr.Conflict:    {true, true, true},
		mysqlerr.Deadlock:    {true, true, true},
		mysqlerr.LockTimeout: {true, true, true},
		mysqlerr.LockNoWait:  {false, false, false},
		mysqlerr.Interrupted: {true, false, false},
		mysqlerr.Lost:        {true, true, false},
		mysqlerr.ReadOnly:    {false, false, true},
		mysqlerr.Context:     {true, false, false},
	} {
		require.Equal(t, want.aborts, class.Aborts(), "class %d aborts", class)
		require.Equal(t, want.rerun, class.Rerun(), "class %d may be rerun", class)
		require.Equal(t, want.refusal, class.Refusal(), "class %d from COMMIT is definite", class)
	}
}

// Ensures that Same means the very value that the driver made, however wrapped: an equal number is
// another event.
func TestSameIsIdentity(t *testing.T) {
	t.Parallel()
	a, b := server(1205), server(1205)
	require.ErrorIs(t, a, b, "errors.Is compares the numbers")
	require.True(t, mysqlerr.Same(a, a))
	require.True(t, mysqlerr.Same(a, fmt.Errorf("read: %w", a)))
	require.True(t, mysqlerr.Same(errors.Join(errors.New("x"), a), a))
	require.False(t, mysqlerr.Same(a, b))
	require.False(t, mysqlerr.Same(a, io.EOF))
	require.False(t, mysqlerr.Same(io.EOF, io.EOF))
	require.False(t, mysqlerr.Same(nil, nil))
}

// Ensures that 1094 alone says that a session is gone.
func TestUnknownThread(t *testing.T) {
	t.Parallel()
	require.True(t, mysqlerr.UnknownThread(fmt.Errorf("kill: %w", server(1094))))
	require.False(t, mysqlerr.UnknownThread(server(1095)))
	require.False(t, mysqlerr.UnknownThread(nil))
}
