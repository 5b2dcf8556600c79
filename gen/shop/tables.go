// Hand-written until the generator writes it; everything else that has "sqlc" in its head is not.

package shop

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
)

// AccountTable describes account, for the Stores of packages optimistic and pessimistic.
var AccountTable = sqlcas.Table[uint64, Account]{
	Schema:     sqlcas.Schema{Name: "account", Key: []string{"id"}, Version: "version"},
	Key:        func(row Account) uint64 { return row.ID },
	Compare:    cmp.Compare[uint64],
	Version:    func(row Account) uint64 { return row.Version },
	SetVersion: func(row *Account, version uint64) { row.Version = version },
	Get: func(ctx context.Context, db sqlcas.DBTX, key uint64) (Account, error) {
		return New(db).GetAccount(ctx, key)
	},
	GetForUpdate: func(ctx context.Context, tx *sql.Tx, key uint64, wait sqlcas.LockWait) (Account, error) {
		q := New(tx)
		switch wait {
		case sqlcas.LockNoWait:
			return q.GetAccountForUpdateNoWait(ctx, key)
		case sqlcas.LockSkipLocked:
			return q.GetAccountForUpdateSkipLocked(ctx, key)
		}
		return q.GetAccountForUpdate(ctx, key)
	},
	Swap: func(ctx context.Context, db sqlcas.DBTX, row Account, steps uint64) (int64, error) {
		return New(db).SwapAccount(ctx, SwapAccountParams{
			Owner: row.Owner, Balance: row.Balance, Steps: steps, ID: row.ID, Version: row.Version,
		})
	},
	Delete: func(ctx context.Context, db sqlcas.DBTX, row Account) (int64, error) {
		return New(db).DeleteAccount(ctx, DeleteAccountParams{ID: row.ID, Version: row.Version})
	},
}

// StockTable describes inventory, for the Stores of packages optimistic and pessimistic.
var StockTable = sqlcas.Table[uint64, Inventory]{
	Schema:     sqlcas.Schema{Name: "inventory", Key: []string{"product_id"}, Version: "version"},
	Key:        func(row Inventory) uint64 { return row.ProductID },
	Compare:    cmp.Compare[uint64],
	Version:    func(row Inventory) uint64 { return row.Version },
	SetVersion: func(row *Inventory, version uint64) { row.Version = version },
	Get: func(ctx context.Context, db sqlcas.DBTX, key uint64) (Inventory, error) {
		return New(db).GetStock(ctx, key)
	},
	GetForUpdate: func(ctx context.Context, tx *sql.Tx, key uint64, wait sqlcas.LockWait) (Inventory, error) {
		q := New(tx)
		switch wait {
		case sqlcas.LockNoWait:
			return q.GetStockForUpdateNoWait(ctx, key)
		case sqlcas.LockSkipLocked:
			return q.GetStockForUpdateSkipLocked(ctx, key)
		}
		return q.GetStockForUpdate(ctx, key)
	},
	Swap: func(ctx context.Context, db sqlcas.DBTX, row Inventory, steps uint64) (int64, error) {
		return New(db).SwapStock(ctx, SwapStockParams{
			Name: row.Name, OnHand: row.OnHand, Steps: steps, ProductID: row.ProductID, Version: row.Version,
		})
	},
	Delete: func(ctx context.Context, db sqlcas.DBTX, row Inventory) (int64, error) {
		return New(db).DeleteStock(ctx, DeleteStockParams{ProductID: row.ProductID, Version: row.Version})
	},
}
