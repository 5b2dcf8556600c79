package faulttest

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// socket is the way to a server over its Unix socket, on which the next COMMIT can be lost. A
// session over it has no port by which the server's list of sessions could tell it from another.
type socket struct {
	path string

	mu   sync.Mutex
	mode faultproxy.Mode // Pass, DropReply or DropRequest
	left []net.Conn      // the server's ends of lost sessions
}

// newSocket finds the server's socket. The tests' own servers have theirs in the data folder; a
// server that is not on this machine skips the test.
func (r *rig) newSocket(t *testing.T) (*socket, *mysql.Config) {
	t.Helper()
	var data, path string
	row := r.truth.QueryRowContext(t.Context(), "SELECT @@datadir, @@socket")
	require.NoError(t, row.Scan(&data, &path))
	if !filepath.IsAbs(path) {
		path = filepath.Join(data, path)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no Unix socket to the server: %v", err)
	}
	s := &socket{path: path}
	t.Cleanup(s.release)
	cfg := r.cfg.Clone()
	cfg.Net, cfg.Addr, cfg.DialFunc = "unix", path, s.dial
	return s, cfg
}

func (s *socket) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", s.path)
	if err != nil {
		return nil, err
	}
	return &socketConn{Conn: c, socket: s}, nil
}

// lose gives the next COMMIT this mode.
func (s *socket) lose(mode faultproxy.Mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
}

// next returns the mode of a COMMIT, and keeps the connection open if it is to be lost.
func (s *socket) next(c net.Conn) faultproxy.Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	mode := s.mode
	s.mode = faultproxy.Pass
	if mode != faultproxy.Pass {
		s.left = append(s.left, c)
	}
	return mode
}

// release closes what the lost sessions left.
func (s *socket) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.left {
		_ = c.Close()
	}
}

// socketConn is one connection. Once lost, only the server's end of it is still open.
type socketConn struct {
	net.Conn
	socket *socket
	lost   atomic.Bool
}

// Write loses a COMMIT that is to be lost: at once, or when the server has answered it.
func (c *socketConn) Write(b []byte) (int, error) {
	if !bytes.HasSuffix(b, []byte("COMMIT")) {
		return c.Conn.Write(b)
	}
	switch c.socket.next(c.Conn) {
	case faultproxy.DropRequest:
		c.lost.Store(true)
		return len(b), nil
	case faultproxy.DropReply:
		n, err := c.Conn.Write(b)
		if err == nil {
			_, err = c.Conn.Read(make([]byte, 1024))
		}
		c.lost.Store(true)
		return n, err
	}
	return c.Conn.Write(b)
}

// Read says that a lost connection has ended.
func (c *socketConn) Read(b []byte) (int, error) {
	if c.lost.Load() {
		return 0, io.EOF
	}
	return c.Conn.Read(b)
}

// Close leaves the server's end of a lost connection open, as a host that has died does.
func (c *socketConn) Close() error {
	if c.lost.Load() {
		return nil
	}
	return c.Conn.Close()
}

// Ensures that a session over a Unix socket is looked up as any other, once the server is old
// enough for the session's number to be beyond doubt: a lost COMMIT that was carried out is unknown,
// and one that was not is made again, with no lock left (case 44).
func TestLookUpOverAUnixSocket(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		sock, cfg := r.newSocket(t)
		eventually(t, 10*time.Second, "the server has been up for 3 s", func() bool {
			var name string
			var up int
			row := r.truth.QueryRowContext(t.Context(), "SHOW GLOBAL STATUS LIKE 'Uptime'")
			require.NoError(t, row.Scan(&name, &up))
			return up >= 3
		})
		db := open(t, dial(t, cfg))
		for n, mode := range []faultproxy.Mode{faultproxy.DropRequest, faultproxy.DropReply} {
			sock.lose(mode)
			attempts := 0
			err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				attempts++
				return take(ctx, tx, 1)
			})
			require.Equal(t, n+1, r.swaps(t, 1), "%v: applied: %v", mode, err)
			r.assertUnlocked(t)
			if mode == faultproxy.DropReply {
				require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, mode)
				require.Equal(t, 1, attempts, "%v: attempts", mode)
				continue
			}
			require.NoError(t, err, mode)
			require.Equal(t, 2, attempts, "%v: attempts", mode)
		}
	})
}

// Ensures that after a restart of the server no session over its socket is killed in the place of
// the lost one: it has its number and, there being no port, its address too (case 44).
func TestRestartedServerKeepsItsSessionsOverASocket(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, restartable, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		_, cfg := r.newSocket(t)
		over := &rig{cfg: cfg, truth: r.truth}
		restartUnderACall(t, s, r, over)
	})
}
