package cas004

import (
	"context"
	"database/sql"
	"errors"

	"example.com/shop/shop"
)

var errConflict = errors.New("conflict")

func one(affected int64, err error) error {
	if err == nil && affected != 1 {
		return errConflict
	}
	return err
}

func counted(db *sql.DB) error {
	res, err := db.Exec(swap, 1, 2, 3)
	if err != nil {
		return err
	}
	return one(res.RowsAffected())
}

func returned(db *sql.DB) (sql.Result, error) {
	return db.Exec(swap, 1, 2, 3)
}

func handedOn(db *sql.DB) error {
	res, err := db.Exec(swap, 1, 2, 3)
	return errors.Join(err, look(res))
}

func look(res sql.Result) error { return one(res.RowsAffected()) }

func stored(db *sql.DB) (last struct{ res sql.Result }, err error) {
	last.res, err = db.Exec(swap, 1, 2, 3)
	return last, err
}

func namedResult(ctx context.Context, q *shop.Queries) (n int64, err error) {
	n, err = q.Deduct(ctx, shop.DeductParams{})
	return
}

func passedOn(ctx context.Context, q *shop.Queries) error {
	return one(q.Deduct(ctx, shop.DeductParams{}))
}

func returnedGenerated(ctx context.Context, q *shop.Queries) (int64, error) {
	return q.Deduct(ctx, shop.DeductParams{})
}

func compared(ctx context.Context, q *shop.Queries) error {
	n, err := q.Deduct(ctx, shop.DeductParams{})
	if n == 0 {
		return errConflict
	}
	return err
}

func readLater(ctx context.Context, q *shop.Queries) error {
	var n int64
	var err error
	n, err = q.Deduct(ctx, shop.DeductParams{})
	defer func() { note(n) }()
	return err
}

func note(int64) {}

func otherTable(ctx context.Context, db *sql.DB, q *shop.Queries) {
	db.Exec("UPDATE note SET body = ?, version = version + 1 WHERE id = ? AND version = ?", "", 1, 2)
	q.EditNote(ctx, "not a compare-and-swap")
	q.AddNote(ctx, "an id, not a count")
}

func inserts(db *sql.DB) error {
	_, err := db.Exec("INSERT INTO account (owner, balance) VALUES ('a; UPDATE account', 0)")
	return err
}

type memo struct{}

// Exec of a type of its own that takes no SQL.
func (memo) Exec(query string) (sql.Result, error) { return nil, nil }

// Deduct is called as the generated method is.
func (memo) Deduct(ctx context.Context, arg shop.DeductParams) (int64, error) { return 0, nil }

// Query of a type of its own, with a number behind the text.
func (memo) Query(query string, limit int) (int64, error) { return 0, nil }

// strict looks at the count itself, and has none to give.
type strict struct{ db *sql.DB }

// Exec writes one row, or it is an error.
func (s strict) Exec(query string, args ...any) error {
	res, err := s.db.Exec(query, args...)
	if err != nil {
		return err
	}
	return one(res.RowsAffected())
}

// careful hands on to what looks.
type careful struct{ strict }

// Exec is no more than the other.
func (c careful) Exec(query string, args ...any) error { return c.strict.Exec(query, args...) }

// writer is written by others in sight, all of which look at the count.
type writer interface {
	MustExec(query string, args ...any)
}

// MustExec writes one row or panics.
func (s strict) MustExec(query string, args ...any) {
	stmt, err := s.db.Prepare(query)
	if err != nil {
		panic(err)
	}
	res, err := stmt.Exec(args...)
	if err != nil {
		panic(err)
	}
	if n, err := res.RowsAffected(); n != 1 {
		panic(err)
	}
}

type statements struct{ swap, read, either *sql.Stmt }

func (s *statements) open(db *sql.DB, other *sql.Stmt) (err error) {
	if s.swap, err = db.Prepare(swap); err != nil {
		return err
	}
	if s.read, err = db.Prepare("SELECT owner FROM account"); err != nil {
		return err
	}
	s.either = other
	return nil
}

func (s *statements) use(tx *sql.Tx) error {
	s.read.Query()
	s.either.Exec()
	s.open(nil, nil)
	res, err := tx.Stmt(s.swap).Exec(1, 2, 3)
	if err != nil {
		return err
	}
	return one(res.RowsAffected())
}

func reads(db *sql.DB) {
	db.Query("SELECT owner FROM account WHERE id = ?", 1)
	db.QueryRow("UPDATE account SET version = version + 1 WHERE id = ? AND version = ? RETURNING version", 1, 2)
}

func strictly(c careful, w writer) {
	c.Exec(swap, 1, 2, 3)
	w.MustExec(swap, 1, 2, 3)
}

func others(ctx context.Context, m memo, s strict, byHand shop.Memory) {
	m.Exec(swap)
	m.Query(swap, 1)
	m.Deduct(ctx, shop.DeductParams{})
	s.Exec(swap, 1, 2, 3)
	byHand.Deduct(ctx, shop.DeductParams{})
}
