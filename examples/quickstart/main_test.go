package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Example ensures that the story is told as it happens: a conflict, a retry, nothing lost.
func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// A table with a version column, and an account with 100.00 in it:
	//
	//   you    CREATE TABLE account (
	//            id      INTEGER PRIMARY KEY,
	//            owner   TEXT    NOT NULL,
	//            balance INTEGER NOT NULL,
	//            version INTEGER NOT NULL DEFAULT 1
	//          )
	//          -> done
	//   you    INSERT INTO account (owner, balance) VALUES ('Ada', 10000)
	//          -> 1 row
	//
	// You withdraw 30.00. After you have read the row and before you write it, a rival
	// on another connection withdraws 50.00:
	//
	//   you    SELECT id, owner, balance, version FROM account WHERE id = 1
	//          -> id 1, owner Ada, balance 10000, version 1
	//   rival  SELECT id, owner, balance, version FROM account WHERE id = 1
	//          -> id 1, owner Ada, balance 10000, version 1
	//   rival  UPDATE account SET balance = 5000, version = version + 1
	//          WHERE id = 1 AND version = 1
	//          -> 1 row
	//   you    UPDATE account SET balance = 7000, version = version + 1
	//          WHERE id = 1 AND version = 1
	//          -> 0 rows
	//   you    SELECT id, owner, balance, version FROM account WHERE id = 1
	//          -> id 1, owner Ada, balance 5000, version 2
	//   you    UPDATE account SET balance = 2000, version = version + 1
	//          WHERE id = 1 AND version = 2
	//          -> 1 row
	//
	// Your first UPDATE matched no row, since the version had moved on: a conflict. So
	// nothing of the rival's was overwritten, and optimistic.Update ran your closure again
	// on the new row. The row now:
	//
	//   you    SELECT id, owner, balance, version FROM account WHERE id = 1
	//          -> id 1, owner Ada, balance 2000, version 3
	//
	// attempts   2, of which 1 lost to a conflict
	// balance    20.00 = 100.00 - 50.00 - 30.00
	// version    3 = 1 + 2 writes
}

// Ensures that a refusal out of the closure comes back as it is, and is not retried.
func TestWithdrawReturnsTheClosuresError(t *testing.T) {
	t.Parallel()
	db, err := openTraced(sandbox.SQLiteDSN(filepath.Join(t.TempDir(), "bank.db")), "you", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), createTable); err != nil {
		t.Fatal(err)
	}
	q := shop.New(db)
	ada := shop.InsertAccountParams{Owner: "Ada", Balance: 10}
	if _, err := q.InsertAccount(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	var report sqlcas.Report
	err = withdraw(t.Context(), db, 11, func() {}, sqlcas.WithReport(&report))
	if !errors.Is(err, errInsufficientFunds) {
		t.Errorf("got %v, want %v", err, errInsufficientFunds)
	}
	if report.Attempts != 1 {
		t.Errorf("got %d attempts, want 1", report.Attempts)
	}
	acct, err := q.GetAccount(t.Context(), accountID)
	if err != nil {
		t.Fatal(err)
	}
	if acct.Balance != 10 || acct.Version != 1 {
		t.Errorf("got balance %d, version %d, want 10, 1", acct.Balance, acct.Version)
	}
}
