package conformance

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// operationChecks is the contract of operation ids in RetryTx, and of the calls that refuse them.
var operationChecks = []check{
	{"first run is applied and noted", checkOperationFirst},
	{"repeated id is replayed without the closure", checkOperationReplay},
	{"observer sees a replay as a success", checkOperationObserved},
	{"another request is a mismatch", checkOperationFingerprint},
	{"another target is a mismatch", checkOperationTarget},
	{"refused operation can be made again", checkOperationRefused},
	{"closure that panics notes nothing", checkOperationPanic},
	{"ids are told apart byte by byte", checkOperationBytes},
	{"missing table is named with its statement", checkOperationNoTable},
	{"joined call with an id is refused", checkOperationJoined},
	{"closure's plain reads are as new as its lock", checkOperationSnapshot},
	{"twin committed meanwhile is replayed", checkOperationTwin},
	{"refusal of what a twin has done is a replay", checkOperationTwinRefused},
	{"forgotten row count notes nothing", checkOperationForgotten},
	{"closure that changes the database is refused", checkOperationUse},
	{"sessions without autocommit replay as well", checkOperationManualCommit},
}

// Ensures that operation ids hold their contract on every server in every mode.
func TestOperationsHoldInEveryMode(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		contracts := map[string][]check{
			"operations": operationChecks, "operations of pessimistic.Store": lockedOperationChecks,
		}
		for _, m := range modes() {
			t.Run(m.String(), func(t *testing.T) {
				t.Parallel()
				for name, contract := range contracts {
					runContract(t, newEnv(t, s, m, false).noting(t), cellID{name, s.Name, m.String()}, contract)
				}
			})
		}
	})
}

// Ensures that ids which are no text are told apart as well. The servers are this test's own: while such an id is in a
// statement, MySQL's list of sessions cannot be read, which other tests do.
func TestOperationIDsThatAreNoText(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		for _, m := range modes() {
			newEnv(t, s, m, false).noting(t).tellsApart(t, "\xff", "\xff\x00\xfe", strings.Repeat("\xff", 255), "\xff\x00", "key")
		}
	})
}

// noting returns e with the table of operations.
func (e *env) noting(t *testing.T) *env {
	t.Helper()
	for _, stmt := range schema.Sqlcas() {
		_, err := e.other.ExecContext(t.Context(), stmt)
		require.NoError(t, err)
	}
	twin := *e
	twin.tables = append(slices.Clone(e.tables), "sqlcas_operation")
	return &twin
}

// pay adds one to the account in a transaction, under an id if the options have one.
func (e *env) pay(ctx context.Context, db *sql.DB, id uint64, opts ...sqlcas.Option) (r sqlcas.Report, err error) {
	err = optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		return optimistic.One(add(ctx, tx, id, nil))
	}, append(slices.Clone(opts), sqlcas.WithReport(&r))...)
	return r, err
}

// noted is how many operations are noted under the id.
func (e *env) noted(t *testing.T, op string) int {
	t.Helper()
	return e.count(t, "sqlcas_operation WHERE id = ?", []byte(op))
}

// unrun is the closure of a call that must not run one.
func unrun(t *testing.T) func(context.Context, *sql.Tx) error {
	return func(context.Context, *sql.Tx) error {
		t.Error("the closure was run")
		return nil
	}
}
