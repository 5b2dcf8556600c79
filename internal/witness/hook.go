package witness

import (
	"context"
	"database/sql/driver"
)

// Hook stands around the statements of a watched connection. database/sql uses a connection from
// one goroutine at a time, but not always the same one, so that a Hook that keeps state for others
// to read must lock it.
type Hook interface {
	// Exec calls send to pass the statement on, or answers in its place. A statement that the
	// driver declines with driver.ErrSkip comes again, prepared.
	Exec(ctx context.Context, st Statement, send SendExec) (driver.Result, error)
	// Query is Exec for statements that return rows.
	Query(ctx context.Context, st Statement, send SendQuery) (driver.Rows, error)
	// Failed is told of every error met outside of Exec and Query: while preparing, reading rows
	// or closing them. It returns the error that is handed on.
	Failed(query string, err error) error
	// RowsDone is told, once per result set of Query, that it has been read to its end or closed.
	RowsDone()
}

// SendExec passes a statement on to the inner connection.
type SendExec = func(context.Context) (driver.Result, error)

// SendQuery passes a query on to the inner connection.
type SendQuery = func(context.Context) (driver.Rows, error)

// Statement is what is about to be sent.
type Statement struct {
	Query string
	Args  []driver.NamedValue
}
