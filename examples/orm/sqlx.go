package main

import (
	"context"
	"database/sql"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"

	"github.com/sqlcas/sqlcas/optimistic"
)

// mapper finds fields by their db tags, as sqlx does by default. It caches what it learns about
// types, so that there is one for the program.
var mapper = reflectx.NewMapperFunc("db", strings.ToLower)

// onSqlx puts sqlx on a transaction that it has not begun. sqlx has no function for that, but its
// Tx is a *sql.Tx with a mapper, both exported. It does not know the driver's name then, for which
// it leaves ? as the placeholder: what MySQL, MariaDB and SQLite want.
func onSqlx(tx *sql.Tx) *sqlx.Tx { return &sqlx.Tx{Tx: tx, Mapper: mapper} }

// withSQLX uses sqlx: structs by their tags, and named parameters.
func withSQLX(ctx context.Context, tx *sql.Tx, w withdrawal) error {
	x := onSqlx(tx)
	var acct struct {
		ID      uint64 `db:"id"`
		Balance int64  `db:"balance"`
		Version uint64 `db:"version"`
	}
	err := x.GetContext(ctx, &acct, "SELECT id, balance, version FROM account WHERE id = ?",
		w.accountID)
	if err != nil {
		return err
	}
	w.afterRead()
	if acct.Balance < w.amount {
		return errInsufficientFunds
	}
	acct.Balance -= w.amount
	const swap = "UPDATE account SET balance = :balance, version = version + 1 " +
		"WHERE id = :id AND version = :version"
	res, err := x.NamedExecContext(ctx, swap, acct)
	if err != nil {
		return err
	}
	if err := optimistic.One(res.RowsAffected()); err != nil {
		return err
	}
	_, err = x.ExecContext(ctx, "INSERT INTO ledger_entry (account_id, amount, memo) VALUES (?, ?, ?)",
		acct.ID, -w.amount, memo)
	return err
}
