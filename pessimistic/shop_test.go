package pessimistic_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// TestMain fails the package if a goroutine outlives its tests. Nothing is ignored.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errInsufficientFunds is what the examples refuse with.
var errInsufficientFunds = errors.New("insufficient funds")

// openShop opens the example shop: account 42 has 100 cents at version 7, account 43 has 50, product 1
// has 100 units in stock, and of seats 1 to 3 the first is taken. It lives in memory, so that the
// examples need no server.
func openShop() *sql.DB {
	return scriptdb.LockingShop(func(number uint16, message string) error {
		return &mysql.MySQLError{Number: number, Message: message}
	}).Open()
}

// closeShop prints what has become of the accounts and closes the shop.
func closeShop(db *sql.DB) {
	for _, id := range []uint64{42, 43} {
		acct, err := shop.New(db).GetAccount(context.Background(), id)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("account %d: balance %d, version %d\n", id, acct.Balance, acct.Version)
	}
	_ = db.Close()
}

// lockedByAnother has another transaction hold an account's lock, until release is called.
func lockedByAnother(db *sql.DB, id uint64) (release func()) {
	tx, err := db.Begin()
	if err != nil {
		log.Panic(err)
	}
	if _, err := shop.New(tx).GetAccountForUpdate(context.Background(), id); err != nil {
		log.Panic(err)
	}
	return func() { _ = tx.Rollback() }
}

// Seat is nobody's as long as Holder is empty.
type Seat struct {
	ID      uint64
	Holder  string
	Version uint64
}

func scanSeat(row interface{ Scan(...any) error }) (s Seat, err error) {
	err = row.Scan(&s.ID, &s.Holder, &s.Version)
	return s, err
}

const selectSeat = "SELECT id, holder, version FROM seat "

// seatTable has what Take needs.
var seatTable = sqlcas.Table[uint64, Seat]{
	Schema:     sqlcas.Schema{Name: "seat", Key: []string{"id"}, Version: "version"},
	Key:        func(s Seat) uint64 { return s.ID },
	Compare:    cmp.Compare[uint64],
	Version:    func(s Seat) uint64 { return s.Version },
	SetVersion: func(s *Seat, version uint64) { s.Version = version },
	Get: func(ctx context.Context, db sqlcas.DBTX, id uint64) (Seat, error) {
		return scanSeat(db.QueryRowContext(ctx, selectSeat+"WHERE id = ?", id))
	},
	GetForUpdate: func(ctx context.Context, tx *sql.Tx, id uint64, _ sqlcas.LockWait) (Seat, error) {
		return scanSeat(tx.QueryRowContext(ctx, selectSeat+"WHERE id = ? FOR UPDATE", id))
	},
	Swap: func(ctx context.Context, db sqlcas.DBTX, s Seat, steps uint64) (int64, error) {
		res, err := db.ExecContext(ctx,
			"UPDATE seat SET holder = ?, version = version + ? WHERE id = ? AND version = ?",
			s.Holder, steps, s.ID, s.Version)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	},
	Take: takeSeats,
}

func takeSeats(ctx context.Context, tx *sql.Tx, n int) ([]Seat, error) {
	rows, err := tx.QueryContext(ctx, selectSeat+"WHERE holder = '' ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED", n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var seats []Seat
	for rows.Next() {
		s, err := scanSeat(rows)
		if err != nil {
			return nil, err
		}
		seats = append(seats, s)
	}
	return seats, errors.Join(rows.Err(), rows.Close())
}
