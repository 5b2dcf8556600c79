package optimistic_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// TestMain fails the package if a goroutine outlives its tests. Nothing is ignored.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errInsufficientFunds is what the examples refuse with.
var errInsufficientFunds = errors.New("insufficient funds")

// openShop opens the example shop: account 42 has 100 cents at version 7, account 43 has 50, and
// product 1 has 100 units in stock. It lives in memory, so that the examples need no server.
func openShop() *sql.DB { return scriptdb.Shop().Open() }

// closeShop prints what has become of the accounts and closes the shop.
func closeShop(db *sql.DB) {
	ctx, q := context.Background(), shop.New(db)
	for _, id := range []uint64{42, 43} {
		acct, err := q.GetAccount(ctx, id)
		if err != nil {
			fmt.Println(err)
		}
		ledger, err := q.SumLedger(ctx, id)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("account %d: balance %d, version %d, ledger %+d\n", id, acct.Balance, acct.Version, ledger)
	}
	_ = db.Close()
}

// Order stands for its lines, which have no version of their own.
type Order struct {
	ID       uint64
	Customer string
	Version  uint64
}

func scanOrder(row *sql.Row) (o Order, err error) {
	err = row.Scan(&o.ID, &o.Customer, &o.Version)
	return o, err
}

// orderTable is the shop's orders; there is order 7, of alice's, at version 3.
var orderTable = sqlcas.Table[uint64, Order]{
	Schema:     sqlcas.Schema{Name: "orders", Key: []string{"id"}, Version: "version"},
	Key:        func(o Order) uint64 { return o.ID },
	Compare:    cmp.Compare[uint64],
	Version:    func(o Order) uint64 { return o.Version },
	SetVersion: func(o *Order, version uint64) { o.Version = version },
	Get: func(ctx context.Context, db sqlcas.DBTX, id uint64) (Order, error) {
		return scanOrder(db.QueryRowContext(ctx, "SELECT id, customer, version FROM orders WHERE id = ?", id))
	},
	Swap: func(ctx context.Context, db sqlcas.DBTX, o Order, steps uint64) (int64, error) {
		res, err := db.ExecContext(ctx,
			"UPDATE orders SET customer = ?, version = version + ? WHERE id = ? AND version = ?",
			o.Customer, steps, o.ID, o.Version)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	},
}

// addLine is one INSERT.
func addLine(ctx context.Context, tx *sql.Tx, order, product uint64, quantity int64) error {
	_, err := tx.ExecContext(ctx,
		"INSERT INTO order_line (order_id, product_id, quantity) VALUES (?, ?, ?)", order, product, quantity)
	return err
}
