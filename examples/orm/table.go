package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/sqlcas/sqlcas"
)

// A Store needs no sqlc: the functions of its Table are one statement each, by whatever sends it. They get
// a sqlcas.DBTX, which may be a connection, a transaction or a wrapper around one, and must run on that.

// accountTable is what is the same in both tables below.
func accountTable() sqlcas.Table[uint64, account] {
	return sqlcas.Table[uint64, account]{
		Schema:     sqlcas.Schema{Name: "account", Key: []string{"id"}, Version: "version"},
		Key:        func(row account) uint64 { return row.ID },
		Compare:    cmp.Compare[uint64],
		Version:    func(row account) uint64 { return row.Version },
		SetVersion: func(row *account, version uint64) { row.Version = version },
	}
}

const (
	sqlxSelect = "SELECT id, owner, balance, version FROM account WHERE id = ?"
	sqlxSwap   = "UPDATE account SET owner = :owner, balance = :balance, version = version + :steps " +
		"WHERE id = :id AND version = :version"
	sqlxDelete = "DELETE FROM account WHERE id = :id AND version = :version"
)

// sqlxTable is table account by sqlx. What sqlx has to offer without a *sqlx.DB is StructScan and Named,
// which is all that it takes.
func sqlxTable() sqlcas.Table[uint64, account] {
	t := accountTable()
	get := func(ctx context.Context, db sqlcas.DBTX, query string, id uint64) (account, error) {
		rows, err := db.QueryContext(ctx, query, id)
		if err != nil {
			return account{}, err
		}
		var found []account
		if err := sqlx.StructScan(rows, &found); err != nil { // closes the rows, and has their error
			return account{}, err
		}
		if len(found) == 0 {
			return account{}, sql.ErrNoRows
		}
		return found[0], nil
	}
	exec := func(ctx context.Context, db sqlcas.DBTX, query string, arg any) (int64, error) {
		query, args, err := sqlx.Named(query, arg)
		if err != nil {
			return 0, err
		}
		res, err := db.ExecContext(ctx, query, args...)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}
	t.Get = func(ctx context.Context, db sqlcas.DBTX, id uint64) (account, error) {
		return get(ctx, db, sqlxSelect, id)
	}
	t.GetForUpdate = func(ctx context.Context, tx *sql.Tx, id uint64, wait sqlcas.LockWait) (account, error) {
		return get(ctx, tx, sqlxSelect+" FOR UPDATE "+waiting[wait], id)
	}
	t.Swap = func(ctx context.Context, db sqlcas.DBTX, row account, steps uint64) (int64, error) {
		return exec(ctx, db, sqlxSwap, struct {
			account
			Steps uint64 `db:"steps"`
		}{row, steps})
	}
	t.Delete = func(ctx context.Context, db sqlcas.DBTX, row account) (int64, error) {
		return exec(ctx, db, sqlxDelete, row)
	}
	return t
}

// gormTable is table account by gorm. Two things of gorm's have to be translated: no row is an error of its
// own, which a Store would not know, and a row count comes without an error, which is why it must be a
// driver's that has none. go-sql-driver is one.
func gormTable(g *gorm.DB) sqlcas.Table[uint64, account] {
	t := accountTable()
	get := func(s *gorm.DB, id uint64) (row account, err error) {
		if err = s.Where("id = ?", id).Take(&row).Error; errors.Is(err, gorm.ErrRecordNotFound) {
			err = sql.ErrNoRows
		}
		return row, err
	}
	t.Get = func(ctx context.Context, db sqlcas.DBTX, id uint64) (account, error) {
		return get(onGorm(ctx, g, db), id)
	}
	t.GetForUpdate = func(ctx context.Context, tx *sql.Tx, id uint64, wait sqlcas.LockWait) (account, error) {
		lock := clause.Locking{Strength: clause.LockingStrengthUpdate, Options: waiting[wait]}
		return get(onGorm(ctx, g, tx).Clauses(lock), id)
	}
	at := func(s *gorm.DB, row account) *gorm.DB {
		return s.Model(&account{}).Where("id = ? AND version = ?", row.ID, row.Version)
	}
	t.Swap = func(ctx context.Context, db sqlcas.DBTX, row account, steps uint64) (int64, error) {
		// A map, since gorm leaves a struct's zero values out: a balance of 0 would not be written.
		res := at(onGorm(ctx, g, db), row).Updates(map[string]any{
			"owner": row.Owner, "balance": row.Balance, "version": gorm.Expr("version + ?", steps),
		})
		return res.RowsAffected, res.Error
	}
	t.Delete = func(ctx context.Context, db sqlcas.DBTX, row account) (int64, error) {
		res := at(onGorm(ctx, g, db), row).Delete(&account{})
		return res.RowsAffected, res.Error
	}
	return t
}

// waiting is what follows FOR UPDATE.
var waiting = map[sqlcas.LockWait]string{
	sqlcas.LockWaits:      "",
	sqlcas.LockNoWait:     clause.LockingOptionsNoWait,
	sqlcas.LockSkipLocked: clause.LockingOptionsSkipLocked,
}
