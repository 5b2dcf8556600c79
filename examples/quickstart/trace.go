package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"strings"

	"modernc.org/sqlite"
)

// openTraced opens a pool whose connections print each statement that they send, under the name of
// who sends it. It wraps the driver, the last place before the database.
func openTraced(dsn, who string, out io.Writer) (*sql.DB, error) {
	inner, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(&connector{inner, who, out}), nil
}

type connector struct {
	driver.Connector
	who string
	out io.Writer
}

// Connect wraps a connection of the driver.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{inner, c}, nil
}

// conn forwards what this program uses; a middleware for other programs would have to forward every
// optional interface of database/sql/driver.
type conn struct {
	driver.Conn
	trace *connector
}

var (
	_ driver.ExecerContext  = (*conn)(nil)
	_ driver.QueryerContext = (*conn)(nil)
)

// ExecContext prints the statement and how many rows it affected.
func (c *conn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	c.trace.sent(query, args)
	res, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	if err != nil {
		c.trace.got(err.Error())
		return nil, err
	}
	n, err := res.RowsAffected()
	switch {
	case err != nil || strings.HasPrefix(query, "CREATE"):
		c.trace.got("done")
	case n == 1:
		c.trace.got("1 row")
	default:
		c.trace.got(fmt.Sprintf("%d rows", n))
	}
	return res, nil
}

// QueryContext prints the statement; its rows print themselves as they are read.
func (c *conn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	c.trace.sent(query, args)
	inner, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	if err != nil {
		c.trace.got(err.Error())
		return nil, err
	}
	return &rows{inner, c.trace}, nil
}

type rows struct {
	driver.Rows
	trace *connector
}

// Next prints the row that it has read.
func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == nil {
		cells := make([]string, len(dest))
		for i, name := range r.Columns() {
			cells[i] = fmt.Sprintf("%s %v", name, dest[i])
		}
		r.trace.got(strings.Join(cells, ", "))
	}
	return err
}

// lineWidth is where a statement is folded.
const lineWidth = 70

// sent prints a statement with its arguments in their places. The driver sends them apart from it;
// they are put in for people alone. No statement here has a ? inside a string.
func (c *connector) sent(query string, args []driver.NamedValue) {
	if first, rest, ok := strings.Cut(query, "\n"); ok && strings.HasPrefix(first, "-- name:") {
		query = rest // the name is sqlc's
	}
	for _, a := range args {
		value := fmt.Sprint(a.Value)
		if _, ok := a.Value.(string); ok {
			value = "'" + value + "'"
		}
		query = strings.Replace(query, "?", value, 1)
	}
	if !strings.HasPrefix(query, "CREATE") { // which is best read as it was written
		query = strings.Join(strings.Fields(query), " ")
	}
	if len(query) > lineWidth {
		query = strings.Replace(query, " WHERE ", "\nWHERE ", 1)
	}
	fmt.Fprintf(c.out, "  %-7s%s\n", c.who, strings.ReplaceAll(query, "\n", "\n         "))
}

// got prints what came back.
func (c *connector) got(result string) {
	fmt.Fprintf(c.out, "         -> %s\n", result)
}
