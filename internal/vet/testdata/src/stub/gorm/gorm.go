// Package gorm has the signatures of gorm that the fixtures call.
package gorm

// DB is a pool, a transaction or a result.
type DB struct {
	Error        error
	RowsAffected int64
}

// Exec writes.
func (db *DB) Exec(sql string, values ...any) *DB { return db }

// Raw reads.
func (db *DB) Raw(sql string, values ...any) *DB { return db }

// Scan takes what was read.
func (db *DB) Scan(dest any) *DB { return db }
