package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// result holds one value per round; times are in microseconds.
type result struct {
	version, settings string
	byHand, updateTx  sample
	overhead          sample // median UpdateTx - median by hand
	ratio             sample // throughput of UpdateTx / throughput by hand
}

// measure compares the two on one server.
func measure(ctx context.Context, dsn string, rounds, pairs int) (result, error) {
	db, drop, err := ownDatabase(ctx, dsn)
	if err != nil {
		return result{}, err
	}
	defer drop()
	r := result{}
	if r.version, r.settings, err = describe(ctx, db); err != nil {
		return r, err
	}
	id, err := shop.New(db).CreateAccount(ctx, shop.CreateAccountParams{Owner: "bench", Balance: 1 << 40})
	if err != nil {
		return r, err
	}
	work := [2]func(context.Context, *sql.DB, uint64) error{byHand, byUpdateTx}
	for round := -1; round < rounds; round++ { // the first one warms up
		var times [2]sample
		for i := range 2 * pairs {
			which := i % 2
			if i/2%2 == 1 {
				which = 1 - which // ABBA
			}
			start := time.Now()
			if err := work[which](ctx, db, uint64(id)); err != nil {
				return r, err
			}
			times[which] = append(times[which], micros(time.Since(start)))
		}
		if round < 0 {
			continue
		}
		a, b := times[0].median(), times[1].median()
		r.byHand, r.updateTx = append(r.byHand, a), append(r.updateTx, b)
		r.overhead, r.ratio = append(r.overhead, b-a), append(r.ratio, a/b)
	}
	return r, nil
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

// ownDatabase creates a database on the server, with the shop's tables, and returns how to drop it.
func ownDatabase(ctx context.Context, dsn string) (*sql.DB, func(), error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, nil, err
	}
	admin, err := sql.Open("mysql", dsn)
	if err != nil {
		return nil, nil, err
	}
	name := fmt.Sprintf("sqlcas_bench_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, nil, err
	}
	cfg.DBName, cfg.InterpolateParams = name, true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(connector)
	drop := func() {
		_ = db.Close()
		_, _ = admin.ExecContext(context.WithoutCancel(ctx), "DROP DATABASE "+name)
		_ = admin.Close()
	}
	for _, statement := range schema.Shop() {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			drop()
			return nil, nil, err
		}
	}
	return db, drop, nil
}

// describe tells the server's version and what its commits are worth.
func describe(ctx context.Context, db *sql.DB) (version, settings string, err error) {
	var flush, syncBinlog, logBin int
	err = db.QueryRowContext(ctx, "SELECT @@version, @@innodb_flush_log_at_trx_commit, @@sync_binlog, @@log_bin").
		Scan(&version, &flush, &syncBinlog, &logBin)
	if flush == 1 && (logBin == 0 || syncBinlog == 1) {
		return version, fmt.Sprintf("durable, binlog %d", logBin), err
	}
	return version, fmt.Sprintf("flush %d, sync_binlog %d: NOT durable", flush, syncBinlog), err
}
