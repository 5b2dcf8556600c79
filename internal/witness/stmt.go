package witness

import (
	"context"
	"database/sql/driver"
	"errors"
)

var (
	_ driver.Stmt              = (*stmt)(nil)
	_ driver.StmtExecContext   = (*stmt)(nil)
	_ driver.StmtQueryContext  = (*stmt)(nil)
	_ driver.NamedValueChecker = (*stmt)(nil)
	//lint:ignore SA1019 old drivers have it
	_ driver.ColumnConverter = (*stmt)(nil)
)

// stmt is a prepared statement of a watched connection.
type stmt struct {
	inner driver.Stmt
	conn  *Conn
	query string
}

func (s *stmt) NumInput() int { return s.inner.NumInput() }

func (s *stmt) Close() error {
	if err := s.inner.Close(); err != nil {
		return s.conn.hook.Failed(s.query, err)
	}
	return nil
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.hook.Exec(ctx, Statement{s.query, args}, func(ctx context.Context) (driver.Result, error) {
		if e, ok := s.inner.(driver.StmtExecContext); ok {
			return e.ExecContext(ctx, args)
		}
		values, err := plainValues(ctx, args)
		if err != nil {
			return nil, err
		}
		//lint:ignore SA1019 the only way left
		return s.inner.Exec(values)
	})
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.hook.Query(ctx, Statement{s.query, args}, func(ctx context.Context) (driver.Rows, error) {
		if q, ok := s.inner.(driver.StmtQueryContext); ok {
			inner, err := q.QueryContext(ctx, args)
			return s.conn.watchRows(s.query, inner, err)
		}
		values, err := plainValues(ctx, args)
		if err != nil {
			return nil, err
		}
		//lint:ignore SA1019 the only way left
		inner, err := s.inner.Query(values)
		return s.conn.watchRows(s.query, inner, err)
	})
}

// Exec is never called by database/sql, which prefers ExecContext.
func (s *stmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query is never called by database/sql, which prefers QueryContext.
func (s *stmt) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

// CheckNamedValue asks the statement first and its connection second, as database/sql does.
func (s *stmt) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := s.inner.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return s.conn.CheckNamedValue(v)
}

func (s *stmt) ColumnConverter(i int) driver.ValueConverter {
	//lint:ignore SA1019 old drivers have it
	if c, ok := s.inner.(driver.ColumnConverter); ok {
		return c.ColumnConverter(i)
	}
	return driver.DefaultParameterConverter
}

// plainValues is for drivers that know neither contexts nor named arguments.
func plainValues(ctx context.Context, args []driver.NamedValue) ([]driver.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("the driver supports no named arguments")
		}
		values[i] = a.Value
	}
	return values, nil
}
