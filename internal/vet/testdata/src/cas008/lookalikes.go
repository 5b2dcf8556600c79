package cas008

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"

	"example.com/shop/argdb"
	"example.com/shop/shop"
)

func inTx(tx *sql.Tx) *sql.Row { return tx.QueryRow(lock, 1) }

func onConn(ctx context.Context, c *sql.Conn) *sql.Row { return c.QueryRowContext(ctx, lock, 1) }

func eitherOfTwo(ctx context.Context, q shop.DBTX) *sql.Row {
	return q.QueryRowContext(ctx, lock, 1) // not known
}

func changed(ctx context.Context, db *sql.DB, tx *sql.Tx) *sql.Row {
	var q shop.DBTX = db
	if tx != nil {
		q = tx
	}
	return q.QueryRowContext(ctx, lock, 1) // not known
}

func begun(db *sql.DB) (*sql.Row, error) {
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	return tx.QueryRow(lock, 1), tx.Commit()
}

func shadowed(db *sql.DB, tx *sql.Tx) *sql.Row {
	{
		db := tx
		return db.QueryRow(lock, 1)
	}
}

func preparedForTx(db *sql.DB, tx *sql.Tx) error {
	stmt, err := db.Prepare(lock)
	if err != nil {
		return err
	}
	defer stmt.Close()
	var balance int64
	return tx.Stmt(stmt).QueryRow(1).Scan(&balance)
}

func withSqlxTx(tx *sqlx.Tx) error {
	var balance int64
	return tx.Get(&balance, lock, 1)
}

func gormMayBeTx(db *gorm.DB) {
	var balance int64
	db.Raw(lock, 1).Scan(&balance) // not known
}

func generatedInTx(ctx context.Context, db *sql.DB, tx *sql.Tx) (int64, error) {
	q := shop.New(db)
	return q.WithTx(tx).LockBalance(ctx, 1)
}

func generatedOfTx(ctx context.Context, tx *sql.Tx) (int64, error) {
	return shop.New(tx).LockBalance(ctx, 1)
}

func generatedParameter(ctx context.Context, q *shop.Queries) (int64, error) {
	return q.LockBalance(ctx, 1) // not known
}

func generatedReplaced(ctx context.Context, db *sql.DB, tx *sql.Tx) (int64, error) {
	q := shop.New(db)
	q = q.WithTx(tx)
	return q.LockBalance(ctx, 1) // not known
}

func generatedArgumentTx(ctx context.Context, tx *sql.Tx) (int64, error) {
	return argdb.New().LockBalance(ctx, tx, 1)
}

func generatedPlainRead(ctx context.Context, db *sql.DB) (int64, error) {
	return shop.New(db).GetBalance(ctx, 1)
}

func words(db *sql.DB) (*sql.Rows, error) {
	return db.Query("SELECT 'FOR UPDATE' AS text FROM account WHERE owner = 'a' /* FOR UPDATE */ -- FOR SHARE")
}

func copies(db *sql.DB) {
	db.Exec("INSERT INTO note (id, body, version) SELECT id, owner, 1 FROM account WHERE id = 1 FOR UPDATE")
}

func transactionInOneString(db *sql.DB) {
	db.Exec("START TRANSACTION; SELECT id FROM account WHERE id = 1 FOR UPDATE; UPDATE note SET body = '' WHERE id = 1; COMMIT")
}
