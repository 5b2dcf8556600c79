package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// committing is the script of a server whose sessions commit each statement, and which is a MySQL or,
// if the version says so, a MariaDB.
func (f *fakeServer) committing(version string) *scriptdb.Script {
	return scriptdb.New(f.commits(version))
}

func (f *fakeServer) commits(version string) scriptdb.Handler {
	return func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		reply, err := f.answer(ctx, c, st)
		if st.Query == identityQuery && err == nil {
			reply.Columns = append(reply.Columns, "autocommit", "version", "isolation", "completion_type")
			reply.Rows[0] = append(reply.Rows[0], int64(1), version, "REPEATABLE-READ", "NO_CHAIN")
		}
		return reply, err
	}
}

const mysqlVersion, mariadbVersion = "9.7.4", "11.8.9-MariaDB"

// seenAt is the identity of session 101 of a fakeServer, met just now.
func seenAt(f *fakeServer) identity {
	return identity{id: 101, server: f.name, seen: time.Now()}
}

// watchOver posts a sentry.
func watchOver(ctx context.Context, db *sql.DB, ident identity, giveUp func()) *sentry {
	s := &sentry{db: db, ident: &ident, giveUp: giveUp}
	s.watch(ctx)
	return s
}

// guard posts a sentry under ctx, and counts how often it gives up.
func guard(ctx context.Context, t *testing.T, f *fakeServer, s *scriptdb.Script) (g *sentry, gaveUp *atomic.Int32) {
	gaveUp = &atomic.Int32{}
	return watchOver(ctx, pool(t, s), seenAt(f), func() { gaveUp.Add(1) }), gaveUp
}

// Ensures that nothing is sent for a statement that returns before its context ends, and nothing
// when the context ends afterwards.
func TestSentryOfAStatementThatIsInTime(t *testing.T) {
	t.Parallel()
	f := newServer()
	script := f.committing(mysqlVersion)
	ctx, cancel := context.WithCancel(t.Context())
	s, gaveUp := guard(ctx, t, f, script)
	killed, err := s.release()
	require.False(t, killed)
	require.NoError(t, err)
	cancel()
	require.Zero(t, script.Dialed(), "connections for a KILL that is not wanted")
	require.Zero(t, gaveUp.Load())
}

// Ensures that a statement which returns before it is its turn to be ended has its answer believed: nothing is
// sent, and nobody gives up.
func TestSentryWhoseStatementIsFasterThanTheKill(t *testing.T) {
	t.Parallel()
	f := newServer()
	script := f.committing(mysqlVersion)
	db := pool(t, script)
	entered, leave := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() { // somebody else's turn
		_, _ = ask(t.Context(), db, nil, func(context.Context, *sql.Conn) error {
			close(entered)
			<-leave
			return nil
		})
	})
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var gaveUp atomic.Int32
	s := watchOver(ctx, db, seenAt(f), func() { gaveUp.Add(1) })
	queued(t, db, 1)
	killed, err := s.release()
	require.False(t, killed)
	require.NoError(t, err)
	close(leave)
	other.Wait()
	rests(t, db)
	require.Zero(t, script.Count("KILL"))
	require.Zero(t, gaveUp.Load())
}

// Ensures that a KILL QUERY which is answered by the statement's end is all that happens: the
// connection stays.
func TestSentryThatIsObeyed(t *testing.T) {
	t.Parallel()
	f := newServer()
	ctx, cancel := context.WithCancel(t.Context())
	s, gaveUp := guard(ctx, t, f, f.committing(mysqlVersion))
	cancel()
	require.Eventually(t, func() bool { return f.count("KILL QUERY 101") == 1 }, 10*time.Second, time.Millisecond)
	killed, err := s.release() // the statement has returned
	require.True(t, killed)
	require.NoError(t, err)
	require.Zero(t, gaveUp.Load())
}

// count is how often the server was asked for something.
func (f *fakeServer) count(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[what]
}

