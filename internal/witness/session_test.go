package witness

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

const q = "SELECT n FROM a FOR UPDATE"

// places are the ways in which a closure meets an error of the server; each swallows it.
var places = map[string]struct {
	reply scriptdb.Reply
	err   error
	meet  func(*testing.T, *sql.Tx)
}{
	"Exec": {err: errAbort, meet: func(t *testing.T, tx *sql.Tx) {
		_, err := tx.Exec(q)
		require.ErrorIs(t, err, errAbort)
	}},
	"Query": {err: errAbort, meet: func(t *testing.T, tx *sql.Tx) {
		rows, err := tx.Query(q)
		require.ErrorIs(t, err, errAbort)
		if rows != nil {
			_ = rows.Err()
		}
	}},
	"Stmt.Exec": {err: errAbort, meet: func(t *testing.T, tx *sql.Tx) {
		stmt, err := tx.Prepare(q)
		require.NoError(t, err)
		_, err = stmt.Exec()
		require.ErrorIs(t, err, errAbort)
	}},
	"Stmt.Query": {err: errAbort, meet: func(t *testing.T, tx *sql.Tx) {
		stmt, err := tx.Prepare(q)
		require.NoError(t, err)
		require.ErrorIs(t, stmt.QueryRow().Scan(new(int)), errAbort)
	}},
	"QueryRow.Scan": {reply: scriptdb.Reply{Columns: []string{"n"}, NextErr: errAbort}, meet: func(t *testing.T, tx *sql.Tx) {
		require.ErrorIs(t, tx.QueryRow(q).Scan(new(int)), errAbort)
	}},
	"Rows.Next": {reply: scriptdb.Reply{Columns: []string{"n"}, Rows: one().Rows, NextErr: errAbort}, meet: func(t *testing.T, tx *sql.Tx) {
		rows, err := tx.Query(q)
		require.NoError(t, err)
		defer rows.Close()
		require.True(t, rows.Next(), "the first row comes")
		require.False(t, rows.Next(), "the second row comes")
		require.ErrorIs(t, rows.Err(), errAbort)
	}},
	"Rows.Close": {reply: scriptdb.Reply{Columns: []string{"n"}, Rows: one().Rows, CloseErr: errAbort}, meet: func(t *testing.T, tx *sql.Tx) {
		rows, err := tx.Query(q)
		require.NoError(t, err)
		require.True(t, rows.Next(), "the first row comes")
		require.NoError(t, rows.Err())
		_ = rows.Close() // which nobody looks at
	}},
	"Rows.Close of a prepared statement": {reply: scriptdb.Reply{Columns: []string{"n"}, CloseErr: errAbort}, meet: func(t *testing.T, tx *sql.Tx) {
		stmt, err := tx.Prepare(q)
		require.NoError(t, err)
		rows, err := stmt.Query()
		require.NoError(t, err)
		require.NoError(t, rows.Err())
		_ = rows.Close()
	}},
	"rows left open": {reply: scriptdb.Reply{Columns: []string{"n"}, CloseErr: errAbort}, meet: func(t *testing.T, tx *sql.Tx) {
		rows, err := tx.Query(q) // the mistake that is meant
		require.NoError(t, err)
		_ = rows
	}},
}

// Ensures that an error which aborts is noted wherever database/sql meets it, also where the
// closure cannot see it, and forbids the COMMIT; with a modern driver and with one that has none of
// the optional interfaces.
func TestAnAbortIsNotedWhereverItIsMet(t *testing.T) {
	t.Parallel()
	for name, tc := range places {
		for kind, open := range map[string]func(scriptdb.Handler) *scriptdb.Script{"modern": scriptdb.New, "bare": scriptdb.NewBare} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				script := open(replyTo(q, tc.reply, tc.err))
				sess := begin(t, script)
				tc.meet(t, sess.Tx)
				fate := sess.Commit()
				require.Equal(t, Fate{Err: errAbort}, fate)
				require.Equal(t, errAbort, sess.Aborted())
				require.Zero(t, script.Count("COMMIT"))
				require.Equal(t, 1, script.Count("ROLLBACK"))
				require.True(t, sess.Clean(), "the connection can be used again")
			})
		}
	}
}

// Ensures that an error which ends its statement only does not forbid the COMMIT.
func TestAStatementErrorDoesNotForbidTheCommit(t *testing.T) {
	t.Parallel()
	script := replying(q, scriptdb.Reply{}, errors.New("duplicate key"))
	sess := begin(t, script)
	_, err := sess.Tx.Exec(q)
	require.Error(t, err)
	require.Equal(t, Fate{Sent: true}, sess.Commit())
	require.True(t, sess.Clean())
	require.Equal(t, 1, script.Count("COMMIT"))
}

