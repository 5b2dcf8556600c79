package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// errLost says that the rows do not show what was reported of them.
var errLost = errors.New("the rows do not show every update once, as it was reported")

// books say how many updates the rows of a database must show: all that were reported.
type books struct {
	db       *sql.DB // without an added round trip
	ids      []uint64
	opening  int64 // sum of the balances before the first update
	reported int64 // updates that returned nil
}

// openBooks creates the accounts.
func openBooks(ctx context.Context, db *sql.DB, rows int) (*books, error) {
	const each = 1 << 20
	b := &books{db: db, opening: int64(rows) * each}
	tx, err := db.BeginTx(ctx, nil) // one commit for all
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	q := shop.New(tx)
	for range rows {
		id, err := q.InsertAccount(ctx, shop.InsertAccountParams{Owner: "bench", Balance: each})
		if err != nil {
			return nil, err
		}
		b.ids = append(b.ids, uint64(id))
	}
	return b, tx.Commit()
}

// check compares the rows with the books. It must not run beside updates.
func (b *books) check(ctx context.Context) error {
	var balances, moves int64
	err := b.db.QueryRowContext(ctx,
		"SELECT CAST(SUM(balance) AS SIGNED), CAST(SUM(version - 1) AS SIGNED) FROM account").Scan(&balances, &moves)
	if err != nil {
		return err
	}
	return b.compare(balances, moves)
}

// compare is errLost if the sum of the balances or that of the versions' moves is not as booked.
func (b *books) compare(balances, moves int64) error {
	if balances == b.opening+b.reported && moves == b.reported {
		return nil
	}
	return fmt.Errorf("%w: %d were reported, the balances have grown by %d and the versions by %d",
		errLost, b.reported, balances-b.opening, moves)
}
