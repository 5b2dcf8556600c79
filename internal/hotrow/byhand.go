package hotrow

import (
	"context"
	"database/sql"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

// swapOnce is one try of compare-and-swap, as a careful person writes it.
func swapOnce(ctx context.Context, q *shop.Queries, id uint64) (affected int64, err error) {
	a, err := q.GetAccount(ctx, id)
	if err != nil {
		return 0, err
	}
	if a.Balance < 1 {
		return 0, errPoor
	}
	return q.DeductBalance(ctx, shop.DeductBalanceParams{Balance: a.Balance - 1, ID: id, Version: a.Version})
}

func swapAtOnce(db *sql.DB) work {
	q := shop.New(db)
	return func(l limits, id uint64) (tries int64, err error) {
		for l.patience.Err() == nil {
			tries++
			affected, err := swapOnce(l.life, q, id)
			switch {
			case benchdb.LockFailed(err):
			case err != nil || affected == 1:
				return tries, err
			}
		}
		return tries, errGaveUp
	}
}

func swapWithJitter(db *sql.DB) work {
	// By default a call may take 30 s, which is less than one needs among a thousand others. The limits end it.
	const budget = time.Hour
	q, options := shop.New(db), []sqlcas.Option{sqlcas.WithMaxElapsed(budget)}
	return func(l limits, id uint64) (int64, error) { return swapByUpdate(l, q, id, options) }
}

// queueKey is a row of a pool's database.
type queueKey struct {
	db *sql.DB
	id uint64
}

func swapInQueue(db *sql.DB) work {
	q := shop.New(db)
	return func(l limits, id uint64) (int64, error) {
		return swapByUpdate(l, q, id, []sqlcas.Option{optimistic.WithKey(queueKey{db, id})})
	}
}

func swapByUpdate(l limits, q *shop.Queries, id uint64, options []sqlcas.Option) (tries int64, err error) {
	err = optimistic.Update(l.life, func(ctx context.Context) (int64, error) {
		if l.patience.Err() != nil {
			return 0, errGaveUp
		}
		tries++
		return swapOnce(ctx, q, id)
	}, options...)
	return tries, err
}

func lockByHand(db *sql.DB) work {
	return func(l limits, id uint64) (int64, error) {
		for l.patience.Err() == nil {
			if err := lockOnce(l, db, id, nil); !benchdb.LockFailed(err) {
				return 0, err
			}
		}
		return 0, errGaveUp
	}
}

// lockOnce is one transaction of lockByHand, with what more is to be written in it, or nil.
func lockOnce(l limits, db *sql.DB, id uint64, more func(context.Context, *sql.Tx) error) error {
	tx, err := db.BeginTx(l.life, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if l.patience.Err() != nil { // it may have waited for a connection
		return errGaveUp
	}
	q := shop.New(tx)
	a, err := q.GetAccountForUpdate(l.life, id)
	if err != nil {
		return err
	}
	if a.Balance < 1 {
		return errPoor
	}
	err = sqlcas.One(q.DeductBalance(l.life, shop.DeductBalanceParams{
		Balance: a.Balance - 1, ID: id, Version: a.Version,
	}))
	if err == nil && more != nil {
		err = more(l.life, tx)
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

func deltaByHand(db *sql.DB) work {
	return func(l limits, id uint64) (int64, error) {
		for l.patience.Err() == nil {
			if err := deltaOnce(l.life, db, id); !benchdb.LockFailed(err) {
				return 0, err
			}
		}
		return 0, errGaveUp
	}
}

// deltaOnce deducts 1 by one statement, whose WHERE is the refusal.
func deltaOnce(ctx context.Context, db *sql.DB, id uint64) error {
	//sqlcas:allow CAS001 the guard in its WHERE is all that this strategy decides by
	res, err := db.ExecContext(ctx,
		"UPDATE account SET balance = balance - 1, version = version + 1 WHERE id = ? AND balance >= 1", id)
	if err != nil {
		return err
	}
	affected, err := res.RowsAffected()
	if err == nil && affected == 0 {
		return errPoor
	}
	return err
}
