package witness

import (
	"context"
	"database/sql/driver"
	"errors"
)

var (
	_ driver.Conn               = (*Conn)(nil)
	_ driver.ConnBeginTx        = (*Conn)(nil)
	_ driver.ConnPrepareContext = (*Conn)(nil)
	_ driver.ExecerContext      = (*Conn)(nil)
	_ driver.QueryerContext     = (*Conn)(nil)
	_ driver.NamedValueChecker  = (*Conn)(nil)
	_ driver.Pinger             = (*Conn)(nil)
	_ driver.SessionResetter    = (*Conn)(nil)
	_ driver.Validator          = (*Conn)(nil)
)

// Conn is a driver connection with a Hook around it. It offers every optional interface of
// database/sql/driver; what the inner connection lacks is answered as database/sql would have
// answered in its absence.
type Conn struct {
	inner driver.Conn
	hook  Hook
}

// Wrap puts hook around inner.
func Wrap(inner driver.Conn, hook Hook) *Conn {
	return &Conn{inner: inner, hook: hook}
}

// Unwrap returns the inner connection.
func (c *Conn) Unwrap() driver.Conn { return c.inner }

// ExecContext sends a statement through the hook, or declines with driver.ErrSkip.
func (c *Conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	execer, ok := c.inner.(driver.ExecerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return c.hook.Exec(ctx, Statement{query, args}, func(ctx context.Context) (driver.Result, error) {
		return execer.ExecContext(ctx, query, args)
	})
}

// QueryContext sends a query through the hook, or declines with driver.ErrSkip.
func (c *Conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	queryer, ok := c.inner.(driver.QueryerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return c.hook.Query(ctx, Statement{query, args}, func(ctx context.Context) (driver.Rows, error) {
		inner, err := queryer.QueryContext(ctx, query, args)
		return c.watchRows(query, inner, err)
	})
}

// PrepareContext prepares a statement whose every use passes the hook.
func (c *Conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	inner, err := c.prepare(ctx, query)
	if err != nil {
		return nil, c.hook.Failed(query, err)
	}
	return &stmt{inner: inner, conn: c, query: query}, nil
}

func (c *Conn) prepare(ctx context.Context, query string) (driver.Stmt, error) {
	if p, ok := c.inner.(driver.ConnPrepareContext); ok {
		return p.PrepareContext(ctx, query)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.inner.Prepare(query)
}

// Prepare is PrepareContext without a context.
func (c *Conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// BeginTx starts a transaction on the inner connection. Its statements pass the hook, its end does
// not.
func (c *Conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.inner.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, opts)
	}
	if opts != (driver.TxOptions{}) {
		return nil, errors.New("the driver supports no transaction options")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	//lint:ignore SA1019 the only way left
	return c.inner.Begin()
}

// Begin is BeginTx without a context.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// CheckNamedValue leaves the conversion of arguments to the driver, or to database/sql.
func (c *Conn) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := c.inner.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// Ping asks the inner connection whether it is alive.
func (c *Conn) Ping(ctx context.Context) error {
	if p, ok := c.inner.(driver.Pinger); ok {
		return p.Ping(ctx)
	}
	return nil
}

// ResetSession prepares the inner connection for its next user.
func (c *Conn) ResetSession(ctx context.Context) error {
	if r, ok := c.inner.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

// IsValid reports whether the inner connection may be used again.
func (c *Conn) IsValid() bool {
	if v, ok := c.inner.(driver.Validator); ok {
		return v.IsValid()
	}
	return true
}

// Close closes the inner connection.
func (c *Conn) Close() error { return c.inner.Close() }

// watchRows watches what a query returned.
func (c *Conn) watchRows(query string, inner driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		return nil, err
	}
	return &rows{inner: inner, hook: c.hook, query: query}, nil
}
