package conformance

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/witness"
)

var errNoCount = errors.New("this driver cannot count")

// uncounted is the result of a driver that cannot count rows, and says so by an error, or by -1.
type uncounted struct {
	driver.Result
	err error
}

// RowsAffected does not know.
func (u uncounted) RowsAffected() (int64, error) { return -1, u.err }

// miscounting returns e with a driver whose UPDATEs and DELETEs have no count.
func (e *env) miscounting(t *testing.T, says error) *env {
	t.Helper()
	return e.tapped(t, tap{
		exec: func(ctx context.Context, _ *tappedConn, st statement, send sendExec) (driver.Result, error) {
			res, err := send(ctx)
			if word := witness.Keyword(st.Query); err != nil || word != "UPDATE" && word != "DELETE" {
				return res, err
			}
			return uncounted{res, says}, nil
		},
	})
}

// checkNoRowCount ensures that a swap of which the driver tells no count is ErrNoRowCount, with the
// driver's own error, and not retried: nobody knows whether it has won. In a transaction it is rolled
// back; one that commits itself may be durable, which is ErrOutcomeUnknown as well.
func checkNoRowCount(t *testing.T, e *env, s strategy) {
	for _, says := range []error{errNoCount, nil} {
		e := e.miscounting(t, says)
		st := s.accounts(e.db, shop.AccountTable)
		id := e.account(t)
		told := func(err error, r sqlcas.Report) {
			t.Helper()
			require.ErrorIs(t, err, sqlcas.ErrNoRowCount)
			require.NotErrorIs(t, err, sqlcas.ErrConflict)
			require.Equal(t, 1, r.Attempts)
			if says != nil {
				require.ErrorIs(t, err, says)
			}
		}
		for _, method := range []string{"UpdateAll", "Update"} { // in this order: the account stays at version 1
			var r sqlcas.Report
			err := changers(t.Context(), st, id)[method](plus(1), sqlcas.WithReport(&r))
			told(err, r)
			if method == "Update" && s.plain {
				require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
				break
			}
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown, method)
			e.want(t, id, opening, 1)
		}
		id = e.account(t)
		var r sqlcas.Report
		err := inTx(t, e, st, func(ctx context.Context, in txStore[uint64, shop.Account]) error {
			row, err := in.Get(ctx, id)
			require.NoError(t, err)
			return in.Update(ctx, &row)
		}, sqlcas.WithReport(&r))
		told(err, r)
		require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		e.want(t, id, opening, 1)

		err = st.Delete(t.Context(), e.row(t, id), sqlcas.WithReport(&r))
		told(err, r)
		require.Equal(t, s.plain, errors.Is(err, sqlcas.ErrOutcomeUnknown), "Delete: %v", err)
	}
}

// checkTwoRows ensures that a swap that hits two rows, because the key does not name one, is
// ErrTooManyRows and is not retried; and that it is rolled back where there is a transaction.
func checkTwoRows(t *testing.T, e *env, s strategy) {
	st := s.items(e.db, twins.table())
	for _, method := range []string{"UpdateAll", "In(tx)", "Update", "UpdateIfVersion"} {
		twins.put(t, e, 1, part(1), part(1))
		var r sqlcas.Report
		err := itemChanges(t, e, st, part(1), 1)[method](grow, sqlcas.WithReport(&r))
		require.ErrorIs(t, err, sqlcas.ErrTooManyRows, method)
		require.ErrorContains(t, err, "item_twin", method)
		require.Equal(t, 1, r.Attempts, method)
		moved := 0
		if s.plain && (method == "Update" || method == "UpdateIfVersion") {
			moved = 2 // and nothing can be done about it
		}
		require.Equal(t, moved, e.count(t, "item_twin WHERE version > 1"), "rows moved by %s", method)
	}
}
