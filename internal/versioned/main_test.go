package versioned

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// Ensures that no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// item is a row of the tests' table, whose Go code never reaches a database: shelf stands for it.
type item struct {
	ID      string
	Count   int
	Version uint64
}

// shelf is what is in the table, by the key that the collation makes of an ID: its first letter.
type shelf map[byte]item

var errBroken = errors.New("the connection broke")

// table returns a descriptor over the shelf.
func (s shelf) table() *sqlcas.Table[string, item] {
	return &sqlcas.Table[string, item]{
		Schema:     sqlcas.Schema{Name: "item", Key: []string{"id"}, Version: "version", Max: 127},
		Key:        func(i item) string { return i.ID },
		Compare:    cmp.Compare[string],
		Version:    func(i item) uint64 { return i.Version },
		SetVersion: func(i *item, v uint64) { i.Version = v },
		Get: func(_ context.Context, _ sqlcas.DBTX, key string) (item, error) {
			if key == "broken" {
				return item{}, errBroken
			}
			i, ok := s[key[0]]
			if !ok {
				return item{}, sql.ErrNoRows
			}
			return i, nil
		},
		Swap: func(_ context.Context, _ sqlcas.DBTX, row item, steps uint64) (int64, error) {
			if s[row.ID[0]].Version != row.Version {
				return 0, nil
			}
			row.Version += steps
			s[row.ID[0]] = row
			return 1, nil
		},
	}
}

// base is what a Store of the table is made of; its pool is asked for connections, and nothing else.
func (s shelf) base(t *testing.T) *Base[string, item] {
	t.Helper()
	db := sql.OpenDB(scriptdb.New(nil))
	t.Cleanup(func() { _ = db.Close() })
	b := NewBase(db, *s.table(), false, nil)
	return &b
}

// reading is the read of a transaction that there is not.
func reading(t *sqlcas.Table[string, item]) func(context.Context, *sql.Tx, string) (item, error) {
	return func(ctx context.Context, _ *sql.Tx, key string) (item, error) {
		row, err := t.Get(ctx, nil, key)
		return Read(t, key, row, err)
	}
}
