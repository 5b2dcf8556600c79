package scriptdb

import (
	"context"
	"database/sql/driver"
	"io"
	"sync/atomic"
)

var (
	_ driver.ConnBeginTx        = (*Conn)(nil)
	_ driver.ConnPrepareContext = (*Conn)(nil)
	_ driver.ExecerContext      = (*Conn)(nil)
	_ driver.QueryerContext     = (*Conn)(nil)
	_ driver.Pinger             = (*Conn)(nil)
	_ driver.SessionResetter    = (*Conn)(nil)
	_ driver.Validator          = (*Conn)(nil)
	_ driver.StmtExecContext    = (*stmt)(nil)
	_ driver.StmtQueryContext   = (*stmt)(nil)
)

// Conn is one connection of a script.
type Conn struct {
	ID     int // 1 for the first of its script
	script *Script
	broken atomic.Bool
	closed atomic.Bool
}

// Break makes the connection unusable, as a lost network does.
func (c *Conn) Break() { c.broken.Store(true) }

// ExecContext asks the script.
func (c *Conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.exec(ctx, Statement{Query: query, Args: args})
}

// QueryContext asks the script.
func (c *Conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.query(ctx, Statement{Query: query, Args: args})
}

// PrepareContext makes a statement that asks the script when it is run.
func (c *Conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &stmt{bareStmt{c, query}}, nil
}

// Prepare is PrepareContext without a context.
func (c *Conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// BeginTx asks the script with the verb BEGIN.
func (c *Conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if _, err := c.script.run(ctx, c, Statement{Query: "BEGIN", Options: opts}); err != nil {
		return nil, err
	}
	return tx{c}, nil
}

// Begin is BeginTx without a context.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// Ping always succeeds.
func (c *Conn) Ping(context.Context) error { return nil }

// ResetSession refuses a connection that is broken.
func (c *Conn) ResetSession(context.Context) error {
	if c.broken.Load() {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid reports whether the connection is neither broken nor closed.
func (c *Conn) IsValid() bool { return !c.broken.Load() && !c.closed.Load() }

// Close is counted by the script, and told to it by the verb CLOSE.
func (c *Conn) Close() error {
	if !c.closed.Swap(true) {
		_, _ = c.script.handle(context.Background(), c, Statement{Query: "CLOSE"})
		c.script.mu.Lock()
		c.script.closed++
		c.script.mu.Unlock()
	}
	return nil
}

func (c *Conn) exec(ctx context.Context, st Statement) (driver.Result, error) {
	r, err := c.script.run(ctx, c, st)
	if err != nil {
		return nil, err
	}
	return result(r), nil
}

func (c *Conn) query(ctx context.Context, st Statement) (driver.Rows, error) {
	r, err := c.script.run(ctx, c, st)
	if err != nil {
		return nil, err
	}
	return &rows{reply: r}, nil
}

// bareConn hides what Conn has beyond driver.Conn.
type bareConn struct{ c *Conn }

func (b bareConn) Prepare(query string) (driver.Stmt, error) { return bareStmt{b.c, query}, nil }
func (b bareConn) Close() error                              { return b.c.Close() }
func (b bareConn) Begin() (driver.Tx, error)                 { return b.c.Begin() }

type bareStmt struct {
	c    *Conn
	text string
}

func (s bareStmt) Close() error  { return nil }
func (s bareStmt) NumInput() int { return -1 }

func (s bareStmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.c.exec(context.Background(), s.statement(named(args)))
}

func (s bareStmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.c.query(context.Background(), s.statement(named(args)))
}

func (s bareStmt) statement(args []driver.NamedValue) Statement {
	return Statement{Query: s.text, Args: args, Prepared: true}
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}

type stmt struct{ bareStmt }

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.c.exec(ctx, s.statement(args))
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.c.query(ctx, s.statement(args))
}

type tx struct{ c *Conn }

func (t tx) Commit() error   { return t.end("COMMIT") }
func (t tx) Rollback() error { return t.end("ROLLBACK") }

func (t tx) end(verb string) error {
	_, err := t.c.script.run(context.Background(), t.c, Statement{Query: verb, ViaTx: true})
	return err
}

type result Reply

func (r result) LastInsertId() (int64, error) { return r.LastID, nil }
func (r result) RowsAffected() (int64, error) { return r.Affected, nil }

type rows struct {
	reply Reply
	at    int
}

func (r *rows) Columns() []string { return r.reply.Columns }
func (r *rows) Close() error      { return r.reply.CloseErr }

func (r *rows) Next(dest []driver.Value) error {
	if r.at < len(r.reply.Rows) {
		copy(dest, r.reply.Rows[r.at])
		r.at++
		return nil
	}
	if r.reply.NextErr != nil {
		return r.reply.NextErr
	}
	return io.EOF
}
