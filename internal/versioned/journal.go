package versioned

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"

	"github.com/sqlcas/sqlcas"
)

// What one INSERT of a journal holds at most. A prepared statement has room for 65,535 parameters, and the smallest
// max_allowed_packet that any of the servers comes with is a megabyte. An entry that is longer by itself is left
// to the server to judge.
const (
	maxParameters = 60_000
	maxBytes      = 512 << 10
)

// NoJournal says what a journal lacks, or nil.
func NoJournal[J any](j *sqlcas.Journal[J]) error {
	switch {
	case j.Table == "":
		return Invalid("NewJournalStore: the Journal has no Table")
	case len(j.Columns) == 0:
		return Invalid("NewJournalStore: the Journal %s has no Columns", j.Table)
	case len(j.Columns) > maxParameters:
		return Invalid("NewJournalStore: the Journal %s has %d Columns", j.Table, len(j.Columns))
	case j.Values == nil:
		return Invalid("NewJournalStore: the Journal %s has no Values", j.Table)
	}
	return nil
}

// Values returns the values of entries. It is for the goroutine of whoever has emitted them: what is wrong with an
// entry, or panics, is his.
func Values[J any](j *sqlcas.Journal[J], entries []J) ([][]any, error) {
	all := make([][]any, len(entries))
	for i, entry := range entries {
		all[i] = j.Values(entry)
		if len(all[i]) != len(j.Columns) {
			return nil, Invalid("Values of the Journal %s returned %d values for %d columns: give one for each",
				j.Table, len(all[i]), len(j.Columns))
		}
	}
	return all, nil
}

// Enter writes the values of entries to a journal, in their order, in as few INSERTs as they fit in.
func Enter[J any](ctx context.Context, db sqlcas.DBTX, j *sqlcas.Journal[J], entries [][]any) error {
	var args []any
	rows, bytes := 0, 0
	for _, values := range entries {
		size := 0
		for _, v := range values {
			size += sizeOf(v)
		}
		if rows > 0 && (len(args)+len(values) > maxParameters || bytes+size > maxBytes) {
			if err := insert(ctx, db, j, rows, args); err != nil {
				return err
			}
			args, rows, bytes = nil, 0, 0
		}
		args, rows, bytes = append(args, values...), rows+1, bytes+size
	}
	if rows == 0 {
		return nil
	}
	return insert(ctx, db, j, rows, args)
}

func insert[J any](ctx context.Context, db sqlcas.DBTX, j *sqlcas.Journal[J], rows int, args []any) error {
	columns := make([]string, len(j.Columns))
	for i, c := range j.Columns {
		columns[i] = quoted(c)
	}
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	query := "INSERT INTO " + quotedTable(j.Table) + " (" + strings.Join(columns, ", ") + ") VALUES " +
		row + strings.Repeat(", "+row, rows-1)
	if _, err := db.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("the entries of the journal %s: %w", j.Table, err)
	}
	return nil
}

// sizeOf is about how many bytes a value takes in a statement.
func sizeOf(v any) int {
	const small = 24
	r := reflect.ValueOf(v)
	if v == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return small
	}
	if valuer, ok := v.(driver.Valuer); ok {
		own, err := valueOf(valuer)
		if _, again := own.(driver.Valuer); err != nil || again { // the driver will say so
			return small
		}
		return sizeOf(own)
	}
	switch {
	case r.Kind() == reflect.String, r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8:
		return small + 2*r.Len() // each byte may have to be escaped
	case r.Kind() == reflect.Pointer:
		return sizeOf(r.Elem().Interface())
	}
	return small
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quotedTable(name string) string {
	if schema, table, ok := strings.Cut(name, "."); ok {
		return quoted(schema) + "." + quoted(table)
	}
	return quoted(name)
}
