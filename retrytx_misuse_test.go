package sqlcas_test

import (
	"context"
	"database/sql"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

const (
	debit  = "UPDATE a SET n = 1, v = v + 1 WHERE id = 1 AND v = 5"
	credit = "UPDATE a SET n = 2, v = v + 1 WHERE id = 2 AND v = 7"
)

// unmatched answers the named statement with no row, the first n times.
func unmatched(query string, n int) *scriptdb.Script {
	return scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == query && n > 0 {
			n--
			return scriptdb.Reply{}, nil
		}
		return scriptdb.Reply{Affected: 1}, nil
	})
}

// Ensures that a transfer whose second swap loses is not committed by half because the closure has
// forgotten to look at its row count.
func TestAForgottenRowCountIsNotCommitted(t *testing.T) {
	t.Parallel()
	script := unmatched(credit, 1)
	var r sqlcas.Report
	err := sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error {
		if err := exec(debit)(tx); err != nil {
			return err
		}
		return exec(credit)(tx)
	}, quick, sqlcas.WithReport(&r))
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.ErrorContains(t, err, "return One's error")
	require.Equal(t, 1, r.Attempts, "a bug is told at once")
	require.Zero(t, script.Count("COMMIT"))
}

// Ensures that a closure which knows of the swap that lost may go on: it has done it again, or taken
// its part back.
func TestALostSwapThatIsMendedMayBeCommitted(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"done again":        {debit, "UPDATE a SET n = 1, v = v + 1 WHERE id = 1 AND v = 6"},
		"taken back":        {"SAVEPOINT s", debit, "ROLLBACK TO SAVEPOINT s", "INSERT INTO b VALUES (1)"},
		"no swap":           {"UPDATE a SET n = 1 WHERE id = 1"},
		"names no row":      {"UPDATE task SET stage = stage + 1 WHERE stage = 2"},
		"done by less":      {debit + " AND open = 1", debit},
		"another row later": nil,
	} {
		script := unmatched(debit, 1)
		refused := statements == nil
		if refused {
			statements = []string{debit, credit}
		}
		if name == "no swap" || name == "names no row" || name == "done by less" {
			script = unmatched(statements[0], 1)
		}
		err := sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error {
			for _, st := range statements {
				if err := exec(st)(tx); err != nil {
					return err
				}
			}
			return nil
		}, quick)
		require.Equal(t, refused, err != nil, "%s: %v", name, err)
	}
}

// Ensures that a joined call which has reported its conflict without having changed anything leaves
// it to the outer closure what to make of that.
func TestAReportedConflictOfAJoinedCallMayBeHandled(t *testing.T) {
	t.Parallel()
	script := unmatched(debit, 1)
	db := pool(t, script)
	err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
		err := sqlcas.RetryTx(ctx, db, func(_ context.Context, tx *sql.Tx) error {
			res, err := tx.Exec(debit)
			if err != nil {
				return err
			}
			return sqlcas.One(res.RowsAffected())
		})
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		return exec("INSERT INTO later VALUES (1)")(tx)
	}, quick)
	require.NoError(t, err)
	require.Equal(t, 1, script.Count("COMMIT"))
}

// Ensures that the transaction of a closure that has panicked cannot be joined any more.
func TestAPanickedClosureCannotBeJoined(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	var late context.Context
	require.Panics(t, func() {
		_ = sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, _ *sql.Tx) error {
			late = ctx
			panic("boom")
		})
	})
	err := sqlcas.RetryTx(late, db, func(context.Context, *sql.Tx) error { return nil })
	require.ErrorIs(t, err, sqlcas.ErrNested)
}

// Ensures that a closure which ends its transaction itself is told so under one sentinel, whichever
// way it does it, and that nothing is committed.
func TestEndingTheTransactionIsOneTypedError(t *testing.T) {
	t.Parallel()
	for name, fn := range map[string]func(*sql.Tx) error{
		"return tx.Commit()":     (*sql.Tx).Commit,
		"defer tx.Rollback()":    func(tx *sql.Tx) error { defer func() { _ = tx.Rollback() }(); return nil },
		"COMMIT":                 exec("COMMIT"),
		"COMMIT, handled":        func(tx *sql.Tx) error { _ = exec("COMMIT")(tx); return nil },
		"several statements":     exec("DO 1; COMMIT"),
		"a prepared one, of SQL": exec("EXECUTE IMMEDIATE 'COMMIT'"),
	} {
		script := scriptdb.New(nil)
		err := sqlcas.RetryTx(t.Context(), pool(t, script), func(_ context.Context, tx *sql.Tx) error { return fn(tx) }, quick)
		require.ErrorIs(t, err, sqlcas.ErrTxAborted, name)
		require.NotContains(t, err.Error(), "had aborted", name)
		require.Zero(t, script.Count("COMMIT"), name)
	}
}

// Ensures that a nil context is named, and that an Observer which returns one does no harm.
func TestNilContexts(t *testing.T) {
	t.Parallel()
	var none context.Context
	require.ErrorIs(t, sqlcas.Retry(none, func(context.Context) (int64, error) { return 1, nil }), sqlcas.ErrInvalidArgument)
	require.ErrorIs(t, sqlcas.RetryTx(none, pool(t, scriptdb.New(nil)), changeOne), sqlcas.ErrInvalidArgument)
	require.NoError(t, sqlcas.RetryTx(t.Context(), pool(t, scriptdb.New(nil)), changeOne, sqlcas.WithObserver(nilContext{})))
}

// nilContext is an Observer with a bug.
type nilContext struct{ onPause }

func (nilContext) AttemptStart(context.Context, sqlcas.AttemptStart) context.Context { return nil }
func (nilContext) AttemptEnd(context.Context, sqlcas.AttemptEnd)                     {}

// Ensures that a refused dial after a lost connection is not retried, nothing having been sent, and
// tells of the loss as well.
func TestARefusedDialTellsWhatCameBefore(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	begins := 0
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "BEGIN" {
			if begins++; begins == 2 {
				return scriptdb.Reply{}, refused
			}
		}
		return scriptdb.Reply{}, nil
	})
	err := sqlcas.RetryTx(t.Context(), pool(t, script), func(context.Context, *sql.Tx) error { return sqlcas.ErrConflict }, quick)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.NotErrorIs(t, err, sqlcas.ErrExhausted)
}
