package versioned

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// Watched is a DBTX that knows whether anything was sent through it, and whose results say so when they
// cannot count. It is for one goroutine.
type Watched struct {
	sqlcas.DBTX
	sent  bool
	execs int   // statements sent by ExecContext; more than one, or one of another way, and nobody can count
	count int64 // what the driver has counted for the last one
	first counted
}

// Watch puts a Watched around db, unless it is one.
func Watch(db sqlcas.DBTX) *Watched {
	if w, ok := db.(*Watched); ok {
		return w
	}
	return &Watched{DBTX: db}
}

// Sent reports whether a statement may have reached the server.
func (w *Watched) Sent() bool { return w.sent }

// ExecContext sends the statement.
func (w *Watched) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	args, err := resolved(args)
	if err != nil {
		return nil, err
	}
	before := w.sent
	w.sent = true
	w.execs++
	res, err := w.DBTX.ExecContext(ctx, query, args...)
	if err != nil {
		if mysqlerr.Unsent(err) {
			w.sent = before
		}
		return nil, err
	}
	if n, err := res.RowsAffected(); err == nil {
		w.count = n
	} else {
		w.execs = uncountable
	}
	if w.execs > 1 { // the table's code may still have the first one
		return &counted{res}, nil
	}
	w.first = counted{res}
	return &w.first, nil
}

const uncountable = 1 << 20

// agrees reports whether a count is the one of the only statement that was sent.
func (w *Watched) agrees(affected int64) bool { return w.execs != 1 || w.count == affected }

// disagrees refuses a count that is not.
func (w *Watched) disagrees(what, table string, key any, affected int64) error {
	return Invalid("%s of the Table %s returned %d, and its statement affected %d rows (%s %v): "+
		"return what RowsAffected says, unchanged", what, table, affected, w.count, table, key)
}

// PrepareContext prepares a statement, which may be executed behind the Watched's back.
func (w *Watched) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	w.sent, w.execs = true, uncountable
	return w.DBTX.PrepareContext(ctx, query)
}

// QueryContext sends the query.
func (w *Watched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.sent = true
	return w.DBTX.QueryContext(ctx, query, args...)
}

// QueryRowContext sends the query.
func (w *Watched) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	w.sent = true
	return w.DBTX.QueryRowContext(ctx, query, args...)
}

// counted is a result that says so when it cannot count.
type counted struct{ sql.Result }

// RowsAffected is the driver's count.
func (c *counted) RowsAffected() (int64, error) {
	n, err := c.Result.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", sqlcas.ErrNoRowCount, err)
	}
	return n, nil
}
