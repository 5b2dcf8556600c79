package conformance

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// store is the method set that all Stores share.
type store[K comparable, R any] interface {
	methods[K, R]
	In(tx *sql.Tx) txStore[K, R]
}

// methods is store without In, whose result is a type of each Store's own.
type methods[K comparable, R any] interface {
	sqlcas.Updater[K, R]
	Get(ctx context.Context, key K) (R, error)
	UpdateIfVersion(
		ctx context.Context, key K, version uint64, change func(row *R) error, opts ...sqlcas.Option,
	) (R, error)
	UpdateAll(
		ctx context.Context, keys []K, change func(rows map[K]*R) error, opts ...sqlcas.Option,
	) (map[K]R, error)
	Delete(ctx context.Context, row R, opts ...sqlcas.Option) error
}

// txStore is what a Store does in a transaction of the caller's.
type txStore[K comparable, R any] interface {
	Get(ctx context.Context, key K) (R, error)
	Update(ctx context.Context, row *R) error
	Touch(ctx context.Context, row *R) error
	Check(ctx context.Context, row R) error
	Delete(ctx context.Context, row R) error
}

// strategy is a Store that the contract is held against, for the two types of rows that the checks
// have.
type strategy struct {
	name     string
	accounts opener[uint64, shop.Account]
	items    opener[itemKey, item]
	traits
}

type opener[K comparable, R any] func(*sql.DB, sqlcas.Table[K, R], ...sqlcas.Option) store[K, R]

// traits are what the clauses have to know of a strategy.
type traits struct {
	locks  bool         // closures run while their row is locked, so that no rival gets in between
	losses int          // how often a rival can get in between before the Store locks the row
	plain  bool         // the swap of one row commits itself, so that nothing can take it back
	own    []storeCheck // clauses that it has beside the others
}

// strategies are all Stores there are. One more is one more entry.
var strategies = []strategy{
	under("optimistic.Store", traits{plain: true, losses: 1, own: combineChecks},
		optimistic.NewStore[uint64, shop.Account], optimistic.NewStore[itemKey, item]),
	under("optimistic.Store without combining", traits{plain: true, losses: 2},
		alone[uint64, shop.Account], alone[itemKey, item]),
	under("pessimistic.Store", traits{locks: true, own: lockChecks},
		pessimistic.NewStore[uint64, shop.Account], pessimistic.NewStore[itemKey, item]),
}

// alone is an optimistic.Store whose calls share nothing.
func alone[K comparable, R any](
	db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option,
) *optimistic.Store[K, R] {
	return optimistic.NewStore(db, table, append(opts, optimistic.WithoutCombining())...)
}

// under puts a Store under the contract. It is given the constructor twice, for each type of rows.
func under[A concrete[uint64, shop.Account, TA], I concrete[itemKey, item, TI],
	TA txStore[uint64, shop.Account], TI txStore[itemKey, item]](
	name string, has traits,
	accounts func(*sql.DB, sqlcas.Table[uint64, shop.Account], ...sqlcas.Option) A,
	items func(*sql.DB, sqlcas.Table[itemKey, item], ...sqlcas.Option) I,
) strategy {
	return strategy{name: name, accounts: adapt(accounts), items: adapt(items), traits: has}
}

// concrete is a Store as its package has it: In returns T.
type concrete[K comparable, R any, T txStore[K, R]] interface {
	methods[K, R]
	In(tx *sql.Tx) T
}

// adapted is a concrete Store as a store.
type adapted[K comparable, R any, T txStore[K, R]] struct{ concrete[K, R, T] }

// In is the concrete one's.
func (a adapted[K, R, T]) In(tx *sql.Tx) txStore[K, R] { return a.concrete.In(tx) }

// adapt makes an opener of a package's NewStore.
func adapt[K comparable, R any, S concrete[K, R, T], T txStore[K, R]](
	open func(*sql.DB, sqlcas.Table[K, R], ...sqlcas.Option) S,
) opener[K, R] {
	return func(db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option) store[K, R] {
		return adapted[K, R, T]{open(db, table, opts...)}
	}
}
