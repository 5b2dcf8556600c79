package sqlcas_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// insertsID recognises the statement that notes an id.
func insertsID(st scriptdb.Statement) bool {
	return strings.HasPrefix(st.Query, "INSERT INTO sqlcas_operation")
}

// failInsert is a database that knows no id, where the first n notes of one end with an error.
func failInsert(n int, err error) *scriptdb.Script {
	return scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if insertsID(st) && n > 0 {
			n--
			return scriptdb.Reply{}, err
		}
		return scriptdb.Reply{Affected: 1, Columns: []string{"id", "target", "fingerprint"}}, nil
	})
}

// notes counts the notes of ids that were sent.
func notes(s *scriptdb.Script) int { return s.Count("INSERT INTO sqlcas_operation") }

// Ensures that ids and fingerprints that make no sense are refused before anything is sent, by name.
func TestSenselessOperationIDsAreRefused(t *testing.T) {
	t.Parallel()
	for want, opts := range map[string][]sqlcas.Option{
		`WithOperationID("")`:                {sqlcas.WithOperationID("")},
		"the id has 256 bytes, 255 are kept": {sqlcas.WithOperationID(strings.Repeat("x", 256))},
		"the id has 258 bytes":               {sqlcas.WithOperationID(strings.Repeat("é", 129))},
		"WithFingerprint without":            {sqlcas.WithFingerprint([]byte("x"))},
	} {
		script := scriptdb.New(nil)
		err := sqlcas.RetryTx(t.Context(), pool(t, script), func(context.Context, *sql.Tx) error {
			t.Error("the closure was run")
			return nil
		}, opts...)
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, want)
		require.Zero(t, script.Dialed())
	}
}

// Ensures that calls which could not keep the promise of an id refuse it: Retry has no transaction, and
// RetryTxResult no result of a replay.
func TestOperationIDsAreRefusedWhereTheyCannotHold(t *testing.T) {
	t.Parallel()
	calls := 0
	err := sqlcas.Retry(t.Context(), answers(&calls, won), sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "use RetryTx, or a Store")
	script := scriptdb.New(nil)
	_, err = sqlcas.RetryTxResult(t.Context(), pool(t, script), func(context.Context, *sql.Tx) (int, error) {
		calls++
		return 1, nil
	}, sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "RetryTxResult with WithOperationID")
	require.Zero(t, calls+script.Dialed())
}

// Ensures that the id is looked for before the transaction and noted as its last statement.
func TestTheOrderOfStatementsWithAnID(t *testing.T) {
	t.Parallel()
	script := failInsert(0, nil)
	require.NoError(t, sqlcas.RetryTx(t.Context(), pool(t, script), changeOne, sqlcas.WithOperationID("id")))
	var order []string
	for _, st := range script.Sent() {
		for _, word := range []string{"FindOperations", "BEGIN", "UPDATE a", "INSERT INTO sqlcas_operation", "COMMIT"} {
			if strings.Contains(st.Query, word) {
				order = append(order, word)
			}
		}
	}
	require.Equal(t, []string{"FindOperations", "BEGIN", "UPDATE a", "INSERT INTO sqlcas_operation", "COMMIT"}, order)
}

// Ensures that what the note of an id can meet of other writers is retried in a new transaction: that somebody
// else has noted it, a deadlock, a lock wait that ran out, and MariaDB's 1020.
func TestANoteOfAnIDIsRetried(t *testing.T) {
	t.Parallel()
	for number, conflicts := range map[uint16]int{1062: 1, 1020: 1, 1213: 0, 1205: 0} {
		script := failInsert(1, server(number))
		var r sqlcas.Report
		runs := 0
		err := sqlcas.RetryTx(t.Context(), pool(t, script), func(ctx context.Context, tx *sql.Tx) error {
			runs++
			return changeOne(ctx, tx)
		}, quick, sqlcas.WithOperationID("id"), sqlcas.WithReport(&r))
		require.NoError(t, err, number)
		require.Equal(t, []int{2, 2, conflicts}, []int{runs, r.Attempts, r.Conflicts}, number)
		require.Equal(t, []int{2, 1, 1}, []int{script.Count("BEGIN"), script.Count("ROLLBACK"), script.Count("COMMIT")}, number)
		require.False(t, r.Replayed)
	}
}

// Ensures that a call which finds its id taken in all attempts says that it was conflicts, and that any other
// error of the note is the server's own.
func TestANoteOfAnIDThatFails(t *testing.T) {
	t.Parallel()
	err := sqlcas.RetryTx(t.Context(), pool(t, failInsert(9, server(1062))), changeOne,
		quick, sqlcas.WithOperationID("id"), sqlcas.WithMaxAttempts(3))
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.ErrorContains(t, err, "another call with the same operation id was faster")
	require.NotContains(t, err.Error(), "has been changed")
	require.NotContains(t, err.Error(), "1062")
	require.NotErrorIs(t, err, server(1062), "the caller would take it for a duplicate key of its own")
	script := failInsert(9, server(1114))
	err = sqlcas.RetryTx(t.Context(), pool(t, script), changeOne, quick, sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, server(1114))
	require.Equal(t, 1, script.Count("BEGIN"))
	require.Zero(t, script.Count("COMMIT"))
}

