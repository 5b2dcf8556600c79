package faulttest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// picky is an argument that the driver refuses if it is notAValue.
type picky string

const notAValue = "not a value"

var errNotAValue = errors.New("refused before it was sent")

func (p picky) Value() (driver.Value, error) {
	if p == notAValue {
		return nil, errNotAValue
	}
	return string(p), nil
}

// pickyTable is the accounts' with a picky owner.
func pickyTable() sqlcas.Table[uint64, shop.Account] {
	table := shop.AccountTable
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
		res, err := db.ExecContext(ctx,
			"UPDATE account SET owner = ?, balance = ?, version = version + ? WHERE id = ? AND version = ?",
			picky(a.Owner), a.Balance, steps, a.ID, a.Version)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}
	return table
}

// Ensures that a change which the server refuses, or the driver, is its caller's error alone: those whose
// changes were to be written together with it succeed at their first attempt.
func TestStoreRefusedChangeIsItsCallersAlone(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		const guests, bad = 6, 2
		for owner, is := range map[string]func(error) bool{
			strings.Repeat("x", 65): isServerError(1406),
			notAValue:               func(err error) bool { return errors.Is(err, errNotAValue) },
		} {
			r := newRig(t, s, 1)
			db := open(t, dial(t, r.cfg))
			st := optimistic.NewStore(db, pickyTable(), sqlcas.WithMaxAttempts(1))
			var errs [guests]error
			o := occupy(st)
			for i := range errs {
				o.join(t.Context(), func(ctx context.Context) {
					_, errs[i] = st.Update(ctx, 1, func(a *shop.Account) error {
						if i == bad {
							a.Owner = owner
						}
						return credit(a)
					})
				})
			}
			o.leave()
			for i, err := range errs {
				if i == bad {
					require.True(t, is(err), "%.20s: %v", owner, err)
				} else {
					require.NoError(t, err, "%.20s: guest %d", owner, i)
				}
			}
			require.Equal(t, opening+guests-1, r.number(t, "SELECT balance FROM account WHERE id = 1"))
			require.Equal(t, guests-1, r.swaps(t, 1))
			r.quiet(t, db)
			r.assertUnlocked(t)
		}
	})
}

// writer is the number of the session that executes an UPDATE; 0 if there is none. With the row locked by another,
// it stays at it.
func (r *rig) writer(t *testing.T) int {
	t.Helper()
	return r.number(t, "SELECT COALESCE(MAX(ID), 0) FROM information_schema.PROCESSLIST "+
		"WHERE DB = DATABASE() AND INFO LIKE '%\nUPDATE account%' AND STATE = 'updating'")
}

// Ensures that a batch whose statement is interrupted is not taken apart, each part of which would wait as long
// again: all are told.
func TestStoreInterruptedBatchIsOver(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		var swaps atomic.Int64
		table := shop.AccountTable
		table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
			swaps.Add(1)
			return shop.AccountTable.Swap(ctx, db, a, steps)
		}
		st := optimistic.NewStore(db, table)
		release := r.lock(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), inTime)
		defer cancel()
		var errs [8]error
		var told atomic.Int64
		o := occupy(st)
		for i := range errs {
			o.join(ctx, func(ctx context.Context) { _, errs[i] = st.Update(ctx, 1, credit); told.Add(1) })
		}
		close(o.free)
		eventually(t, inTime+slack, "all have their answers", func() bool {
			if id := r.writer(t); id > 0 {
				r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
			}
			return told.Load() == int64(len(errs))
		})
		o.all.Wait()
		release()
		for i, err := range errs {
			require.True(t, isServerError(1317)(err), "guest %d: got %v, want it to be told of the KILL", i, err)
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		}
		require.LessOrEqual(t, swaps.Load(), int64(2), "one, and one for those who came too late for it")
		require.Zero(t, r.swaps(t, 1))
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}

