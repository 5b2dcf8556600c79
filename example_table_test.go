package sqlcas_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// A Table written by hand, for seat(id, holder, version), with nothing but database/sql.
func ExampleTable() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	// ---
	type Seat struct {
		ID      uint64
		Holder  string
		Version uint64
	}
	const selectSeat = "SELECT id, holder, version FROM seat WHERE id = ?"
	locking := map[sqlcas.LockWait]string{
		sqlcas.LockWaits:      selectSeat + " FOR UPDATE",
		sqlcas.LockNoWait:     selectSeat + " FOR UPDATE NOWAIT",
		sqlcas.LockSkipLocked: selectSeat + " FOR UPDATE SKIP LOCKED",
	}
	scan := func(row *sql.Row) (s Seat, err error) {
		err = row.Scan(&s.ID, &s.Holder, &s.Version)
		return s, err
	}
	exec := func(ctx context.Context, db sqlcas.DBTX, query string, args ...any) (int64, error) {
		res, err := db.ExecContext(ctx, query, args...)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}
	seatTable := sqlcas.Table[uint64, Seat]{
		Schema:     sqlcas.Schema{Name: "seat", Key: []string{"id"}, Version: "version"},
		Key:        func(s Seat) uint64 { return s.ID },
		Compare:    cmp.Compare[uint64],
		Version:    func(s Seat) uint64 { return s.Version },
		SetVersion: func(s *Seat, version uint64) { s.Version = version },
		Get: func(ctx context.Context, db sqlcas.DBTX, id uint64) (Seat, error) {
			return scan(db.QueryRowContext(ctx, selectSeat, id))
		},
		GetForUpdate: func(ctx context.Context, tx *sql.Tx, id uint64, wait sqlcas.LockWait) (Seat, error) {
			return scan(tx.QueryRowContext(ctx, locking[wait], id))
		},
		Swap: func(ctx context.Context, db sqlcas.DBTX, s Seat, steps uint64) (int64, error) {
			return exec(ctx, db, "UPDATE seat SET holder = ?, version = version + ? WHERE id = ? AND version = ?",
				s.Holder, steps, s.ID, s.Version)
		},
		Delete: func(ctx context.Context, db sqlcas.DBTX, s Seat) (int64, error) {
			return exec(ctx, db, "DELETE FROM seat WHERE id = ? AND version = ?", s.ID, s.Version)
		},
	}
	seats := optimistic.NewStore(db, seatTable)
	// ---
	seat, err := seats.Update(ctx, 2, func(s *Seat) error {
		if s.Holder != "" {
			return errors.New("the seat is taken")
		}
		s.Holder = "bob"
		return nil
	})
	fmt.Println(seat, err)
	fmt.Println(seats.Delete(ctx, seat))
	_, err = pessimistic.NewStore(db, seatTable).Update(ctx, 1, func(s *Seat) error { return nil }, pessimistic.NoWait())
	fmt.Println(err)

	// Output:
	// {2 bob 2} <nil>
	// <nil>
	// <nil>
}

// A version column that is an INT ends earlier, and one that Rails has made starts at 0.
func ExampleSchema() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	// ---
	table := shop.AccountTable
	table.Schema.Max = math.MaxInt32
	table.Schema.Zero = true
	accounts := optimistic.NewStore(db, table)
	// ---
	acct, err := accounts.Update(ctx, 42, func(*shop.Account) error { return nil })
	fmt.Println(acct.Version, err)

	// Output:
	// 8 <nil>
}

// Code that takes an Updater leaves it to others whether rows are locked.
func ExampleUpdater() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	// ---
	deposit := func(accounts sqlcas.Updater[uint64, shop.Account], id uint64, amount int64) error {
		_, err := accounts.Update(ctx, id, func(a *shop.Account) error {
			a.Balance += amount
			return nil
		})
		return err
	}
	fmt.Println(deposit(optimistic.NewStore(db, shop.AccountTable), 42, 10))
	fmt.Println(deposit(pessimistic.NewStore(db, shop.AccountTable), 42, 10))
	// ---
	acct, err := shop.New(db).GetAccount(ctx, 42)
	fmt.Println(acct.Balance, acct.Version, err)

	// Output:
	// <nil>
	// <nil>
	// 120 9 <nil>
}

func ExampleConflictError() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	stale := shop.Account{ID: 42, Version: 6} // the row is at version 7
	err := accounts.Delete(ctx, stale)
	var conflict *sqlcas.ConflictError
	if errors.As(err, &conflict) {
		fmt.Println(conflict.Table, conflict.Key, "expected", conflict.Expected, "actual", conflict.Actual)
	}
	fmt.Println(errors.Is(err, sqlcas.ErrConflict))

	// Output:
	// account 42 expected 6 actual 7
	// true
}

// All rows of UpdateAll that others have changed are named.
func ExampleConflictErrors() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	somebodyElse := optimistic.NewStore(db, shop.AccountTable)
	interfere := func(id uint64) {
		_, _ = somebodyElse.Update(ctx, id, func(*shop.Account) error { return nil })
	}
	// ---
	_, err := accounts.UpdateAll(ctx, []uint64{42, 43}, func(rows map[uint64]*shop.Account) error {
		interfere(42)
		interfere(43)
		return nil
	}, sqlcas.WithMaxAttempts(1))
	var losers sqlcas.ConflictErrors
	if errors.As(err, &losers) {
		for _, conflict := range losers {
			fmt.Println(conflict)
		}
	}
	fmt.Println(errors.Is(err, sqlcas.ErrExhausted), errors.Is(err, sqlcas.ErrConflict))

	// Output:
	// sqlcas: conflict: account 42 is at version 8, expected 7
	// sqlcas: conflict: account 43 is at version 2, expected 1
	// true true
}

func ExampleGoneError() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	accounts := optimistic.NewStore(db, shop.AccountTable)
	// ---
	_, err := accounts.Get(ctx, 44)
	var gone *sqlcas.GoneError
	if errors.As(err, &gone) {
		fmt.Println("no", gone.Table, gone.Key)
	}
	fmt.Println(errors.Is(err, sqlcas.ErrGone), errors.Is(err, sql.ErrNoRows))

	// Output:
	// no account 44
	// true true
}

func ExampleLockedError() {
	ctx, db := context.Background(), scriptdb.LockingShop(func(number uint16, message string) error {
		return &mysql.MySQLError{Number: number, Message: message}
	}).Open()
	defer db.Close()
	tx, _ := db.Begin() // somebody else's
	defer func() { _ = tx.Rollback() }()
	_, _ = shop.New(tx).GetAccountForUpdate(ctx, 42)
	accounts := pessimistic.NewStore(db, shop.AccountTable)
	// ---
	_, err := accounts.Update(ctx, 42, func(*shop.Account) error { return nil }, pessimistic.NoWait())
	var locked *sqlcas.LockedError
	if errors.As(err, &locked) {
		fmt.Println(locked.Table, locked.Key, "is locked, by", locked.Holder) // NOWAIT does not tell by whom; Wait does
	}
	fmt.Println(errors.Is(err, sqlcas.ErrLocked))

	// Output:
	// account 42 is locked, by <nil>
	// true
}
