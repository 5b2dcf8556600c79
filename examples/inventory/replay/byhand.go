package replay

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas"
)

// byHand is what a careful engineer writes without sqlcas: lock the row, look, deduct, commit, and
// run the whole transaction again after a deadlock or a lock wait timeout. It knows nothing of a
// COMMIT whose answer is lost.
func byHand(ctx context.Context, db *sql.DB, line Line, _ ...sqlcas.Option) (tally, error) {
	const maxAttempts = 10
	pause := 2 * time.Millisecond
	for attempt := 1; ; attempt++ {
		err := deductLocked(ctx, db, line)
		if !worthAnother(err) || attempt == maxAttempts {
			return tally{attempts: attempt}, err
		}
		select {
		case <-time.After(rand.N(pause)):
		case <-ctx.Done():
			return tally{attempts: attempt}, errors.Join(ctx.Err(), err)
		}
		pause *= 2
	}
}

// deductLocked is one transaction.
func deductLocked(ctx context.Context, db *sql.DB, line Line) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a COMMIT
	var onHand int64
	row := tx.QueryRowContext(ctx, "SELECT on_hand FROM inventory WHERE product_id = ? FOR UPDATE",
		line.Product)
	if err := row.Scan(&onHand); err != nil {
		return err
	}
	if onHand < line.Quantity {
		return ErrInsufficientStock
	}
	// The row is locked, so that nothing has to be compared; the version moves all the same, for
	// whoever else compares it.
	//sqlcas:allow CAS001 the row is locked, which is what this strategy is about
	_, err = tx.ExecContext(ctx,
		"UPDATE inventory SET on_hand = on_hand - ?, version = version + 1 WHERE product_id = ?",
		line.Quantity, line.Product)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// worthAnother reports whether the server has asked for another try.
func worthAnother(err error) bool {
	const lockWaitTimeout, deadlock = 1205, 1213
	var answer *mysql.MySQLError
	return errors.As(err, &answer) && (answer.Number == lockWaitTimeout || answer.Number == deadlock)
}
