package hotrow

import (
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

func optimisticStore(db *sql.DB) work { return byStore(optimistic.NewStore(db, shop.AccountTable)) }

func pessimisticStore(db *sql.DB) work { return byStore(pessimistic.NewStore(db, shop.AccountTable)) }

// byStore updates by a Store, whose calls may be ended at any time: the Store finds out what has become of them.
func byStore(accounts sqlcas.Updater[uint64, shop.Account]) work {
	return func(l limits, id uint64) (int64, error) {
		_, err := accounts.Update(l.patience, id, deduct)
		return 0, orGaveUp(l, err)
	}
}

// orGaveUp is errGaveUp where a Store's call was ended before it was applied, and else its error.
func orGaveUp(l limits, err error) error {
	if err == nil {
		return nil
	}
	ended := l.patience.Err()
	if ended != nil && errors.Is(err, ended) && !errors.Is(err, sqlcas.ErrOutcomeUnknown) {
		return errGaveUp
	}
	return err
}

// deduct is what the callers do to the row.
func deduct(a *shop.Account) error {
	if a.Balance < 1 {
		return errPoor
	}
	a.Balance--
	return nil
}
