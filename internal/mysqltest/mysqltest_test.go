package mysqltest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(Main(m)) }

const accountSchema = `
CREATE TABLE account (id BIGINT PRIMARY KEY, cents BIGINT NOT NULL);
INSERT INTO account VALUES (1, 500), (2, 700);`

// Ensures that every server that is found boots, is of the family its name says, and gives a
// database with the schema, with parseTime on.
func TestEachServerAnswers(t *testing.T) {
	t.Parallel()
	Each(t, func(t *testing.T, s *Server) {
		db := s.DB(t, accountSchema, "INSERT INTO account VALUES (3, 1)")
		var sum int64
		var now sql.NullTime // scans only with parseTime
		row := db.QueryRowContext(t.Context(), "SELECT SUM(cents), NOW() FROM account")
		if err := row.Scan(&sum, &now); err != nil {
			t.Fatal(err)
		}
		if sum != 1201 {
			t.Errorf("sum of cents: got %d, want 1201", sum)
		}
		if got, want := s.MariaDB(), strings.HasPrefix(s.Name, "mariadb"); got != want {
			t.Errorf("MariaDB() of %s: got %v, want %v", s, got, want)
		}
		if flavourOf(s.Version) != s.Name {
			t.Errorf("flavour of version %q: got %q, want %q", s.Version, flavourOf(s.Version), s.Name)
		}
	})
}

// Ensures that a test's database is gone when the test is over, and its neighbour's is not.
func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	for _, s := range Servers(t) {
		var own string
		other := s.Config(t).DBName
		t.Run(s.Name, func(t *testing.T) {
			own = s.Config(t, accountSchema).DBName
			if !hasDatabase(t, s, own) {
				t.Errorf("database %s on %s is not there during the test", own, s)
			}
		})
		if hasDatabase(t, s, own) {
			t.Errorf("database %s on %s is still there after its test", own, s)
		}
		if !hasDatabase(t, s, other) {
			t.Errorf("database %s on %s went with another test's", other, s)
		}
		if len(own) > 64 || own == other {
			t.Errorf("database names %q and %q: want different ones of at most 64 characters", own, other)
		}
	}
}

// hasDatabase asks the server itself.
func hasDatabase(t *testing.T, s *Server, name string) bool {
	t.Helper()
	admin, err := s.adminDB()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	err = admin.QueryRowContext(t.Context(),
		"SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", name).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}

// recorder is a testing.TB that records failures instead of failing, and runs cleanups on demand.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()                   {}
func (r *recorder) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(f string, _ ...any) { r.errors = append(r.errors, f) }
func (r *recorder) finish() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

// Ensures that a test which leaves a connection in use fails, and one which does not passes.
func TestLeftConnectionFailsTheTest(t *testing.T) {
	t.Parallel()
	s := Servers(t)[0]
	for _, leave := range []bool{false, true} {
		r := &recorder{TB: t}
		db := s.DB(r)
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !leave {
			_ = conn.Close()
		}
		r.finish()
		_ = conn.Close()
		if got := len(r.errors) > 0; got != leave {
			t.Errorf("connection left in use %v: got failures %q", leave, r.errors)
		}
	}
}

// Ensures that an error anywhere in a schema of several statements is reported, not only in the
// first one.
func TestSchemaErrorsSurface(t *testing.T) {
	t.Parallel()
	Each(t, func(t *testing.T, s *Server) {
		cfg := s.Config(t)
		err := apply(t.Context(), cfg, []string{"SELECT 1", "CREATE TABLE a (id INT); CREATE TABL b"})
		var syntax *mysql.MySQLError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), "schema string 2") {
			t.Errorf("schema with a mistake: got %v, want a server's error for schema string 2", err)
		}
	})
}

// Ensures that rows committed before a SIGKILL of a restartable server are there after Start, on
// the same address, that the pool recovers, and that nothing of the server is left after Stop.
func TestKillKeepsCommittedRows(t *testing.T) {
	t.Parallel()
	EachOwn(t, Options{Restartable: true}, func(t *testing.T, s *Server) {
		db := s.DB(t, accountSchema)
		addr, pid := s.Addr(), s.PID()
		for i := range 50 {
			if _, err := db.ExecContext(t.Context(),
				"INSERT INTO account VALUES (?, 1)", 100+i); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := db.PingContext(t.Context()); err == nil {
			t.Error("ping of a killed server: got no error")
		}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM account").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n != 52 {
			t.Errorf("rows after the restart: got %d, want 52", n)
		}
		if s.Addr() != addr || s.PID() == pid {
			t.Errorf("after the restart: address %s and process %d, before %s and %d",
				s.Addr(), s.PID(), addr, pid)
		}
	})
}

// Ensures that the options reach the server: performance_schema, durability, own flags.
func TestOptionsReachTheServer(t *testing.T) {
	t.Parallel()
	o := Options{
		Durable: true, PerformanceSchema: true, Flags: []string{"--innodb-lock-wait-timeout=7"},
	}
	EachOwn(t, o, func(t *testing.T, s *Server) {
		var performance, commit, binlog, doublewrite, wait string
		err := s.DB(t).QueryRowContext(t.Context(), `SELECT @@performance_schema,
			@@innodb_flush_log_at_trx_commit, @@sync_binlog + @@log_bin, @@innodb_doublewrite,
			@@innodb_lock_wait_timeout`).Scan(&performance, &commit, &binlog, &doublewrite, &wait)
		if err != nil {
			t.Fatal(err)
		}
		got := performance + " " + commit + " " + binlog + " " + wait
		if got != "1 1 2 7" || doublewrite != "1" && doublewrite != "ON" {
			t.Errorf("settings: got %q and doublewrite %q, want \"1 1 2 7\" and on", got, doublewrite)
		}
	})
}

// Ensures that a server which cannot start says why, with its own words, and leaves no folder.
func TestBootFailureShowsTheLog(t *testing.T) {
	t.Parallel()
	Each(t, func(t *testing.T, s *Server) {
		p := programs()[s.Name]
		if p == nil {
			t.Skip("not this machine's server")
		}
		_, err := boot(context.Background(), t.Output(), p, Options{Flags: []string{"--no-such-flag=1"}})
		if err == nil || !strings.Contains(err.Error(), "no-such-flag") {
			t.Errorf("boot with a wrong flag: got %v, want the server's log about it", err)
		}
	})
}
