package faulttest

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/sqlcas/sqlcas/internal/witness"
)

// script is a connector whose connections do something of a test's own around chosen statements.
// Its functions run on whatever goroutine uses the connection; nil ones pass everything on.
type script struct {
	driver.Connector
	exec  func(query string, send func() (driver.Result, error)) (driver.Result, error)
	begin func(send func() (driver.Tx, error)) (driver.Tx, error)
}

// Connect wraps a connection of the inner connector.
func (s *script) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &scriptConn{Conn: witness.Wrap(inner, s), script: s}, nil
}

type scriptConn struct {
	*witness.Conn
	script *script
}

// BeginTx plays the script's begin.
func (c *scriptConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	send := func() (driver.Tx, error) { return c.Conn.BeginTx(ctx, opts) }
	if c.script.begin == nil {
		return send()
	}
	return c.script.begin(send)
}

// Exec plays the script's exec. A statement with arguments comes twice: the driver declines it the
// first time, with driver.ErrSkip, and it comes again prepared.
func (s *script) Exec(
	ctx context.Context, st witness.Statement, send witness.SendExec,
) (driver.Result, error) {
	if s.exec == nil {
		return send(ctx)
	}
	return s.exec(st.Query, func() (driver.Result, error) { return send(ctx) })
}

// Query passes on.
func (s *script) Query(
	ctx context.Context, _ witness.Statement, send witness.SendQuery,
) (driver.Rows, error) {
	return send(ctx)
}

// Failed hears of errors and needs none.
func (s *script) Failed(_ string, err error) error { return err }

func (s *script) RowsDone() {}

// is reports whether the statement's first word is this one.
func is(query, word string) bool { return witness.Keyword(query) == word }

// constant makes backoffs that always pause for d.
func constant(d time.Duration) func() backoff.BackOff {
	return func() backoff.BackOff { return backoff.NewConstantBackOff(d) }
}
