// Package replay replays orders against stock in a database with many workers at once, by different
// strategies, and checks afterwards that the books balance to the last unit.
//
// Read reads products and orders from CSV files, Run replays them by one Strategy, line by line or
// order by order, and the Result carries rates, latencies, and everything that does not reconcile.
package replay

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// Product is a line of the products file.
type Product struct {
	ID    uint64
	Name  string
	Stock int64 // units
}

// Line is a line of the orders file: so many units of one product.
type Line struct {
	Order    string
	Product  uint64
	Quantity int64  // units
	Source   string // file and line, for people
}

// String names the line as errors do.
func (l Line) String() string {
	return fmt.Sprintf("%s (order %s, %d units of product %d)", l.Source, l.Order, l.Quantity,
		l.Product)
}

// Data is what is replayed.
type Data struct {
	Products []Product
	Lines    []Line

	perRound int // lines; 0 if there is one round
}

// Times returns the data with n times the stock and the lines n times in a row, which makes a small
// file run for long enough to be measured. It panics unless n is from 1 to MaxRounds.
func (d *Data) Times(n int) *Data {
	if n < 1 || n > MaxRounds {
		panic(fmt.Sprintf("replay: Times(%d): give 1 to %d", n, MaxRounds))
	}
	times := &Data{perRound: len(d.Lines)}
	if d.perRound > 0 {
		times.perRound = d.perRound
	}
	for _, p := range d.Products {
		p.Stock *= int64(n)
		times.Products = append(times.Products, p)
	}
	for range n {
		times.Lines = append(times.Lines, d.Lines...)
	}
	return times
}

// restock replaces whatever is in the table by the products at version 1.
func (d *Data) restock(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("restock: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	//sqlcas:allow CAS001,CAS007 each replay starts from the stock of the file, before anybody else writes
	if _, err := tx.ExecContext(ctx, "DELETE FROM inventory"); err != nil {
		return fmt.Errorf("restock: %w", err)
	}
	q := shop.New(tx)
	for _, p := range d.Products {
		arg := shop.InsertStockParams{ProductID: p.ID, Name: p.Name, OnHand: p.Stock}
		if err := q.InsertStock(ctx, arg); err != nil {
			return fmt.Errorf("restock: product %d: %w", p.ID, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("restock: %w", err)
	}
	return nil
}
