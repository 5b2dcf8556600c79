package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"

	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Example ensures that each library loses its first attempt to a rival and lands its second one,
// whole: both withdrawals are in the balance, and there is one ledger entry.
func Example() {
	if err := run(context.Background(), "", os.Stdout); err != nil { // embedded SQLite
		fmt.Println(err)
	}
	// Output:
	// sqlc:           2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
	// sqlx:           2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
	// gorm:           2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
	// Store and sqlx: 2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
	// Store and gorm: 2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
	// Store by sqlx:  2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
	// Store by gorm:  2 attempts, 1 lost to a conflict; balance 65.00 at version 3, 1 ledger entry
}

var errChangedMind = errors.New("changed my mind")

// eachLibrary runs fn for each library, on embedded SQLite and on each server.
func eachLibrary(t *testing.T, fn func(t *testing.T, s *sandbox.Sandbox, lib library)) {
	t.Helper()
	on := func(t *testing.T, dsn string) {
		s := sandboxtest.Open(t, dsn, 8)
		g, err := openGorm(s.DB)
		if err != nil {
			t.Fatal(err)
		}
		for _, lib := range libraries(s.DB, g) {
			t.Run(lib.name, func(t *testing.T) { fn(t, s, lib) })
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		on(t, "")
	})
	t.Run("servers", func(t *testing.T) {
		sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) { on(t, server.DSN) })
	})
}

// want checks an account and the number of its ledger entries.
func want(t *testing.T, db *sql.DB, id uint64, balance int64, version uint64, entries int) {
	t.Helper()
	q := shop.New(db)
	acct, err := q.GetAccount(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := q.ListLedgerEntries(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if acct.Balance != balance || acct.Version != version || len(ledger) != entries {
		t.Errorf("account %d: got balance %d, version %d, %d ledger entries, want %d, %d, %d",
			id, acct.Balance, acct.Version, len(ledger), balance, version, entries)
	}
}

// open opens an account with 100.00.
func open(t *testing.T, db *sql.DB) uint64 {
	t.Helper()
	id, err := openAccount(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Ensures that all of a library's statements run inside the transaction: an error after the last of
// them undoes them all.
func TestRollbackUndoesAll(t *testing.T) {
	t.Parallel()
	eachLibrary(t, func(t *testing.T, s *sandbox.Sandbox, lib library) {
		id := open(t, s.DB)
		err := optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
			err := lib.withdraw(ctx, tx, withdrawal{accountID: id, amount: 5, afterRead: func() {}})
			if err != nil {
				return err
			}
			return errChangedMind
		}, s.Options...)
		if !errors.Is(err, errChangedMind) {
			t.Errorf("got %v, want %v", err, errChangedMind)
		}
		want(t, s.DB, id, 100_00, 1, 0)
	})
}

// Ensures that a conflict, met by a rival who really writes in between, is retried through each
// library, on each server in its own way: no row matched, or MariaDB's 1020.
func TestConflictIsRetried(t *testing.T) {
	t.Parallel()
	eachLibrary(t, func(t *testing.T, s *sandbox.Sandbox, lib library) {
		id := open(t, s.DB)
		if err := contested(t.Context(), s.DB, lib, id, s.Options...); err != nil {
			t.Fatal(err)
		}
		want(t, s.DB, id, 65_00, 3, 1)
	})
}

// Ensures that a refusal and an absent row come back as the library gives them.
func TestErrorsComeBack(t *testing.T) {
	t.Parallel()
	eachLibrary(t, func(t *testing.T, s *sandbox.Sandbox, lib library) {
		id := open(t, s.DB)
		try := func(id uint64) error {
			return optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
				return lib.withdraw(ctx, tx, withdrawal{accountID: id, amount: 100_01, afterRead: func() {}})
			}, s.Options...)
		}
		if err := try(id); !errors.Is(err, errInsufficientFunds) {
			t.Errorf("got %v, want %v", err, errInsufficientFunds)
		}
		if err := try(1 << 40); !errors.Is(err, sql.ErrNoRows) &&
			!errors.Is(err, gorm.ErrRecordNotFound) {
			t.Errorf("got %v, want the library's error for no row", err)
		}
		want(t, s.DB, id, 100_00, 1, 0)
	})
}

// Ensures that transactions at the same time do not mix, least of all through the one *gorm.DB that
// they share.
func TestConcurrentWithdrawals(t *testing.T) {
	t.Parallel()
	const callers, each = 8, 5
	eachLibrary(t, func(t *testing.T, s *sandbox.Sandbox, lib library) {
		id := open(t, s.DB)
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range each {
					err := optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
						return lib.withdraw(ctx, tx, withdrawal{accountID: id, amount: 1, afterRead: func() {}})
					}, s.Options...)
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		want(t, s.DB, id, 100_00-callers*each, 1+callers*each, callers*each)
	})
}

// Ensures that a nested transaction of gorm's is a savepoint: undone alone, the rest committed.
func TestGormSavepoint(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 2)
	g, err := openGorm(s.DB)
	if err != nil {
		t.Fatal(err)
	}
	id := open(t, s.DB)
	err = optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
		session := onGorm(ctx, g, tx)
		if err := session.Create(&ledgerEntry{AccountID: id, Amount: 1, Memo: "kept"}).Error; err != nil {
			return err
		}
		err := session.Transaction(func(nested *gorm.DB) error {
			entry := ledgerEntry{AccountID: id, Amount: 2, Memo: "undone"}
			if err := nested.Create(&entry).Error; err != nil {
				return err
			}
			return errChangedMind
		})
		if !errors.Is(err, errChangedMind) {
			t.Errorf("got %v, want %v", err, errChangedMind)
		}
		return nil
	}, s.Options...)
	if err != nil {
		t.Fatal(err)
	}
	want(t, s.DB, id, 100_00, 1, 1)
}

// Ensures that gorm may also be opened on the transaction itself, which needs no *gorm.DB but
// parses the models again each time.
func TestGormOpenedOnTx(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 2)
	id := open(t, s.DB)
	err := optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
		g, err := gorm.Open(mysql.New(mysql.Config{Conn: tx, SkipInitializeWithVersion: true}),
			&gorm.Config{SkipDefaultTransaction: true})
		if err != nil {
			return err
		}
		return withGorm(g)(ctx, tx, withdrawal{accountID: id, amount: 1, afterRead: func() {}})
	}, s.Options...)
	if err != nil {
		t.Fatal(err)
	}
	want(t, s.DB, id, 99_99, 2, 1)
}
