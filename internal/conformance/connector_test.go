package conformance

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sqlcas/sqlcas/internal/witness"
)

type (
	sendExec = func(context.Context) (driver.Result, error)
	sendRows = func(context.Context) (driver.Rows, error)

	statement = witness.Statement
)

// tap is a connector whose connections report each statement that was really sent, and may answer
// some of them in the server's place. The zero functions do nothing.
type tap struct {
	driver.Connector
	// seen hears of every statement that reached the server, BEGIN included.
	seen func(query string, args []driver.NamedValue)
	// exec stands in the way of statements without rows; nil sends them.
	exec func(ctx context.Context, c *tappedConn, st statement, send sendExec) (driver.Result, error)
}

// Connect opens a connection and taps it.
func (t tap) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := t.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &tappedConn{tap: t}
	c.Conn = witness.Wrap(inner, tapHook{c})
	return c, nil
}

// tappedConn is one connection of a tap.
type tappedConn struct {
	*witness.Conn
	tap     tap
	refused atomic.Bool // a COMMIT on it was refused, for taps that remember
}

func (c *tappedConn) note(query string, args []driver.NamedValue) {
	if c.tap.seen != nil {
		c.tap.seen(query, args)
	}
}

// BeginTx notes a BEGIN, which drivers send without a statement of their user's.
func (c *tappedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, opts)
	if err == nil {
		c.note("BEGIN", nil)
	}
	return tx, err
}

// run sends a statement of the tap's own, unseen.
func (c *tappedConn) run(ctx context.Context, query string) error {
	_, err := c.Unwrap().(driver.ExecerContext).ExecContext(ctx, query, nil)
	return err
}

type tapHook struct{ conn *tappedConn }

// Exec notes what was sent, and not what the driver asked to have prepared first.
func (h tapHook) Exec(ctx context.Context, st statement, send sendExec) (driver.Result, error) {
	if exec := h.conn.tap.exec; exec != nil {
		inner := send
		send = func(ctx context.Context) (driver.Result, error) { return exec(ctx, h.conn, st, inner) }
	}
	res, err := send(ctx)
	if !errors.Is(err, driver.ErrSkip) {
		h.conn.note(st.Query, st.Args)
	}
	return res, err
}

// Query notes what was sent, as Exec does.
func (h tapHook) Query(ctx context.Context, st statement, send sendRows) (driver.Rows, error) {
	rows, err := send(ctx)
	if !errors.Is(err, driver.ErrSkip) {
		h.conn.note(st.Query, st.Args)
	}
	return rows, err
}

func (h tapHook) Failed(_ string, err error) error { return err }

func (h tapHook) RowsDone() {}

// statementLog keeps what a tap has seen.
type statementLog struct {
	mu   sync.Mutex
	sent []sentStatement
}

type sentStatement struct {
	word string // first keyword, in upper case
	text string
	args []any
}

func (l *statementLog) add(query string, args []driver.NamedValue) {
	s := sentStatement{word: witness.Keyword(query), text: strings.Join(strings.Fields(query), " ")}
	for _, a := range args {
		s.args = append(s.args, a.Value)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, s)
}

// words returns the first keywords of all statements so far, without the harness's question for
// the connection's number, which it asks once per connection.
func (l *statementLog) words() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var words []string
	for _, s := range l.sent {
		if !strings.Contains(s.text, "CONNECTION_ID()") {
			words = append(words, s.word)
		}
	}
	return words
}

// of returns the statements that start with the keyword.
func (l *statementLog) of(word string) []sentStatement {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []sentStatement
	for _, s := range l.sent {
		if s.word == word {
			out = append(out, s)
		}
	}
	return out
}
