// Command quickstart shows one update that loses to another writer, and its retry, with every SQL
// statement as it is sent. It needs nothing but Go: the database is embedded SQLite.
//
//	go -C examples run ./quickstart
//
// On MySQL and MariaDB the program would be the same without WithClassifier.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// createTable is all that compare-and-swap asks of a table: an integer that counts its writes.
const createTable = `CREATE TABLE account (
  id      INTEGER PRIMARY KEY,
  owner   TEXT    NOT NULL,
  balance INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
)`

// accountID is the account that both writers want.
const accountID = 1

var errInsufficientFunds = errors.New("not enough money in the account")

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// withdraw takes amount (cents) out of the account. This is the whole of sqlcas: read the row with
// its version, compute, and write it back where the version is still the one that was read. If
// no row matched, somebody else wrote first, and Update runs the closure again.
//
// afterRead is called between reading and writing; it is there for this demonstration alone.
func withdraw(
	ctx context.Context, db *sql.DB, amount int64, afterRead func(), opts ...sqlcas.Option,
) error {
	q := shop.New(db)
	return optimistic.Update(ctx, func(ctx context.Context) (int64, error) {
		acct, err := q.GetAccount(ctx, accountID)
		if err != nil {
			return 0, err
		}
		afterRead()
		if acct.Balance < amount {
			return 0, errInsufficientFunds // not retried: it would not help
		}
		return q.DeductBalance(ctx, shop.DeductBalanceParams{
			Balance: acct.Balance - amount, ID: acct.ID, Version: acct.Version,
		})
	}, opts...)
}

// run tells the story on out. Two pools on one database file are the two writers, each with a
// connection of its own, as two processes would have.
func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "sqlcas-quickstart-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	dsn := sandbox.SQLiteDSN(filepath.Join(dir, "bank.db"))
	you, err := openTraced(dsn, "you", out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, you.Close()) }()
	rival, err := openTraced(dsn, "rival", out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rival.Close()) }()

	fmt.Fprint(out, "A table with a version column, and an account with 100.00 in it:\n\n")
	if _, err := you.ExecContext(ctx, createTable); err != nil {
		return err
	}
	q := shop.New(you)
	ada := shop.InsertAccountParams{Owner: "Ada", Balance: 100_00}
	if _, err := q.InsertAccount(ctx, ada); err != nil {
		return err
	}
	fmt.Fprint(out,
		"\nYou withdraw 30.00. After you have read the row and before you write it, a rival\n"+
			"on another connection withdraws 50.00:\n\n")
	report, err := race(ctx, you, rival)
	if err != nil {
		return err
	}
	fmt.Fprint(out,
		"\nYour first UPDATE matched no row, since the version had moved on: a conflict. So\n"+
			"nothing of the rival's was overwritten, and optimistic.Update ran your closure again\n"+
			"on the new row. The row now:\n\n")
	acct, err := q.GetAccount(ctx, accountID)
	if err != nil {
		return err
	}
	fmt.Fprintf(out,
		"\nattempts   %d, of which %d lost to a conflict\nbalance    %d.%02d = 100.00 - 50.00 - 30.00\n"+
			"version    %d = 1 + 2 writes\n",
		report.Attempts, report.Conflicts, acct.Balance/100, acct.Balance%100, acct.Version)
	return nil
}

// race makes both withdrawals meet. Nothing is faked: the rival's is a real one that commits while
// yours is under way.
func race(ctx context.Context, you, rival *sql.DB) (sqlcas.Report, error) {
	var report sqlcas.Report
	var rivalErr error
	classifier := sqlcas.WithClassifier(sandbox.SQLiteClass)
	read, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		<-read
		rivalErr = withdraw(ctx, rival, 50_00, func() {}, classifier)
	}()
	first := true
	err := withdraw(ctx, you, 30_00, func() {
		if first {
			first = false
			close(read)
			<-written
		}
	}, classifier, sqlcas.WithReport(&report))
	if first { // the row could not be read
		close(read)
		<-written
	}
	return report, errors.Join(err, rivalErr)
}