// Ensures that any error that leaves the connection broken forbids the COMMIT, whatever the verdict
// thinks of it, and that the connection is not called clean.
func TestABrokenConnectionForbidsTheCommit(t *testing.T) {
	t.Parallel()
	odd := errors.New("odd")
	script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == q {
			c.Break()
			return scriptdb.Reply{}, odd
		}
		return scriptdb.Reply{}, nil
	})
	sess := begin(t, script)
	_, err := sess.Tx.Exec(q)
	require.ErrorIs(t, err, odd)
	require.Equal(t, Fate{Err: odd}, sess.Commit())
	require.False(t, sess.Clean())
	require.Equal(t, []string{"BEGIN", q}, script.Log(), "nothing is sent on a broken connection")
}

// Ensures that nothing more is sent once the server has aborted a statement: after a deadlock it
// would run outside of any transaction and be durable at once. The refusal is the abort by errors.Is.
func TestNothingIsSentAfterAnAbort(t *testing.T) {
	t.Parallel()
	script := replying(q, scriptdb.Reply{}, errAbort)
	sess := begin(t, script)
	_, err := sess.Tx.Exec(q)
	require.ErrorIs(t, err, errAbort)
	for name, send := range map[string]func() error{
		"Exec":     func() error { _, err := sess.Tx.Exec("INSERT INTO b VALUES (1)"); return err },
		"QueryRow": func() error { return sess.Tx.QueryRow("SELECT 1").Scan() },
		"Stmt": func() error {
			stmt, err := sess.Tx.Prepare("INSERT INTO c VALUES (1)")
			require.NoError(t, err)
			_, err = stmt.Exec()
			return err
		},
	} {
		err := send()
		var refused *AfterAbortError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorIs(t, err, errAbort, name)
		require.ErrorContains(t, err, "was not sent", name)
	}
	require.Equal(t, Fate{Err: errAbort}, sess.Commit())
	require.Equal(t, []string{"BEGIN", q, "ROLLBACK"}, script.Log())
}

// Ensures that the first of several reasons to forbid the COMMIT is the one told, and that a
// harmless error before it is none.
func TestTheFirstAbortIsKept(t *testing.T) {
	t.Parallel()
	first := errors.Join(errors.New("first"), errAbort)
	errs := []error{errors.New("harmless"), first}
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query != q {
			return scriptdb.Reply{}, nil
		}
		err := errs[0]
		errs = errs[1:]
		return scriptdb.Reply{}, err
	})
	sess := begin(t, script)
	for range 3 {
		_, err := sess.Tx.Exec(q)
		require.Error(t, err)
	}
	sess.Forbid(errors.New("later"))
	require.Equal(t, first, sess.Aborted())
}

// Ensures that a closure which ends its *sql.Tx itself gets nothing committed, and is told what it
// did, with the mend.
func TestAClosureThatEndsTheTransactionItselfIsRefused(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sql.Tx) error{"Commit": (*sql.Tx).Commit, "Rollback": (*sql.Tx).Rollback} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := scriptdb.New(nil)
			sess := begin(t, script)
			err := end(sess.Tx)
			if name == "Commit" {
				require.ErrorIs(t, err, ErrEndedByClosure)
			}
			require.Equal(t, Fate{Err: ErrEndedByClosure}, sess.Commit())
			require.Zero(t, script.Count("COMMIT"))
			require.Equal(t, 1, script.Count("ROLLBACK"))
			require.True(t, sess.Clean())
		})
	}
}

// Ensures that a statement which would end the transaction is not sent, fails with an error that
// says so, and forbids the COMMIT; prepared as well.
func TestStatementsThatEndTheTransactionAreNotSent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"COMMIT", "rollback", "BEGIN", "START TRANSACTION", "ALTER TABLE a ADD b INT", "/* x */ DROP TABLE a"} {
		script := scriptdb.New(nil)
		sess := begin(t, script)
		_, err := sess.Tx.Exec(text)
		var refused *EndedByStatementError
		require.ErrorAs(t, err, &refused, text)
		require.Equal(t, text, refused.Query)
		require.ErrorContains(t, err, "was not sent")
		fate := sess.Commit()
		require.ErrorAs(t, fate.Err, &refused, text)
		require.False(t, fate.Sent)
		require.Equal(t, []string{"BEGIN", "ROLLBACK"}, script.Log())

		prepared := begin(t, scriptdb.New(nil))
		stmt, err := prepared.Tx.Prepare(text)
		require.NoError(t, err)
		_, err = stmt.Exec()
		require.ErrorAs(t, err, &refused, text)
		require.ErrorAs(t, prepared.Tx.QueryRow(text).Scan(), &refused, text)
	}
}

