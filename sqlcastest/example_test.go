package sqlcastest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/sqlcastest"
)

// A closure that keeps something of an attempt that was lost shows it under forced conflicts.
func ExampleWrap() {
	ctx, connector := context.Background(), scriptdb.Shop() // in life: mysql.NewConnector(config)

	var faults sqlcastest.Faults
	db := sql.OpenDB(sqlcastest.Wrap(connector, &faults))
	defer db.Close()

	faults.Conflict(2) // the next two updates lose
	var lines []string // what the closure keeps outside of itself, by mistake
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		q := shop.New(tx)
		stock, err := q.GetStock(ctx, 1)
		if err != nil {
			return err
		}
		lines = append(lines, stock.Name)
		return optimistic.One(q.DeductStock(ctx, shop.DeductStockParams{OnHand: stock.OnHand - 1, ProductID: 1, Version: stock.Version}))
	})
	fmt.Println(err, lines, faults.Pending())

	// Output:
	// <nil> [Chai Chai Chai] 0
}

func ExampleFaults_Conflict() {
	ctx, connector := context.Background(), scriptdb.Shop()

	var faults sqlcastest.Faults
	db := sql.OpenDB(sqlcastest.Wrap(connector, &faults))
	defer db.Close()

	faults.Conflict(2)
	var report sqlcas.Report
	err := deduct(ctx, db, 30, sqlcas.WithReport(&report))
	fmt.Println(err, report.Attempts, "attempts", report.Conflicts, "conflicts")

	// Output:
	// <nil> 3 attempts 2 conflicts
}

// What a cluster does to a transaction that fails its certification.
func ExampleFaults_FailCommit() {
	ctx, connector := context.Background(), scriptdb.Shop()

	var faults sqlcastest.Faults
	db := sql.OpenDB(sqlcastest.Wrap(connector, &faults))
	defer db.Close()

	faults.FailCommit(1, &mysql.MySQLError{Number: 1213, Message: "Deadlock found"})
	var report sqlcas.Report
	err := deduct(ctx, db, 30, sqlcas.WithReport(&report))
	fmt.Println(err, report.Attempts, "attempts")

	// Output:
	// <nil> 2 attempts
}

// The server has committed, and the client cannot know: the program must not do it again.
func ExampleFaults_LoseCommit() {
	ctx, connector := context.Background(), scriptdb.Shop()

	var faults sqlcastest.Faults
	db := sql.OpenDB(sqlcastest.Wrap(connector, &faults))
	defer db.Close()

	faults.LoseCommit(1, sqlcastest.Reply)
	err := deduct(ctx, db, 30)
	fmt.Println(errors.Is(err, sqlcas.ErrOutcomeUnknown))

	acct, err := shop.New(db).GetAccount(ctx, 42)
	fmt.Println(acct.Balance, err)

	// Output:
	// true
	// 70 <nil>
}

// A test that expects faults checks at its end that all of them happened.
func ExampleFaults_Pending() {
	var faults sqlcastest.Faults
	faults.Conflict(2)
	faults.LoseCommit(1, sqlcastest.Request)
	fmt.Println(faults.Pending())

	// Output:
	// 3
}
