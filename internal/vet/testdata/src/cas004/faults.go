// Package cas004 drops row counts, and does not.
package cas004

import (
	"context"
	"database/sql"
	"log"

	"example.com/shop/shop"
)

const swap = "UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?"

const remove = `DELETE FROM account WHERE id = ? AND version = ?`

func statementAlone(db *sql.DB) {
	db.Exec(swap, 1, 2, 3) // want CAS004
}

func blank(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, swap, 1, 2, 3) // want CAS004
	return err
}

func blankInIf(ctx context.Context, c *sql.Conn) error {
	if _, err := c.ExecContext(ctx, remove, 2, 3); err != nil { // want CAS004
		return err
	}
	return nil
}

func blankAssigned(db *sql.DB) (err error) {
	_, err = db.Exec(swap, 1, 2, 3) // want CAS004
	return
}

func blankDeclared(db *sql.DB) error {
	var _, err = db.Exec(swap, 1, 2, 3) // want CAS004
	return err
}

func later(db *sql.DB) {
	defer db.Exec(swap, 1, 2, 3) // want CAS004
	go db.Exec(remove, 2, 3)     // want CAS004
}

func silenced(db *sql.DB) error {
	res, err := db.Exec(swap, 1, 2, 3) // want CAS004
	_ = res
	return err
}

func silencedLater(db *sql.DB) error {
	var res sql.Result
	var err error
	res, err = db.Exec(swap, 1, 2, 3) // want CAS004
	_ = res
	return err
}

func wrongNumber(db *sql.DB) (int64, error) {
	res, err := db.Exec(swap, 1, 2, 3) // want CAS004
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func countDropped(db *sql.DB) error {
	res, err := db.Exec(swap, 1, 2, 3) // want CAS004
	if err != nil {
		return err
	}
	_, err = res.RowsAffected()
	return err
}

func prepared(ctx context.Context, db *sql.DB) error {
	stmt, err := db.PrepareContext(ctx, swap)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.ExecContext(ctx, 1, 2, 3) // want CAS004
	return err
}

func wrapped(r repository) {
	r.Exec(swap, 1, 2, 3) // want CAS004
}

func generatedAlone(ctx context.Context, q *shop.Queries) {
	q.Deduct(ctx, shop.DeductParams{}) // want CAS004
}

func generatedBlank(ctx context.Context, q *shop.Queries) error {
	_, err := q.Deduct(ctx, shop.DeductParams{}) // want CAS004
	return err
}

func generatedInterface(ctx context.Context, q shop.Querier) error {
	_, err := q.Deduct(ctx, shop.DeductParams{}) // want CAS004
	return err
}

func generatedResult(ctx context.Context, q *shop.Queries, tx *sql.Tx) error {
	_, err := q.WithTx(tx).DeductResult(ctx, shop.DeductParams{}) // want CAS004
	return err
}

func generatedSilenced(ctx context.Context, q *shop.Queries) {
	n, err := q.Deduct(ctx, shop.DeductParams{}) // want CAS004
	_ = n
	log.Print(err)
}

type repository struct{ db *sql.DB }

// Exec hands on: its callers are looked at.
func (r repository) Exec(query string, args ...any) (sql.Result, error) {
	return r.db.Exec(query, args...)
}
