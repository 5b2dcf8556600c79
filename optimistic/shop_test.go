package optimistic_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"

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
