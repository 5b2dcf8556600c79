package faulttest

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// idWay is a way to take 1 from an account under an operation id.
type idWay struct {
	name string
	take func(ctx context.Context, db *sql.DB, account uint64, opts ...sqlcas.Option) error
}

var idWays = []idWay{
	{"UpdateTx", func(ctx context.Context, db *sql.DB, account uint64, opts ...sqlcas.Option) error {
		return optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			return take(ctx, tx, account)
		}, opts...)
	}},
	{"pessimistic.Store", func(ctx context.Context, db *sql.DB, account uint64, opts ...sqlcas.Option) error {
		_, err := pessimistic.NewStore(db, shop.AccountTable).Update(ctx, account, func(a *shop.Account) error {
			a.Balance--
			return nil
		}, opts...)
		return err
	}},
}

// newIDRig is newRig with the table of operations.
func newIDRig(t *testing.T, s *mysqltest.Server, n int) *rig {
	t.Helper()
	r := newRig(t, s, n)
	for _, stmt := range schema.Sqlcas() {
		r.exec(t, stmt)
	}
	return r
}

// noted is how many operations are noted under the id.
func (r *rig) noted(t *testing.T, id string) int {
	t.Helper()
	return r.number(t, "SELECT COUNT(*) FROM sqlcas_operation WHERE id = ?", []byte(id))
}

// once makes sure that an account was written once, under an id that the caller may give again.
func (r *rig) once(t *testing.T, db *sql.DB, w idWay, account uint64, id string) {
	t.Helper()
	require.Equal(t, 1, r.swaps(t, account))
	require.Equal(t, 1, r.noted(t, id))
	var report sqlcas.Report
	require.NoError(t, w.take(t.Context(), db, account, sqlcas.WithOperationID(id), sqlcas.WithReport(&report)))
	require.True(t, report.Replayed)
	require.Equal(t, 1, r.swaps(t, account))
}

// eachIDWay runs a test for each server and way, with a rig of one account.
func eachIDWay(t *testing.T, run func(t *testing.T, r *rig, w idWay)) {
	t.Helper()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, w := range idWays {
			t.Run(w.name, func(t *testing.T) { run(t, newIDRig(t, s, 1), w) })
		}
	})
}

// operationID names the n-th operation of a test.
func operationID(what string, n int) string { return fmt.Sprintf("%s/%d", what, n) }
