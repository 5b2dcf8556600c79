package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

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
	require.ErrorContains(t, err, "another call has applied an operation with the same id meanwhile")
	script := failInsert(9, server(1114))
	err = sqlcas.RetryTx(t.Context(), pool(t, script), changeOne, quick, sqlcas.WithOperationID("id"))
	require.ErrorIs(t, err, server(1114))
	require.Equal(t, 1, script.Count("BEGIN"))
	require.Zero(t, script.Count("COMMIT"))
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
