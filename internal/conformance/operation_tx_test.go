package conformance

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// Ensures that a call with a new id is applied and noted, with all that is kept of it.
func checkOperationFirst(t *testing.T, e *env) {
	id := e.account(t)
	r, err := e.pay(t.Context(), e.db, id, sqlcas.WithOperationID("first"), sqlcas.WithFingerprint([]byte("1 unit")))
	require.NoError(t, err)
	require.False(t, r.Replayed)
	require.Equal(t, 1, r.Attempts)
	e.want(t, id, opening+1, 2)
	require.Equal(t, 1, e.count(t, "sqlcas_operation WHERE id = 'first' AND target = 'transaction' "+
		"AND fingerprint = UNHEX(SHA2('1 unit', 256)) AND ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP())) < 60"))
}

// Ensures that a call whose id is there changes nothing and is a success that says so.
func checkOperationReplay(t *testing.T, e *env) {
	id := e.account(t)
	for n, opts := range [][]sqlcas.Option{nil, {sqlcas.WithFingerprint(nil)}} {
		opts = append(opts, sqlcas.WithOperationID("again"+strings.Repeat("!", n)))
		_, err := e.pay(t.Context(), e.db, id, opts...)
		require.NoError(t, err)
		for range 2 {
			var r sqlcas.Report
			require.NoError(t, optimistic.UpdateTx(t.Context(), e.db, unrun(t), append(opts, sqlcas.WithReport(&r))...))
			require.True(t, r.Replayed)
			require.Equal(t, 1, r.Attempts)
			require.Zero(t, r.Conflicts)
		}
	}
	e.want(t, id, opening+2, 3)
}

// fates notes how attempts and calls end.
type fates struct{ attempts, calls []sqlcas.Outcome }

func (o *fates) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context {
	return ctx
}

func (o *fates) AttemptEnd(_ context.Context, a sqlcas.AttemptEnd) {
	o.attempts = append(o.attempts, a.Outcome)
}

func (o *fates) CallEnd(_ context.Context, c sqlcas.CallEnd) { o.calls = append(o.calls, c.Outcome) }

// Ensures that an Observer is told of a replay as of any success.
func checkOperationObserved(t *testing.T, e *env) {
	id := e.account(t)
	seen := &fates{}
	for range 2 {
		_, err := e.pay(t.Context(), e.db, id, sqlcas.WithOperationID("observed"), sqlcas.WithObserver(seen))
		require.NoError(t, err)
	}
	want := []sqlcas.Outcome{sqlcas.OutcomeSuccess, sqlcas.OutcomeSuccess}
	require.Equal(t, fates{want, want}, *seen)
}

// Ensures that an id that comes with another fingerprint than before, or with one where there was none, or
// without, is refused, and that the error does not show fingerprints.
func checkOperationFingerprint(t *testing.T, e *env) {
	id := e.account(t)
	five, six := sqlcas.WithFingerprint([]byte("5")), sqlcas.WithFingerprint([]byte("6"))
	none := sqlcas.WithMaxAttempts(9)
	for op, o := range map[string][2]sqlcas.Option{"other": {five, six}, "gone": {five, none}, "new": {none, six}} {
		_, err := e.pay(t.Context(), e.db, id, sqlcas.WithOperationID(op), o[0])
		require.NoError(t, err, op)
		err = optimistic.UpdateTx(t.Context(), e.db, unrun(t), sqlcas.WithOperationID(op), o[1])
		require.ErrorIs(t, err, sqlcas.ErrOperationMismatch, op)
		require.NotErrorIs(t, err, sqlcas.ErrConflict, op)
		require.Equal(t, &sqlcas.OperationMismatchError{
			ID: op, Target: "transaction", StoredTarget: "transaction", Differs: "fingerprint",
		}, err)
		require.Equal(t, "sqlcas: the operation id was given to another operation: under \""+op+"\" there is one on transaction, "+
			"for another request (the fingerprints differ): give each request an id of its own", err.Error())
	}
	e.want(t, id, opening+3, 4)
}

// Ensures that an id which stands for another target is refused.
func checkOperationTarget(t *testing.T, e *env) {
	_, err := e.other.ExecContext(t.Context(), "INSERT INTO sqlcas_operation VALUES "+
		"('taken', 'account 7', '', REPEAT('x', 16), UTC_TIMESTAMP(6))")
	require.NoError(t, err)
	err = optimistic.UpdateTx(t.Context(), e.db, unrun(t), sqlcas.WithOperationID("taken"))
	var mismatch *sqlcas.OperationMismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, sqlcas.OperationMismatchError{
		ID: "taken", Target: "transaction", StoredTarget: "account 7", Differs: "target",
	}, *mismatch)
	require.ErrorContains(t, err, `under "taken" there is one on account 7, this one is on transaction: give`)
}

