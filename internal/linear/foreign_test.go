package linear

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// foreign is a program that does not know of sqlcas: it compares and swaps by SQL of its own, over
// a pool of its own. If it does not learn what became of its UPDATE, it does not know.
type foreign struct{ db *sql.DB }

func (f foreign) Get(ctx context.Context, key uint64) (shop.Account, error) {
	a := shop.Account{ID: key}
	err := f.db.QueryRowContext(ctx, "SELECT owner, balance, version FROM account WHERE id = ?", key).
		Scan(&a.Owner, &a.Balance, &a.Version)
	return a, err
}

func (f foreign) Update(
	ctx context.Context, key uint64, change func(*shop.Account) error, _ ...sqlcas.Option,
) (shop.Account, error) {
	for {
		a, err := f.Get(ctx, key)
		if err != nil {
			return shop.Account{}, err
		}
		if a, err = f.swap(ctx, a, change); err != sqlcas.ErrConflict {
			return a, err
		}
	}
}

func (f foreign) UpdateIfVersion(
	ctx context.Context, key, version uint64, change func(*shop.Account) error, _ ...sqlcas.Option,
) (shop.Account, error) {
	a, err := f.Get(ctx, key)
	switch {
	case err != nil:
		return shop.Account{}, err
	case a.Version != version:
		return a, sqlcas.ErrConflict
	}
	return f.swap(ctx, a, change)
}

func (f foreign) swap(ctx context.Context, a shop.Account, change func(*shop.Account) error) (shop.Account, error) {
	if err := change(&a); err != nil {
		return shop.Account{}, err
	}
	res, err := f.db.ExecContext(ctx, "UPDATE account SET owner = ?, balance = ?, version = version + 1 "+
		"WHERE id = ? AND version = ?", a.Owner, a.Balance, a.ID, a.Version)
	if err != nil {
		return shop.Account{}, &sqlcas.OutcomeUnknownError{Cause: err}
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return shop.Account{}, sqlcas.ErrConflict
	}
	a.Version++
	return a, nil
}
