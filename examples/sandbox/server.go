package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas/schema"
)

// namePrefix starts the name of every database that an example creates.
const namePrefix = "sqlcas_example_"

// dropTimeout bounds how long Close waits for statements of interrupted calls to end.
const dropTimeout = 30 * time.Second

// openServer creates a database on the server of dsn and opens a pool on it.
func openServer(ctx context.Context, dsn string, conns int) (_ *Sandbox, err error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("the DSN: %w; write it as user:password@tcp(host:3306)/", err)
	}
	cfg.DBName = "" // never somebody else's database
	name := namePrefix + strings.ToLower(rand.Text()[:12])
	if err := create(ctx, cfg, name); err != nil {
		return nil, err
	}
	own := cfg.Clone()
	own.DBName = name
	db, err := open(own)
	if err != nil {
		return nil, errors.Join(err, drop(cfg, name))
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	s := &Sandbox{DB: db, remove: func() error { return drop(cfg, name) }}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare creates the tables and asks the server who it is.
func (s *Sandbox) prepare(ctx context.Context) error {
	for _, statement := range schema.Shop() {
		if _, err := s.DB.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("create the tables: %w", err)
		}
	}
	about, err := describe(ctx, s.DB)
	s.About = about
	return err
}

// create creates the database. Once the statement is sent it is waited for, whatever becomes of
// ctx: not knowing whether there is a database to remove would be worse than a short wait.
func create(ctx context.Context, cfg *mysql.Config, name string) error {
	admin, err := open(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close() }()
	if err := admin.PingContext(ctx); err != nil {
		return fmt.Errorf("connect to %s: %w; is the server up, and are user and password right?",
			cfg.Addr, err)
	}
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTimeout)
	defer cancel()
	_, err = admin.ExecContext(detached, "CREATE DATABASE "+name)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("create a database for the example: %w; "+
		"the account needs: GRANT ALL ON `%s%%`.* TO its name",
		err, strings.ReplaceAll(namePrefix, "_", `\_`))
	var answer *mysql.MySQLError
	if !errors.As(err, &answer) { // no answer: it may be there
		err = errors.Join(err, drop(cfg, name))
	}
	return err
}

// drop removes the database. The name is one that this process made up.
func drop(cfg *mysql.Config, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	admin, err := open(cfg)
	if err == nil {
		defer func() { _ = admin.Close() }()
		_, err = admin.ExecContext(ctx, "DROP DATABASE IF EXISTS "+name)
	}
	if err != nil {
		return fmt.Errorf("database %s is %w: %w; remove it with DROP DATABASE %s",
			name, ErrLeftBehind, err, name)
	}
	return nil
}

func open(cfg *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("the DSN: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// describe names the server and says whether a commit that it has answered survives a power cut:
// that is most of what a commit costs, so that rates mean nothing without it.
func describe(ctx context.Context, db *sql.DB) (string, error) {
	var version string
	if err := db.QueryRowContext(ctx, "SELECT @@version").Scan(&version); err != nil {
		return "", fmt.Errorf("ask the server for its version: %w", err)
	}
	product := "MySQL"
	if strings.Contains(version, "MariaDB") {
		product = "MariaDB"
	}
	version, _, _ = strings.Cut(version, "-")
	about := product + " " + version
	var flush, sync, binlog int
	const settings = "SELECT @@innodb_flush_log_at_trx_commit, @@sync_binlog, @@log_bin"
	if err := db.QueryRowContext(ctx, settings).Scan(&flush, &sync, &binlog); err != nil {
		return about, nil // a relative of MySQL that lacks one of them
	}
	durable := "durable commits"
	if flush != 1 || binlog == 1 && sync != 1 {
		durable = "commits NOT durable"
	}
	return fmt.Sprintf("%s, %s (innodb_flush_log_at_trx_commit=%d, log_bin=%d, sync_binlog=%d)",
		about, durable, flush, binlog, sync), nil
}
