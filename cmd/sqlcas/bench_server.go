package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/hotrow"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// settings are the server's variables that commits depend on, as MySQL and MariaDB call them.
var settings = []string{
	"innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "transaction_isolation", "tx_isolation",
	"innodb_flush_method", "rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled",
}

// throwaway starts a durable server. The caller stops it.
func throwaway(ctx context.Context, flavour string, complaints io.Writer) (*mysqltest.Server, error) {
	installed := mysqltest.Installed(ctx)
	switch {
	case len(installed) == 0:
		return nil, fmt.Errorf("--throwaway: there is no MySQL or MariaDB server on this machine to start: install one " +
			"(apt install mariadb-server, brew install mysql; `make servers` in a clone of sqlcas), or name one that runs with --dsn")
	case flavour == anyFlavour:
		flavour = installed[0]
	case !slices.Contains(installed, flavour):
		return nil, fmt.Errorf("--throwaway: %s is not installed, but %s: write --throwaway=%s, or install it "+
			"(`make servers` in a clone of sqlcas)", flavour, strings.Join(installed, ", "), installed[0])
	}
	return mysqltest.Boot(ctx, complaints, flavour, mysqltest.Options{Durable: true})
}

// describe asks the server what it is, and whether its commits are on disk when they are answered.
func describe(ctx context.Context, db *sql.DB) (hotrow.Server, error) {
	var s hotrow.Server
	var host string
	if err := db.QueryRowContext(ctx, "SELECT @@version, @@hostname").Scan(&s.Version, &host); err != nil {
		return s, err
	}
	here, err := os.Hostname()
	s.Local = err == nil && here == host
	known, err := variables(ctx, db)
	if err != nil {
		return s, err
	}
	if _, ok := known["transaction_isolation"]; ok {
		delete(known, "tx_isolation") // the same by its older name
	}
	for _, name := range settings {
		if value, ok := known[name]; ok && (value != "OFF" || !strings.HasPrefix(name, "rpl_")) {
			s.Settings = append(s.Settings, hotrow.Setting{Name: name, Value: value})
		}
	}
	s.Durable = durable(known)
	return s, nil
}

// durable reports whether a commit is on disk when it is answered: in the log of InnoDB, and in the binary log
// if there is one. A MariaDB that flushes its log by 3 does so more often than by 1.
func durable(known map[string]string) bool {
	flush := known["innodb_flush_log_at_trx_commit"]
	binlog := known["log_bin"] == "OFF" || known["sync_binlog"] == "1"
	return (flush == "1" || flush == "3") && binlog && known["innodb_flush_method"] != "nosync"
}

// variables reads those of the settings that this server has, as its sessions have them.
func variables(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, "SHOW VARIABLES WHERE Variable_name IN ('"+strings.Join(settings, "','")+"')")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	known := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		known[name] = value
	}
	return known, rows.Err()
}

// account finds the account that a server has refused something: 'bench'@'%'.
var account = regexp.MustCompile(`'[^']*'@'[^']*'`)

// explainRefusal says what to do about an error of making the database.
func explainRefusal(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Error 1044 "):
		return fmt.Errorf("the account may not make a database for the run; %s: %w", grant(account.FindString(text)), err)
	case strings.HasPrefix(text, "invalid DSN"), strings.HasPrefix(text, "default addr for network"):
		return fmt.Errorf("--dsn: %w: write it as 'user:password@tcp(host:3306)/'", err)
	}
	return fmt.Errorf("make a database for the run: %w", err)
}

// explainPoverty says what to do about an account that may make the database, but not use its tables.
func explainPoverty(ctx context.Context, d *benchdb.Database, err error) error {
	if err == nil || !strings.Contains(err.Error(), "Error 1142 ") {
		return err
	}
	return fmt.Errorf("the account may not use the tables of the run; %s: %w", grant(whoami(ctx, d)), err)
}

// whoami is the account as GRANT has it, or nothing if it cannot be asked. The server's error would not do: it names
// the host that the client is on.
func whoami(ctx context.Context, d *benchdb.Database) string {
	db, err := d.Open(1, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = db.Close() }()
	var who string
	err = db.QueryRowContext(ctx, "SELECT CURRENT_USER()").Scan(&who)
	at := strings.LastIndex(who, "@") // a name may have one too
	if err != nil || at < 0 {
		return ""
	}
	return "'" + who[:at] + "'@'" + who[at+1:] + "'"
}

// grant tells to let an account do all that a run needs.
func grant(who string) string {
	if who == "" {
		who = "'user'@'host'"
	}
	return "let it, for databases of that name alone: GRANT ALL PRIVILEGES ON `sqlcas\\_bench\\_%`.* TO " + who
}
