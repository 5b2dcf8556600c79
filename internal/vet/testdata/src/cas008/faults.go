// Package cas008 locks rows on pools, and does not.
package cas008

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"

	"example.com/shop/argdb"
	"example.com/shop/shop"
)

const lock = "SELECT balance FROM account WHERE id = ? FOR UPDATE"

func onDB(db *sql.DB) *sql.Row {
	return db.QueryRow(lock, 1) // want CAS008
}

func onDBContext(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, // want CAS008
		"SELECT balance FROM account WHERE id = ? LOCK IN SHARE MODE", 1)
}

func shared(db *sql.DB) (*sql.Rows, error) {
	return db.Query(`SELECT balance FROM account WHERE id = ? FOR SHARE`, 1) // want CAS008
}

func noWait(db *sql.DB) (*sql.Rows, error) {
	return db.Query(lock+" NOWAIT", 1) // want CAS008
}

func subquery(db *sql.DB) (*sql.Rows, error) {
	return db.Query("SELECT 1 FROM (SELECT id FROM account WHERE id = 1 FOR UPDATE) AS held") // want CAS008
}

func executed(db *sql.DB) {
	db.Exec(lock, 1) // want CAS008
}

type store struct{ *sql.DB }

func embedded(s store) *sql.Row {
	return s.QueryRow(lock, 1) // want CAS008
}

type field struct{ db *sql.DB }

func (f *field) get() *sql.Row {
	return f.db.QueryRow(lock, 1) // want CAS008
}

func behindInterface(ctx context.Context, db *sql.DB) *sql.Row {
	var q shop.DBTX = db
	return q.QueryRowContext(ctx, lock, 1) // want CAS008
}

func converted(ctx context.Context, db *sql.DB) *sql.Row {
	return shop.DBTX(db).QueryRowContext(ctx, lock, 1) // want CAS008
}

func withSqlx(db *sqlx.DB) error {
	var balance int64
	return db.Get(&balance, lock, 1) // want CAS008
}

func sqlxFunction(db *sqlx.DB) error {
	var balance int64
	return sqlx.Get(db, &balance, lock, 1) // want CAS008
}

func preparedOnDB(db *sql.DB) error {
	stmt, err := db.Prepare(lock)
	if err != nil {
		return err
	}
	defer stmt.Close()
	var balance int64
	return stmt.QueryRow(1).Scan(&balance) // want CAS008
}

func preparedOnEmbedded(s store) error {
	stmt, err := s.Prepare(lock)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.Query(1) // want CAS008
	return err
}

func sqlxFunctionContext(ctx context.Context, db *sqlx.DB) error {
	var balance int64
	return sqlx.GetContext(ctx, db, &balance, lock, 1) // want CAS008
}

func generatedPrepared(ctx context.Context, db *sql.DB) (int64, error) {
	q, err := shop.Prepare(ctx, db)
	if err != nil {
		return 0, err
	}
	return q.LockBalance(ctx, 1) // want CAS008
}

func generated(ctx context.Context, db *sql.DB) (int64, error) {
	return shop.New(db).LockBalance(ctx, 1) // want CAS008
}

func generatedVariable(ctx context.Context, db *sql.DB) (int64, error) {
	q := shop.New(db)
	return q.LockBalance(ctx, 1) // want CAS008
}

func generatedInterface(ctx context.Context, db *sql.DB) (int64, error) {
	var q shop.Querier = shop.New(db)
	return q.LockBalance(ctx, 1) // want CAS008
}

func generatedArgument(ctx context.Context, db *sql.DB) (int64, error) {
	return argdb.New().LockBalance(ctx, db, 1) // want CAS008
}
