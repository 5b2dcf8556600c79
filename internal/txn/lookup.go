package txn

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// anyStillThere reports whether one of the rows still satisfies its swap's predicate, which means
// that the swap, and with it its whole transaction, was not applied. It waits for the rows' locks,
// so that a transaction that is still ending is not overtaken. A false says nothing: a row may have
// been moved by its swap or by somebody else.
func (a *attempt) anyStillThere(ctx context.Context, conn *sql.Conn, swaps []swap) (bool, error) {
	if len(swaps) == 0 {
		return false, nil
	}
	// Afterwards its lock wait timeout is not the user's.
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }()
	if err := boundLockWaits(ctx, conn); err != nil {
		return false, err
	}
	var failure error
	for _, s := range swaps {
		if s.schema == "" { // not whatever the default of this connection is
			s.schema = a.ident.schema
		}
		there, err := s.stillThere(ctx, conn)
		if there && err == nil && s.schema != "" {
			return true, nil
		}
		failure = cmp.Or(failure, err)
	}
	return false, failure
}

// boundLockWaits has locks of the session waited for no longer than ctx lasts: a server goes on waiting when its
// client has left.
func boundLockWaits(ctx context.Context, conn *sql.Conn) error {
	seconds := 1
	if deadline, ok := ctx.Deadline(); ok {
		seconds = max(1, int(time.Until(deadline)/time.Second))
	}
	_, err := conn.ExecContext(ctx, fmt.Sprintf("SET SESSION innodb_lock_wait_timeout = %d", seconds))
	return err
}

