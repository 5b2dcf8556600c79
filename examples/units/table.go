package main

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
)

// Unit is a row of table unit: one unit of a product, free or sold.
type Unit struct {
	ID, ProductID uint64
	OrderID       sql.Null[uint64] // not Valid while the unit is free; sql.Null takes no more than 1<<63 - 1
	Version       uint64
}

const (
	selectUnit = "SELECT id, product_id, order_id, version FROM unit WHERE id = ?"
	swapUnit   = "UPDATE unit SET order_id = ?, version = version + ? WHERE id = ? AND version = ?"
	takeUnits  = "SELECT id, product_id, order_id, version FROM unit " +
		"WHERE product_id = ? AND order_id IS NULL ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED"
)

// unitsOf describes the units of one product, for a Store of them: what a descriptor for a table of your
// own looks like, written by hand on database/sql.
//
// It is a function because Take has no parameter for what to take: which product is a part of the query.
// A descriptor and a Store cost nothing to make, so that there can be one a product, or one a call.
func unitsOf(product uint64) sqlcas.Table[uint64, Unit] {
	return sqlcas.Table[uint64, Unit]{
		Schema:     sqlcas.Schema{Name: "unit", Key: []string{"id"}, Version: "version"},
		Key:        func(u Unit) uint64 { return u.ID },
		Compare:    cmp.Compare[uint64],
		Version:    func(u Unit) uint64 { return u.Version },
		SetVersion: func(u *Unit, version uint64) { u.Version = version },
		// Clone is left out: a Unit has no slice, map or pointer. With a *uint64 for OrderID it would not be.

		Get: func(ctx context.Context, db sqlcas.DBTX, id uint64) (Unit, error) {
			return scanUnit(db.QueryRowContext(ctx, selectUnit, id)) // sql.ErrNoRows stays what it is
		},
		GetForUpdate: func(ctx context.Context, tx *sql.Tx, id uint64, wait sqlcas.LockWait) (Unit, error) {
			return scanUnit(tx.QueryRowContext(ctx, selectUnit+clause(wait), id))
		},
		// The version is moved by the server, and checked. product_id is left out: a unit stays what it is.
		Swap: func(ctx context.Context, db sqlcas.DBTX, u Unit, steps uint64) (int64, error) {
			res, err := db.ExecContext(ctx, swapUnit, u.OrderID, steps, u.ID, u.Version)
			if err != nil {
				return 0, err
			}
			return res.RowsAffected()
		},
		// Delete is left out: units stay, for whoever wants to know what became of them.
		Take: func(ctx context.Context, tx *sql.Tx, n int) ([]Unit, error) {
			rows, err := tx.QueryContext(ctx, takeUnits, product, n)
			if err != nil {
				return nil, err
			}
			defer func() { _ = rows.Close() }()
			var units []Unit
			for rows.Next() {
				u, err := scanUnit(rows)
				if err != nil {
					return nil, err
				}
				units = append(units, u)
			}
			return units, rows.Err() // a lock wait timeout comes out here, and nowhere else
		},
	}
}

// clause is the end of a locking read.
func clause(wait sqlcas.LockWait) string {
	switch wait {
	case sqlcas.LockNoWait:
		return " FOR UPDATE NOWAIT"
	case sqlcas.LockSkipLocked:
		return " FOR UPDATE SKIP LOCKED"
	}
	return " FOR UPDATE"
}

// scanUnit reads a row of the four columns.
func scanUnit(row interface{ Scan(dest ...any) error }) (Unit, error) {
	var u Unit
	err := row.Scan(&u.ID, &u.ProductID, &u.OrderID, &u.Version)
	return u, err
}
