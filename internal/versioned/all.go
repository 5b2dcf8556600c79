package versioned

import (
	"context"
	"database/sql"
	"slices"

	"github.com/sqlcas/sqlcas"
)

// Sorted returns the keys in the table's order, each once.
func Sorted[K comparable, R any](t *sqlcas.Table[K, R], keys []K) []K {
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, t.Compare)
	return slices.Compact(sorted)
}

// NoSQL is the call of a harness that has nothing to send: it looks at the options, and tells the
// observer and the report.
func NoSQL(ctx context.Context, opts []sqlcas.Option) error {
	return sqlcas.Retry(ctx, func(context.Context) (int64, error) { return 1, nil }, opts...)
}

// All is one attempt to change several rows.
type All[K comparable, R any] struct {
	Table  *sqlcas.Table[K, R]
	Keys   []K // sorted
	Change func(rows map[K]*R) error
	LookUp func(ctx context.Context, tx *sql.Tx) error // is run between reading and Change; its error ends the attempt

	Seen    []Seen[K] // what was read, in the order of the keys
	Refused bool      // the closure returned an error, which is the caller's own whatever it wraps
}

// entry is one row, under all the keys that name it.
type entry[K comparable, R any] struct {
	asked   []K
	key     K // as it was read back
	version uint64
	row     *R
}

// Run reads all rows in order, runs the closure, and swaps them all in the order of the keys that
// were read back: keys that differ only in what the column's collation ignores name one row.
func (a *All[K, R]) Run(
	ctx context.Context, tx *sql.Tx, read Reader[K, R],
) (map[K]R, error) {
	a.Seen, a.Refused = a.Seen[:0], false
	entries, err := a.read(ctx, tx, read)
	if err != nil {
		return nil, err
	}
	if a.LookUp != nil {
		if err := a.LookUp(ctx, tx); err != nil {
			return nil, err
		}
	}
	if err := a.change(entries); err != nil {
		return nil, err
	}
	written := make(map[K]R, len(a.Keys))
	for _, e := range entries {
		row, err := Swap(ctx, tx, a.Table, *e.row, 1)
		if err != nil {
			return nil, err
		}
		for _, k := range e.asked {
			written[k] = row
		}
	}
	return written, nil
}

func (a *All[K, R]) read(
	ctx context.Context, tx *sql.Tx, read Reader[K, R],
) ([]*entry[K, R], error) {
	var entries []*entry[K, R]
	byKey := make(map[K]*entry[K, R], len(a.Keys))
	for _, asked := range a.Keys {
		row, err := read(ctx, tx, asked)
		if err != nil {
			return nil, err
		}
		key := a.Table.Key(row)
		e := byKey[key]
		if e == nil {
			e = &entry[K, R]{key: key, version: a.Table.Version(row), row: &row}
			byKey[key] = e
			entries = append(entries, e)
			a.Seen = append(a.Seen, Seen[K]{key, e.version})
		}
		e.asked = append(e.asked, asked)
	}
	slices.SortFunc(entries, func(x, y *entry[K, R]) int { return a.Table.Compare(x.key, y.key) })
	return entries, nil
}

// change runs the closure and takes its rows back.
func (a *All[K, R]) change(entries []*entry[K, R]) error {
	rows := make(map[K]*R, len(a.Keys))
	for _, e := range entries {
		for _, k := range e.asked {
			rows[k] = e.row
		}
	}
	given := len(rows)
	if err := a.Change(rows); err != nil {
		a.Refused = true
		return sqlcas.Permanent(err)
	}
	name := a.Table.Schema.Name
	for _, e := range entries {
		for _, k := range e.asked {
			switch got, ok := rows[k]; {
			case !ok || got == nil:
				return Invalid("the closure removed %s %v from the map: leave every row in, changed or not", name, k)
			case got != e.row:
				return Invalid("the closure put another row in the place of %s %v: change the row that is there", name, k)
			}
		}
		if err := kept(a.Table, *e.row, e.key, e.version); err != nil {
			return err
		}
	}
	if len(rows) > given {
		return Invalid("the closure added rows to the map of %s: name all keys in the call", name)
	}
	return nil
}