func (s swap) stillThere(ctx context.Context, conn *sql.Conn) (bool, error) {
	if ok, err := s.unique(ctx, conn); err != nil || !ok {
		return false, err
	}
	query, args := s.query()
	var one int
	err := conn.QueryRowContext(ctx, query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s swap) query() (string, []any) {
	var b strings.Builder
	b.WriteString("SELECT 1 FROM ")
	if s.schema != "" {
		b.WriteString(quote(s.schema) + ".")
	}
	b.WriteString(quote(s.table) + " WHERE ")
	var args []any
	for i, t := range s.terms {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(quote(t.column) + " " + t.op + " ")
		if t.text != "" {
			b.WriteString(t.text)
			continue
		}
		b.WriteByte('?')
		args = append(args, t.value)
	}
	b.WriteString(" FOR UPDATE")
	return b.String(), args
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// unique reports whether the predicate's equalities, the version's aside, pin down one row for
// ever: they cover a unique index without NULLs, and no comparison is between types that MySQL
// compares as floating-point numbers, where two rows can equal one value.
func (s swap) unique(ctx context.Context, conn *sql.Conn) (bool, error) {
	pinned := map[string]term{}
	for _, t := range s.terms {
		if t.op == "=" {
			pinned[strings.ToLower(t.column)] = t
		}
	}
	columns, err := s.columns(ctx, conn)
	if err != nil || !columns[strings.ToLower(s.version)].tells(pinned[strings.ToLower(s.version)]) {
		return false, err
	}
	where, args := s.inSchema()
	if moves, err := s.movesWithAnother(ctx, conn); err != nil || moves {
		return false, err
	}
	rows, err := conn.QueryContext(ctx, "SELECT INDEX_NAME, COALESCE(COLUMN_NAME, ''), NULLABLE = 'YES' "+
		"FROM information_schema.STATISTICS WHERE NON_UNIQUE = 0 AND "+where, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	covered := map[string]bool{}
	for rows.Next() {
		var index, column string
		var nullable bool
		if err := rows.Scan(&index, &column, &nullable); err != nil {
			return false, err
		}
		column = strings.ToLower(column)
		t, ok := pinned[column]
		ok = ok && !nullable && !strings.EqualFold(column, s.version) && t.comparesExactly(columns[column].dataType)
		if before, seen := covered[index]; seen {
			ok = ok && before
		}
		covered[index] = ok
	}
	for _, ok := range covered {
		if ok {
			return true, rows.Err()
		}
	}
	return false, rows.Err()
}

// movesWithAnother reports whether a foreign key changes the table's columns when another table's
// row changes: a key that does so names no row for ever.
func (s swap) movesWithAnother(ctx context.Context, conn *sql.Conn) (bool, error) {
	where, args := s.inSchema()
	var cascades int
	err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS "+
		"WHERE UPDATE_RULE NOT IN ('NO ACTION', 'RESTRICT') AND "+
		strings.Replace(where, "TABLE_SCHEMA", "CONSTRAINT_SCHEMA", 1), args...).Scan(&cascades)
	return cascades > 0, err
}

// column is what a look-up needs to know of a column.
type column struct {
	dataType string
	initial  string // its default
}

// columns returns the table's columns by their names in lower case. It is a query of its own
// because MariaDB answers a join with information_schema.COLUMNS by opening every table of the
// schema.
func (s swap) columns(ctx context.Context, conn *sql.Conn) (map[string]column, error) {
	where, args := s.inSchema()
	rows, err := conn.QueryContext(ctx, "SELECT COLUMN_NAME, DATA_TYPE, COALESCE(COLUMN_DEFAULT, '') "+
		"FROM information_schema.COLUMNS WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns := map[string]column{}
	for rows.Next() {
		var name string
		var c column
		if err := rows.Scan(&name, &c.dataType, &c.initial); err != nil {
			return nil, err
		}
		columns[strings.ToLower(name)] = c
	}
	return columns, rows.Err()
}

// tells reports whether a version in this column that equals the term's must be an old one: no row
// that is entered anew starts there, and it is not where a version stops.
func (c column) tells(t term) bool {
	version, ok := t.integer()
	initial, err := strconv.ParseUint(strings.Trim(c.initial, "'"), 10, 64)
	if err == nil && version <= initial {
		return false
	}
	return ok && t.hasRoom(c.dataType)
}

// inSchema is the condition that names the table in information_schema, with its parameters. The
// schema is a constant: by that MariaDB finds the table without looking at any other.
func (s swap) inSchema() (string, []any) {
	return "TABLE_NAME = ? AND TABLE_SCHEMA = ?", []any{s.table, s.schema}
}

// comparesExactly reports whether a comparison of the column's type with the term's value is
// between two integers or between two strings.
func (t term) comparesExactly(dataType string) bool {
	isText := strings.HasPrefix(t.text, "'")
	switch t.value.(type) {
	case string, []byte:
		isText = true
	}
	switch strings.ToLower(dataType) {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		return t.isInteger()
	case "char", "varchar", "binary", "varbinary":
		return isText
	}
	return false
}

// halfway is half of what each type holds, which is far from where a version stops.
var halfway = map[string]uint64{
	"tinyint": 1 << 6, "smallint": 1 << 14, "mediumint": 1 << 22, "int": 1 << 30, "bigint": 1 << 62,
}

// isFresh reports whether the swap starts from a version that every new row has.
func (s swap) isFresh() bool {
	return slices.ContainsFunc(s.terms, func(t term) bool {
		version, ok := t.integer()
		return strings.EqualFold(t.column, s.version) && t.op == "=" && (!ok || version <= 1)
	})
}

// hasRoom reports whether a version of this type can move upward from the term's value. A server
// without a strict sql_mode leaves one that has reached its maximum where it is, and says that the
// row was changed: the row would look as if the swap had not been applied.
func (t term) hasRoom(dataType string) bool {
	version, ok := t.integer()
	return ok && version < halfway[strings.ToLower(dataType)] // 0 for what is no integer
}

// integer returns the term's value as a version has it; a negative one is 0.
func (t term) integer() (uint64, bool) {
	switch v := t.value.(type) {
	case int64:
		return uint64(max(v, 0)), true
	case uint64:
		return v, true
	}
	n, err := strconv.ParseUint(t.text, 10, 64)
	return n, err == nil
}
