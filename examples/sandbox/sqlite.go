package sandbox

import (
	"context"
	"database/sql"
	_ "embed" // for the schema
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"github.com/sqlcas/sqlcas"
)

// sqliteSchema has the tables of package schema in SQLite's words.
//
//go:embed sqlite.sql
var sqliteSchema string

// busyTimeout is how long a statement waits for another writer, in milliseconds. SQLite has one
// writer at a time per database.
const busyTimeout = 5000

// SQLiteDSN returns the DSN of a database file, given by its absolute path. In WAL mode, which it
// asks for, readers do not block the writer, so that two connections can meet as they do on MySQL.
func SQLiteDSN(file string) string {
	pragmas := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout),
		"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)",
	}}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") { // C:/..., which an URI writes as /C:/...
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: pragmas.Encode()}).String()
}

// SQLite's result codes, of which the low byte is the kind of error.
const (
	sqliteBusy         = 5
	sqliteLocked       = 6
	sqliteBusySnapshot = 5 | 2<<8
)

// SQLiteClass tells sqlcas what SQLite's errors mean; give it to sqlcas.WithClassifier. After any
// of these the transaction has to be rolled back and run again, which is what the harness does.
func SQLiteClass(err error) sqlcas.Class {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return sqlcas.ClassDefault
	}
	switch {
	case e.Code() == sqliteBusySnapshot:
		return sqlcas.ClassConflict // what was read has been overwritten
	case e.Code()&0xff == sqliteBusy, e.Code()&0xff == sqliteLocked:
		return sqlcas.ClassTransient // another writer was busy for too long
	}
	return sqlcas.ClassPermanent
}

// openEmbedded makes a sandbox in a folder for temporary files.
func openEmbedded(ctx context.Context, conns int) (*Sandbox, error) {
	dir, err := os.MkdirTemp("", "sqlcas-example-")
	if err != nil {
		return nil, fmt.Errorf("embedded SQLite: %w", err)
	}
	s := &Sandbox{
		Embedded: true,
		Options:  []sqlcas.Option{sqlcas.WithClassifier(SQLiteClass)},
		remove: func() error {
			if err := os.RemoveAll(dir); err != nil {
				return fmt.Errorf("folder %s is %w: %w; delete it", dir, ErrLeftBehind, err)
			}
			return nil
		},
	}
	if s.DB, err = sql.Open("sqlite", SQLiteDSN(filepath.Join(dir, "shop.db"))); err != nil {
		return nil, errors.Join(fmt.Errorf("embedded SQLite: %w", err), s.remove())
	}
	s.DB.SetMaxOpenConns(conns)
	s.DB.SetMaxIdleConns(conns)
	var version string
	_, err = s.DB.ExecContext(ctx, sqliteSchema)
	if err == nil {
		err = s.DB.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded SQLite: %w", err), s.Close())
	}
	s.About = "embedded SQLite " + version
	return s, nil
}
