package conformance

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// crossChecks are about ids that come by several ways.
var crossChecks = []check{
	{"Delete is applied once", checkOnceDelete},
	{"Delete that loses keeps no id", checkOnceDeleteStale},
	{"one id and key by all Stores is applied once", checkOnceAcross},
}

// Ensures that a Delete is applied and noted, that the same again is a replay although the row is gone, and that a new
// operation is told that it is; and that an Update with the Delete's id is a mismatch.
func checkOnceDelete(t *testing.T, e *env) {
	st, id, op := optimistic.NewStore(e.db, shop.AccountTable), e.account(t), idOf(t, "close")
	row := e.row(t, id)
	var c called
	require.NoError(t, st.Delete(t.Context(), row, c.with(op, "")...))
	require.False(t, c.Replayed)
	require.Zero(t, e.count(t, "account WHERE id = ?", id))
	require.NoError(t, st.Delete(t.Context(), row, c.with(op, "")...))
	require.True(t, c.Replayed)
	isGone(t, st.Delete(t.Context(), row, c.with(idOf(t, "new"), "")...), "account", id)
	require.Zero(t, e.noted(t, idOf(t, "new")))

	_, err := st.Update(t.Context(), id, unrunRow(t), c.with(op, "")...)
	differs(t, err, sqlcas.OperationMismatchError{
		ID: op, Target: fmt.Sprintf("account %d", id), StoredTarget: fmt.Sprintf("delete account %d", id), Differs: "target",
	})
	differs(t, st.Delete(t.Context(), row, c.with(op, "other")...), sqlcas.OperationMismatchError{
		ID: op, Target: fmt.Sprintf("delete account %d", id), StoredTarget: fmt.Sprintf("delete account %d", id),
		Differs: "fingerprint",
	})
}

// Ensures that a Delete of a version that is past conflicts, keeps no id, and can be made again.
func checkOnceDeleteStale(t *testing.T, e *env) {
	st, id, op := optimistic.NewStore(e.db, shop.AccountTable), e.account(t), idOf(t, "close")
	row := e.row(t, id)
	e.bump(t, id)
	err := st.Delete(t.Context(), row, sqlcas.WithOperationID(op))
	isConflict(t, err, sqlcas.ConflictError{Table: "account", Key: id, Expected: 1, Actual: 2})
	require.Zero(t, e.noted(t, op))
	var c called
	require.NoError(t, st.Delete(t.Context(), e.row(t, id), c.with(op, "")...))
	require.False(t, c.Replayed)
	require.Equal(t, 1, e.noted(t, op))
}

// Ensures that calls with one id for one row are one application, whichever Store they come by, one after the other and
// all at once; and that no error tells of the others.
func checkOnceAcross(t *testing.T, e *env) {
	id := e.account(t)
	journal := onceWay{enters: true}
	stores := []onceStore{
		entering{ledgerStore(e.db)},
		optimistic.NewStore(e.db, shop.AccountTable),
		pessimistic.NewStore(e.db, shop.AccountTable), optimistic.NewStore(e.other, shop.AccountTable),
		entering{ledgerStore(e.other)},
	}
	for i, st := range stores {
		var c called
		_, err := st.Update(t.Context(), id, plus(5), c.with(idOf(t, "in turn"), "5")...)
		require.NoError(t, err, "%T", st)
		require.Equal(t, i > 0, c.Replayed, "%T", st)
	}
	journal.agrees(t, e, id, opening+5, 2)

	const rounds = 10
	other := e.account(t)
	for n := range rounds {
		reports := make([]called, 3*len(stores))
		begin := make(chan struct{})
		var all sync.WaitGroup
		for i := range reports {
			all.Go(func() {
				<-begin
				_, err := stores[i%len(stores)].Update(t.Context(), other, plus(5),
					reports[i].with(idOf(t, fmt.Sprintf("at once %d", n)), "5")...)
				if err != nil {
					t.Errorf("%T: %v", stores[i%len(stores)], err)
				}
			})
		}
		close(begin)
		all.Wait()
		first := 0
		for _, c := range reports {
			if !c.Replayed {
				first++
			}
		}
		require.Equal(t, 1, first, "calls that were told that they are the first")
	}
	e.want(t, other, opening+5*rounds, rounds+1)
}
