package linear

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// change is a closure.
type change = func(*shop.Account) error

// broken is a Store of which each eighth Update is wrong, in one of the ways in which such code goes wrong in the
// field: most bugs of this kind show now and then.
type broken struct {
	store
	db         *sql.DB
	background *sync.WaitGroup // what is done when the caller has gone
	n          atomic.Int64
	wrong      func(b *broken, ctx context.Context, key uint64, f change) (shop.Account, error)
}

func (b *broken) Update(ctx context.Context, key uint64, f change, opts ...sqlcas.Option) (shop.Account, error) {
	if b.n.Add(1)%8 != 0 {
		return b.store.Update(ctx, key, f, opts...)
	}
	return b.wrong(b, context.WithoutCancel(ctx), key, f) // so that no context's end is to blame
}

// bug is how a Store is broken.
type bug struct {
	name string
	make func(db *sql.DB, background *sync.WaitGroup) store
}

func bugs() []bug {
	return []bug{
		{"the swap leaves out the version", func(db *sql.DB, _ *sync.WaitGroup) store {
			return optimistic.NewStore(db, careless())
		}},
		{"the locking read does not lock, and the swap leaves out the version", func(db *sql.DB, _ *sync.WaitGroup) store {
			// Read committed, or MariaDB since 11.6 notices: its snapshot isolation is 1020 then.
			return pessimistic.NewStore(db, careless(), sqlcas.WithIsolation(sql.LevelReadCommitted))
		}},
		{"a batch moves the version by one", func(db *sql.DB, _ *sync.WaitGroup) store {
			table := shop.AccountTable
			table.Swap = func(ctx context.Context, db sqlcas.DBTX, row shop.Account, _ uint64) (int64, error) {
				return shop.AccountTable.Swap(ctx, db, row, 1)
			}
			return optimistic.NewStore(db, table)
		}},
		{"Get has a cache", func(db *sql.DB, _ *sync.WaitGroup) store {
			return &caching{store: optimistic.NewStore(db, shop.AccountTable)}
		}},
		{"UpdateIfVersion does not compare", func(db *sql.DB, _ *sync.WaitGroup) store {
			return overwriting{optimistic.NewStore(db, shop.AccountTable)}
		}},
		{"the answer comes before the commit", breaks((*broken).answersEarly)},
		{"a call whose answer was lost is made again", breaks((*broken).appliesTwice)},
		{"what was applied is reported as not applied", breaks((*broken).denies)},
		{"what was reported as not applied is applied later", breaks((*broken).appliesLate)},
		{"a call is refused because of a change that is not committed", breaks((*broken).refusesUncommitted)},
	}
}

// careless is a Table whose functions do not do what a Table asks for.
func careless() sqlcas.Table[uint64, shop.Account] {
	table := shop.AccountTable
	table.GetForUpdate = func(ctx context.Context, tx *sql.Tx, key uint64, _ sqlcas.LockWait) (shop.Account, error) {
		return shop.New(tx).GetAccount(ctx, key)
	}
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, row shop.Account, steps uint64) (int64, error) {
		res, err := db.ExecContext(ctx, "UPDATE account SET owner = ?, balance = ?, version = version + ? WHERE id = ?",
			row.Owner, row.Balance, steps, row.ID)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}
	return table
}

// caching answers Get with the row as this process has last seen it.
type caching struct {
	store
	rows sync.Map
}

func (c *caching) Get(ctx context.Context, key uint64) (shop.Account, error) {
	if row, ok := c.rows.LoadAndDelete(key); ok { // so that some reads are true
		return row.(shop.Account), nil
	}
	row, err := c.store.Get(ctx, key)
	if err == nil {
		c.rows.Store(key, row)
	}
	return row, err
}

// overwriting takes an edit for what is to become of the row as it is.
type overwriting struct{ store }

func (o overwriting) UpdateIfVersion(
	ctx context.Context, key, _ uint64, f change, opts ...sqlcas.Option,
) (shop.Account, error) {
	return o.store.Update(ctx, key, f, opts...)
}

// breaks makes Stores with such an Update.
func breaks(
	wrong func(*broken, context.Context, uint64, change) (shop.Account, error),
) func(*sql.DB, *sync.WaitGroup) store {
	return func(db *sql.DB, background *sync.WaitGroup) store {
		return &broken{
			store: optimistic.NewStore(db, shop.AccountTable), db: db, background: background, wrong: wrong,
		}
	}
}

func (b *broken) answersEarly(ctx context.Context, key uint64, f change) (shop.Account, error) {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return shop.Account{}, err
	}
	row, err := shop.LockAccount(ctx, tx, key, sqlcas.LockWaits)
	if err == nil {
		err = f(&row)
	}
	if err == nil {
		_, err = shop.AccountTable.Swap(ctx, tx, row, 1)
	}
	if err != nil {
		_ = tx.Rollback()
		return shop.Account{}, err
	}
	b.background.Go(func() { _ = tx.Commit() })
	row.Version++
	return row, nil
}

func (b *broken) appliesTwice(ctx context.Context, key uint64, f change) (shop.Account, error) {
	if row, err := b.store.Update(ctx, key, f); err != nil {
		return row, err
	}
	return b.store.Update(ctx, key, f)
}

func (b *broken) denies(ctx context.Context, key uint64, f change) (shop.Account, error) {
	if row, err := b.store.Update(ctx, key, f); err != nil {
		return row, err
	}
	return shop.Account{}, context.DeadlineExceeded
}

func (b *broken) appliesLate(ctx context.Context, key uint64, f change) (shop.Account, error) {
	b.background.Go(func() { _, _ = b.store.Update(ctx, key, f) })
	return shop.Account{}, context.DeadlineExceeded
}

// refusesUncommitted has the closure see what another caller's has made of the row, which is then taken back.
func (b *broken) refusesUncommitted(ctx context.Context, key uint64, f change) (shop.Account, error) {
	return b.store.Update(ctx, key, func(a *shop.Account) error {
		dirty := *a
		dirty.Balance, dirty.Version = 0, a.Version+1
		if err := f(&dirty); err != nil {
			return err
		}
		return f(a)
	})
}
