// Command orm shows sqlc, sqlx and gorm at work inside optimistic.UpdateTx, which hands its closure
// a genuine *sql.Tx: alone, beside a Store on the same transaction, which changes the row while the library
// does the rest, and under a Store whose Table is written with the library. Each withdraws money while a
// rival writes the same row in between, so that its first attempt is lost and its second one lands.
//
//	go -C examples run ./orm                               embedded SQLite
//	go -C examples run ./orm -dsn 'root@tcp(127.0.0.1:3306)/'
//
// On a server it works in a database of its own, which it creates and removes again. SQLCAS_DSN
// stands in for -dsn.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

func main() {
	dsn := flag.String("dsn", os.Getenv(sandbox.EnvDSN), "server, as `user:password@tcp(host:port)/`")
	flag.Lookup("dsn").DefValue = "" // it may hold a password
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, *dsn, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "orm:", err)
		os.Exit(1)
	}
}

// run lets each library withdraw 10.00 from an account with 100.00, and a rival 25.00.
func run(ctx context.Context, dsn string, out io.Writer) (err error) {
	s, err := sandbox.Open(ctx, dsn, 4)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	g, err := openGorm(s.DB)
	if err != nil {
		return err
	}
	for _, lib := range libraries(s.DB, g) {
		id, err := openAccount(ctx, s.DB)
		if err != nil {
			return err
		}
		var report sqlcas.Report
		options := append([]sqlcas.Option{sqlcas.WithReport(&report)}, s.Options...)
		if err := contested(ctx, s.DB, lib, id, options...); err != nil {
			return fmt.Errorf("%s: %w", lib.name, err)
		}
		q := shop.New(s.DB)
		acct, err := q.GetAccount(ctx, id)
		if err != nil {
			return err
		}
		entries, err := q.ListLedgerEntries(ctx, id)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-15s %d attempts, %d lost to a conflict; "+
			"balance %d.%02d at version %d, %d ledger entry\n", lib.name+":", report.Attempts, report.Conflicts,
			acct.Balance/100, acct.Balance%100, acct.Version, len(entries))
	}
	return nil
}

// openAccount opens an account with 100.00.
func openAccount(ctx context.Context, db *sql.DB) (uint64, error) {
	id, err := shop.New(db).InsertAccount(ctx, shop.InsertAccountParams{Owner: "Ada", Balance: 100_00})
	return uint64(id), err
}

// contested withdraws 10.00 by the library. Before its first attempt writes, a rival on another
// connection withdraws 25.00 and commits.
func contested(
	ctx context.Context, db *sql.DB, lib library, id uint64, opts ...sqlcas.Option,
) error {
	var rivalErr error
	attempts := 0
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		return lib.withdraw(ctx, tx, withdrawal{accountID: id, amount: 10_00, afterRead: func() {
			if attempts == 1 {
				//sqlcas:allow CAS001 a rival who knows nothing of versions but moves them
				_, rivalErr = db.ExecContext(ctx,
					"UPDATE account SET balance = balance - 2500, version = version + 1 WHERE id = ?", id)
			}
		}})
	}, opts...)
	return errors.Join(err, rivalErr)
}