// Ensures that an operation that its closure has refused is not noted, and is done when it is asked for again.
func checkOperationRefused(t *testing.T, e *env) {
	id := e.account(t)
	poor := errors.New("insufficient funds")
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		require.NoError(t, optimistic.One(add(ctx, tx, id, nil)))
		return poor
	}, sqlcas.WithOperationID("refused"))
	require.True(t, err == poor, "got %v, want the very value", err)
	require.Zero(t, e.noted(t, "refused"))
	r, err := e.pay(t.Context(), e.db, id, sqlcas.WithOperationID("refused"))
	require.NoError(t, err)
	require.False(t, r.Replayed)
	e.want(t, id, opening+1, 2)
}

// Ensures that a closure that panics leaves no id behind.
func checkOperationPanic(t *testing.T, e *env) {
	id := e.account(t)
	require.PanicsWithValue(t, "boom", func() {
		_ = optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			require.NoError(t, optimistic.One(add(ctx, tx, id, nil)))
			panic("boom")
		}, sqlcas.WithOperationID("panicked"))
	})
	require.Zero(t, e.noted(t, "panicked"))
	e.want(t, id, opening, 1)
}

// Ensures that ids which a collation would take for one are as many operations as they are texts.
func checkOperationBytes(t *testing.T, e *env) {
	e.tellsApart(t, "key", "KEY", "key ", "key\x00", "kéy", "ke\u0301y", "\x00", `k'e"y\`, "ß", "ss",
		strings.Repeat("x", 255), strings.Repeat("x", 254))
}

// tellsApart ensures that each of the ids is an operation of its own, and is found again.
func (e *env) tellsApart(t *testing.T, ids ...string) {
	t.Helper()
	id := e.account(t)
	for range 2 {
		for _, op := range ids {
			_, err := e.pay(t.Context(), e.db, id, sqlcas.WithOperationID(op))
			require.NoError(t, err, "%q", op)
			require.Equal(t, 1, e.noted(t, op), "%q", op)
		}
	}
	e.want(t, id, opening+int64(len(ids)), uint64(1+len(ids)))
}

// Ensures that who has not created the table is told by which statement to, also by an error that only the
// INSERT can have met; and that the statement is right.
func checkOperationNoTable(t *testing.T, e *env) {
	bare := newEnv(t, e.server, e.mode, e.snapshot)
	id := bare.account(t)
	_, err := bare.pay(t.Context(), bare.db, id, sqlcas.WithOperationID("any"))
	var server *mysql.MySQLError
	require.ErrorAs(t, err, &server)
	require.EqualValues(t, 1146, server.Number)
	require.ErrorContains(t, err, "sqlcas migrate sqlcas")
	text := err.Error()
	start, end := strings.Index(text, "CREATE TABLE"), strings.Index(text, "ENGINE=InnoDB;")
	require.True(t, 0 < start && start < end, text)
	_, err = bare.other.ExecContext(t.Context(), text[start:end+len("ENGINE=InnoDB;")])
	require.NoError(t, err)
	_, err = bare.pay(t.Context(), bare.db, id, sqlcas.WithOperationID("any"))
	require.NoError(t, err)
	bare.want(t, id, opening+1, 2)
	_, err = sqlcas.DeleteOperations(t.Context(), newEnv(t, e.server, e.mode, e.snapshot).db, 1)
	require.ErrorContains(t, err, "CREATE TABLE sqlcas_operation")
	require.NotEmpty(t, schema.Sqlcas())
}

// Ensures that a call with an id does not join the transaction of another, whose rollback it would not
// survive, and that the outer one can do without it.
func checkOperationJoined(t *testing.T, e *env) {
	id := e.account(t)
	require.NoError(t, optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		err := optimistic.UpdateTx(ctx, e.db, unrun(t), sqlcas.WithOperationID("inner"))
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, "give the id to the outermost call")
		return optimistic.UpdateTx(ctx, e.db, func(ctx context.Context, tx *sql.Tx) error {
			return optimistic.One(add(ctx, tx, id, nil))
		})
	}, sqlcas.WithOperationID("outer")))
	require.Equal(t, 1, e.noted(t, "outer"))
	require.Zero(t, e.noted(t, "inner"))
	e.want(t, id, opening+1, 2)
}

// Ensures that the look for the id takes no snapshot that the closure would read from: what it reads without
// a lock, after a lock that it had to wait for, is as new as that.
func checkOperationSnapshot(t *testing.T, e *env) {
	id := e.account(t)
	h := e.hold(t, id)
	require.NoError(t, shop.New(h.tx).InsertLedgerEntry(t.Context(),
		shop.InsertLedgerEntryParams{AccountID: id, Amount: rivals, Memo: "rival"}))
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		first := true
		done <- optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			if first {
				close(started)
				first = false
			}
			q := shop.New(tx)
			if _, err := q.GetAccountForUpdate(ctx, id); err != nil {
				return err
			}
			sum, err := q.SumLedger(ctx, id)
			if err == nil && sum != rivals {
				t.Errorf("the closure has read a sum of %d under the lock, and %d was committed before it", sum, rivals)
			}
			return err
		}, sqlcas.WithOperationID("snapshot"))
	}()
	<-started
	require.NoError(t, h.tx.Commit())
	require.NoError(t, <-done)
}

// Ensures that a call which finds, when it notes its id, that a twin has done so since it looked, undoes what
// it has done and is a replay, also when no other attempt is allowed.
func checkOperationTwin(t *testing.T, e *env) {
	id, other := e.account(t), e.account(t)
	var r sqlcas.Report
	runs := 0
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		runs++
		_, err := e.pay(t.Context(), e.other, other, sqlcas.WithOperationID("twin"))
		require.NoError(t, err)
		return optimistic.One(add(ctx, tx, id, nil))
	}, sqlcas.WithOperationID("twin"), sqlcas.WithReport(&r), sqlcas.WithMaxAttempts(1))
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, 1, runs)
	require.Equal(t, []int{1, 0}, []int{r.Attempts, r.Conflicts})
	e.want(t, id, opening, 1)
	e.want(t, other, opening+1, 2)
}

// Ensures that a closure which refuses because of what a twin has done meanwhile is no refusal but a replay,
// and that a mismatch found in that way is told.
func checkOperationTwinRefused(t *testing.T, e *env) {
	id := e.account(t)
	poor := errors.New("insufficient funds")
	for op, request := range map[string]string{"same": "5", "differs": "6"} {
		var r sqlcas.Report
		err := optimistic.UpdateTx(t.Context(), e.db, func(context.Context, *sql.Tx) error {
			_, err := e.pay(t.Context(), e.other, id, sqlcas.WithOperationID(op), sqlcas.WithFingerprint([]byte("5")))
			require.NoError(t, err)
			return poor
		}, sqlcas.WithOperationID(op), sqlcas.WithFingerprint([]byte(request)), sqlcas.WithReport(&r))
		if request == "5" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, sqlcas.ErrOperationMismatch)
			require.NotErrorIs(t, err, poor)
		}
		require.Equal(t, request == "5", r.Replayed)
	}
	e.want(t, id, opening+2, 3)
}

// Ensures that a closure which has overlooked that its swap has lost is told so as without an id, and that
// the id is not noted.
func checkOperationForgotten(t *testing.T, e *env) {
	id := e.account(t)
	err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = 0, version = version + 1 WHERE id = ? AND version = ?", id, 77)
		return err
	}, sqlcas.WithOperationID("forgotten"))
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.Zero(t, e.noted(t, "forgotten"))
	_, err = e.pay(t.Context(), e.db, id, sqlcas.WithOperationID("forgotten"))
	require.NoError(t, err)
}

// Ensures that a closure which leaves the default database does not have its id noted in another one, where
// nobody would look for it.
func checkOperationUse(t *testing.T, e *env) {
	db := open(t, e.cfg.Clone(), 1)
	elsewhere := newEnv(t, e.server, e.mode, false).noting(t)
	err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "USE "+elsewhere.cfg.DBName)
		return err
	}, sqlcas.WithOperationID("moved"))
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.ErrorContains(t, err, "the closure has sent USE")
	require.Zero(t, e.noted(t, "moved")+elsewhere.noted(t, "moved"))
}

// Ensures that on sessions that do not commit each statement the look for the id leaves no transaction open,
// and sees what was committed since the last one.
func checkOperationManualCommit(t *testing.T, e *env) {
	id := e.account(t)
	manual := e.tuned(t, "autocommit", "0")
	manual.db.SetMaxOpenConns(1)
	r, err := e.pay(t.Context(), manual.db, id, sqlcas.WithOperationID("before"))
	require.NoError(t, err)
	require.False(t, r.Replayed)
	_, err = e.pay(t.Context(), e.other, id, sqlcas.WithOperationID("manual"))
	require.NoError(t, err)
	require.NoError(t, optimistic.UpdateTx(t.Context(), manual.db, unrun(t), sqlcas.WithOperationID("manual")))
	_, err = e.pay(t.Context(), e.other, id, sqlcas.WithOperationID("later"))
	require.NoError(t, err)
	require.NoError(t, optimistic.UpdateTx(t.Context(), manual.db, unrun(t), sqlcas.WithOperationID("later")))
	e.want(t, id, opening+3, 4)
}

// Ensures that a closure which leaves rows open, behind which no id can be inserted, is told so, applies nothing, and
// gives its connection back.
func TestAnIDBehindOpenRows(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		e := newEnv(t, s, mode{}, false).noting(t)
		id := e.account(t)
		err := optimistic.UpdateTx(t.Context(), e.db, func(ctx context.Context, tx *sql.Tx) error {
			require.NoError(t, optimistic.One(add(ctx, tx, id, nil)))
			_, err := tx.QueryContext(ctx, "SELECT id FROM account")
			return err
		}, sqlcas.WithOperationID("rows"))
		require.ErrorIs(t, err, sqlcas.ErrTxAborted)
		require.ErrorContains(t, err, "the rows of an earlier query were still open")
		require.Zero(t, e.noted(t, "rows"))
		e.want(t, id, opening, 1)
		e.settled(t)
	})
}
