package main

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
)

// Bucket is a row of table stock_bucket: a part of one product's stock.
type Bucket struct {
	Product  uint64
	Number   int // 0, 1, 2, ...
	Quantity int64
	Version  uint64
}

// key names a bucket.
type key struct {
	product uint64
	number  int
}

const (
	selectProduct = "SELECT product_id, bucket, quantity, version FROM stock_bucket WHERE product_id = ?"
	selectBucket  = selectProduct + " AND bucket = ?"
	swapBucket    = "UPDATE stock_bucket SET quantity = ?, version = version + ? " +
		"WHERE product_id = ? AND bucket = ? AND version = ?"
)

// bucketTable describes the buckets for a Store: a table with a key of two columns.
//
// Compare orders the buckets of a product, and all that changes several of them locks them in that order, so
// that orders which are gathered from several buckets do not deadlock.
var bucketTable = sqlcas.Table[key, Bucket]{
	Schema: sqlcas.Schema{Name: "stock_bucket", Key: []string{"product_id", "bucket"}, Version: "version"},
	Key:    func(b Bucket) key { return key{b.Product, b.Number} },
	Compare: func(a, b key) int {
		return cmp.Or(cmp.Compare(a.product, b.product), cmp.Compare(a.number, b.number))
	},
	Version:    func(b Bucket) uint64 { return b.Version },
	SetVersion: func(b *Bucket, version uint64) { b.Version = version },

	Get: func(ctx context.Context, db sqlcas.DBTX, k key) (Bucket, error) {
		return scanBucket(db.QueryRowContext(ctx, selectBucket, k.product, k.number))
	},
	GetForUpdate: func(ctx context.Context, tx *sql.Tx, k key, wait sqlcas.LockWait) (Bucket, error) {
		return scanBucket(tx.QueryRowContext(ctx, selectBucket+lockClauses[wait], k.product, k.number))
	},
	// Steps is 1, or how many orders were taken from the bucket in one write.
	Swap: func(ctx context.Context, db sqlcas.DBTX, b Bucket, steps uint64) (int64, error) {
		res, err := db.ExecContext(ctx, swapBucket, b.Quantity, steps, b.Product, b.Number, b.Version)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	},
	// Delete is left out: a product keeps its buckets. Take as well: no bucket is better than another.
}

// lockClauses are the ends of a locking read.
var lockClauses = map[sqlcas.LockWait]string{
	sqlcas.LockWaits:      " FOR UPDATE",
	sqlcas.LockNoWait:     " FOR UPDATE NOWAIT",
	sqlcas.LockSkipLocked: " FOR UPDATE SKIP LOCKED",
}

// scanBucket reads a row of the four columns.
func scanBucket(row interface{ Scan(dest ...any) error }) (Bucket, error) {
	var b Bucket
	err := row.Scan(&b.Product, &b.Number, &b.Quantity, &b.Version)
	return b, err
}
