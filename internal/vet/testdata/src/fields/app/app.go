// Package app gives handles to the fields and parameters of another package.
package app

import (
	"context"
	"database/sql"

	"example.com/shop/fields"
	"example.com/shop/shop"
)

func pools(db *sql.DB) *fields.Service {
	s := fields.NewService(shop.New(db))
	s.Extra = shop.New(db)
	return s
}

func transactions(ctx context.Context, tx *sql.Tx) fields.Shared {
	fields.Lock(ctx, shop.New(tx))
	return fields.Shared{Q: shop.New(tx)}
}

func reads(ctx context.Context, db *sql.DB) {
	pools(db).Extra.LockBalance(ctx, 1) // want CAS008
}
