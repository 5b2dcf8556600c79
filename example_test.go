package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// errInsufficientFunds is what the examples refuse with.
var errInsufficientFunds = errors.New("insufficient funds")

// openShop opens the example shop: account 42 has 100 cents at version 7, account 43 has 50. It
// lives in memory, so that the examples need no server.
func openShop() *sql.DB { return scriptdb.Shop().Open() }

func ExampleRetry() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	q := shop.New(db)

	err := sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
		acct, err := q.GetAccount(ctx, 42)
		if err != nil {
			return 0, err
		}
		if acct.Balance < 30 {
			return 0, errInsufficientFunds
		}
		return q.DeductBalance(ctx, shop.DeductBalanceParams{Balance: acct.Balance - 30, ID: 42, Version: acct.Version})
	})
	if err != nil {
		log.Fatal(err)
	}
	acct, err := q.GetAccount(ctx, 42)
	fmt.Println(acct.Balance, acct.Version, err)

	// Output:
	// 70 8 <nil>
}

// transfer moves money between accounts, all or nothing.
func transfer(ctx context.Context, tx *sql.Tx, from, to uint64, amount int64) error {
	q := shop.New(tx)
	payer, err := q.GetAccount(ctx, from)
	if err != nil {
		return err
	}
	payee, err := q.GetAccount(ctx, to)
	if err != nil {
		return err
	}
	if payer.Balance < amount {
		return errInsufficientFunds
	}
	deduct := shop.DeductBalanceParams{Balance: payer.Balance - amount, ID: from, Version: payer.Version}
	if err := sqlcas.One(q.DeductBalance(ctx, deduct)); err != nil {
		return err
	}
	credit := shop.CreditBalanceParams{Balance: payee.Balance + amount, ID: to, Version: payee.Version}
	return sqlcas.One(q.CreditBalance(ctx, credit))
}

func ExampleRetryTx() {
	ctx, db := context.Background(), openShop()
	defer db.Close()

	err := sqlcas.RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		return transfer(ctx, tx, 42, 43, 30)
	})
	if err != nil {
		log.Fatal(err)
	}
	q := shop.New(db)
	alice, _ := q.GetAccount(ctx, 42)
	bob, _ := q.GetAccount(ctx, 43)
	fmt.Println(alice.Owner, alice.Balance, bob.Owner, bob.Balance)

	// Output:
	// alice 70 bob 80
}

// Inside the closure of another RetryTx on the same pool, RetryTx joins its transaction, so that
// functions that need one can call each other.
func ExampleRetryTx_joined() {
	ctx, db := context.Background(), openShop()
	defer db.Close()

	pay := func(ctx context.Context, from, to uint64, amount int64) error {
		return sqlcas.RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			return transfer(ctx, tx, from, to, amount)
		})
	}
	err := sqlcas.RetryTx(ctx, db, func(ctx context.Context, _ *sql.Tx) error {
		if err := pay(ctx, 42, 43, 30); err != nil {
			return err
		}
		return pay(ctx, 43, 42, 1000) // refused: the first payment is undone with it
	})
	fmt.Println(err)
	alice, _ := shop.New(db).GetAccount(ctx, 42)
	fmt.Println(alice.Owner, alice.Balance)

	// Output:
	// insufficient funds
	// alice 100
}

func ExampleRetryTxResult() {
	ctx, db := context.Background(), openShop()
	defer db.Close()

	left, err := sqlcas.RetryTxResult(ctx, db, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		if err := transfer(ctx, tx, 42, 43, 30); err != nil {
			return 0, err
		}
		acct, err := shop.New(tx).GetAccount(ctx, 42)
		return acct.Balance, err
	})
	fmt.Println(left, err)

	// Output:
	// 70 <nil>
}

func ExampleOne() {
	fmt.Println(sqlcas.One(1, nil))
	fmt.Println(sqlcas.One(0, nil))
	fmt.Println(sqlcas.One(2, nil))

	// Output:
	// <nil>
	// sqlcas: conflict: the row has been changed since it was read
	// sqlcas: more than one row affected: the UPDATE's WHERE must name one row by its key and version (2 rows)
}

// A seat that somebody else has taken is not worth another try.
func ExamplePermanent() {
	ctx, attempts := context.Background(), 0
	errSeatTaken := errors.New("the seat is taken")

	err := sqlcas.Retry(ctx, func(context.Context) (int64, error) {
		attempts++
		taken := fmt.Errorf("%w: %w", errSeatTaken, sqlcas.ErrConflict) // would be retried for the conflict
		return 0, sqlcas.Permanent(taken)
	})
	fmt.Println(errors.Is(err, errSeatTaken), attempts)

	// Output:
	// true 1
}

// Functions that take a DBTX run on the pool and in a transaction alike.
func ExampleDBTX() {
	ctx, db := context.Background(), openShop()
	defer db.Close()

	owner := func(ctx context.Context, on sqlcas.DBTX, id uint64) string {
		acct, err := shop.New(on).GetAccount(ctx, id)
		if err != nil {
			return err.Error()
		}
		return acct.Owner
	}
	fmt.Println(owner(ctx, db, 42))
	_ = sqlcas.RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		fmt.Println(owner(ctx, tx, 43))
		return nil
	})

	// Output:
	// alice
	// bob
}
