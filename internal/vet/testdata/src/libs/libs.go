// Package libs uses sqlx and gorm.
package libs

import (
	"context"
	"net/http"

	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

const swap = "UPDATE account SET balance = 1, version = version + 1 WHERE id = 1 AND version = ?"

func sqlxFaults(ctx context.Context, db *sqlx.DB) error {
	db.MustExec(swap, 1) // want CAS004
	_, err := db.NamedExec(`UPDATE account
		SET version = version + 1, owner = ':id' WHERE id = :id`, map[string]any{"id": 1}) // want CAS001
	return err
}

func sqlxNamed(db *sqlx.DB) (int64, error) {
	res, err := db.NamedExec("UPDATE account SET version = version + 1 WHERE id = :id AND version = :version", nil)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func sqlxUnknown(ctx context.Context, db *sqlx.DB, query string) error {
	return db.SelectContext(ctx, nil, query)
}

func gormFaults(db *gorm.DB) error {
	db.Exec("DELETE FROM account WHERE id = @id", 1) // want CAS001
	return db.Exec(swap, 1).Error                    // want CAS004
}

func gormCounted(db *gorm.DB) (int64, error) {
	res := db.Exec(swap, 1)
	return res.RowsAffected, res.Error
}

func gormNamed(db *gorm.DB) (int64, error) {
	res := db.Exec("UPDATE account SET version = version + 1 WHERE id = @id AND version = @version", 1)
	return res.RowsAffected, res.Error
}

type settings struct{}

// Get has no place for a row.
func (settings) Get(key string, otherwise ...any) any { return nil }

func keys(s settings) any { return s.Get("DELETE FROM account", 1) }

func headers(h http.Header) string { return h.Get("DELETE FROM account") }
