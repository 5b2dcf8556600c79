package conformance

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// planted is a Store with a bug of a kind that people really write.
type planted struct {
	strategy
	found  []string // the clauses that are there for it, and must fail
	spared []string // clauses that are near it, and must not
}

// plants are an optimistic.Store as it is, and with one bug each.
var plants = []planted{
	{strategy: strategy{
		"none", adapt(optimistic.NewStore[uint64, shop.Account]), adapt(optimistic.NewStore[itemKey, item]),
		traits{plain: true, losses: 1},
	}},
	{
		// The version is moved but not compared: the last writer wins.
		strategy: strategy{
			"no version in WHERE", forgetful[uint64, shop.Account], forgetful[itemKey, item], traits{plain: true, losses: 1},
		},
		found: []string{
			"conflict is retried on the fresh row and applied once",
			"call follows the fate of the rival before it",
			"one UPDATE an attempt carries key and version",
			"UpdateIfVersion loses to a rival in between",
			"UpdateAll names exactly the rows that were lost",
			"row value that has lost conflicts again",
			"touched parent keeps its children's rule",
		},
		spared: []string{
			"Update is applied once and returns the row",
			"UpdateIfVersion of a stale version returns the current row",
			"row value that was never read is refused",
			"UpdateAll survives a deadlock with no half durable",
		},
	},
	{
		// The closure is rerun on a row that is read again in the same transaction, where the snapshot is
		// the old one.
		strategy: strategy{
			"retry inside the transaction", stubborn[uint64, shop.Account], stubborn[itemKey, item], traits{losses: 2},
		},
		found: []string{
			"conflict is retried on the fresh row and applied once",
			"call follows the fate of the rival before it",
		},
		spared: []string{
			"Update is applied once and returns the row",
			"unchanged row moves the version",
			"UpdateAll names exactly the rows that were lost",
			"UpdateAll survives a deadlock with no half durable",
		},
	},
	{
		// A deadlock at one row is taken for that row's alone, and what is left is committed.
		strategy: strategy{
			"swallowed deadlock committed", careless[uint64, shop.Account], careless[itemKey, item], traits{plain: true, losses: 1},
		},
		found: []string{"UpdateAll survives a deadlock with no half durable"},
		spared: []string{
			"UpdateAll writes all rows and returns them",
			"UpdateAll is all or nothing when one swap is lost",
			"UpdateAll is all or nothing when one row is gone",
			"conflict is retried on the fresh row and applied once",
		},
	},
}

// forgetful opens a Store whose swap has lost the version in its WHERE.
func forgetful[K comparable, R any](db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option) store[K, R] {
	if swap := table.Swap; swap != nil {
		table.Swap = func(ctx context.Context, db sqlcas.DBTX, row R, steps uint64) (int64, error) {
			return swap(ctx, unversioned{db}, row, steps)
		}
	}
	return adapt(optimistic.NewStore[K, R])(db, table, opts...)
}

// unversioned takes the version out of a statement's predicate.
type unversioned struct{ sqlcas.DBTX }

// ExecContext sends what is left.
func (u unversioned) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if rest, ok := strings.CutSuffix(strings.TrimSpace(query), "AND version = ?"); ok {
		query, args = rest, args[:len(args)-1]
	}
	return u.DBTX.ExecContext(ctx, query, args...)
}

// retrying is a Store whose Update makes all its attempts in one transaction.
type retrying[K comparable, R any] struct {
	store[K, R]
	db    *sql.DB
	table sqlcas.Table[K, R]
	opts  []sqlcas.Option
}

func stubborn[K comparable, R any](db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option) store[K, R] {
	return retrying[K, R]{adapt(optimistic.NewStore[K, R])(db, table, opts...), db, table, opts}
}

// stubbornAttempts is when it gives up, not to hang the test.
const stubbornAttempts = 5

