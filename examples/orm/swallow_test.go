package main

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

const lockWaitTimeout = 1205

// swallower meets a locked row through a library, and hands back the error that the closure is
// going to drop.
type swallower struct {
	name string
	meet func(ctx context.Context, tx *sql.Tx, locked uint64) error
}

const (
	swap = "UPDATE account SET balance = 0, version = version + 1 WHERE id = ? AND version = 1"
	// read locks the entries of an account over a secondary index, so that the first row comes
	// before the wait for the second one.
	read = "SELECT * FROM ledger_entry WHERE account_id = ? FOR UPDATE"
)

var bySQLCAndSQLX = []swallower{
	{"sqlc exec", func(ctx context.Context, tx *sql.Tx, id uint64) error {
		_, err := shop.New(tx).DeductBalance(ctx, shop.DeductBalanceParams{ID: id, Version: 1})
		return err
	}},
	{"sqlc scan", func(ctx context.Context, tx *sql.Tx, id uint64) error {
		_, err := shop.New(nil).WithTx(tx).GetAccountForUpdate(ctx, id)
		return err
	}},
	{"sqlx exec", func(ctx context.Context, tx *sql.Tx, id uint64) error {
		_, err := onSqlx(tx).ExecContext(ctx, swap, id)
		return err
	}},
	{"sqlx prepared", func(ctx context.Context, tx *sql.Tx, id uint64) error {
		stmt, err := onSqlx(tx).PreparexContext(ctx, swap)
		if err != nil {
			return err
		}
		defer func() { _ = stmt.Close() }()
		_, err = stmt.ExecContext(ctx, id)
		return err
	}},
	{"sqlx rows", func(ctx context.Context, tx *sql.Tx, id uint64) error {
		rows, err := onSqlx(tx).QueryxContext(ctx, read, id)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() { // what makes this a trap: the loop just ends
		}
		return rows.Err()
	}},
	{"sqlx rows closed early", func(ctx context.Context, tx *sql.Tx, id uint64) error {
		rows, err := onSqlx(tx).QueryxContext(ctx, read, id)
		if err != nil {
			return err
		}
		return rows.Close()
	}},
}

func byGorm(g *gorm.DB) []swallower {
	return []swallower{
		{"gorm update", func(ctx context.Context, tx *sql.Tx, id uint64) error {
			row := onGorm(ctx, g, tx).Model(&account{}).Where("id = ? AND version = 1", id)
			return row.Update("balance", 0).Error
		}},
		{"gorm find", func(ctx context.Context, tx *sql.Tx, id uint64) error {
			var entries []ledgerEntry
			return onGorm(ctx, g, tx).Clauses(clause.Locking{Strength: "UPDATE"}).
				Where("account_id = ?", id).Find(&entries).Error
		}},
		{"gorm rows", func(ctx context.Context, tx *sql.Tx, id uint64) error {
			session := onGorm(ctx, g, tx)
			rows, err := session.Raw(read, id).Rows()
			if err != nil {
				return err
			}
			defer func() { _ = rows.Close() }()
			for rows.Next() {
				var e struct{ ID, AccountID uint64 }
				_ = session.ScanRows(rows, &e)
			}
			return rows.Err()
		}},
	}
}

func swallowers(g *gorm.DB) []swallower { return append(byGorm(g), bySQLCAndSQLX...) }

// Ensures on each server that a lock wait timeout (1205) which a closure swallows, whatever library
// it met it through and whether it came out of Exec, Scan, Next or Close, makes the COMMIT
// impossible: ErrTxAborted, with the error that was swallowed, and nothing durable.
func TestSwallowedTimeoutIsNotCommitted(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		cfg, err := mysql.ParseDSN(server.DSN)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Params == nil {
			cfg.Params = map[string]string{}
		}
		cfg.Params["innodb_lock_wait_timeout"] = "1"
		for i := range swallowers(nil) {
			t.Run(swallowers(nil)[i].name, func(t *testing.T) {
				t.Parallel()
				// A database each: the locks of one case would make the inserts of another wait.
				s := sandboxtest.Open(t, cfg.FormatDSN(), 4)
				g, err := openGorm(s.DB)
				if err != nil {
					t.Fatal(err)
				}
				swallowed(t, s, g, swallowers(g)[i])
			})
		}
	})
}

// swallowed lets a closure withdraw from one account by gorm, meet the locked rows of another, and
// return nil.
func swallowed(t *testing.T, s *sandbox.Sandbox, g *gorm.DB, sw swallower) {
	free, locked := open(t, s.DB), open(t, s.DB)
	unlock := lockRows(t, s.DB, locked)
	var dropped error
	err := optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
		err := withGorm(g)(ctx, tx, withdrawal{accountID: free, amount: 1, afterRead: func() {}})
		if err != nil {
			return err
		}
		dropped = sw.meet(ctx, tx, locked)
		return nil
	})
	unlock()
	wantAborted(t, err, dropped, lockWaitTimeout)
	want(t, s.DB, free, 100_00, 1, 0)
}

// wantAborted checks that the closure met the server's error, dropped it, and got its COMMIT refused
// for that very error.
func wantAborted(t *testing.T, err, dropped error, number uint16) {
	t.Helper()
	var answer *mysql.MySQLError
	if !errors.As(dropped, &answer) || answer.Number != number {
		t.Fatalf("got %v inside the closure, want error %d", dropped, number)
	}
	if !errors.Is(err, sqlcas.ErrTxAborted) || !errors.Is(err, dropped) {
		t.Errorf("got %v, want %v with %v", err, sqlcas.ErrTxAborted, dropped)
	}
}

// lockRows gives an account two ledger entries and locks the account and the second entry, on a
// connection of its own, until unlock is called.
func lockRows(t *testing.T, db *sql.DB, id uint64) (unlock func()) {
	t.Helper()
	q := shop.New(db)
	for range 2 {
		entry := shop.InsertLedgerEntryParams{AccountID: id}
		if err := q.InsertLedgerEntry(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := q.ListLedgerEntries(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shop.New(tx).GetAccountForUpdate(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	var entry uint64
	row := tx.QueryRowContext(t.Context(), "SELECT id FROM ledger_entry WHERE id = ? FOR UPDATE",
		entries[1].ID)
	if err := row.Scan(&entry); err != nil {
		t.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}
