package hardtables

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }

// schema returns the statements that create the tables.
func schema(t *testing.T) []string {
	text, err := os.ReadFile(filepath.Join("schema", "hard.sql"))
	require.NoError(t, err)
	var stmts []string
	for _, span := range sqlcheck.Split(string(text)) {
		stmts = append(stmts, string(text[span.Start:span.End]))
	}
	require.Len(t, stmts, 10)
	return stmts
}

// open returns a pool over a database with the tables.
func open(t *testing.T, s *mysqltest.Server, interpolate bool) *sql.DB {
	cfg := s.Config(t, schema(t)...)
	cfg.ParseTime, cfg.InterpolateParams = true, interpolate
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		require.Zero(t, db.Stats().InUse, "connections in use")
		require.NoError(t, db.Close())
	})
	return db
}

// store is what both Stores have.
type store[K comparable, R any] interface {
	sqlcas.Updater[K, R]
	Get(ctx context.Context, key K) (R, error)
	UpdateIfVersion(ctx context.Context, key K, version uint64, change func(*R) error, opts ...sqlcas.Option) (R, error)
	Delete(ctx context.Context, row R, opts ...sqlcas.Option) error
}

// hard is one table's part of the round trip.
type hard[K comparable, R any] struct {
	table sqlcas.Table[K, R]
	// insert enters a row and returns its key; each call another row.
	insert func(ctx context.Context, q *Queries) (K, error)
	change func(row *R)
	// changed reports whether the change is in the row.
	changed func(row R) bool
	touch   func(ctx context.Context, q *Queries, row R) error // TouchX, by its OrConflict; nil for a narrow descriptor
	// bytes says that a row has some that are no text. They are kept off the servers that tests share: while a
	// statement has them, MySQL's list of sessions cannot be read by anybody (3854).
	bytes bool
}

// run takes rows of a table through all that the generated code can do, on each server.
func run[K comparable, R any](t *testing.T, h hard[K, R]) {
	t.Parallel()
	each := mysqltest.Each
	if h.bytes {
		each = func(t *testing.T, fn func(t *testing.T, s *mysqltest.Server)) {
			mysqltest.EachOwn(t, mysqltest.Options{}, fn)
		}
	}
	each(t, func(t *testing.T, s *mysqltest.Server) {
		for name, interpolate := range map[string]bool{"prepared": false, "interpolated": true} {
			db := open(t, s, interpolate)
			t.Run("optimistic, "+name, func(t *testing.T) { h.trip(t, db, optimistic.NewStore(db, h.table)) })
			t.Run("pessimistic, "+name, func(t *testing.T) { h.trip(t, db, pessimistic.NewStore(db, h.table)) })
		}
	})
}

func (h hard[K, R]) trip(t *testing.T, db *sql.DB, store store[K, R]) {
	ctx, version := t.Context(), h.table.Version
	key, err := h.insert(ctx, New(db))
	require.NoError(t, err)
	first, err := store.Get(ctx, key)
	require.NoError(t, err)
	start := uint64(1)
	if h.table.Schema.Zero {
		start = 0
	}
	require.Equal(t, start, version(first))
	require.Equal(t, key, h.table.Key(first))
	require.Zero(t, h.table.Compare(key, h.table.Key(first)))
	require.False(t, h.changed(first))

	// A swap, whose answer is what the table has then.
	second, err := store.Update(ctx, key, func(row *R) error { h.change(row); return nil })
	require.NoError(t, err)
	require.Equal(t, start+1, version(second))
	require.True(t, h.changed(second))
	require.False(t, h.changed(first), "the copy that was read before is nobody else's")
	require.Equal(t, second, h.get(t, store, key))

	h.conflicts(t, db, store, key, first)
	if h.touch != nil {
		require.NoError(t, h.touch(ctx, New(db), second))
		require.ErrorIs(t, h.touch(ctx, New(db), second), sqlcas.ErrConflict)
		touched := h.get(t, store, key)
		require.Equal(t, start+2, version(touched))
		require.True(t, h.changed(touched))
	}
	h.locks(t, db, key)

	// An If-Match that matches, and the same one again.
	now := h.get(t, store, key)
	matched, err := store.UpdateIfVersion(ctx, key, version(now), func(*R) error { return nil })
	require.NoError(t, err)
	require.Equal(t, version(now)+1, version(matched))
	_, err = store.UpdateIfVersion(ctx, key, version(now), func(*R) error { return nil })
	require.ErrorIs(t, err, sqlcas.ErrConflict)

	last := h.get(t, store, key)
	require.Equal(t, matched, last)
	require.ErrorIs(t, store.Delete(ctx, first), sqlcas.ErrConflict)
	require.NoError(t, store.Delete(ctx, last))
	_, err = store.Get(ctx, key)
	require.ErrorIs(t, err, sqlcas.ErrGone)
}

