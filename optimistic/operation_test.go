package optimistic_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that an id which cannot be kept, and a fingerprint without one, are refused by every method of both Stores
// before anything is sent.
func TestStoresRefuseBadOperationIDs(t *testing.T) {
	t.Parallel()
	ctx, script := context.Background(), scriptdb.Shop()
	db := script.Open()
	defer func() { _ = db.Close() }()
	st := optimistic.NewStore(db, shop.AccountTable)
	for want, opt := range map[string]sqlcas.Option{
		"give the id of the request":    sqlcas.WithOperationID(""),
		"the id has 256 bytes":          sqlcas.WithOperationID(strings.Repeat("x", 256)),
		"without WithOperationID":       sqlcas.WithFingerprint([]byte("5")),
		"WithReport(nil): give a point": sqlcas.WithReport(nil),
	} {
		errs := calls(optimistic.NewJournalStore(db, shop.AccountTable, journal()), opt)
		delete(errs, "Get")
		_, errs["Store.Update"] = st.Update(ctx, 42, func(*shop.Account) error { return nil }, opt)
		errs["Store.Delete"] = st.Delete(ctx, shop.Account{ID: 42, Version: 7}, opt)
		for method, err := range errs {
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, method)
			require.ErrorContains(t, err, want, method)
		}
	}
	for _, st := range script.Sent() {
		require.True(t, strings.HasPrefix(st.String(), "SELECT id, owner"), "only Get may have sent something: %s", st)
	}
}

// Ensures that an id for all calls of a Store is refused: it is one call's.
func TestNewStoreRefusesOperationID(t *testing.T) {
	t.Parallel()
	db := openShop()
	defer func() { _ = db.Close() }()
	id, print := sqlcas.WithOperationID("x"), sqlcas.WithFingerprint([]byte("5"))
	for _, opts := range [][]sqlcas.Option{{id}, {id, print}, {print}} {
		_, err := optimistic.NewStore(db, shop.AccountTable, opts...).Update(context.Background(), 42,
			func(*shop.Account) error { return nil })
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, "for one call")
		for method, err := range calls(optimistic.NewJournalStore(db, shop.AccountTable, journal(), opts...)) {
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, method)
			require.ErrorContains(t, err, "for one call", method)
		}
	}
}