// Update reads, changes and swaps, again and again.
func (s retrying[K, R]) Update(
	ctx context.Context, key K, change func(*R) error, opts ...sqlcas.Option,
) (R, error) {
	if ctx == nil || s.db == nil || !whole(s.table) || change == nil {
		return s.store.Update(ctx, key, change, opts...) // refuses it
	}
	return optimistic.UpdateTxResult(ctx, s.db, func(ctx context.Context, tx *sql.Tx) (row R, err error) {
		in := s.In(tx)
		for range stubbornAttempts {
			if row, err = in.Get(ctx, key); err != nil {
				return row, err
			}
			if err = change(&row); err != nil {
				return row, sqlcas.Permanent(err)
			}
			if err = in.Update(ctx, &row); !errors.Is(err, sqlcas.ErrConflict) {
				return row, err
			}
		}
		return row, sqlcas.Permanent(err)
	}, slices.Concat(s.opts, opts)...)
}

// hearingNothing is a Store whose UpdateAll takes a deadlock for something that one row alone has met.
type hearingNothing[K comparable, R any] struct {
	store[K, R]
	db    *sql.DB
	table sqlcas.Table[K, R]
	opts  []sqlcas.Option
}

func careless[K comparable, R any](db *sql.DB, table sqlcas.Table[K, R], opts ...sqlcas.Option) store[K, R] {
	return hearingNothing[K, R]{adapt(optimistic.NewStore[K, R])(db, table, opts...), db, table, opts}
}

// UpdateAll makes its attempts in transactions of database/sql's, which nobody watches.
func (s hearingNothing[K, R]) UpdateAll(
	ctx context.Context, keys []K, change func(map[K]*R) error, opts ...sqlcas.Option,
) (written map[K]R, err error) {
	if ctx == nil || s.db == nil || !whole(s.table) || change == nil || len(keys) == 0 {
		return s.store.UpdateAll(ctx, keys, change, opts...) // refuses it
	}
	keys = slices.Clone(keys)
	slices.SortFunc(keys, s.table.Compare)
	keys = slices.Compact(keys)
	err = sqlcas.Retry(ctx, func(ctx context.Context) (int64, error) {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return 0, err
		}
		defer func() { _ = tx.Rollback() }()
		if written, err = s.attempt(ctx, tx, keys, change); err != nil {
			return 0, err
		}
		return 1, tx.Commit()
	}, slices.Concat([]sqlcas.Option{sqlcas.WithMaxElapsed(time.Second)}, s.opts, opts)...)
	return written, err
}

// attempt reads all rows, runs the closure and swaps them.
func (s hearingNothing[K, R]) attempt(
	ctx context.Context, tx *sql.Tx, keys []K, change func(map[K]*R) error,
) (map[K]R, error) {
	t, rows, written := s.table, map[K]*R{}, map[K]R{}
	for _, key := range keys {
		row, err := s.In(tx).Get(ctx, key)
		if err != nil {
			return nil, err
		}
		rows[key] = &row
	}
	if err := change(rows); err != nil {
		return nil, sqlcas.Permanent(err)
	}
	for _, key := range keys {
		if rows[key] == nil {
			return nil, sqlcas.ErrInvalidArgument
		}
		row := *rows[key]
		switch n, err := t.Swap(ctx, tx, row, 1); {
		case number(err) == 1213: // the bug
		case err != nil:
			return nil, err
		case n == 0:
			return nil, &sqlcas.ConflictError{Table: t.Schema.Name, Key: key, Expected: t.Version(row)}
		}
		t.SetVersion(&row, t.Version(row)+1)
		written[key] = row
	}
	return written, nil
}

// whole reports whether the table has all that the Stores here use without looking.
func whole[K comparable, R any](t sqlcas.Table[K, R]) bool {
	return t.Schema.Name != "" && t.Schema.Version != "" && t.Key != nil && t.Compare != nil &&
		t.Version != nil && t.SetVersion != nil && t.Get != nil && t.Swap != nil
}
