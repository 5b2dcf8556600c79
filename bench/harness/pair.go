package main

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

// result is what one server came to: by hand is its base, and UpdateTx is ours.
type result struct {
	version, settings string
	paired.Result
}

// measure compares the two on one server.
func measure(ctx context.Context, dsn string, rounds, pairs int, told func()) (result, error) {
	d, err := benchdb.Create(ctx, dsn)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = d.Drop() }() // the server is a throwaway
	db, err := d.Open(2, 0)         // UpdateTx may want a second one, to look up the outcome of a lost COMMIT
	if err != nil {
		return result{}, err
	}
	defer func() { _ = db.Close() }()
	r := result{}
	if r.version, r.settings, err = benchdb.Describe(ctx, db); err != nil {
		return r, err
	}
	created, err := shop.New(db).InsertAccount(ctx, shop.InsertAccountParams{Owner: "bench", Balance: 1 << 40})
	if err != nil {
		return r, err
	}
	id := uint64(created)
	r.Result, err = paired.ByTurns(rounds, pairs,
		func() error { return byHand(ctx, db, id) },
		func() error { return byUpdateTx(ctx, db, id) }, told)
	return r, err
}

// deduct takes 1 from the account: the read-compute-update that both do.
func deduct(ctx context.Context, q *shop.Queries, id uint64) (int64, error) {
	a, err := q.GetAccount(ctx, id)
	if err != nil {
		return 0, err
	}
	return q.DeductBalance(ctx, shop.DeductBalanceParams{Balance: a.Balance - 1, ID: a.ID, Version: a.Version})
}

func byUpdateTx(ctx context.Context, db *sql.DB, id uint64) error {
	return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		return optimistic.One(deduct(ctx, shop.New(tx), id))
	})
}

// byHand is what one writes without sqlcas, the happy path alone.
func byHand(ctx context.Context, db *sql.DB, id uint64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	affected, err := deduct(ctx, shop.New(tx), id)
	if err != nil {
		return err
	}
	if affected != 1 {
		return fmt.Errorf("%d rows affected", affected)
	}
	return tx.Commit()
}
