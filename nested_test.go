package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// Ensures that a harness inside the closure of a plain Retry, which would multiply the retries, is
// refused before it does anything, and that the text tells the mend (cases 11, 22).
func TestAHarnessInsideAPlainRetryIsRefused(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	never := func(context.Context, *sql.Tx) error { t.Error("the inner closure ran"); return nil }
	inner := 0
	for want, nested := range map[string]func(context.Context) error{
		"do the inner work directly": func(ctx context.Context) error { return sqlcas.Retry(ctx, answers(&inner, won)) },
		"use one RetryTx":            func(ctx context.Context) error { return sqlcas.RetryTx(ctx, db, never) },
	} {
		outer := 0
		err := sqlcas.Retry(t.Context(), func(ctx context.Context) (int64, error) {
			outer++
			return 0, nested(ctx)
		})
		require.ErrorIs(t, err, sqlcas.ErrNested)
		require.ErrorContains(t, err, want)
		require.Equal(t, 1, outer, "attempts of the outer call")
	}
	require.Zero(t, inner, "attempts of the inner Retry")
	require.Zero(t, script.Dialed(), "connections")
}

// Ensures that a plain Retry inside the closure of RetryTx, which would write outside of the
// transaction, is refused (case 12).
func TestAPlainRetryInsideATransactionIsRefused(t *testing.T) {
	t.Parallel()
	inner := 0
	err := sqlcas.RetryTx(t.Context(), pool(t, scriptdb.New(nil)), func(ctx context.Context, _ *sql.Tx) error {
		return sqlcas.Retry(ctx, answers(&inner, won))
	})
	require.ErrorIs(t, err, sqlcas.ErrNested)
	require.ErrorContains(t, err, "use the tx")
	require.Zero(t, inner, "attempts of the inner Retry")
}

// Ensures that RetryTx inside RetryTx on the same pool is one transaction, whose conflict goes to
// the outermost: an inner retry of its own would spin on a snapshot (cases 10, 11, 12, 22).
func TestRetryTxInsideRetryTxJoins(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	var outerRuns, innerRuns int
	var r sqlcas.Report
	err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, outer *sql.Tx) error {
		outerRuns++
		return sqlcas.RetryTx(ctx, db, func(_ context.Context, tx *sql.Tx) error {
			innerRuns++
			require.Same(t, outer, tx)
			if innerRuns == 1 {
				return sqlcas.ErrConflict
			}
			return nil
		}, sqlcas.WithReport(&r))
	}, sqlcas.WithBackOff(everyMillisecond))
	require.NoError(t, err)
	require.Equal(t, 2, outerRuns, "runs of the outer closure")
	require.Equal(t, 2, innerRuns, "runs of the inner closure")
	require.Equal(t, 2, script.Count("BEGIN"))
	require.Equal(t, 1, script.Count("COMMIT"))
	require.True(t, r.Joined, "the inner call's report")
}

// Ensures that a call that joins cannot ask for an isolation that the transaction has not.
func TestJoiningWithAnIsolationIsRefused(t *testing.T) {
	t.Parallel()
	db := pool(t, scriptdb.New(nil))
	err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, _ *sql.Tx) error {
		return sqlcas.RetryTx(ctx, db, func(context.Context, *sql.Tx) error {
			t.Error("the inner closure ran")
			return nil
		}, sqlcas.WithIsolation(sql.LevelReadCommitted))
	})
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	require.ErrorContains(t, err, "WithIsolation")
}

// Ensures that a joined call that fails after a change makes the outer COMMIT impossible even if
// the outer closure handles the error, since half of the inner one would become durable; and that
// one which fails before any change does not.
func TestAJoinedCallThatFailsAfterAChangeDoomsTheWhole(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, tc := range map[string]struct {
		inner func(*sql.Tx) error
		want  []error
	}{
		"after an UPDATE": {exec("UPDATE a SET b = 1"), []error{sqlcas.ErrTxAborted, refused}},
		"after an INSERT": {exec("INSERT INTO a VALUES (1)"), []error{sqlcas.ErrTxAborted, refused}},
		"after a SELECT":  {query("SELECT 1"), nil},
		"after a miss":    {exec("DELETE FROM a WHERE id = 0"), nil},
		"at once":         {func(*sql.Tx) error { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := scriptdb.New(oneRow)
			db := pool(t, script)
			err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				require.NoError(t, exec("UPDATE outer_table SET b = 1")(tx))
				got := sqlcas.RetryTx(ctx, db, func(_ context.Context, tx *sql.Tx) error {
					require.NoError(t, tc.inner(tx))
					return refused
				})
				require.Equal(t, refused, got)
				return nil // handled, as the outer one thinks
			})
			if tc.want == nil {
				require.NoError(t, err)
			}
			for _, want := range tc.want {
				require.ErrorIs(t, err, want)
			}
			require.Equal(t, tc.want == nil, script.Count("COMMIT") == 1, "committed")
			require.Zero(t, db.Stats().InUse)
		})
	}
}

