package mysqltest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// cleanupTimeout bounds the dropping of a test's database. A DROP waits for open transactions, so
// a test that leaves one behind fails here instead of hanging.
const cleanupTimeout = 20 * time.Second

// DB returns a pool on a new database that belongs to this test. Each schema string may hold
// several statements, separated by semicolons. The pool has parseTime on and interpolateParams off
// and no limit of connections; use [Server.Config] for other settings.
//
// When the test ends the pool is closed and the database dropped. The test fails if a connection
// is still in use by then: rows not closed, or a transaction neither committed nor rolled back.
// Stop a proxy or a goroutine that uses the database in the test's own Cleanup, which runs before.
func (s *Server) DB(t testing.TB, schema ...string) *sql.DB {
	t.Helper()
	db, err := open(s.Config(t, schema...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := awaitIdle(db); n != 0 {
			t.Errorf("mysqltest: %d connections to %s are still in use at the end of the test; "+
				"close rows, and commit or roll back every transaction", n, s.Name)
		}
		if err := db.Close(); err != nil {
			t.Errorf("mysqltest: close: %v", err)
		}
	})
	return db
}

// DSN returns the address of a new database of this test's own, as DB uses it.
func (s *Server) DSN(t testing.TB, schema ...string) string {
	t.Helper()
	return s.Config(t, schema...).FormatDSN()
}

// Config returns the driver's configuration for a new database of this test's own, which the
// caller may change before use: InterpolateParams, ClientFoundRows, Params, Addr of a proxy. What
// the test opens with it, the test must close before it ends.
func (s *Server) Config(t testing.TB, schema ...string) *mysql.Config {
	t.Helper()
	name := databaseName()
	admin, err := s.adminDB()
	if err != nil {
		t.Fatal(err)
	}
	// Names are made here from letters, digits and underscores; nothing needs quoting.
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatalf("mysqltest: create database on %s: %v", s, err)
	}
	t.Cleanup(func() {
		// Not t.Context(), which is cancelled by now.
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("mysqltest: drop database on %s: %v; is a transaction left open?", s, err)
		}
	})
	cfg := s.base.Clone()
	cfg.DBName, cfg.ParseTime = name, true
	if err := apply(t.Context(), cfg, schema); err != nil {
		t.Fatalf("mysqltest: schema on %s: %v", s, err)
	}
	return cfg
}

// CreateDatabase makes a database of the given name, unless it is there, and returns its DSN. It
// is for servers that people use, as withdb -print boots; tests take [Server.DB], which cleans up.
// The name goes into the statement as it is: letters, digits and underscores.
func (s *Server) CreateDatabase(ctx context.Context, name string) (string, error) {
	admin, err := s.adminDB()
	if err != nil {
		return "", err
	}
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+name); err != nil {
		return "", fmt.Errorf("mysqltest: create database on %s: %w", s, err)
	}
	cfg := s.base.Clone()
	cfg.DBName, cfg.ParseTime = name, true
	return cfg.FormatDSN(), nil
}

// drop drops a test's database. The pool is asked for anew: a restart of the server replaces it.
// A server that is down takes its databases along.
func (s *Server) drop(ctx context.Context, name string) error {
	s.mu.Lock()
	down := s.killed || s.dir != "" && s.life == nil
	s.mu.Unlock()
	if down {
		return nil
	}
	admin, err := s.adminDB()
	if err != nil {
		return err
	}
	_, err = admin.ExecContext(ctx, "DROP DATABASE IF EXISTS "+name)
	return err
}

// apply runs the schema strings on a connection that takes several statements at once.
func apply(ctx context.Context, cfg *mysql.Config, schema []string) error {
	if len(schema) == 0 {
		return nil
	}
	many := cfg.Clone()
	many.MultiStatements = true
	db, err := open(many)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for i, text := range schema {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("schema string %d: %w", i+1, err)
		}
	}
	return nil
}

// awaitIdle waits up to 2 s until no connection is in use, and returns how many still are. A
// cancelled query gives its connection back a moment after the caller has its error.
func awaitIdle(db *sql.DB) int {
	deadline := time.Now().Add(2 * time.Second)
	for {
		n := db.Stats().InUse
		if n == 0 || time.Now().After(deadline) {
			return n
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// databases counts the databases of this process; started tells this process from an earlier one
// with the same number, which may have left databases on a server that others run.
var (
	databases atomic.Int64
	started   = strconv.FormatInt(time.Now().UnixMilli()%(36*36*36*36), 36)
)

// databaseName returns a new name: package, process, start and counter, at most 64 characters.
func databaseName() string {
	pkg := strings.TrimSuffix(filepath.Base(os.Args[0]), ".test")
	pkg = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(pkg))
	pkg = pkg[:min(len(pkg), 24)]
	return fmt.Sprintf("sqlcas_%s_%d_%s_%d", pkg, os.Getpid(), started, databases.Add(1))
}
