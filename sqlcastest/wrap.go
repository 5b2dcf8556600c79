package sqlcastest

import (
	"context"
	"database/sql/driver"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas/internal/witness"
)

// Wrap returns a connector whose connections are those of inner, with the faults that f orders.
// It panics if either is nil. The connections work under everything that takes a *sql.DB.
func Wrap(inner driver.Connector, f *Faults) driver.Connector {
	if inner == nil || f == nil {
		panic(errNilArgument)
	}
	return connector{inner, f}
}

type connector struct {
	inner  driver.Connector
	faults *Faults
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	fc := &conn{faults: c.faults}
	fc.Conn = witness.Wrap(inner, hook{fc})
	return fc, nil
}

func (c connector) Driver() driver.Driver { return c.inner.Driver() }

// conn is a connection on which faults happen.
type conn struct {
	*witness.Conn
	faults *Faults
	broken atomic.Bool // lost, by order
}

func (c *conn) IsValid() bool { return !c.broken.Load() && c.Conn.IsValid() }

func (c *conn) ResetSession(ctx context.Context) error {
	if c.broken.Load() {
		return driver.ErrBadConn
	}
	return c.Conn.ResetSession(ctx)
}

func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	inner, err := c.Conn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return tx{inner, c}, nil
}

// lose breaks the connection as a network does.
func (c *conn) lose() error {
	c.broken.Store(true)
	_ = c.Conn.Close()
	return mysql.ErrInvalidConn
}

// commit sends a COMMIT, unless its fate is another.
func (c *conn) commit(send, rollback func() error) error {
	fault, ok := c.faults.takeCommit()
	switch {
	case !ok:
		return send()
	case fault.err != nil:
		_ = rollback() // what the server would have done
		return fault.err
	case fault.loss == Reply:
		if err := send(); err != nil {
			return err
		}
	}
	return c.lose()
}

// tx ends transactions of programs that call Tx.Commit themselves. sqlcas sends a statement.
type tx struct {
	driver.Tx
	conn *conn
}

func (t tx) Commit() error { return t.conn.commit(t.Tx.Commit, t.Tx.Rollback) }

// hook answers statements in the server's place where a fault is due.
type hook struct{ conn *conn }

func (h hook) Exec(ctx context.Context, st witness.Statement, send witness.SendExec) (driver.Result, error) {
	if h.conn.broken.Load() {
		return nil, driver.ErrBadConn
	}
	switch witness.Keyword(st.Query) {
	case "UPDATE", "DELETE":
		if h.conn.faults.takeConflict() {
			return driver.RowsAffected(0), nil
		}
	case "COMMIT":
		return h.commit(ctx, send)
	}
	return send(ctx)
}

func (h hook) commit(ctx context.Context, send witness.SendExec) (driver.Result, error) {
	var res driver.Result
	err := h.conn.commit(func() (err error) {
		res, err = send(ctx)
		return err
	}, func() error {
		_, err := h.conn.Unwrap().(driver.ExecerContext).ExecContext(ctx, "ROLLBACK", nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (h hook) Query(ctx context.Context, _ witness.Statement, send witness.SendQuery) (driver.Rows, error) {
	if h.conn.broken.Load() {
		return nil, driver.ErrBadConn
	}
	return send(ctx)
}

func (h hook) Failed(_ string, err error) error { return err }

func (h hook) RowsDone() {}
