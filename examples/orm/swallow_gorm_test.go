package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Errors of the server that abort a statement or the transaction.
const (
	recordChanged    = 1020 // MariaDB alone has it
	deadlock         = 1213
	queryInterrupted = 1317
)

// deadline bounds what the tests wait for.
const deadline = 20 * time.Second

// trouble makes the next statement of tx that wants the row of account contested end in an error of
// the server. The transaction has changed the row of account free. over is to be called when the
// transaction has ended.
type trouble func(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, tx *sql.Tx, free, contested uint64,
) (over func())

// Ensures on each server that a deadlock (1213), a changed record (1020) and a killed query (1317)
// that a closure has met through gorm, in an UPDATE or in a locking read, and has swallowed, are
// ErrTxAborted with nothing durable.
func TestSwallowedByGormIsNotCommitted(t *testing.T) {
	t.Parallel()
	troubles := map[string]struct {
		number uint16
		make   trouble
	}{
		"1213 deadlock": {deadlock, deadlocked}, "1020 record changed": {recordChanged, overtaken},
		"1317 query killed": {queryInterrupted, killed},
	}
	meetings := map[string]func(g *gorm.DB, id uint64) error{
		"update": func(g *gorm.DB, id uint64) error {
			return g.Model(&account{}).Where("id = ? AND version = 1", id).Update("balance", 0).Error
		},
		"find": func(g *gorm.DB, id uint64) error {
			return g.Clauses(clause.Locking{Strength: "UPDATE"}).Find(&[]account{}, "id = ?", id).Error
		},
	}
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		for name, trouble := range troubles {
			for how, meet := range meetings {
				t.Run(name+" in "+how, func(t *testing.T) {
					s := openFor(t, server.DSN, trouble.number)
					metAndSwallowed(t, s, trouble.number, trouble.make, meet)
				})
			}
		}
	})
}

// openFor opens a sandbox that is able to give the error.
func openFor(t *testing.T, dsn string, number uint16) *sandbox.Sandbox {
	t.Helper()
	s := sandboxtest.Open(t, dsn, 4)
	if number != recordChanged {
		return s
	}
	if !strings.HasPrefix(s.About, "MariaDB") {
		t.Skipf("%s never gives %d", s.About, recordChanged)
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	cfg.Params["innodb_snapshot_isolation"] = "ON" // as it is by default from MariaDB 11.6 on
	return sandboxtest.Open(t, cfg.FormatDSN(), 4)
}

// metAndSwallowed lets a closure withdraw by gorm, meet the trouble, and return nil.
func metAndSwallowed(
	t *testing.T, s *sandbox.Sandbox, number uint16, make trouble, meet func(*gorm.DB, uint64) error,
) {
	g, err := openGorm(s.DB)
	if err != nil {
		t.Fatal(err)
	}
	free, contested := open(t, s.DB), open(t, s.DB)
	var dropped error
	over := func() {}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	err = optimistic.UpdateTx(ctx, s.DB, func(ctx context.Context, tx *sql.Tx) error {
		err := withGorm(g)(ctx, tx, withdrawal{accountID: free, amount: 1, afterRead: func() {}})
		if err != nil {
			return err
		}
		over = make(ctx, t, s, tx, free, contested)
		dropped = meet(onGorm(ctx, g, tx), contested)
		return nil
	})
	over()
	wantAborted(t, err, dropped, number)
	want(t, s.DB, free, 100_00, 1, 0)
}

// holds begins a transaction of a rival's that has locked the account.
func holds(ctx context.Context, t *testing.T, s *sandbox.Sandbox, id uint64) *sql.Tx {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shop.New(tx).GetAccountForUpdate(ctx, id); err != nil {
		t.Fatal(err)
	}
	return tx
}

// deadlocked lets a rival hold the contested row and want the free one. The rival has done much
// more work, so that the server picks the other as its victim.
func deadlocked(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, _ *sql.Tx, free, contested uint64,
) func() {
	rival := holds(ctx, t, s, contested)
	q := shop.New(rival)
	for range 50 {
		entry := shop.InsertLedgerEntryParams{AccountID: contested}
		if err := q.InsertLedgerEntry(ctx, entry); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := q.GetAccountForUpdate(ctx, free)
		done <- err
	}()
	return func() {
		if err := <-done; err != nil {
			t.Errorf("the rival got %v, want the lock", err)
		}
		_ = rival.Rollback()
	}
}

// overtaken lets a rival change the contested row behind the transaction's snapshot.
func overtaken(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, _ *sql.Tx, _, contested uint64,
) func() {
	arg := shop.CreditBalanceParams{ID: contested, Version: 1}
	if err := optimistic.One(shop.New(s.DB).CreditBalance(ctx, arg)); err != nil {
		t.Fatal(err)
	}
	return func() {}
}

// killed lets a rival hold the contested row, and a third session kill the query that waits for it.
func killed(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, tx *sql.Tx, _, contested uint64,
) func() {
	rival := holds(ctx, t, s, contested)
	var session uint64
	if err := tx.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&session); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- killWaiting(ctx, s.DB, session) }()
	return func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = rival.Rollback()
	}
}

// killWaiting kills the session's statement as soon as it waits for a lock. The process list would not do: it may still
// show a statement whose answer has come already, and servers drop a KILL QUERY for an idle session.
func killWaiting(ctx context.Context, db *sql.DB, session uint64) error {
	const waiting = "SELECT COUNT(*) FROM information_schema.INNODB_TRX " +
		"WHERE trx_mysql_thread_id = ? AND trx_state = 'LOCK WAIT'"
	for {
		var n int
		if err := db.QueryRowContext(ctx, waiting, session).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			_, err := db.ExecContext(ctx, fmt.Sprintf("KILL QUERY %d", session))
			return err
		}
		time.Sleep(150 * time.Millisecond) // MariaDB gives its last answer again to who asks within 100 ms
	}
}
