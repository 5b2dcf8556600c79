package optimistic_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"io"
	"strings"
	"sync"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// openNotingShop opens the example shop with a table sqlcas_operation, and a ledger that takes several entries at once.
func openNotingShop() *sql.DB {
	return sql.OpenDB(&notingShop{Script: scriptdb.Shop(), noted: map[string][]driver.Value{}})
}

// notingShop plays what is sent about operations; all else is the shop's.
type notingShop struct {
	*scriptdb.Script
	mu    sync.Mutex
	noted map[string][]driver.Value // id, target and fingerprint
}

func (s *notingShop) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Script.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &notingConn{Conn: c.(*scriptdb.Conn), shop: s}, nil
}

type notingConn struct {
	*scriptdb.Conn
	shop    *notingShop
	pending [][]driver.Value // noted by the COMMIT
}

func (c *notingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.pending = nil
	return c.Conn.BeginTx(ctx, opts)
}

func (c *notingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	switch {
	case strings.HasPrefix(query, "INSERT INTO sqlcas_operation"):
		for ; len(args) > 0; args = args[4:] {
			fingerprint, err := hex.DecodeString(args[2].Value.(string))
			if err != nil {
				return nil, err
			}
			c.pending = append(c.pending, []driver.Value{args[0].Value, args[1].Value, fingerprint})
		}
		return driver.RowsAffected(len(c.pending)), nil
	case strings.HasPrefix(query, "INSERT INTO `ledger_entry` (`account_id`, `amount`, `memo`) VALUES "):
		for ; len(args) > 0; args = args[3:] {
			if _, err := c.Conn.ExecContext(ctx, "-- name: InsertLedgerEntry :exec", args[:3]); err != nil {
				return nil, err
			}
		}
		return driver.RowsAffected(1), nil
	case query == "COMMIT":
		c.shop.mu.Lock()
		defer c.shop.mu.Unlock()
		for _, row := range c.pending {
			c.shop.noted[string(row[0].([]byte))] = row
		}
	}
	return c.Conn.ExecContext(ctx, query, args)
}

func (c *notingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !strings.HasPrefix(query, "-- name: FindOperations ") {
		return c.Conn.QueryContext(ctx, query, args)
	}
	c.shop.mu.Lock()
	defer c.shop.mu.Unlock()
	rows := &notedRows{}
	for _, id := range args {
		if row, ok := c.shop.noted[string(id.Value.([]byte))]; ok {
			rows.left = append(rows.left, row)
		}
	}
	return rows, nil
}

type notedRows struct{ left [][]driver.Value }

func (r *notedRows) Columns() []string { return []string{"id", "target", "fingerprint"} }
func (r *notedRows) Close() error      { return nil }

func (r *notedRows) Next(dest []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	copy(dest, r.left[0])
	r.left = r.left[1:]
	return nil
}
