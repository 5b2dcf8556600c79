package faultproxy_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }

const schema = "CREATE TABLE item (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB; " +
	"INSERT INTO item VALUES (1, 0)"

// bundle is one server with a proxy in front of it.
type bundle struct {
	proxy    *faultproxy.Proxy
	straight *sql.DB // past the proxy
	through  *sql.DB
}

// setup makes a bundle on the test's own database; everything in it is closed with the test.
func setup(t *testing.T, s *mysqltest.Server) *bundle {
	t.Helper()
	cfg := s.Config(t, schema)
	p, err := faultproxy.Start(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{proxy: p, straight: open(t, cfg)}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close the proxy: %v", err)
		}
	})
	behind := cfg.Clone()
	behind.Addr, behind.Logger = p.Addr(), &mysql.NopLogger{}
	b.through = open(t, behind)
	return b
}

// open returns a pool that is closed with the test.
func open(t *testing.T, cfg *mysql.Config) *sql.DB {
	t.Helper()
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// add sets n to value in a transaction through the proxy and returns what COMMIT said, which ctx
// bounds as well. The id is the session's on the server.
func (b *bundle) add(ctx context.Context, t *testing.T, value int) (id int64, err error) {
	t.Helper()
	conn, err := b.through.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// BEGIN and COMMIT as statements, so that ctx covers the COMMIT: sql.Tx's has none.
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"BEGIN", fmt.Sprintf("UPDATE item SET n = %d", value)} {
		if _, err := conn.ExecContext(ctx, query); err != nil {
			t.Fatal(err)
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return id, err
}

// value reads n past the proxy.
func (b *bundle) value(t *testing.T) int {
	t.Helper()
	var n int
	if err := b.straight.QueryRowContext(t.Context(), "SELECT n FROM item").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// locked reports whether some session holds the row's lock.
func (b *bundle) locked(t *testing.T) bool {
	t.Helper()
	var n int
	err := b.straight.QueryRowContext(t.Context(), "SELECT n FROM item FOR UPDATE NOWAIT").Scan(&n)
	var busy *mysql.MySQLError
	switch {
	case err == nil:
		return false
	case errors.As(err, &busy) && (busy.Number == 3572 || busy.Number == 1205):
		return true
	}
	t.Fatal(err)
	return false
}

// eventually waits up to 10 s for a state of the server.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("after 10 s still not: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Ensures that DropReply commits and loses the answer, once, and that the next COMMIT passes.
func TestDropReply(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		b := setup(t, s)
		b.proxy.FaultCommits(faultproxy.DropReply, 1)
		if _, err := b.add(t.Context(), t, 1); err == nil {
			t.Error("COMMIT whose reply is dropped: got no error")
		}
		if got := b.value(t); got != 1 {
			t.Errorf("value after the dropped reply: got %d, want 1, committed", got)
		}
		if _, err := b.add(t.Context(), t, 2); err != nil {
			t.Errorf("the next COMMIT: %v", err)
		}
		p := b.proxy
		if d, pass, all := p.Count(faultproxy.DropReply), p.Count(faultproxy.Pass), p.Commits(); d != 1 ||
			pass != 1 || all != 2 {
			t.Errorf("counts: got %d dropped, %d passed, %d in all; want 1, 1, 2", d, pass, all)
		}
	})
}

// Ensures that DropRequest leaves an orphan that holds its locks until a KILL ends it uncommitted.
func TestDropRequestLeavesAnOrphan(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		b := setup(t, s)
		b.proxy.FaultCommits(faultproxy.DropRequest, 1)
		id, err := b.add(t.Context(), t, 1)
		if err == nil {
			t.Error("COMMIT that is dropped: got no error")
		}
		if b.proxy.Orphans() != 1 || !b.locked(t) {
			t.Fatalf("after the drop: %d orphans, row locked %v; want 1, true",
				b.proxy.Orphans(), b.locked(t))
		}
		if _, err := b.straight.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "lock and orphan are gone after the KILL", func() bool {
			return b.proxy.Orphans() == 0 && !b.locked(t)
		})
		if got := b.value(t); got != 0 {
			t.Errorf("value: got %d, want 0, rolled back", got)
		}
	})
}

// Ensures that orphans end when told, and that DropRequestBoth leaves none.
func TestReleaseOrphansAndDropBoth(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		b := setup(t, s)
		b.proxy.FaultCommits(faultproxy.DropRequestBoth, 1)
		if _, err := b.add(t.Context(), t, 1); err == nil {
			t.Error("COMMIT that is dropped on both sides: got no error")
		}
		eventually(t, "the server has rolled back", func() bool { return !b.locked(t) })
		b.proxy.FaultCommits(faultproxy.DropRequest, 1)
		if _, err := b.add(t.Context(), t, 2); err == nil {
			t.Error("COMMIT that is dropped: got no error")
		}
		if !b.locked(t) {
			t.Error("the orphan holds no lock")
		}
		b.proxy.ReleaseOrphans()
		eventually(t, "the released orphan's lock is gone", func() bool { return !b.locked(t) })
		if got := b.value(t); got != 0 {
			t.Errorf("value: got %d, want 0", got)
		}
	})
}