// oneRow answers that every statement changed one row, and one for id 0 none.
func oneRow(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
	if strings.HasSuffix(st.Query, "id = 0") {
		return scriptdb.Reply{}, nil
	}
	return scriptdb.Reply{Affected: 1}, nil
}

func exec(text string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.Exec(text)
		return err
	}
}

func query(text string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		rows, err := tx.Query(text)
		if err != nil {
			return err
		}
		defer rows.Close()
		return rows.Err()
	}
}

// Ensures that a joined call which panics after a change dooms the transaction even if the outer
// closure recovers.
func TestAJoinedPanicThatIsRecoveredDoomsTheWhole(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(oneRow)
	db := pool(t, script)
	err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, _ *sql.Tx) error {
		func() {
			defer func() { _ = recover() }()
			_ = sqlcas.RetryTx(ctx, db, func(_ context.Context, tx *sql.Tx) error {
				require.NoError(t, exec("DELETE FROM a")(tx))
				panic("boom")
			})
		}()
		return nil
	})
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.Zero(t, script.Count("COMMIT"))
	require.Equal(t, 1, script.Count("ROLLBACK"))
}

// Ensures that a transaction is not joined through the one of another pool, whose reruns would do
// the joined part again.
func TestAJoinThroughAnotherPoolIsRefused(t *testing.T) {
	t.Parallel()
	one, two := scriptdb.New(nil), scriptdb.New(nil)
	db1, db2 := pool(t, one), pool(t, two)
	err := sqlcas.RetryTx(t.Context(), db1, func(ctx context.Context, _ *sql.Tx) error {
		return sqlcas.RetryTx(ctx, db2, func(ctx context.Context, _ *sql.Tx) error {
			return sqlcas.RetryTx(ctx, db1, func(context.Context, *sql.Tx) error {
				t.Error("the innermost closure ran")
				return nil
			})
		})
	})
	require.ErrorIs(t, err, sqlcas.ErrNested)
	require.Zero(t, one.Count("COMMIT")+two.Count("COMMIT"))
}

// Ensures that a call which has joined on another goroutine and is under way when the closure
// returns forbids the COMMIT, and that one which comes later is refused.
func TestAJoinThatOutlivesTheClosureIsNotCommittedByHalf(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	joined, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var late context.Context
	err := sqlcas.RetryTx(t.Context(), db, func(ctx context.Context, _ *sql.Tx) error {
		late = ctx
		go func() {
			ended <- sqlcas.RetryTx(ctx, db, func(context.Context, *sql.Tx) error {
				close(joined)
				<-release
				return nil
			})
		}()
		<-joined
		return nil
	})
	close(release)
	<-ended
	require.ErrorIs(t, err, sqlcas.ErrTxAborted)
	require.Zero(t, script.Count("COMMIT"))

	err = sqlcas.RetryTx(late, db, func(context.Context, *sql.Tx) error {
		t.Error("a closure ran in a transaction that had ended")
		return nil
	})
	require.ErrorIs(t, err, sqlcas.ErrNested)
}

// Ensures that RetryTx on another pool inside a transaction is a transaction of its own, with
// retries of its own.
func TestAnotherPoolIsIndependent(t *testing.T) {
	t.Parallel()
	one, two := scriptdb.New(nil), scriptdb.New(nil)
	db1, db2 := pool(t, one), pool(t, two)
	innerRuns := 0
	var r sqlcas.Report
	err := sqlcas.RetryTx(t.Context(), db1, func(ctx context.Context, outer *sql.Tx) error {
		return sqlcas.RetryTx(ctx, db2, func(ctx context.Context, tx *sql.Tx) error {
			require.NotSame(t, outer, tx)
			innerRuns++
			if innerRuns == 1 {
				return sqlcas.ErrConflict
			}
			return nil
		}, sqlcas.WithReport(&r), sqlcas.WithDelays(time.Microsecond, time.Microsecond))
	})
	require.NoError(t, err)
	require.False(t, r.Joined)
	require.Equal(t, 1, one.Count("BEGIN"))
	require.Equal(t, 2, two.Count("BEGIN"))
}
