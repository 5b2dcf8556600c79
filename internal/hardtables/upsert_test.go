package hardtables

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// Ensures that an upsert tells its three outcomes apart, whatever the driver counts: a row that was never read
// is inserted, and is a conflict if somebody else has inserted it; one that was read is swapped, and is a
// conflict if it has moved or is gone (cases 4 and 66).
func TestUpsertTellsItsOutcomes(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, ctx := open(t, s, true), t.Context()
		day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
		quota := DailyQuota{Day: day, Tenant: "a", Used: 1}
		inserted, err := UpsertDailyQuota(ctx, db, quota)
		require.NoError(t, err)
		require.True(t, inserted)

		_, err = UpsertDailyQuota(ctx, db, quota) // never read, and there by now
		require.ErrorIs(t, err, sqlcas.ErrConflict)

		row, err := DailyQuotaTable.Get(ctx, db, DailyQuotaKey{Day: day, Tenant: "a"})
		require.NoError(t, err)
		require.EqualValues(t, 1, row.Revision)
		row.Used = 2
		inserted, err = UpsertDailyQuota(ctx, db, row)
		require.NoError(t, err)
		require.False(t, inserted)

		_, err = UpsertDailyQuota(ctx, db, row) // moved
		var conflict *sqlcas.ConflictError
		require.ErrorAs(t, err, &conflict)
		require.EqualValues(t, 1, conflict.Expected)

		now, err := DailyQuotaTable.Get(ctx, db, DailyQuotaKey{Day: day, Tenant: "a"})
		require.NoError(t, err)
		require.EqualValues(t, 2, now.Used)
		require.EqualValues(t, 2, now.Revision)
		require.NoError(t, optimistic.NewStore(db, DailyQuotaTable).Delete(ctx, now))
		_, err = UpsertDailyQuota(ctx, db, now) // gone: it is not entered again
		require.ErrorIs(t, err, sqlcas.ErrConflict)
	})
}

// Ensures that a conflict of an upsert makes a transaction run again, which then finds the row.
func TestUpsertIsRetried(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, ctx := open(t, s, true), t.Context()
		attempts := 0
		err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			c, err := CouponTable.Get(ctx, tx, "welcome")
			if err != nil && attempts > 1 {
				return err
			}
			if attempts == 1 {
				if err := New(db).InsertCoupon(ctx, &InsertCouponParams{Code: "welcome", Uses: 5}); err != nil {
					return err
				}
			}
			c.Code = "welcome"
			c.Uses++
			_, err = UpsertCoupon(ctx, tx, c)
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 2, attempts)
		c, err := CouponTable.Get(ctx, db, "welcome")
		require.NoError(t, err)
		require.EqualValues(t, 6, c.Uses)
		require.EqualValues(t, 2, c.Version)
	})
}

// Ensures that a hand-written locking read which is marked takes a transaction, and locks.
func TestMarkedLockingReadTakesATransaction(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, ctx := open(t, s, true), t.Context()
		for n := range uint16(3) {
			require.NoError(t, New(db).InsertSeat(ctx, &InsertSeatParams{Event: 9, RowNO: 1, SeatNO: n}))
		}
		take := func() (*sql.Tx, int) {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
			require.NoError(t, err)
			free, err := FreeSeatsForUpdateInTx(ctx, tx, 9)
			require.NoError(t, err)
			return tx, len(free)
		}
		one, got := take()
		defer func() { _ = one.Rollback() }()
		require.Equal(t, 3, got)
		two, got := take()
		defer func() { _ = two.Rollback() }()
		require.Zero(t, got, "the first one has them locked")
	})
}
