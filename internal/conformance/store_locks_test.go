package conformance

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// lockChecks are the clauses that pessimistic.Store has of its own.
var lockChecks = []storeCheck{
	{"locked row is ErrLocked in every way of not waiting", checkLocked},
	{"row that is free, or gone, is no locked one", checkUnlocked},
	{"locked row of UpdateAll is named", checkAllLocked},
	{"transaction goes on after NOWAIT", checkLockedInTx},
	{"Wait ends in time and leaves the session as it was", checkWait},
	{"Wait gets a row that is freed in time", checkWaitFreed},
	{"lock clauses are the servers' own", checkLockClauses},
	{"LockAll locks in order, each row once", checkLockAll},
	{"LockAll refuses what it cannot lock", checkLockAllRefuses},
	{"takers get disjoint rows", checkTake},
	{"Take refuses what makes no sense", checkTakeRefuses},
	{"GetOrCreate by many makes one row", checkGetOrCreateMany},
	{"GetOrCreate hands on what create meets", checkGetOrCreateFails},
	{"GetOrCreate commits in every session", checkGetOrCreateCommits},
	{"GetOrCreate survives a lost COMMIT", checkCreateLost},
}

// lockWays are the ways of not waiting for a lock as long as the session says. The third value tells
// whether the server answers the locking read by an error.
var lockWays = []struct {
	name  string
	opt   sqlcas.Option
	cause bool
}{
	{"NoWait", pessimistic.NoWait(), true},
	{"SkipLocked", pessimistic.SkipLocked(), false},
	{"Wait", pessimistic.Wait(150 * time.Millisecond), true},
}

// isLocked ensures that the error says that somebody holds the row, which one, and that this was found
// at the first attempt.
func isLocked(t *testing.T, err error, id uint64) *sqlcas.LockedError {
	t.Helper()
	require.ErrorIs(t, err, sqlcas.ErrLocked)
	require.NotErrorIs(t, err, sqlcas.ErrExhausted)
	require.NotErrorIs(t, err, sqlcas.ErrGone)
	var locked *sqlcas.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, "account", locked.Table)
	require.Equal(t, id, locked.Key)
	return locked
}

// checkLocked ensures that NoWait, SkipLocked and Wait are the same ErrLocked on every server, though
// these answer by 3572, by 1205, by a missing row or by nothing at all: at once, once, with the row's
// name, and without a trace, from every method that locks. Given to the constructor they hold for every
// call, and the last one given counts (case 30).
func checkLocked(t *testing.T, e *env, s strategy) {
	for _, way := range lockWays {
		id := e.account(t)
		h := e.hold(t, id)
		for _, st := range []store[uint64, shop.Account]{
			s.accounts(e.db, shop.AccountTable), s.accounts(e.db, shop.AccountTable, pessimistic.Wait(time.Hour), way.opt),
		} {
			for method, change := range changers(t.Context(), st, id) {
				began := time.Now()
				var r sqlcas.Report
				err := change(plus(1), way.opt, sqlcas.WithReport(&r))
				locked := isLocked(t, err, id)
				require.Equal(t, way.cause, locked.Cause != nil, "%s: %s: %v", way.name, method, err)
				require.Less(t, time.Since(began), lockWait/2, "%s: %s", way.name, method)
				require.Equal(t, 1, r.Attempts, "%s: %s", way.name, method)
			}
			isLocked(t, st.Delete(t.Context(), shop.Account{ID: id, Version: 1}, way.opt), id)
		}
		err := inTx(t, e, s.accounts(e.db, shop.AccountTable, way.opt), func(ctx context.Context, in inAccounts) error {
			_, err := in.Get(ctx, id)
			return err
		})
		isLocked(t, err, id)
		h.rollback(t)
		e.want(t, id, opening, 1)
	}
}

// checkUnlocked ensures that no way of waiting makes a free row locked or a missing one anything but
// gone: SKIP LOCKED, to which both look alike, is no exception.
func checkUnlocked(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	for _, opt := range []sqlcas.Option{pessimistic.NoWait(), pessimistic.SkipLocked(), pessimistic.Wait(lockWait)} {
		id := e.account(t)
		_, err := st.Update(t.Context(), id, plus(1), opt)
		require.NoError(t, err)
		e.want(t, id, opening+1, 2)
		for _, change := range changers(t.Context(), st, absent) {
			isGone(t, change(plus(1), opt), "account", absent)
		}
		isGone(t, st.Delete(t.Context(), shop.Account{ID: absent, Version: 1}, opt), "account", absent)
	}
}