// Ensures that a swap which was applied to two rows is not made again: who was a part of it is told so, and each
// change is in the rows once at most.
func TestStoreSwapOfTwoRowsIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		r.exec(t, "CREATE TABLE twin (id BIGINT UNSIGNED NOT NULL, balance BIGINT NOT NULL, "+
			"version BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB")
		r.exec(t, "INSERT INTO twin VALUES (1, 0, ?), (1, 0, ?)", firstVersion, firstVersion)
		table := shop.AccountTable
		table.Schema = sqlcas.Schema{Name: "twin", Version: "version"}
		table.GetForUpdate, table.Delete = nil, nil
		table.Get = func(ctx context.Context, db sqlcas.DBTX, key uint64) (a shop.Account, err error) {
			err = db.QueryRowContext(ctx, "SELECT id, balance, version FROM twin WHERE id = ? LIMIT 1", key).
				Scan(&a.ID, &a.Balance, &a.Version)
			return a, err
		}
		table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
			res, err := db.ExecContext(ctx, "UPDATE twin SET balance = ?, version = version + ? WHERE id = ? AND version = ?",
				a.Balance, steps, a.ID, a.Version)
			if err != nil {
				return 0, err
			}
			return res.RowsAffected()
		}
		st := optimistic.NewStore(db, table)
		var errs [8]error
		o := occupy(st)
		for i := range errs {
			o.join(t.Context(), func(ctx context.Context) { _, errs[i] = st.Update(ctx, 1, credit) })
		}
		o.leave()
		for i, err := range errs {
			require.ErrorIs(t, err, sqlcas.ErrTooManyRows, "guest %d", i)
		}
		require.LessOrEqual(t, r.number(t, "SELECT MAX(balance) FROM twin"), len(errs))
		require.LessOrEqual(t, r.number(t, "SELECT MAX(version) FROM twin"), firstVersion+len(errs))
		r.quiet(t, db)
	})
}

// Ensures that what the table's code does to its goroutine, panic or end it, is done to the callers whom it was
// at work for; that the sums are right, no lock is left, and the row is served afterwards.
func TestStoreTablePanicsInItsCallers(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for name, end := range map[string]func(){"Goexit": runtime.Goexit, "panic": func() { panic(errPanic) }} {
			for _, computed := range []bool{false, true} {
				r := newRig(t, s, 1)
				db := open(t, dial(t, r.cfg))
				table := shop.AccountTable
				table.Computed = computed
				var swaps atomic.Int64
				table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
					if swaps.Add(1) == 1 {
						end()
					}
					return shop.AccountTable.Swap(ctx, db, a, steps)
				}
				st := optimistic.NewStore(db, table)
				errs := [5]error{}
				o := occupy(st)
				for i := range errs {
					o.join(t.Context(), func(ctx context.Context) { errs[i] = ending(ctx, st) })
				}
				o.leave()
				done := 0
				for i, err := range errs {
					switch {
					case err == nil:
						done++
					case name == "panic":
						require.Equal(t, errPanic, err, "guest %d", i)
					default:
						require.Equal(t, errExited, err, "guest %d", i)
					}
				}
				require.Less(t, done, len(errs), "%s, computed %v", name, computed)
				if computed { // each has a batch of his own
					require.Equal(t, len(errs)-1, done, name)
				}
				_, err := st.Update(t.Context(), 1, credit)
				require.NoError(t, err)
				require.Equal(t, opening+done+1, r.number(t, "SELECT balance FROM account WHERE id = 1"))
				r.quiet(t, db)
				r.assertUnlocked(t)
			}
		}
	})
}

// ending is how a call ends in a goroutine of its own: with an error, by Goexit, or with what it has panicked with.
func ending(ctx context.Context, st *optimistic.Store[uint64, shop.Account]) error {
	err := errExited
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err, _ = p.(error)
			}
		}()
		_, err = st.Update(ctx, 1, credit)
	}()
	<-done
	return err
}