func (h hard[K, R]) get(t *testing.T, store store[K, R], key K) R {
	row, err := store.Get(t.Context(), key)
	require.NoError(t, err)
	return row
}

// conflicts tries to write a row that is not as it was read any more, in each way.
func (h hard[K, R]) conflicts(t *testing.T, db *sql.DB, store store[K, R], key K, stale R) {
	ctx := t.Context()
	now := h.get(t, store, key)
	affected, err := h.table.Swap(ctx, db, stale, 1)
	require.NoError(t, err)
	require.Zero(t, affected)
	affected, err = h.table.Delete(ctx, db, stale)
	require.NoError(t, err)
	require.Zero(t, affected)
	// As by HTTP's If-Match.
	_, err = store.UpdateIfVersion(ctx, key, h.table.Version(stale), func(*R) error { return nil })
	var conflict *sqlcas.ConflictError
	if h.table.Version(stale) > 0 || h.table.Schema.Zero {
		require.ErrorAs(t, err, &conflict)
		require.Equal(t, any(key), conflict.Key)
		require.Equal(t, h.table.Version(now), conflict.Actual)
	}
	require.Equal(t, now, h.get(t, store, key))
	_, err = store.UpdateIfVersion(ctx, key, h.table.Version(now), func(*R) error { return errNothing })
	require.ErrorIs(t, err, errNothing)
	require.Equal(t, now, h.get(t, store, key))
}

var errNothing = errors.New("nothing to do")

// locks has one transaction hold the row, and others meet it.
func (h hard[K, R]) locks(t *testing.T, db *sql.DB, key K) {
	ctx := t.Context()
	holder, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	defer func() { _ = holder.Rollback() }()
	_, err = h.table.GetForUpdate(ctx, holder, key, sqlcas.LockWaits)
	require.NoError(t, err)

	_, err = pessimistic.NewStore(db, h.table).Update(ctx, key, func(*R) error { return nil }, pessimistic.NoWait())
	require.ErrorIs(t, err, sqlcas.ErrLocked)
	other, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	defer func() { _ = other.Rollback() }()
	_, err = h.table.GetForUpdate(ctx, other, key, sqlcas.LockSkipLocked)
	require.ErrorIs(t, err, sql.ErrNoRows)
}

// Ensures that the generated code of each table of a schema made to be hard swaps, conflicts, touches,
// locks, deletes and answers an If-Match, under both Stores and on each server.
func TestRoundTrip(t *testing.T) {
	t.Run("seat", func(t *testing.T) { run(t, seats()) })
	t.Run("device", func(t *testing.T) { run(t, devices()) })
	t.Run("parcel", func(t *testing.T) { run(t, parcels()) })
	t.Run("order", func(t *testing.T) { run(t, orders()) })
	t.Run("invoice", func(t *testing.T) { run(t, invoices()) })
	t.Run("post", func(t *testing.T) { run(t, posts()) })
	t.Run("document", func(t *testing.T) { run(t, documents()) })
	t.Run("document, narrow", func(t *testing.T) { run(t, titles()) })
	t.Run("coupon", func(t *testing.T) { run(t, coupons()) })
	t.Run("aggregate_root", func(t *testing.T) { run(t, roots()) })
	t.Run("daily_quota", func(t *testing.T) { run(t, quotas()) })
}
