package witness

import (
	"database/sql/driver"
	"io"
	"reflect"
)

var (
	_ driver.Rows                           = (*rows)(nil)
	_ driver.RowsNextResultSet              = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeLength           = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
)

// rows reports the errors of a result set that is still being read. What the inner rows lack is
// answered as database/sql would have answered in its absence.
type rows struct {
	inner driver.Rows
	hook  Hook
	query string
	done  bool // the hook knows that nothing is left to read
}

func (r *rows) Columns() []string { return r.inner.Columns() }

func (r *rows) Next(dest []driver.Value) error {
	err := r.inner.Next(dest)
	if err == io.EOF && !r.HasNextResultSet() { // drivers return io.EOF bare, by contract
		r.finish()
	}
	return r.note(err)
}

func (r *rows) Close() error {
	err := r.note(r.inner.Close())
	r.finish()
	return err
}

func (r *rows) finish() {
	if !r.done {
		r.done = true
		r.hook.RowsDone()
	}
}

func (r *rows) HasNextResultSet() bool {
	n, ok := r.inner.(driver.RowsNextResultSet)
	return ok && n.HasNextResultSet()
}

func (r *rows) NextResultSet() error {
	if n, ok := r.inner.(driver.RowsNextResultSet); ok {
		return r.note(n.NextResultSet())
	}
	return io.EOF
}

func (r *rows) note(err error) error {
	if err != nil && err != io.EOF { // drivers return io.EOF bare, by contract
		r.finish() // nothing more comes of it, and it is not in the way of itself
		return r.hook.Failed(r.query, err)
	}
	return err
}

func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if c, ok := r.inner.(driver.RowsColumnTypeScanType); ok {
		return c.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}

func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if c, ok := r.inner.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return c.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

func (r *rows) ColumnTypeLength(i int) (int64, bool) {
	if c, ok := r.inner.(driver.RowsColumnTypeLength); ok {
		return c.ColumnTypeLength(i)
	}
	return 0, false
}

func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if c, ok := r.inner.(driver.RowsColumnTypeNullable); ok {
		return c.ColumnTypeNullable(i)
	}
	return false, false
}

func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if c, ok := r.inner.(driver.RowsColumnTypePrecisionScale); ok {
		return c.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}
