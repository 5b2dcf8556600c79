package cas004

import (
	"context"
	"database/sql"
)

func queried(db *sql.DB) error {
	rows, err := db.Query(swap, 1, 2, 3) // want CAS004
	if err != nil {
		return err
	}
	return rows.Close()
}

func scanned(ctx context.Context, tx *sql.Tx) error {
	var n int
	return tx.QueryRowContext(ctx, swap, 1, 2, 3).Scan(&n) // want CAS004
}

type careless struct{ db *sql.DB }

// Exec drops the count.
func (c careless) Exec(ctx context.Context, query string, args ...any) error {
	_, err := c.db.ExecContext(ctx, query, args...)
	return err
}

// Query has its values in a slice.
func (c careless) Query(query string, args []any) error {
	rows, err := c.db.Query(query, args...)
	if err != nil {
		return err
	}
	return rows.Close()
}

type carelessly interface {
	Exec(ctx context.Context, query string, args ...any) error
}

func errorOnly(ctx context.Context, c careless, i carelessly) error {
	if err := c.Exec(ctx, swap, 1, 2, 3); err != nil { // want CAS004
		return err
	}
	if err := c.Query(swap, []any{1, 2, 3}); err != nil { // want CAS004
		return err
	}
	return i.Exec(ctx, swap, 1, 2, 3) // want CAS004
}

type store struct{ swap, remove *sql.Stmt }

func open(db *sql.DB) (s *store, err error) {
	s = &store{}
	s.swap, err = db.Prepare(swap)
	if err != nil {
		return nil, err
	}
	stmt, err := db.Prepare(remove)
	return &store{swap: s.swap, remove: stmt}, err
}

func (s *store) close() { s.swap = nil }

func (s *store) set(ctx context.Context, tx *sql.Tx) error {
	if _, err := s.swap.ExecContext(ctx, 1, 2, 3); err != nil { // want CAS004
		return err
	}
	if _, err := tx.Stmt(s.remove).Exec(2, 3); err != nil { // want CAS004
		return err
	}
	_, err := tx.StmtContext(ctx, s.swap).Exec(1, 2, 3) // want CAS004
	return err
}

func handed(stmt *sql.Stmt) {
	stmt.Exec(1, 2, 3) // want CAS004
}

func preparedByValue(db *sql.DB) {
	prepare := db.Prepare
	stmt, _ := prepare(swap)
	stmt.Exec(1, 2, 3) // want CAS004
}

func hands(s *store) { handed(s.swap) }
