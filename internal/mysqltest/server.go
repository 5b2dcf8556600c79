package mysqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/go-sql-driver/mysql"
)

// Server is a running MySQL or MariaDB. Its methods may be used by many tests at once, except Kill,
// Start and Stop, which are for a server that the caller booted with [Boot] or [Start].
type Server struct {
	// Name is the flavour that was asked for, or the name given in SQLCAS_TEST_DSNS.
	Name string
	// Version is what SELECT VERSION() answers.
	Version string

	base *mysql.Config // how to reach it, without a database

	mu    sync.Mutex
	admin *sql.DB // created at first use; makes and drops the tests' databases

	// Of an own server; life is nil for one that somebody else runs, and after Stop.
	life   *lifeline
	dir    string
	pid    int
	killed bool
}

// MariaDB reports whether the server is a MariaDB; otherwise it is a MySQL.
func (s *Server) MariaDB() bool { return isMariaDB(s.Version) }

// Addr returns the server's address, host:port, for instance to put a proxy in front.
func (s *Server) Addr() string { return s.base.Addr }

// String returns name and version, as reports show a server.
func (s *Server) String() string { return s.Name + " " + s.Version }

// RootDSN returns a DSN of the administrative account without a database. Tests want [Server.DB]
// or [Server.DSN] instead, which come with a database of their own.
func (s *Server) RootDSN() string {
	cfg := s.base.Clone()
	cfg.ParseTime = true
	return cfg.FormatDSN()
}

// PID returns the server's process number, 0 for a server that somebody else runs.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// Stop ends the server and returns when its process is gone and its folder is removed. On a server
// that somebody else runs it only closes the connections of this package. Stop is idempotent.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.closeAdmin()
	if s.life == nil {
		return err
	}
	// rm may fail where the server's last write made a file meanwhile; what matters is the result.
	stopErr := s.life.close()
	s.life, s.pid = nil, 0
	if exists(s.dir) {
		err = errors.Join(err, stopErr, os.RemoveAll(s.dir))
	}
	return err
}

// Kill ends the server process with SIGKILL, as a crash does, and returns when it is gone. Address
// and data stay for [Server.Start]. Boot it with [Options].Restartable if commits are to survive.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil {
		return fmt.Errorf("mysqltest: Kill: %s is not a server that this process booted", s.Name)
	}
	if s.killed {
		return nil
	}
	if err := s.life.kill(); err != nil {
		return err
	}
	s.killed = true
	return s.closeAdmin() // its connections are dead
}

// Start starts a killed server again on the same data and port, and returns when it answers. If
// somebody took the port meanwhile that is an error.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil || !s.killed {
		return fmt.Errorf("mysqltest: Start: %s was not killed", s.Name)
	}
	// Only the last start's log counts for await.
	if err := os.Rename(s.dir+"/log", s.dir+"/log.old"); err != nil {
		return fmt.Errorf("mysqltest: Start: %w", err)
	}
	pid, err := s.life.start()
	if err != nil {
		return err
	}
	s.pid = pid
	s.killed = false
	return s.await(ctx)
}

// adminDB returns the pool that makes and drops databases. It takes several statements in one
// string, which the tests' own connections do not.
func (s *Server) adminDB() (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.admin != nil {
		return s.admin, nil
	}
	cfg := s.base.Clone()
	cfg.MultiStatements = true
	db, err := open(cfg)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	s.admin = db
	return db, nil
}

// closeAdmin closes the pool of adminDB; s.mu is held.
func (s *Server) closeAdmin() error {
	if s.admin == nil {
		return nil
	}
	err := s.admin.Close()
	s.admin = nil
	return err
}

// open returns a pool for cfg; it does not connect yet.
func open(cfg *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("mysqltest: %w", err)
	}
	return sql.OpenDB(connector), nil
}
