// Package sandbox gives each example a database that it can fill and throw away: one of its own on
// your server, or embedded SQLite where there is no server.
//
// On a server it creates a database with a name that nobody else has, and Close drops that one and
// no other. The database named in the DSN, if there is one, is not looked at.
package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"os/signal"
	"syscall"

	"github.com/sqlcas/sqlcas"
)

// EnvDSN is the environment variable that the examples take a DSN from when -dsn is not given, in
// the form of github.com/go-sql-driver/mysql: user:password@tcp(host:3306)/.
const EnvDSN = "SQLCAS_DSN"

// ErrLeftBehind says that Close could not remove the database. The text names it and the mend.
var ErrLeftBehind = errors.New("left behind")

// Sandbox is a database with the tables of package schema, all of them empty.
type Sandbox struct {
	// DB is a pool on the database. Close closes it.
	DB *sql.DB
	// Embedded says that it is SQLite, which has no row locks: SELECT ... FOR UPDATE does not run.
	Embedded bool
	// About names the server, its version and what its commits are worth, for people to read.
	About string
	// Options are what a call of sqlcas on DB needs: a classifier for SQLite's errors, nothing on
	// MySQL and MariaDB.
	Options []sqlcas.Option

	remove func() error
}

// Open makes a sandbox on the server of dsn, or an embedded one if dsn is empty. The pool holds at
// most conns connections. If ctx ends while Open works, nothing is left behind.
//
// From then on a reader of the program's output that goes away, as in "... | head", does not end the
// program before Close has cleaned up.
func Open(ctx context.Context, dsn string, conns int) (*Sandbox, error) {
	signal.Ignore(syscall.SIGPIPE)
	if dsn == "" {
		return openEmbedded(ctx, conns)
	}
	return openServer(ctx, dsn, conns)
}

// Table returns t as the sandbox's database can run it: SQLite has no SELECT ... FOR UPDATE, so that an
// optimistic.Store must not fall back on it, as it does where a change of several rows has lost to
// another one. A Table without GetForUpdate is never locked.
func Table[K comparable, R any](s *Sandbox, t sqlcas.Table[K, R]) sqlcas.Table[K, R] {
	if s.Embedded {
		t.GetForUpdate = nil // of the copy
	}
	return t
}

// Close closes the pool and removes the database. It needs no context, because an interrupted
// program has to clean up all the same; on a server it takes 30 s at most. Its error is
// ErrLeftBehind if the database is still there.
func (s *Sandbox) Close() error {
	return errors.Join(s.DB.Close(), s.remove())
}
