package main

import (
	"context"
	"database/sql"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/sqlcas/sqlcas/optimistic"
)

// account is the table as gorm's model, and, by its tags, as sqlx's. The version is moved by the UPDATE
// below; a hook or plugin that moved it too would move it twice.
type account struct {
	ID      uint64 `db:"id"`
	Owner   string `db:"owner"`
	Balance int64  `db:"balance"`
	Version uint64 `db:"version"`
}

// TableName keeps gorm from its plural.
func (account) TableName() string { return "account" }

// ledgerEntry is the table as gorm's model.
type ledgerEntry struct {
	ID        uint64
	AccountID uint64
	Amount    int64
	Memo      string
}

// TableName keeps gorm from its plural.
func (ledgerEntry) TableName() string { return "ledger_entry" }

// openGorm opens gorm on the pool that optimistic.UpdateTx uses, as a program does once.
func openGorm(db *sql.DB) (*gorm.DB, error) {
	return gorm.Open(mysql.New(mysql.Config{
		Conn:                      db,
		SkipInitializeWithVersion: true, // so that it runs on SQLite, too
	}), &gorm.Config{Logger: logger.Discard})
}

// onGorm puts gorm on a transaction that it has not begun: a session of its own whose connection
// is tx, which is what gorm's Begin does with one that it has begun. The context makes the session
// a copy, so that g itself stays on the pool. gorm's own Transaction inside it becomes a SAVEPOINT.
// A sqlcas.DBTX that is no transaction fits as well, which is what the Table of a Store gets.
//
// Everything in the closure has to run on what onGorm returns: g would write outside of the
// transaction, and no rollback would undo that.
func onGorm(ctx context.Context, g *gorm.DB, tx gorm.ConnPool) *gorm.DB {
	session := g.Session(&gorm.Session{NewDB: true, Context: ctx, SkipDefaultTransaction: true})
	session.Statement.ConnPool = tx
	return session
}

// withGorm uses gorm. The row count is in the result; gorm itself takes an UPDATE that matched no
// row for a success.
func withGorm(g *gorm.DB) withdrawer {
	return func(ctx context.Context, tx *sql.Tx, w withdrawal) error {
		s := onGorm(ctx, g, tx)
		var acct account
		if err := s.Take(&acct, w.accountID).Error; err != nil {
			return err
		}
		w.afterRead()
		if acct.Balance < w.amount {
			return errInsufficientFunds
		}
		row := s.Model(&account{}).Where("id = ? AND version = ?", acct.ID, acct.Version)
		res := row.Updates(map[string]any{
			"balance": acct.Balance - w.amount,
			"version": gorm.Expr("version + 1"),
		})
		if err := optimistic.One(res.RowsAffected, res.Error); err != nil {
			return err
		}
		return s.Create(&ledgerEntry{AccountID: acct.ID, Amount: -w.amount, Memo: memo}).Error
	}
}
