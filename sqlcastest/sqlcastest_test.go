package sqlcastest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/sqlcastest"
)

// TestMain fails the package if a goroutine outlives its tests. Nothing is ignored.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick keeps the pauses of retries short.
var quick = sqlcas.WithDelays(time.Microsecond, time.Microsecond)

// open opens a pool with faults over the script.
func open(t *testing.T, s *scriptdb.Script, f *sqlcastest.Faults) *sql.DB {
	t.Helper()
	db := sql.OpenDB(sqlcastest.Wrap(s, f))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// deduct takes amount from account 42, by a transaction with a ledger entry.
func deduct(ctx context.Context, db *sql.DB, amount int64, opts ...sqlcas.Option) error {
	return sqlcas.RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		q := shop.New(tx)
		acct, err := q.GetAccount(ctx, 42)
		if err != nil {
			return err
		}
		args := shop.DeductBalanceParams{Balance: acct.Balance - amount, ID: 42, Version: acct.Version}
		if err := sqlcas.One(q.DeductBalance(ctx, args)); err != nil {
			return err
		}
		return q.InsertLedgerEntry(ctx, shop.InsertLedgerEntryParams{AccountID: 42, Amount: -amount, Memo: "rent"})
	}, append(opts, quick)...)
}

// balance is what account 42 and its ledger come to.
func balance(t *testing.T, db *sql.DB) string {
	t.Helper()
	acct, err := shop.New(db).GetAccount(t.Context(), 42)
	require.NoError(t, err)
	ledger, err := shop.New(db).SumLedger(t.Context(), 42)
	require.NoError(t, err)
	return fmt.Sprintf("balance %d, version %d, ledger %d", acct.Balance, acct.Version, ledger)
}

// Ensures that forced conflicts are absorbed and the change is applied once.
func TestConflictsAreAbsorbed(t *testing.T) {
	t.Parallel()
	var faults sqlcastest.Faults
	script := scriptdb.Shop()
	db := open(t, script, &faults)
	faults.Conflict(1)
	faults.Conflict(2)
	require.Equal(t, 3, faults.Pending())
	var r sqlcas.Report
	require.NoError(t, deduct(t.Context(), db, 30, sqlcas.WithReport(&r)))
	require.Equal(t, 3, r.Conflicts)
	require.Equal(t, 4, r.Attempts)
	require.Zero(t, faults.Pending())
	require.Equal(t, 1, script.Count("UPDATE"), "UPDATEs sent: one that loses by order is not")
	require.Equal(t, "balance 70, version 8, ledger -30", balance(t, db))
}

// Ensures that a conflict is forced on prepared statements and on DELETE as well.
func TestConflictsOnPreparedStatementsAndDelete(t *testing.T) {
	t.Parallel()
	var faults sqlcastest.Faults
	db := open(t, scriptdb.New(func(context.Context, *scriptdb.Conn, scriptdb.Statement) (scriptdb.Reply, error) {
		return scriptdb.Reply{Affected: 1}, nil
	}), &faults)
	faults.Conflict(2)
	stmt, err := db.Prepare("UPDATE a SET b = 1")
	require.NoError(t, err)
	defer stmt.Close()
	for _, want := range []int64{0, 1} {
		res, err := stmt.Exec()
		require.NoError(t, err)
		got, err := res.RowsAffected()
		require.NoError(t, err)
		require.Equal(t, want, got)
		if want == 0 {
			res, err = db.Exec("DELETE FROM a")
			require.NoError(t, err)
			got, err = res.RowsAffected()
			require.NoError(t, err)
			require.Zero(t, got)
		}
	}
}

// Ensures that a COMMIT which fails by order is rolled back, and retried if the error is a
// server's (cases 55, 56); the caller's own error is an unknown outcome, as from any proxy.
func TestFailedCommits(t *testing.T) {
	t.Parallel()
	var faults sqlcastest.Faults
	db := open(t, scriptdb.Shop(), &faults)
	faults.FailCommit(2, &mysql.MySQLError{Number: 1213})
	faults.FailCommit(1, &mysql.MySQLError{Number: 3101})
	var r sqlcas.Report
	require.NoError(t, deduct(t.Context(), db, 30, sqlcas.WithReport(&r)))
	require.Equal(t, 4, r.Attempts)
	require.Equal(t, "balance 70, version 8, ledger -30", balance(t, db))

	odd := errors.New("odd")
	faults.FailCommit(1, odd)
	err := deduct(t.Context(), db, 30)
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
	require.ErrorIs(t, err, odd)
	require.Equal(t, "balance 70, version 8, ledger -30", balance(t, db))
}

// Ensures that a lost COMMIT is applied if its reply was lost and is not if its request was, that
// the client is told the same in both cases, and that it is never run again (case 44).
func TestLostCommits(t *testing.T) {
	t.Parallel()
	for loss, want := range map[sqlcastest.Loss]string{
		sqlcastest.Reply:   "balance 70, version 8, ledger -30",
		sqlcastest.Request: "balance 100, version 7, ledger 0",
	} {
		var faults sqlcastest.Faults
		script := scriptdb.Shop()
		db := open(t, script, &faults)
		faults.LoseCommit(1, loss)
		err := deduct(t.Context(), db, 30)
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.ErrorIs(t, err, mysql.ErrInvalidConn)
		require.Equal(t, 1, script.Closed(), "the connection is gone")
		require.Zero(t, db.Stats().InUse)
		require.Equal(t, want, balance(t, db))
	}
}

// Ensures that a program which ends its transactions by Tx.Commit meets the faults too.
func TestFaultsMeetTxCommit(t *testing.T) {
	t.Parallel()
	var faults sqlcastest.Faults
	script := scriptdb.New(nil)
	db := open(t, script, &faults)
	failed := errors.New("failed")
	faults.FailCommit(1, failed)
	faults.LoseCommit(1, sqlcastest.Request)
	for _, want := range []error{failed, mysql.ErrInvalidConn, nil} {
		tx, err := db.Begin()
		require.NoError(t, err)
		require.Equal(t, want, tx.Commit())
	}
	require.Equal(t, []string{"BEGIN", "ROLLBACK", "BEGIN", "BEGIN", "COMMIT"}, script.Log())
	require.Zero(t, faults.Pending())
}

// Ensures that orders that make no sense panic with the mend: they are a mistake in the test.
func TestSenselessOrdersPanic(t *testing.T) {
	t.Parallel()
	var faults sqlcastest.Faults
	for want, order := range map[string]func(){
		"sqlcastest: Conflict(0): give at least 1":                                      func() { faults.Conflict(0) },
		"sqlcastest: FailCommit(-1): give at least 1":                                   func() { faults.FailCommit(-1, errors.New("x")) },
		"sqlcastest: LoseCommit(0): give at least 1":                                    func() { faults.LoseCommit(0, sqlcastest.Reply) },
		"sqlcastest: FailCommit: the error is nil: say what the COMMIT is to fail with": func() { faults.FailCommit(1, nil) },
		"sqlcastest: LoseCommit: 9 is no Loss: give Request or Reply":                   func() { faults.LoseCommit(1, 9) },
	} {
		require.PanicsWithValue(t, want, order)
	}
	require.Panics(t, func() { sqlcastest.Wrap(nil, &faults) })
	require.Panics(t, func() { sqlcastest.Wrap(scriptdb.Shop(), nil) })
	require.Zero(t, faults.Pending())
}