// Ensures that COMMIT and ROLLBACK are statements under the session's bound: a server that never
// answers holds nobody up longer, and the connection is not used again (case 45).
func TestTheEndOfATransactionIsBounded(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"COMMIT", "ROLLBACK"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			script := scriptdb.New(func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
				if st.Query == verb {
					require.False(t, st.ViaTx, "sent through driver.Tx, which has no context")
					<-ctx.Done()
					c.Break()
					return scriptdb.Reply{}, ctx.Err()
				}
				return scriptdb.Reply{}, nil
			})
			dc, err := script.Connect(t.Context())
			require.NoError(t, err)
			sess, err := Begin(t.Context(), dc, script.Driver(), &sql.TxOptions{}, 50*time.Millisecond, verdict)
			require.NoError(t, err)
			defer sess.Close()
			start := time.Now()
			if verb == "COMMIT" {
				want := &NoAnswerError{Statement: "COMMIT", Bound: 50 * time.Millisecond}
				require.Equal(t, Fate{Sent: true, Err: want}, sess.Commit())
			} else {
				sess.Rollback()
			}
			require.Less(t, time.Since(start), time.Second, "a bound of 50 ms")
			require.False(t, sess.Clean())
		})
	}
}

// Ensures that a driver without ExecerContext ends the transaction in its own way.
func TestABareDriverEndsTheTransactionItself(t *testing.T) {
	t.Parallel()
	var viaTx []string
	script := scriptdb.NewBare(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.ViaTx {
			viaTx = append(viaTx, st.Query)
		}
		return one(), nil
	})
	sess := begin(t, script)
	_, err := sess.Tx.Exec("UPDATE a SET b = ?", 1)
	require.NoError(t, err)
	var n int
	require.NoError(t, sess.Tx.QueryRow("SELECT n FROM a WHERE id = ?", 1).Scan(&n))
	require.Equal(t, 1, n)
	require.Equal(t, Fate{Sent: true}, sess.Commit())
	require.True(t, sess.Clean())
	require.Equal(t, []string{"COMMIT"}, viaTx)
}

// Ensures that a bare driver refuses, as under database/sql alone, what it cannot do: options of a
// transaction, and named arguments.
func TestABareDriverRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	script := scriptdb.NewBare(nil)
	dc, err := script.Connect(t.Context())
	require.NoError(t, err)
	_, err = Begin(t.Context(), dc, script.Driver(), &sql.TxOptions{Isolation: sql.LevelSerializable}, time.Second, verdict)
	require.ErrorContains(t, err, "transaction options")
	sess := begin(t, script)
	_, err = sess.Tx.Exec("UPDATE a SET b = :b", sql.Named("b", 1))
	require.ErrorContains(t, err, "named")
}

// Ensures that a COMMIT the server refuses is told as sent, with the server's word, and that the
// connection is not clean until a ROLLBACK went well; a refused one leaves it unclean (case 55).
func TestARefusedCommitIsSentAndUnclean(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		switch st.Query {
		case "COMMIT", "ROLLBACK":
			return scriptdb.Reply{}, errAbort
		}
		return scriptdb.Reply{}, nil
	})
	sess := begin(t, script)
	require.Equal(t, Fate{Sent: true, Err: errAbort}, sess.Commit())
	require.False(t, sess.Clean())
	require.Equal(t, []string{"BEGIN", "COMMIT", "ROLLBACK"}, script.Log())
}

// Ensures that a context that ends rolls back on the spot, and that a later Commit is not sent.
func TestAnEndedContextRollsBack(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	dc, err := script.Connect(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	sess, err := Begin(ctx, dc, script.Driver(), &sql.TxOptions{}, time.Second, verdict)
	require.NoError(t, err)
	defer sess.Close()
	cancel()
	fate := sess.Commit()
	require.False(t, fate.Sent)
	require.Error(t, fate.Err)
	require.Equal(t, []string{"BEGIN", "ROLLBACK"}, script.Log())
	require.True(t, sess.Clean())
}

// Ensures that a connection whose BEGIN fails is reported as the driver reports it.
func TestAFailedBeginIsTheDriversError(t *testing.T) {
	t.Parallel()
	script := replying("BEGIN", scriptdb.Reply{}, driver.ErrBadConn)
	dc, err := script.Connect(t.Context())
	require.NoError(t, err)
	_, err = Begin(t.Context(), dc, script.Driver(), &sql.TxOptions{}, time.Second, verdict)
	require.ErrorIs(t, err, driver.ErrBadConn)
}
