package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// TestMain fails the package if a goroutine outlives its tests. Nothing is ignored.
func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }

// server is an error as the driver makes it of a server's answer.
func server(number uint16) *mysql.MySQLError {
	return &mysql.MySQLError{Number: number, Message: "scripted"}
}

func pool(t *testing.T, s *scriptdb.Script) *sql.DB {
	t.Helper()
	db := s.Open()
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func defaults() *settings.Settings {
	s := settings.Default()
	s.CommitTimeout = 2 * time.Second
	return &s
}

// fakeServer answers what the runner asks a server for itself, and hands the rest to handle.
type fakeServer struct {
	handle scriptdb.Handler // nil: one row affected, always

	mu        sync.Mutex
	host      driver.Value         // the client's address as the server sees it; nil: it does not tell
	sessions  [][]driver.Value     // the address of whoever has the attempt's number now
	name      string               // what CONCAT_WS(hostname, port, server_id) gives
	uptime    int64                // seconds
	rollsBack int64                // innodb_rollback_on_timeout
	initial   string               // the default of every column
	cascades  int64                // foreign keys that move the table's columns
	kill      error                // what KILL ends with
	index     [][]driver.Value     // rows of information_schema.STATISTICS
	columns   [][]driver.Value     // rows of information_schema.COLUMNS
	row       bool                 // whether the swap's row is still at its old version
	asked     map[string]int       // the runner's own statements
	looked    []scriptdb.Statement // look-ups of rows
}

// swapUpdate is the statement of the tests' transactions, and its index is the primary key's.
const swapUpdate = "UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?"

func newServer() *fakeServer {
	return &fakeServer{
		name: "host:3306:1", uptime: 1 << 30, row: true, asked: map[string]int{},
		index:   [][]driver.Value{{"PRIMARY", "id", int64(0)}},
		columns: [][]driver.Value{{"id", "bigint"}, {"email", "varchar"}, {"version", "bigint"}},
	}
}

func (f *fakeServer) script() *scriptdb.Script { return scriptdb.New(f.answer) }

func (f *fakeServer) answer(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
	f.mu.Lock()
	ask := func(what string) { f.asked[what]++; f.mu.Unlock() }
	switch {
	case st.Query == identityQuery:
		ask("identity")
		return scriptdb.Reply{
			Columns: []string{"id", "server", "host", "schema", "rolls_back"},
			Rows:    [][]driver.Value{{int64(100 + c.ID), []byte(f.name), f.host, "bank", f.rollsBack}},
		}, nil
	case strings.HasPrefix(st.Query, "SELECT HOST FROM information_schema.PROCESSLIST"):
		ask("host")
		return scriptdb.Reply{Columns: []string{"host"}, Rows: f.sessions}, nil
	case strings.HasPrefix(st.Query, "SHOW GLOBAL STATUS"):
		ask("uptime")
		return scriptdb.Reply{Columns: []string{"name", "value"}, Rows: [][]driver.Value{{"Uptime", f.uptime}}}, nil
	case strings.HasPrefix(st.Query, "KILL"):
		ask(st.Query)
		return scriptdb.Reply{}, f.kill
	case strings.Contains(st.Query, "information_schema.STATISTICS"):
		ask("index")
		return scriptdb.Reply{Columns: []string{"index", "column", "nullable"}, Rows: f.index}, nil
	case strings.Contains(st.Query, "information_schema.COLUMNS"):
		ask("columns")
		rows := make([][]driver.Value, len(f.columns))
		for i, c := range f.columns {
			rows[i] = []driver.Value{c[0], c[1], f.initial}
		}
		return scriptdb.Reply{Columns: []string{"column", "type", "default"}, Rows: rows}, nil
	case strings.Contains(st.Query, "information_schema.REFERENTIAL_CONSTRAINTS"):
		ask("cascades")
		return scriptdb.Reply{Columns: []string{"n"}, Rows: [][]driver.Value{{f.cascades}}}, nil
	case strings.HasPrefix(st.Query, "SET SESSION innodb_lock_wait_timeout"):
		ask("timeout")
		return scriptdb.Reply{}, nil
	case strings.HasPrefix(st.Query, "SELECT 1 FROM"):
		f.looked = append(f.looked, st)
		ask("row")
		reply := scriptdb.Reply{Columns: []string{"1"}}
		if f.row {
			reply.Rows = [][]driver.Value{{int64(1)}}
		}
		return reply, nil
	}
	f.mu.Unlock()
	if f.handle != nil {
		return f.handle(ctx, c, st)
	}
	return scriptdb.Reply{Affected: 1}, nil
}