// Ensures that a sentry whose KILL is refused, or whose pool has no connection for it, gives up at once,
// and says why: nothing will end the statement.
func TestSentryThatCannotKill(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *fakeServer, *scriptdb.Script) *sentry{
		"refused": func(t *testing.T, f *fakeServer, s *scriptdb.Script) *sentry {
			f.kill = server(1095)
			return &sentry{db: pool(t, s)}
		},
		"no connection": func(t *testing.T, _ *fakeServer, s *scriptdb.Script) *sentry {
			db := pool(t, s)
			full(t, db)
			return &sentry{db: db}
		},
		"another server": func(t *testing.T, f *fakeServer, s *scriptdb.Script) *sentry {
			f.name = "other:3306:2"
			return &sentry{db: pool(t, s)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newServer()
			ident := seenAt(f)
			s := prepare(t, f, f.committing(mysqlVersion))
			gaveUp := make(chan struct{})
			s.ident, s.giveUp = &ident, func() { close(gaveUp) }
			ctx, cancel := context.WithCancel(t.Context())
			s.watch(ctx)
			start := time.Now()
			cancel()
			<-gaveUp
			require.Less(t, time.Since(start), answerBound, "there is no answer to wait for")
			_, err := s.release()
			require.Error(t, err)
			if name != "refused" {
				require.Zero(t, f.count("KILL QUERY 101"))
			}
		})
	}
}

// Ensures that a session which has ended already is not waited for: its connection is given up.
func TestSentryOfASessionThatIsGone(t *testing.T) {
	t.Parallel()
	f := newServer()
	f.kill = server(1094)
	ctx, cancel := context.WithCancel(t.Context())
	s, gaveUp := guard(ctx, t, f, f.committing(mysqlVersion))
	start := time.Now()
	cancel()
	require.Eventually(t, func() bool { return gaveUp.Load() == 1 }, 10*time.Second, time.Millisecond)
	require.Less(t, time.Since(start), answerBound)
	_, err := s.release()
	require.ErrorIs(t, err, errNoSession)
}

// Ensures that a KILL QUERY which has no effect, as when it has come between two statements, is sent again,
// but not without a bound: whoever listens is told to give up then, and that is the reason.
func TestSentryThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	f := newServer()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sentry{db: pool(t, f.committing(mysqlVersion)), ident: new(seenAt(f))}
	gaveUp := make(chan struct{})
	s.giveUp = func() { close(gaveUp) }
	s.watch(ctx)
	start := time.Now()
	cancel()
	<-gaveUp
	require.GreaterOrEqual(t, time.Since(start), answerBound)
	killed, err := s.release()
	require.True(t, killed)
	require.ErrorContains(t, err, "not answered")
	require.Greater(t, f.count("KILL QUERY 101"), 1, "one that comes before its statement has no effect")
}

// Ensures that the holder is asked for before the KILL, while the statement still waits, in each
// server's own way, and that a server which does not tell does not keep the KILL from being sent.
func TestSentryAsksForTheHolderFirst(t *testing.T) {
	t.Parallel()
	for version, query := range map[string]string{mysqlVersion: mysqlHolder, mariadbVersion: mariadbHolder} {
		for _, tells := range []bool{true, false} {
			f := newServer()
			f.handle = func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
				if st.Query == "CLOSE" {
					return scriptdb.Reply{}, nil
				}
				if st.Query != query || st.Arg(0) != int64(101) && st.Arg(0) != uint64(101) {
					t.Errorf("%s was asked %q, %v", version, st.Query, st.Args)
				}
				if !tells {
					return scriptdb.Reply{}, server(1142) // no privilege
				}
				return scriptdb.Reply{
					Columns: []string{"id", "user", "host"},
					Rows:    [][]driver.Value{{int64(55), "clerk", "10.0.0.9:41000"}},
				}, nil
			}
			script := f.committing(version)
			ident := seenAt(f)
			ident.mariadb = strings.Contains(version, "MariaDB")
			s := &sentry{db: pool(t, script), ident: &ident, giveUp: func() {}, asks: true}
			ctx, cancel := context.WithCancel(t.Context())
			s.watch(ctx)
			cancel()
			require.Eventually(t, func() bool { return f.count("KILL QUERY 101") == 1 }, 10*time.Second, time.Millisecond)
			killed, err := s.release()
			require.True(t, killed)
			require.NoError(t, err)
			if tells {
				require.Equal(t, &Holder{Session: 55, User: "clerk", Host: "10.0.0.9:41000"}, s.holder)
			} else {
				require.Nil(t, s.holder)
			}
		}
	}
}
