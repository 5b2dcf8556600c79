package conformance

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// itemKey is the key of all tables that are written by hand for the checks; a table uses one of its
// fields, or both.
type itemKey struct {
	Name string
	Part uint64
}

func part(n uint64) itemKey { return itemKey{Part: n} }

// item is a row of such a table.
type item struct {
	itemKey
	N       int64
	Version uint64
	Twice   int64  // computed by the server: 2 N
	Changed string // computed by the server: when
}

// layout is a table of items, and what its descriptor says about it.
type layout struct {
	name    string
	key     []string // "name", "part", or both
	version string   // the column's type
	highest uint64   // what it holds, for the descriptor
	unkeyed bool     // the key is not unique in the table
	stamped bool     // the table has the computed columns
	zero    bool     // versions start at 0
}

// counter is the type of a version column as it should be.
const counter = "BIGINT UNSIGNED NOT NULL DEFAULT 1"

// The tables of items.
var (
	pairs   = layout{name: "item_pair", key: []string{"name", "part"}, version: counter}
	named   = layout{name: "item_named", key: []string{"name"}, version: "INT NOT NULL DEFAULT 1", highest: 1<<31 - 1}
	tiny    = layout{name: "item_tiny", key: []string{"part"}, version: "TINYINT NOT NULL DEFAULT 1", highest: 127}
	loose   = layout{name: "item_loose", key: []string{"part"}, version: "BIGINT UNSIGNED NULL"}
	twins   = layout{name: "item_twin", key: []string{"part"}, version: counter, unkeyed: true}
	stamped = layout{name: "item_stamped", key: []string{"part"}, version: counter, stamped: true}

	layouts = []layout{pairs, named, tiny, loose, twins, stamped}
)

// create is the statement that makes the table. The collation is the character set's default.
func (l layout) create() string {
	columns := []string{
		"name VARCHAR(20) NOT NULL DEFAULT ''", "part BIGINT UNSIGNED NOT NULL DEFAULT 0",
		"n BIGINT NOT NULL DEFAULT 0", "version " + l.version,
	}
	if l.stamped {
		columns = append(columns, "twice BIGINT AS (2 * n) STORED",
			"changed DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)")
	}
	if !l.unkeyed {
		columns = append(columns, "PRIMARY KEY ("+strings.Join(l.key, ", ")+")")
	}
	return fmt.Sprintf("CREATE TABLE %s (%s) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
		l.name, strings.Join(columns, ", "))
}

// where returns the predicate of a key, and its arguments.
func (l layout) where(key itemKey) (string, []any) {
	var args []any
	for _, column := range l.key {
		if column == "name" {
			args = append(args, key.Name)
		} else {
			args = append(args, key.Part)
		}
	}
	return " WHERE " + strings.Join(l.key, " = ? AND ") + " = ?", args
}

func (l layout) query() string {
	columns := "name, part, n, version"
	if l.stamped {
		columns += ", twice, CAST(changed AS CHAR)"
	}
	return "SELECT " + columns + " FROM " + l.name
}

func (l layout) scan(scan func(...any) error) (r item, err error) {
	fields := []any{&r.Name, &r.Part, &r.N, &r.Version}
	if l.stamped {
		fields = append(fields, &r.Twice, &r.Changed)
	}
	return r, scan(fields...)
}

func (l layout) get(ctx context.Context, db sqlcas.DBTX, key itemKey, lock string) (item, error) {
	where, args := l.where(key)
	return l.scan(db.QueryRowContext(ctx, l.query()+where+lock, args...).Scan)
}

func (l layout) exec(ctx context.Context, db sqlcas.DBTX, text string, r item, args ...any) (int64, error) {
	where, key := l.where(r.itemKey)
	res, err := db.ExecContext(ctx, text+where+" AND version = ?", slices.Concat(args, key, []any{r.Version})...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// lockClauses are those of the descriptors, by LockWait.
var lockClauses = map[sqlcas.LockWait]string{
	sqlcas.LockWaits: " FOR UPDATE", sqlcas.LockNoWait: " FOR UPDATE NOWAIT",
	sqlcas.LockSkipLocked: " FOR UPDATE SKIP LOCKED",
}

// table is the layout's descriptor.
func (l layout) table() sqlcas.Table[itemKey, item] {
	return sqlcas.Table[itemKey, item]{
		Schema: sqlcas.Schema{Name: l.name, Key: l.key, Version: "version", Max: l.highest, Zero: l.zero},
		Key:    func(r item) itemKey { return r.itemKey },
		Compare: func(a, b itemKey) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Part, b.Part))
		},
		Version:    func(r item) uint64 { return r.Version },
		SetVersion: func(r *item, version uint64) { r.Version = version },
		Computed:   l.stamped,
		Get: func(ctx context.Context, db sqlcas.DBTX, key itemKey) (item, error) {
			return l.get(ctx, db, key, "")
		},
		GetForUpdate: func(ctx context.Context, tx *sql.Tx, key itemKey, wait sqlcas.LockWait) (item, error) {
			return l.get(ctx, tx, key, lockClauses[wait])
		},
		Swap: func(ctx context.Context, db sqlcas.DBTX, r item, steps uint64) (int64, error) {
			return l.exec(ctx, db, "UPDATE "+l.name+" SET n = ?, version = version + ?", r, r.N, steps)
		},
		Delete: func(ctx context.Context, db sqlcas.DBTX, r item) (int64, error) {
			return l.exec(ctx, db, "DELETE FROM "+l.name, r)
		},
	}
}

// put enters rows in place of those that the table has. version is an any, so that it can be nil.
func (l layout) put(t *testing.T, e *env, version any, keys ...itemKey) {
	t.Helper()
	_, err := e.other.ExecContext(t.Context(), "DELETE FROM "+l.name)
	require.NoError(t, err)
	for _, k := range keys {
		_, err := e.other.ExecContext(t.Context(),
			"INSERT INTO "+l.name+" (name, part, n, version) VALUES (?, ?, ?, ?)", k.Name, k.Part, opening, version)
		require.NoError(t, err)
	}
}

// read returns a row as it is in the table.
func (l layout) read(t *testing.T, e *env, key itemKey) item {
	t.Helper()
	row, err := l.get(context.Background(), e.other, key, "")
	require.NoError(t, err)
	return row
}
