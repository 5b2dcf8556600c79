package sandbox_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// databases lists the databases of a server that examples have made.
func databases(t *testing.T, dsn string) []string {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `SHOW DATABASES LIKE 'sqlcas\_example\_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

// Ensures on each server that a sandbox is a database of its own with empty tables, whatever
// database the DSN names, and that Close removes it, also after the context has ended.
func TestSandboxOnServer(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		base, params, _ := strings.Cut(server.DSN, "/")
		_, params, _ = strings.Cut(params, "?")
		s, err := sandbox.Open(ctx, base+"/mysql?"+params, 4)
		if err != nil {
			t.Fatal(err)
		}
		var name string
		if err := s.DB.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(databases(t, server.DSN), name) {
			t.Errorf("got database %s, want one of the example's own", name)
		}
		if rows, err := shop.New(s.DB).ListStock(ctx); err != nil || len(rows) != 0 {
			t.Errorf("got %d products, %v, want an empty table", len(rows), err)
		}
		if s.Embedded || len(s.Options) != 0 {
			t.Errorf("got embedded %v with %d options, want neither", s.Embedded, len(s.Options))
		}
		cancel()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if slices.Contains(databases(t, server.DSN), name) {
			t.Errorf("database %s is still there after Close", name)
		}
	})
}

// Ensures that a sandbox which cannot be opened because the context has ended leaves nothing.
func TestOpenWithEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sandbox.Open(ctx, "", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// Ensures that the folder of an embedded database goes with Close.
func TestEmbeddedIsRemoved(t *testing.T) {
	t.Parallel()
	s, err := sandbox.Open(t.Context(), "", 2)
	if err != nil {
		t.Fatal(err)
	}
	var seq, schemaName, file string
	row := s.DB.QueryRowContext(t.Context(), "PRAGMA database_list")
	if err := row.Scan(&seq, &schemaName, &file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want the folder gone", err)
	}
}

// Ensures that a snapshot which another connection has overwritten is a conflict to sqlcas, which
// runs the transaction again, and that a unique key's violation is final.
func TestSQLiteClass(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 4)
	q := shop.New(s.DB)
	product := shop.InsertStockParams{ProductID: 1, Name: "a", OnHand: 10}
	if err := q.InsertStock(t.Context(), product); err != nil {
		t.Fatal(err)
	}
	var first error
	var report sqlcas.Report
	options := append(slices.Clone(s.Options), sqlcas.WithReport(&report))
	err := optimistic.UpdateTx(t.Context(), s.DB, func(ctx context.Context, tx *sql.Tx) error {
		stock, err := shop.New(tx).GetStock(ctx, 1)
		if err != nil {
			return err
		}
		arg := shop.DeductStockParams{OnHand: stock.OnHand - 1, ProductID: 1, Version: stock.Version}
		if first == nil { // another connection writes, and commits, behind the transaction's back
			if err := optimistic.One(q.DeductStock(ctx, arg)); err != nil {
				return err
			}
		}
		err = optimistic.One(shop.New(tx).DeductStock(ctx, arg))
		if first == nil {
			first = err
		}
		return err
	}, options...)
	if err != nil {
		t.Fatal(err)
	}
	var busy *sqlite.Error
	if !errors.As(first, &busy) || sandbox.SQLiteClass(first) != sqlcas.ClassConflict {
		t.Errorf("got %v, want SQLITE_BUSY_SNAPSHOT, a conflict", first)
	}
	if report.Attempts != 2 || report.Conflicts != 1 {
		t.Errorf("got %d attempts, %d conflicts, want 2, 1", report.Attempts, report.Conflicts)
	}
	stock, err := q.GetStock(t.Context(), 1)
	if err != nil || stock.OnHand != 8 || stock.Version != 3 {
		t.Errorf("got %+v, %v, want 8 on hand at version 3", stock, err)
	}
	err = q.InsertStock(t.Context(), shop.InsertStockParams{ProductID: 1, Name: "b"})
	if got := sandbox.SQLiteClass(err); got != sqlcas.ClassPermanent {
		t.Errorf("got class %d of %v, want ClassPermanent", got, err)
	}
	if got := sandbox.SQLiteClass(errors.New("mine")); got != sqlcas.ClassDefault {
		t.Errorf("got class %d of an error that is not SQLite's, want ClassDefault", got)
	}
}
