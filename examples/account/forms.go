package main

import (
	"context"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// form is a way to make a transfer: with or without a ledger, by either Store.
type form struct {
	title    string
	ledger   bool // each transfer leaves two ledger entries
	transfer func(ctx context.Context, from, to uint64, amount int64, opts ...sqlcas.Option) error
}

// forms returns those that the database can run: SQLite has no FOR UPDATE, which is what a
// pessimistic.Store is made of.
func forms(s *sandbox.Sandbox) []form {
	all := formsOf(s, "", optimistic.NewStore(s.DB, sandbox.Table(s, shop.AccountTable), s.Options...))
	if s.Embedded {
		return all
	}
	return append(all, formsOf(s, ", FOR UPDATE", pessimistic.NewStore(s.DB, shop.AccountTable, s.Options...))...)
}

// formsOf returns the two forms of one Store. The Store is made once, and shared by all callers.
func formsOf[T rows, S interface {
	store
	txStore[T]
}](s *sandbox.Sandbox, how string, accounts S,
) []form {
	return []form{
		{
			title: "UpdateAll" + how,
			transfer: func(ctx context.Context, from, to uint64, amount int64, opts ...sqlcas.Option) error {
				return transfer(ctx, accounts, from, to, amount, opts...)
			},
		},
		{
			title:  "UpdateTx with ledger" + how,
			ledger: true,
			transfer: func(ctx context.Context, from, to uint64, amount int64, opts ...sqlcas.Option) error {
				// UpdateTx is not the Store's, and does not know the options that the Store was made with.
				all := append(append([]sqlcas.Option{}, s.Options...), opts...)
				return transferWithLedger[T](ctx, s.DB, accounts, from, to, amount, all...)
			},
		},
	}
}
