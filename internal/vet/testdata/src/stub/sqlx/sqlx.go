// Package sqlx has the signatures of sqlx that the fixtures call.
package sqlx

import (
	"context"
	"database/sql"
)

// DB is a pool.
type DB struct{ *sql.DB }

// Get reads one row.
func (db *DB) Get(dest any, query string, args ...any) error { return nil }

// SelectContext reads rows.
func (db *DB) SelectContext(ctx context.Context, dest any, query string, args ...any) error {
	return nil
}

// NamedExec writes with named parameters.
func (db *DB) NamedExec(query string, arg any) (sql.Result, error) { return nil, nil }

// MustExec writes or panics.
func (db *DB) MustExec(query string, args ...any) sql.Result { return nil }

// Rebind writes parameters as the driver does.
func (db *DB) Rebind(query string) string { return query }

// In writes out slices.
func In(query string, args ...any) (string, []any, error) { return query, args, nil }

// Beginx begins a transaction.
func (db *DB) Beginx() (*Tx, error) { return nil, nil }

// Tx is a transaction.
type Tx struct{ *sql.Tx }

// Get reads one row.
func (tx *Tx) Get(dest any, query string, args ...any) error { return nil }

// Queryer is a pool or a transaction.
type Queryer interface {
	Query(query string, args ...any) (*sql.Rows, error)
}

// GetContext reads one row.
func GetContext(ctx context.Context, q Queryer, dest any, query string, args ...any) error {
	return nil
}

// Get reads one row.
func Get(q Queryer, dest any, query string, args ...any) error { return nil }
