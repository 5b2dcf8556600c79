package sqlcas_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// classify makes a classifier that says the same of everything.
func classify(c sqlcas.Class) sqlcas.Option {
	return sqlcas.WithClassifier(func(error) sqlcas.Class { return c })
}

// failCommit answers every COMMIT with err, which breaks the connection if it is a lost one.
func failCommit(err error) *scriptdb.Script {
	return scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "COMMIT" {
			if errors.Is(err, mysql.ErrInvalidConn) {
				c.Break()
			}
			return scriptdb.Reply{}, err
		}
		return scriptdb.Reply{Affected: 1}, nil
	})
}

// Ensures that no classifier turns a lost COMMIT into one that may be repeated, or that was not
// carried out: either would be a double application waiting to happen (case 44).
func TestNoClassifierDecidesALostCommit(t *testing.T) {
	t.Parallel()
	for _, class := range []sqlcas.Class{sqlcas.ClassConflict, sqlcas.ClassTransient, sqlcas.ClassPermanent} {
		script := failCommit(mysql.ErrInvalidConn)
		err := sqlcas.RetryTx(t.Context(), pool(t, script), changeOne, quick, classify(class))
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, "class %d", class)
		require.Equal(t, 1, script.Count("COMMIT"), "class %d", class)
	}
	calls := 0
	err := sqlcas.Retry(t.Context(), func(context.Context) (int64, error) {
		calls++
		return 0, mysql.ErrInvalidConn
	}, quick, classify(sqlcas.ClassTransient))
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	require.Equal(t, 1, calls)
}

// Ensures that no classifier allows the COMMIT of a transaction that the server has aborted.
func TestNoClassifierAllowsAHalfTransaction(t *testing.T) {
	t.Parallel()
	for _, number := range []uint16{1205, 1213, 1020, 1317} {
		script := failing("UPDATE a SET b = 1", server(number))
		err := sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error {
			_, _ = tx.Exec("UPDATE a SET b = 1")
			return nil
		}, quick, classify(sqlcas.ClassPermanent))
		require.ErrorIs(t, err, sqlcas.ErrTxAborted, "%d", number)
		require.Zero(t, script.Count("COMMIT"), "%d", number)
	}
}

// Ensures that an answer to COMMIT which is not known to be a refusal leaves the outcome open:
// proxies pass on a loss as if it were the server's word. A refusal for want of write access is
// definite (case 44).
func TestOnlyAKnownRefusalOfACommitIsDefinite(t *testing.T) {
	t.Parallel()
	for number, unknown := range map[uint16]bool{
		2013: true, 2006: true, 1105: true, 1180: true, 1317: true, 1290: false, 1792: false, 1836: false,
	} {
		err := sqlcas.RetryTx(t.Context(), pool(t, failCommit(server(number))), changeOne, quick)
		require.Equal(t, unknown, errors.Is(err, sqlcas.ErrOutcomeUnknown), "%d: %v", number, err)
		require.ErrorIs(t, err, server(number))
	}
}

// Ensures that several statements in one text are refused, each of which may end the transaction.
func TestSeveralStatementsAreRefused(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	err := sqlcas.RetryTx(t.Context(), pool(t, script), exec2("UPDATE a SET b = 1; COMMIT"), quick)
	require.ErrorContains(t, err, "one by one")
	require.Zero(t, script.Count("UPDATE"))
}

func exec2(query string) func(context.Context, *sql.Tx) error {
	return func(_ context.Context, tx *sql.Tx) error { return exec(query)(tx) }
}

// Ensures that a statement sent while rows are open, which breaks a MySQL connection, is told as
// what it is, at once, instead of being rerun for the whole budget as a lost connection.
func TestAStatementAmongOpenRowsIsNotRetried(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		switch st.Query {
		case "SELECT id FROM a":
			return scriptdb.Reply{Columns: []string{"id"}, Rows: [][]driver.Value{{int64(1)}, {int64(2)}}}, nil
		case "UPDATE a SET b = 1":
			c.Break()
			return scriptdb.Reply{}, driver.ErrBadConn
		}
		return scriptdb.Reply{}, nil
	})
	var r sqlcas.Report
	err := sqlcas.RetryTx(t.Context(), pool(t, script), func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.Query("SELECT id FROM a")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := changeOne(ctx, tx); err != nil {
				return err
			}
		}
		return rows.Err()
	}, quick, sqlcas.WithReport(&r))
	require.ErrorContains(t, err, "close them first")
	require.Equal(t, 1, r.Attempts)
}

// Ensures that a connection lost while rows are open forbids the COMMIT also where the driver cannot
// tell that it is lost, and that one lost while reading the rows is a lost connection, not a mistake.
func TestAConnectionLostAmongOpenRows(t *testing.T) {
	t.Parallel()
	selected := scriptdb.Reply{Columns: []string{"id"}, Rows: [][]driver.Value{{int64(1)}, {int64(2)}}}
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		switch st.Query {
		case "SELECT id FROM a":
			return selected, nil
		case "UPDATE a SET b = 1":
			return scriptdb.Reply{}, driver.ErrBadConn // and the connection still says that it is valid
		}
		return scriptdb.Reply{Affected: 1}, nil
	})
	err := sqlcas.RetryTx(t.Context(), pool(t, script), func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.Query("SELECT id FROM a")
		if err != nil {
			return err
		}
		defer rows.Close()
		_ = changeOne(ctx, tx)
		return nil
	}, quick)
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.Zero(t, script.Count("COMMIT"))

	reads := 0
	script = scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query != "SELECT id FROM a" {
			return scriptdb.Reply{}, nil
		}
		if reads++; reads == 1 {
			return scriptdb.Reply{Columns: []string{"id"}, CloseErr: driver.ErrBadConn}, nil
		}
		return selected, nil
	})
	err = sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error {
		rows, err := tx.Query("SELECT id FROM a")
		if err != nil {
			return err
		}
		return rows.Close()
	}, quick)
	require.NoError(t, err, "rerun on another connection")
	require.Equal(t, 2, reads)
}

// multi is an error whose values cannot be compared.
type multi []error

func (m multi) Error() string   { return "several" }
func (m multi) Unwrap() []error { return m }

// Ensures that errors and causes that cannot be compared with == make nothing panic.
func TestUncomparableErrors(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err := sqlcas.Retry(ctx, func(context.Context) (int64, error) { return 0, multi{sqlcas.ErrConflict} },
		sqlcas.WithBackOff(func() backoff.BackOff { return flat(time.Hour) }))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, sqlcas.ErrConflict)

	cause := multi{errors.New("shutdown")}
	caused, end := context.WithCancelCause(t.Context())
	end(cause)
	require.ErrorIs(t, sqlcas.Retry(caused, func(context.Context) (int64, error) { return 1, nil }), context.Canceled)
}

// Ensures that a context's cause comes with an unknown outcome, and that a closure which returns
// the cause alone is understood (case 84).
func TestTheCauseOfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	shutdown := errors.New("shutdown")
	for name, returned := range map[string]func(context.Context) error{
		"the context's error": context.Context.Err,
		"its cause":           context.Cause,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
			cancel(shutdown)
			return 0, returned(ctx)
		})
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, name)
		require.ErrorIs(t, err, context.Canceled, name)
		require.ErrorIs(t, err, shutdown, name)
	}
}
