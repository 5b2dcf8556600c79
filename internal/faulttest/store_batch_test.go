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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// picky is an argument that the driver refuses if it is notAValue or lateYear, and that panics if it is aPanic.
type picky string

const (
	notAValue = "not a value"
	lateYear  = "12026"
	aPanic    = "panic"
)

var errNotAValue = errors.New("refused before it was sent")

func (p picky) Value() (driver.Value, error) {
	switch p {
	case notAValue:
		return nil, errNotAValue
	case lateYear:
		return time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC), nil
	case aPanic:
		panic(errNotAValue)
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

// Ensures that a change which the server refuses, or the driver, is its caller's error alone, at once, also of a row
// that could not tell what became of a lost statement, and that so is a value that panics: those whose changes were to
// be written together with it succeed at their first attempt.
func TestStoreRefusedChangeIsItsCallersAlone(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		const guests, bad = 6, 2
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		for owner, is := range map[string]func(error) bool{
			strings.Repeat("x", 65): isServerError(1406),
			notAValue:               func(err error) bool { return errors.Is(err, errNotAValue) },
			lateYear:                func(err error) bool { return strings.Contains(err.Error(), "the year 12026") },
			aPanic:                  func(err error) bool { return errors.Is(err, errNotAValue) },
		} {
			for _, version := range []int{1, firstVersion} {
				r.exec(t, "UPDATE account SET balance = ?, version = ?", opening, version)
				st := optimistic.NewStore(db, pickyTable())
				errs, report := r.meetWith(t, st, guests, bad, owner)
				for i, err := range errs {
					if i == bad {
						require.True(t, err != nil && is(err), "%.20s at version %d: %v", owner, version, err)
						require.False(t, errors.Is(err, sqlcas.ErrOutcomeUnknown) || errors.Is(err, sqlcas.ErrExhausted), "%v", err)
						require.LessOrEqual(t, report.Attempts, 1)
					} else {
						require.NoError(t, err, "%.20s at version %d: guest %d", owner, version, i)
					}
				}
				require.Equal(t, opening+guests-1, r.number(t, "SELECT balance FROM account WHERE id = 1"))
				require.Equal(t, version+guests-1, r.number(t, "SELECT version FROM account WHERE id = 1"))
				_, err := st.Update(t.Context(), 1, func(a *shop.Account) error { a.Owner = notAValue; return nil })
				require.Equal(t, errNotAValue, errors.Unwrap(err), "of a caller alone")
				r.quiet(t, db)
				r.assertUnlocked(t)
			}
		}
	})
}

// meetWith has callers meet on row 1, each for a credit, and one of them with an owner besides. A panic is an error here.
func (r *rig) meetWith(
	t *testing.T, st *optimistic.Store[uint64, shop.Account], guests, bad int, owner string,
) (errs []error, report sqlcas.Report) {
	t.Helper()
	errs = make([]error, guests)
	o := occupy(st)
	for i := range errs {
		opts := []sqlcas.Option{sqlcas.WithMaxAttempts(1)}
		if i == bad {
			opts = []sqlcas.Option{sqlcas.WithReport(&report)}
		}
		o.join(t.Context(), func(ctx context.Context) {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = p.(error)
				}
			}()
			_, errs[i] = st.Update(ctx, 1, func(a *shop.Account) error {
				if i == bad {
					a.Owner = owner
				}
				return credit(a)
			}, opts...)
		})
	}
	o.leave()
	return errs, report
}

// countingTable is the accounts' with a count of the swaps that were tried.
func countingTable(swaps *atomic.Int64) sqlcas.Table[uint64, shop.Account] {
	table := shop.AccountTable
	table.Swap = func(ctx context.Context, db sqlcas.DBTX, a shop.Account, steps uint64) (int64, error) {
		swaps.Add(1)
		return shop.AccountTable.Swap(ctx, db, a, steps)
	}
	return table
}

// Ensures that a caller who was refused because of what others are about to write, and gives up while they wait for
// the row, leaves at once, and does not have their statement ended.
func TestStoreRefusedCallerLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		var swaps atomic.Int64
		st := optimistic.NewStore(db, countingTable(&swaps))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var accepted, refused error
		left := make(chan struct{})
		release := r.lock(t, 1)
		o := occupy(st)
		o.join(t.Context(), func(ctx context.Context) { _, accepted = st.Update(ctx, 1, credit) })
		o.join(ctx, func(ctx context.Context) {
			defer close(left)
			_, refused = st.Update(ctx, 1, func(a *shop.Account) error {
				if a.Balance > opening {
					return errRefusal
				}
				return credit(a)
			})
		})
		close(o.free)
		eventually(t, lockGrace, "the UPDATE waits for the row", func() bool { return r.waiting(t) > 0 })
		cancel()
		<-left // though the row is still locked
		require.ErrorIs(t, refused, context.Canceled)
		require.NotErrorIs(t, refused, sqlcas.ErrOutcomeUnknown)
		require.Equal(t, 1, r.waiting(t), "the others' UPDATE goes on waiting")
		release()
		o.all.Wait()
		require.NoError(t, accepted)
		require.EqualValues(t, 1, swaps.Load())
		require.Equal(t, 1, r.swaps(t, 1))
		r.quiet(t, db)
		r.assertUnlocked(t)
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
		st := optimistic.NewStore(db, countingTable(&swaps))
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
// at work for, but for a panic that dividing the batch does away with; that the sums are right, no lock is left, and the
// row is served afterwards.
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
				if name == "panic" && !computed { // the batch was divided, and no part of it met it again
					require.Equal(t, len(errs), done)
				} else {
					require.Less(t, done, len(errs), "%s, computed %v", name, computed)
				}
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
