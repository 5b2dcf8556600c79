package fields

import (
	"context"
	"database/sql"

	"example.com/shop/shop"
)

type withTx struct{ q *shop.Queries }

func newWithTx(db *sql.DB) *withTx { return &withTx{q: shop.New(db)} }

func (s *withTx) in(tx *sql.Tx) *withTx { return &withTx{q: s.q.WithTx(tx)} }

func (s *withTx) get(ctx context.Context, tx *sql.Tx) (int64, error) {
	s.q.WithTx(tx).LockBalance(ctx, 1)
	return s.q.LockBalance(ctx, 1) // not known
}

type onlyTx struct{ q *shop.Queries }

func newOnlyTx(ctx context.Context, tx *sql.Tx, c *sql.Conn) []onlyTx {
	return []onlyTx{{shop.New(tx)}, {shop.New(c)}}
}

func (s *onlyTx) get(ctx context.Context) (int64, error) { return s.q.LockBalance(ctx, 1) }

type ofConn struct{ *shop.Queries }

func newOfConn(c *sql.Conn, db *sql.DB) []ofConn { return []ofConn{{shop.New(db)}, {shop.New(c)}} }

func (s ofConn) get(ctx context.Context) (int64, error) {
	return s.LockBalance(ctx, 1) // not known
}

type nobody struct{ q *shop.Queries }

func (s nobody) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // not known
}

// Shared is given a pool here, and a transaction by package app.
type Shared struct{ Q *shop.Queries }

func newShared(db *sql.DB) Shared { return Shared{Q: shop.New(db)} }

func (s Shared) get(ctx context.Context) (int64, error) {
	return s.Q.LockBalance(ctx, 1) // not known
}

// Lock is called with a pool here, and with a transaction there.
func Lock(ctx context.Context, q *shop.Queries) (int64, error) {
	return q.LockBalance(ctx, 1) // not known
}

func callsLock(ctx context.Context, db *sql.DB) { Lock(ctx, shop.New(db)) }

type pointedTo struct{ q *shop.Queries }

func newPointedTo(db *sql.DB, set func(**shop.Queries)) *pointedTo {
	s := &pointedTo{q: shop.New(db)}
	set(&s.q)
	return s
}

func (s *pointedTo) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // not known
}

type converted struct{ q *shop.Queries }

func conversions(db *sql.DB, other struct{ q *shop.Queries }) []converted {
	return []converted{{q: shop.New(db)}, converted(other)}
}

func (s converted) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // not known
}

type inResult struct{ q *shop.Queries }

func open(db *sql.DB) *shop.Queries { return shop.New(db) }

func newInResult(db *sql.DB) inResult { return inResult{q: open(db)} }

func (s inResult) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // not known
}

// inContext uses the transaction of the context, if there is one.
type inContext struct{ *sql.DB }

type txKey struct{}

// QueryRowContext is not that of the pool.
func (c inContext) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if tx, ok := ctx.Value(txKey{}).(*sql.Tx); ok {
		return tx.QueryRowContext(ctx, query, args...)
	}
	return c.DB.QueryRowContext(ctx, query, args...)
}

// QueryRow is not that of the pool either.
func (c rows) QueryRow(query string, args ...any) *sql.Row {
	return inContext{c.DB}.QueryRowContext(c.ctx, query, args...)
}

type rows struct {
	*sql.DB
	ctx context.Context
}

func wraps(ctx context.Context, db *sql.DB) (int64, error) {
	rows{db, ctx}.QueryRow(lock, 1)                    // not known
	inContext{db}.QueryRowContext(ctx, lock, 1)        // not known
	return shop.New(inContext{db}).LockBalance(ctx, 1) // not known
}

func passed(ctx context.Context, q *shop.Queries) (int64, error) {
	return q.LockBalance(ctx, 1) // not known
}

func passes(ctx context.Context, db *sql.DB, run func(func(context.Context, *shop.Queries) (int64, error))) {
	passed(ctx, shop.New(db))
	run(passed)
	run(func(ctx context.Context, q *shop.Queries) (int64, error) {
		return q.LockBalance(ctx, 1) // not known
	})
}

type locker interface {
	hold(ctx context.Context, q *shop.Queries)
}

func (s nobody) hold(ctx context.Context, q *shop.Queries) {
	q.LockBalance(ctx, 1) // not known
}

func dynamic(ctx context.Context, db *sql.DB, tx *sql.Tx, l locker) {
	nobody{}.hold(ctx, shop.New(db))
	l.hold(ctx, shop.New(tx))
}

func (s nobody) keep(ctx context.Context, q *shop.Queries) {
	q.LockBalance(ctx, 1) // not known
}

func (s nobody) pair(a, b *shop.Queries) {
	a.LockBalance(context.Background(), 1) // not known
	b.LockBalance(context.Background(), 1) // not known
}

func methodValues(ctx context.Context, db *sql.DB, tx *sql.Tx) {
	nobody{}.keep(ctx, shop.New(db))
	nobody.keep(nobody{}, ctx, shop.New(tx))
	nobody.pair(nobody{}, shop.New(db), shop.New(tx))
}

func several(ctx context.Context, all ...*shop.Queries) {
	for _, q := range all {
		q.LockBalance(ctx, 1) // not known
	}
	all[0].LockBalance(ctx, 1) // not known
}

func severalCalls(ctx context.Context, db *sql.DB, tx *sql.Tx) {
	several(ctx, shop.New(db), shop.New(tx))
}

func reassigned(ctx context.Context, q *shop.Queries, tx *sql.Tx) (int64, error) {
	*q = *shop.New(tx)
	return q.LockBalance(ctx, 1) // not known
}

func both(db *sql.DB, tx *sql.Tx) (*shop.Queries, *shop.Queries) { return shop.New(db), shop.New(tx) }

func second(ctx context.Context, db *sql.DB, tx *sql.Tx) {
	reassigned(ctx, shop.New(db), tx)
	a, b := both(db, tx)
	a.LockBalance(ctx, 1) // not known
	b.LockBalance(ctx, 1) // not known
	c := shop.New(db)
	_, c = both(db, tx)
	c.LockBalance(ctx, 1) // not known
	d := shop.New(db)
	for _, d = range []*shop.Queries{a, b} {
	}
	d.LockBalance(ctx, 1) // not known
}

func ofTwo(a, b *shop.Queries) {
	b.LockBalance(context.Background(), 1) // not known
}

func callsOfTwo(db *sql.DB, tx *sql.Tx) {
	ofTwo(shop.New(db), shop.New(db))
	ofTwo(both(db, tx))
}

func namedResult(ctx context.Context, db *sql.DB, tx *sql.Tx) (q *shop.Queries) {
	q = shop.New(db)
	defer func() {
		q.LockBalance(ctx, 1) // not known
	}()
	return shop.New(tx)
}

// Otherwise is called by nobody here.
func Otherwise(ctx context.Context, q *shop.Queries, db *sql.DB) (int64, error) {
	if q == nil {
		q = shop.New(db)
	}
	return q.LockBalance(ctx, 1) // not known
}

func otherwise(db *sql.DB) any {
	return func(ctx context.Context, q *shop.Queries) (int64, error) {
		if q == nil {
			q = shop.New(db)
		}
		return q.LockBalance(ctx, 1) // not known
	}
}

func readsOnly(ctx context.Context, db *sql.DB) (int64, error) {
	return newLiteral(db).q.GetBalance(ctx, 1)
}
