package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/optimistic"
)

var (
	// errSoldOut refuses an order: all buckets together have fewer units than it wants.
	errSoldOut = errors.New("not enough units left")
	// errTooFew says that one bucket has too few, which is no reason to refuse an order.
	errTooFew = errors.New("not enough units in this bucket")
	// errEven leaves buckets alone that are as even as they can be.
	errEven = errors.New("the buckets are even")
)

// stock sells products whose units lie in several buckets each. It is safe for concurrent use. Keep one a
// process: orders that meet on a bucket in its Store are written together.
type stock struct {
	db      *sql.DB
	rows    *optimistic.Store[key, Bucket]
	buckets int // of each product
}

// newStock makes a stock of products that have so many buckets each. The options are those of its Store.
func newStock(db *sql.DB, table sqlcas.Table[key, Bucket], buckets int, opts ...sqlcas.Option) *stock {
	return &stock{db: db, rows: optimistic.NewStore(db, table, opts...), buckets: buckets}
}

// way is how the units of an order were found.
type way uint8

const (
	fromFirst way = iota // in the bucket that was drawn
	fromOther            // in another one that had enough
	gathered             // in several
)

// sell takes n units of a product from its buckets, all of them or none, and says how it has found them. It is
// errSoldOut only if at some moment of the call all buckets together had fewer than n.
//
// Most orders cost what a Store's Update costs: a bucket is drawn, and has enough. To add up bucket after
// bucket, each with a read of its own, would be wrong for the others: units that are moved or given back
// meanwhile to a bucket which was looked at already would be missed, and the last unit refused while it is
// there. So the buckets are read at one moment, twice at most:
//
//   - by one SELECT, which under REPEATABLE READ and READ COMMITTED sees all rows as they were when it began.
//     That is the quick refusal for everybody who comes too late; and it finds a bucket that has enough.
//   - by UpdateAll, if none has, or somebody else was faster. It writes all buckets at the versions that it has
//     read, or none.
//
// The SELECT relies on sessions that commit each statement, as all do by default.
func (s *stock) sell(ctx context.Context, product uint64, n int64) (way, error) {
	if n < 1 {
		return 0, fmt.Errorf("an order for %d units: give at least 1", n)
	}
	err := s.take(ctx, key{product, rand.N(s.buckets)}, n)
	if !errors.Is(err, errTooFew) {
		return fromFirst, err
	}
	buckets, err := s.read(ctx, product)
	if err != nil {
		return 0, err
	}
	delivered := len(buckets)
	if left := sum(buckets); left < n {
		return 0, soldOut(product, n, left)
	}
	buckets = slices.DeleteFunc(buckets, func(b Bucket) bool { return b.Quantity < n })
	if len(buckets) > 0 {
		other := buckets[rand.N(len(buckets))]
		if err := s.take(ctx, key{product, other.Number}, n); !errors.Is(err, errTooFew) {
			return fromOther, err
		}
	}
	if delivered != s.buckets { // units would lie where gather does not look
		return 0, fmt.Errorf("product %d has %d buckets, and the stock was opened with %d", product, delivered, s.buckets)
	}
	return gathered, s.gather(ctx, product, n)
}

// take takes n units from one bucket.
func (s *stock) take(ctx context.Context, k key, n int64) error {
	_, err := s.rows.Update(ctx, k, func(b *Bucket) error {
		if b.Quantity < n {
			return errTooFew
		}
		b.Quantity -= n
		return nil
	})
	return err
}

// gather takes n units from as many buckets as it needs, the emptiest first: what is left lies in few buckets,
// so that the next order is more likely to find enough in one.
//
// The first try reads the buckets without a lock, and must see all of them at one moment: that takes REPEATABLE
// READ, whatever the session's default is. A later one locks all of them, in order.
func (s *stock) gather(ctx context.Context, product uint64, n int64) error {
	_, err := s.rows.UpdateAll(ctx, s.keys(product), func(rows map[key]*Bucket) error {
		buckets := slices.Collect(maps.Values(rows))
		slices.SortFunc(buckets, func(a, b *Bucket) int { return cmp.Compare(a.Quantity, b.Quantity) })
		missing := n // set here, since the closure may run again
		for _, b := range buckets {
			part := min(missing, b.Quantity)
			b.Quantity -= part
			missing -= part
		}
		if missing > 0 {
			return soldOut(product, n, n-missing)
		}
		return nil
	}, sqlcas.WithIsolation(sql.LevelRepeatableRead))
	return err
}

// rebalance spreads a product's units evenly over its buckets, and returns how many it has moved. Run it after a
// delivery, which lies in one bucket, and now and then while products sell: bucket by bucket they are sold at
// random. It locks all of the product's buckets for a moment; even ones are left alone.
func (s *stock) rebalance(ctx context.Context, product uint64) (moved int64, err error) {
	_, err = s.rows.UpdateAll(ctx, s.keys(product), func(rows map[key]*Bucket) error {
		moved = 0 // set here, since the closure may run again
		var left int64
		for _, b := range rows {
			left += b.Quantity
		}
		share, rest := left/int64(s.buckets), left%int64(s.buckets)
		for _, b := range rows {
			fair := share
			if int64(b.Number) < rest {
				fair++
			}
			moved += max(b.Quantity-fair, 0)
			b.Quantity = fair
		}
		if moved == 0 {
			return errEven
		}
		return nil
	}, sqlcas.WithIsolation(sql.LevelRepeatableRead))
	if errors.Is(err, errEven) {
		return 0, nil
	}
	return moved, err
}

// total is how many units of a product there were at one moment.
func (s *stock) total(ctx context.Context, product uint64) (int64, error) {
	buckets, err := s.read(ctx, product)
	return sum(buckets), err
}

// read reads all buckets of a product as they were at one moment.
func (s *stock) read(ctx context.Context, product uint64) ([]Bucket, error) {
	rows, err := s.db.QueryContext(ctx, selectProduct, product)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var buckets []Bucket
	for rows.Next() {
		b, err := scanBucket(rows)
		if err != nil {
			return nil, err
		}
		buckets = append(buckets, b)
	}
	return buckets, rows.Err()
}

// keys are those of all buckets of a product.
func (s *stock) keys(product uint64) []key {
	keys := make([]key, s.buckets)
	for i := range keys {
		keys[i] = key{product, i}
	}
	return keys
}

// sum adds up what buckets hold.
func sum(buckets []Bucket) (units int64) {
	for _, b := range buckets {
		units += b.Quantity
	}
	return units
}

// soldOut is an errSoldOut that says what was wanted, and what there was.
func soldOut(product uint64, n, left int64) error {
	return fmt.Errorf("%d units of product %d: %w: %d", n, product, errSoldOut, left)
}
