// Package benchdb gives a benchmark a database of its own on each server that it is to measure, pools of
// connections to it, and what the server says of itself.
package benchdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas/schema"
)

// env is where the servers come from: name=dsn;name=dsn, as withdb sets it.
const env = "SQLCAS_TEST_DSNS"

// Server is one that may be written to.
type Server struct{ Name, DSN string }

// Listed returns the servers of SQLCAS_TEST_DSNS; none is no error.
func Listed() []Server { return parse(os.Getenv(env)) }

func parse(list string) []Server {
	var all []Server
	for _, entry := range strings.Split(list, ";") {
		if name, dsn, ok := strings.Cut(entry, "="); ok {
			all = append(all, Server{name, dsn})
		}
	}
	return all
}

// Database is a database of the benchmark's own, with the shop's tables.
type Database struct {
	name  string
	admin *sql.DB
	cfg   *mysql.Config
}

// Create makes a Database on the server that dsn is of; a database that it names is not touched. Drop it when
// done.
func Create(ctx context.Context, dsn string) (*Database, error) {
	d, err := CreateEmpty(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := d.createTables(ctx); err != nil {
		return nil, errors.Join(err, d.Drop())
	}
	return d, nil
}

// CreateEmpty is Create without the tables.
func CreateEmpty(ctx context.Context, dsn string) (*Database, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	cfg.DBName = ""
	admin, err := open(cfg, 1, 0)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("sqlcas_bench_%d_%d", os.Getpid(), time.Now().UnixNano())
	if err := create(ctx, admin, name); err != nil {
		_ = admin.Close()
		return nil, err
	}
	// Without interpolation the driver prepares and closes a statement around each execution.
	cfg.DBName, cfg.InterpolateParams = name, true
	return &Database{name: name, admin: admin, cfg: cfg}, nil
}

// create makes the database. Once the statement is sent, the end of ctx does not keep it from being carried out: it
// would leave a database that nobody knows of.
func create(ctx context.Context, admin *sql.DB, name string) error {
	if err := admin.PingContext(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), bound)
	defer cancel()
	_, err := admin.ExecContext(ctx, "CREATE DATABASE "+name)
	return err
}

// bound is how long making or dropping a database may take.
const bound = 30 * time.Second

func (d *Database) createTables(ctx context.Context) error {
	db, err := d.Open(1, 0)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return CreateTables(ctx, db)
}

// CreateTables makes the shop's tables. One that is there already is an error.
func CreateTables(ctx context.Context, db *sql.DB) error {
	for _, statement := range schema.Shop() {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// DSN returns the address of the database, for another process or for Open.
func (d *Database) DSN() string { return d.cfg.FormatDSN() }

// Open returns a pool of up to size connections, which stay open, and each of whose round trips takes
// the given time longer; see delayed. The caller closes it.
func (d *Database) Open(size int, roundTrip time.Duration) (*sql.DB, error) {
	return open(d.cfg, size, roundTrip)
}

// Open is Database.Open for an address, all of whose parameters hold but autocommit. It must name a database.
func Open(dsn string, size int, roundTrip time.Duration) (*sql.DB, error) {
	cfg, err := mysql.ParseDSN(dsn)
	switch {
	case err != nil:
		return nil, err
	case cfg.DBName == "":
		return nil, errors.New("the DSN names no database: write it behind the slash")
	}
	return open(cfg, size, roundTrip)
}

func open(cfg *mysql.Config, size int, roundTrip time.Duration) (*sql.DB, error) {
	cfg = cfg.Clone()
	forceAutocommit(cfg)
	if roundTrip > 0 {
		cfg.DialFunc = dialer(roundTrip)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// forceAutocommit has sessions commit each statement that is in no transaction, whatever the DSN or the server's
// default is. Without it the deltas of one caller would be one transaction that nobody ends: he would hold the row's
// lock for ever, and what is measured would be the waiting for it.
func forceAutocommit(cfg *mysql.Config) {
	const autocommit = "autocommit"
	params := map[string]string{autocommit: "1"}
	for name, value := range cfg.Params {
		if !strings.EqualFold(name, autocommit) { // else servers would take the last, and maps have none
			params[name] = value
		}
	}
	cfg.Params = params
}

// erDropNoDatabase is the server's error number of a database that is not there.
const erDropNoDatabase = 1008

// Drop removes the database with all that is in it, also after the end of the context it was made with. One that
// somebody else has dropped is no error. Its error names the database that is left.
func (d *Database) Drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	_, err := d.admin.ExecContext(ctx, "DROP DATABASE "+d.name)
	_ = d.admin.Close()
	var server *mysql.MySQLError
	if errors.As(err, &server) && server.Number == erDropNoDatabase {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the database %s is left on the server, drop it: %w", d.name, err)
	}
	return nil
}

// Describe tells the server's version and what its commits are worth.
func Describe(ctx context.Context, db *sql.DB) (version, settings string, err error) {
	var flush, syncBinlog, logBin int
	err = db.QueryRowContext(ctx, "SELECT @@version, @@innodb_flush_log_at_trx_commit, @@sync_binlog, @@log_bin").
		Scan(&version, &flush, &syncBinlog, &logBin)
	if durable(flush, syncBinlog, logBin) {
		return version, fmt.Sprintf("durable, binlog %d", logBin), err
	}
	return version, fmt.Sprintf("flush %d, sync_binlog %d: NOT durable", flush, syncBinlog), err
}

// durable reports whether a commit is on disk when it is answered: in the log of InnoDB, and in the binary log if
// there is one. A flush of 3, which MariaDB alone has, flushes more often than 1.
func durable(flush, syncBinlog, logBin int) bool {
	return (flush == 1 || flush == 3) && (logBin == 0 || syncBinlog == 1)
}