// failLook is a database where every look for the id but the first ends with the next of the errors, and where the
// id is to be seen once they are used up. It tells how many looks there were.
func failLook(errs ...error) (*scriptdb.Script, *int) {
	looks := new(int)
	columns := []string{"id", "target", "fingerprint"}
	return scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if !strings.Contains(st.Query, "FindOperations") {
			return scriptdb.Reply{Affected: 1}, nil
		}
		*looks++
		switch n := *looks - 2; {
		case n < 0:
			return scriptdb.Reply{Columns: columns}, nil
		case n < len(errs):
			return scriptdb.Reply{}, errs[n]
		}
		row := []driver.Value{[]byte("id"), []byte("transaction"), []byte("")}
		return scriptdb.Reply{Columns: columns, Rows: [][]driver.Value{row}}, nil
	}), looks
}

// Ensures that a refusal is not believed while nobody knows whether a twin has been applied: the look for the id is
// made again where others were in its way, and else its error is told beside the refusal.
func TestARefusalWhoseLookFails(t *testing.T) {
	t.Parallel()
	poor, deadlock, denied := errors.New("insufficient funds"), server(1213), server(1142)
	for _, tc := range []struct {
		errs   []error
		looks  int
		failed error // nil: a replay
	}{
		{nil, 2, nil},
		{[]error{deadlock, server(1205)}, 4, nil},
		{[]error{deadlock, deadlock, deadlock}, 4, deadlock},
		{[]error{denied}, 2, denied},
	} {
		script, looks := failLook(tc.errs...)
		var r sqlcas.Report
		err := sqlcas.RetryTx(t.Context(), pool(t, script), func(context.Context, *sql.Tx) error {
			return poor
		}, quick, sqlcas.WithOperationID("id"), sqlcas.WithReport(&r))
		require.Equal(t, []int{tc.looks, 1}, []int{*looks, r.Attempts})
		require.Equal(t, tc.failed == nil, r.Replayed)
		if tc.failed == nil {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, poor)
		require.ErrorIs(t, err, tc.failed)
		require.ErrorContains(t, err, "could not be looked up")
	}
}

// Ensures that a refusal whose look the end of the context has prevented says so.
func TestARefusalAfterTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	poor, cause := errors.New("insufficient funds"), errors.New("client gone")
	script, looks := failLook()
	ctx, cancel := context.WithCancelCause(t.Context())
	err := sqlcas.RetryTx(ctx, pool(t, script), func(context.Context, *sql.Tx) error {
		cancel(cause)
		return poor
	}, quick, sqlcas.WithOperationID("id"))
	for _, want := range []error{poor, context.Canceled, cause} {
		require.ErrorIs(t, err, want)
	}
	require.Equal(t, 1, *looks)
}

// Ensures that a duplicate key of the closure's own is not taken for a taken id.
func TestADuplicateKeyOfTheClosureIsItsOwn(t *testing.T) {
	t.Parallel()
	script := failInsert(0, nil)
	err := sqlcas.RetryTx(t.Context(), pool(t, script), func(context.Context, *sql.Tx) error {
		return server(1062)
	}, quick, sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, server(1062))
	require.NotErrorIs(t, err, sqlcas.ErrConflict)
	require.Equal(t, 1, script.Count("BEGIN"))
	require.Zero(t, notes(script))
}

// Ensures that a closure which has swallowed a deadlock is told so as without an id: after it nothing is sent,
// and nothing noted or committed.
func TestASwallowedDeadlockNotesNothing(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if strings.HasPrefix(st.Query, "UPDATE") {
			return scriptdb.Reply{}, server(1213)
		}
		return scriptdb.Reply{Columns: []string{"id", "target", "fingerprint"}}, nil
	})
	err := sqlcas.RetryTx(t.Context(), pool(t, script), func(ctx context.Context, tx *sql.Tx) error {
		_ = changeOne(ctx, tx)
		return nil
	}, quick, sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.Zero(t, notes(script)+script.Count("COMMIT"))
}

// Ensures that a lost COMMIT is unknown, with the reason, where no session can be ended.
func TestALostCommitWithAnIDSaysWhyItIsUnknown(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "COMMIT" {
			c.Break()
			return scriptdb.Reply{}, lost
		}
		return scriptdb.Reply{Affected: 1, Columns: []string{"id", "target", "fingerprint"}}, nil
	})
	err := sqlcas.RetryTx(t.Context(), pool(t, script), changeOne, quick, sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	require.ErrorIs(t, err, lost)
	require.ErrorContains(t, err, "no session of this database can be ended from another")
}

// Ensures that a deletion whose COMMIT got no answer is done again, since it may be, and counts what the last has
// deleted.
func TestADeletionWhoseCommitIsLostIsDoneAgain(t *testing.T) {
	t.Parallel()
	commits, deletes := 0, 0
	script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		switch {
		case strings.Contains(st.Query, "ListOperationAges"):
			row := []driver.Value{[]byte("id"), int64(time.Hour / time.Microsecond)}
			return scriptdb.Reply{Columns: []string{"id", "age"}, Rows: [][]driver.Value{row}}, nil
		case strings.Contains(st.Query, "DeleteOperations"):
			deletes++
		case st.Query == "COMMIT":
			if commits++; commits == 1 {
				c.Break()
				return scriptdb.Reply{}, errors.New("lost")
			}
		}
		return scriptdb.Reply{Affected: 1}, nil
	})
	n, err := sqlcas.DeleteOperations(t.Context(), pool(t, script), time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Equal(t, []int{2, 2, 2}, []int{script.Count("BEGIN"), deletes, commits})
}