// Ensures that a stalled COMMIT answers nothing while the client waits; that StallRequest leaves
// the transaction open behind a client that gave up, and StallReply has committed it.
func TestStalls(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, mode := range []faultproxy.Mode{faultproxy.StallReply, faultproxy.StallRequest} {
			b := setup(t, s)
			b.proxy.Decide(func(n int) faultproxy.Mode {
				if n == 1 {
					return mode
				}
				return faultproxy.Pass
			})
			ctx, giveUp := context.WithCancel(t.Context())
			answered := make(chan error, 1)
			go func() {
				_, err := b.add(ctx, t, 1)
				answered <- err
			}()
			if err := b.proxy.Await(t.Context(), mode, 1); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-answered:
				t.Errorf("%v: the client got an answer: %v", mode, err)
			default:
			}
			giveUp()
			if err := <-answered; !errors.Is(err, context.Canceled) {
				t.Errorf("%v: got %v, want context.Canceled", mode, err)
			}
			open := mode == faultproxy.StallRequest
			want := map[bool]int{true: 0, false: 1}[open]
			eventually(t, "the session is an orphan", func() bool { return b.proxy.Orphans() == 1 })
			if got := b.value(t); got != want || b.locked(t) != open {
				t.Errorf("%v: value %d and row locked %v, want %d and %v",
					mode, got, b.locked(t), want, open)
			}
			b.proxy.CutAll()
			eventually(t, "no lock after CutAll", func() bool { return !b.locked(t) })
		}
	})
}

// Ensures that a stalled client learns nothing of a KILL, and Close ends even its wait.
func TestStalledClientDoesNotSeeAKill(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		b := setup(t, s)
		b.proxy.FaultCommits(faultproxy.StallRequest, -1)
		ids := make(chan int64, 1)
		go func() {
			id, _ := b.add(t.Context(), t, 1)
			ids <- id
		}()
		if err := b.proxy.Await(t.Context(), faultproxy.StallRequest, 1); err != nil {
			t.Fatal(err)
		}
		var id int64
		err := b.straight.QueryRowContext(t.Context(), "SELECT id FROM information_schema.processlist "+
			"WHERE db = DATABASE() AND id <> CONNECTION_ID()").Scan(&id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.straight.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the killed session's lock is gone", func() bool { return !b.locked(t) })
		select {
		case <-ids:
			t.Error("the client learnt of the KILL")
		default:
		}
		if err := b.proxy.Close(); err != nil {
			t.Fatal(err)
		}
		if got := <-ids; got != id {
			t.Errorf("session of the stalled client: got %d, want %d", got, id)
		}
	})
}

// Ensures that latency is added in both directions, and taken away again.
func TestLatency(t *testing.T) {
	t.Parallel()
	b := setup(t, mysqltest.Servers(t)[0])
	const d = 60 * time.Millisecond
	ping := func() time.Duration {
		start := time.Now()
		if err := b.through.PingContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	ping() // connects
	b.proxy.Latency(d)
	if got := ping(); got < 2*d {
		t.Errorf("ping with %v each way: took %v, want at least %v", d, got, 2*d)
	}
	b.proxy.Latency(0)
	fastest := time.Hour
	for range 20 {
		fastest = min(fastest, ping())
	}
	if fastest >= d {
		t.Errorf("fastest of 20 pings without latency: took %v, want less than %v", fastest, d)
	}
}

// Ensures that a client which asks for TLS is refused and Close says so, and that long packets
// pass unharmed.
func TestLongPacketsAndTLS(t *testing.T) {
	t.Parallel()
	s := mysqltest.Servers(t)[0]
	b := setup(t, s)
	long := make([]byte, 300<<10)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	var n int
	query := "SELECT LENGTH('" + string(long) + "')"
	if err := b.through.QueryRowContext(t.Context(), query).Scan(&n); err != nil || n != len(long) {
		t.Errorf("long query: got %d, %v; want %d", n, err, len(long))
	}
	p, err := faultproxy.Start(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	// A handshake packet of sequence 1 with CLIENT_SSL set.
	if _, err := client.Write([]byte{4, 0, 0, 1, 0x00, 0x08, 0, 0}); err != nil {
		t.Fatal(err)
	}
	_ = client.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.Copy(io.Discard, client); errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("client that asks for TLS: %v, want a closed connection", err)
	}
	if err := p.Close(); err == nil {
		t.Error("Close after a client asked for TLS: got no error")
	}
}
