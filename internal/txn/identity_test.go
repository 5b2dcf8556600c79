package txn

import (
	"context"
	"database/sql/driver"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// Ensures that a connection is asked who it is once, however often it is used.
func TestIdentityIsAskedOncePerConnection(t *testing.T) {
	t.Parallel()
	f := newServer()
	script := f.script()
	dc, err := script.Connect(t.Context())
	require.NoError(t, err)
	for range 3 {
		got, err := identify(t.Context(), dc)
		require.NoError(t, err)
		require.EqualValues(t, 101, got.id)
		require.Equal(t, "host:3306:1", got.server)
	}
	require.Equal(t, 1, f.asked["identity"])
	runtime.KeepAlive(dc)
}

// Ensures that the cache keeps no connection alive, and that the entry of one that is gone goes too.
func TestIdentityGoesWithItsConnection(t *testing.T) {
	t.Parallel()
	entries := map[any]uintptr{}
	for range 100 {
		dc, err := newServer().script().Connect(t.Context())
		require.NoError(t, err)
		_, err = identify(t.Context(), dc)
		require.NoError(t, err)
		_, at := address(dc)
		entry, cached := identities.Load(at)
		require.True(t, cached)
		entries[entry] = at
	}
	left := func() (n int) {
		for entry, at := range entries { // another connection may be there by now
			if now, cached := identities.Load(at); cached && now == entry {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return left() == 0
	}, 10*time.Second, time.Millisecond, "entries of connections that are gone")
}

// Ensures that a connection which has the address of one that is gone does not pass for it: its session
// number would be somebody else's.
func TestAnAddressThatIsUsedAgainIsNotBelieved(t *testing.T) {
	t.Parallel()
	dc, err := newServer().script().Connect(t.Context())
	require.NoError(t, err)
	_, at := address(dc)
	identities.Store(at, &acquaintance{conn: weak.Make(new(byte)), ident: identity{id: 999}})
	got, err := identify(t.Context(), dc)
	require.NoError(t, err)
	require.EqualValues(t, 101, got.id)
	runtime.KeepAlive(dc)
}

// valueConn is a connection that is no pointer.
type valueConn struct{ *scriptdb.Conn }

// emptyConn is a pointer to nothing, as all of its kind may be one and the same.
type emptyConn struct{}

func (*emptyConn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (*emptyConn) Close() error                        { return nil }
func (*emptyConn) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }

// Ensures that connections which cannot be told apart by their address are not cached: a session
// number of one must never be another's.
func TestConnectionsWithoutAnAddressAreNotCached(t *testing.T) {
	t.Parallel()
	f := newServer()
	dc, err := f.script().Connect(t.Context())
	require.NoError(t, err)
	for range 2 {
		got, err := identify(t.Context(), valueConn{dc.(*scriptdb.Conn)})
		require.NoError(t, err)
		require.True(t, got.known())
	}
	require.Equal(t, 2, f.asked["identity"])
	got, err := identify(t.Context(), &emptyConn{})
	require.NoError(t, err)
	require.False(t, got.known(), "a driver that runs no statement has no identity")
}

// Ensures that only a lost connection and an ended context are errors of the question; any other
// answer than a server's means that there is no identity.
func TestWhatTheQuestionForTheIdentityComesTo(t *testing.T) {
	t.Parallel()
	row := func(v ...driver.Value) scriptdb.Reply {
		return scriptdb.Reply{Columns: []string{"id", "server"}, Rows: [][]driver.Value{v}}
	}
	for name, tc := range map[string]struct {
		reply scriptdb.Reply
		err   error
		known bool
		fails bool
	}{
		"text protocol":       {reply: row([]byte("7"), []byte("host")), known: true},
		"binary protocol":     {reply: row(uint64(7), "host"), known: true},
		"no row":              {},
		"no number":           {reply: row("seven", "host")},
		"NULL":                {reply: row(nil, nil)},
		"refused":             {err: server(1305)},
		"lost":                {err: mysql.ErrInvalidConn, fails: true},
		"ended":               {err: context.Canceled, fails: true},
		"lost in the answer":  {reply: scriptdb.Reply{Columns: []string{"id", "server"}, NextErr: mysql.ErrInvalidConn}, fails: true},
		"refused in the rows": {reply: scriptdb.Reply{Columns: []string{"id", "server"}, NextErr: server(1305)}},
	} {
		script := scriptdb.New(func(context.Context, *scriptdb.Conn, scriptdb.Statement) (scriptdb.Reply, error) {
			return tc.reply, tc.err
		})
		dc, err := script.Connect(t.Context())
		require.NoError(t, err)
		got, err := identify(t.Context(), dc)
		require.Equal(t, tc.fails, err != nil, "%s: error %v", name, err)
		require.Equal(t, tc.known, got.known(), name)
	}
}