// checkAllLocked ensures that UpdateAll names the one of its rows that is locked, and changes none.
func checkAllLocked(t *testing.T, e *env, s strategy) {
	st := s.accounts(e.db, shop.AccountTable)
	a, b, c := e.three(t)
	h := e.hold(t, b)
	for _, way := range lockWays {
		_, err := st.UpdateAll(t.Context(), []uint64{c, b, a}, func(rows) error {
			t.Error("the closure was run")
			return nil
		}, way.opt)
		isLocked(t, err, b)
	}
	h.rollback(t)
	for _, id := range []uint64{a, b, c} {
		e.want(t, id, opening, 1)
	}
}

// checkLockedInTx ensures that a transaction of the caller's stays usable when its Store has met a locked
// row without waiting: a closure that handles ErrLocked, before and after writing, commits what it did
// (case 30).
func checkLockedInTx(t *testing.T, e *env, s strategy) {
	for _, way := range lockWays[:2] {
		locked, free := e.account(t), e.account(t)
		h := e.hold(t, locked)
		st := s.accounts(e.db, shop.AccountTable, way.opt)
		err := inTx(t, e, st, func(ctx context.Context, in inAccounts) error {
			_, err := in.Get(ctx, locked)
			isLocked(t, err, locked)
			row, err := in.Get(ctx, free)
			if err != nil {
				return err
			}
			row.Balance++
			if err := in.Update(ctx, &row); err != nil {
				return err
			}
			_, err = in.Get(ctx, locked)
			isLocked(t, err, locked)
			return in.Touch(ctx, &row)
		})
		require.NoError(t, err, way.name)
		e.want(t, free, opening+1, 2)
		h.rollback(t)
	}
}

// checkLockClauses ensures that the descriptors' locking reads are each what it says on this server: all
// three lock a free row and read it; on a locked one FOR UPDATE waits, NOWAIT fails at once with the
// number that the server has for it, and SKIP LOCKED finds no row. No clause is sent that only one of
// the servers knows, such as MariaDB's WAIT 1 (case 29).
func checkLockClauses(t *testing.T, e *env, _ strategy) {
	id := e.account(t)
	stock := shop.InsertStockParams{ProductID: id, Name: "rum", OnHand: opening}
	require.NoError(t, shop.New(e.other).InsertStock(t.Context(), stock))
	pairs.put(t, e, 1, part(id))
	lockClausesOf(t, e, shop.AccountTable, "account", "id", id, id)
	lockClausesOf(t, e, shop.StockTable, "inventory", "product_id", id, id)
	lockClausesOf(t, e, pairs.table(), "item_pair", "part", id, part(id))
}

func lockClausesOf[K comparable, R any](
	t *testing.T, e *env, table sqlcas.Table[K, R], name, column string, id uint64, key K,
) {
	t.Helper()
	logged, log := e.logged(t)
	for wait, clause := range lockClauses {
		sent := len(log.of("SELECT"))
		err := rolledBack(t, logged.db, func(tx *sql.Tx) {
			row, err := table.GetForUpdate(t.Context(), tx, key, wait)
			require.NoError(t, err, "%s%s", name, clause)
			require.Equal(t, key, table.Key(row))
			require.EqualValues(t, 1, table.Version(row))
			free := e.unlocked(t, "SELECT * FROM "+name+" WHERE "+column+" = ?", id)
			require.False(t, free, "%s%s locks nothing", name, clause)
		})
		require.NoError(t, err)
		text := log.of("SELECT")[sent].text
		require.True(t, strings.HasSuffix(text, clause), "sent: %s", text)
		require.NotContains(t, text, "WAIT ", "MariaDB's alone: %s", text)
	}
	h := e.holdBy(t, "UPDATE "+name+" SET version = 1 WHERE "+column+" = ?", id)
	_ = rolledBack(t, logged.db, func(tx *sql.Tx) {
		_, err := table.GetForUpdate(t.Context(), tx, key, sqlcas.LockSkipLocked)
		require.ErrorIs(t, err, sql.ErrNoRows, "%s SKIP LOCKED", name)
		_, err = table.GetForUpdate(t.Context(), tx, key, sqlcas.LockNoWait)
		want := uint16(3572)
		if e.server.MariaDB() {
			want = 1205
		}
		require.Equal(t, want, number(err), "%s NOWAIT: %v", name, err)
		ended := h.whenAwaited(e, name, false)
		_, err = table.GetForUpdate(t.Context(), tx, key, sqlcas.LockWaits)
		require.NoError(t, err, "%s, after the lock was given up", name)
		require.NoError(t, <-ended)
	})
}

// rolledBack runs fn in a transaction of database/sql's, without a harness, and rolls it back.
func rolledBack(t *testing.T, db *sql.DB, fn func(tx *sql.Tx)) error {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	fn(tx)
	return tx.Rollback()
}
