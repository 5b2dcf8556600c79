package faulttest

import (
	"cmp"
	"context"
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// pointers is the accounts' table for rows that are pointers.
func pointers() sqlcas.Table[uint64, *shop.Account] {
	at := shop.AccountTable
	return sqlcas.Table[uint64, *shop.Account]{
		Schema: at.Schema, Compare: at.Compare,
		Key:        func(a *shop.Account) uint64 { return a.ID },
		Version:    func(a *shop.Account) uint64 { return a.Version },
		SetVersion: func(a **shop.Account, version uint64) { (*a).Version = version },
		Clone:      func(a *shop.Account) *shop.Account { c := *a; return &c },
		Get: func(ctx context.Context, db sqlcas.DBTX, key uint64) (*shop.Account, error) {
			a, err := at.Get(ctx, db, key)
			if err != nil {
				return nil, err
			}
			return &a, nil
		},
		Swap: func(ctx context.Context, db sqlcas.DBTX, a *shop.Account, steps uint64) (int64, error) {
			return at.Swap(ctx, db, *a, steps)
		},
	}
}

// Ensures that a batch which finds no row asks nothing of it: a row that is a pointer is nil then.
func TestStoreBatchOfPointersFindsItsRowGone(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		st := optimistic.NewStore(db, pointers())
		var errs [3]error
		o := occupy(st)
		r.exec(t, "DELETE FROM account WHERE id = 1")
		for i := range errs {
			o.join(t.Context(), func(ctx context.Context) {
				_, errs[i] = st.Update(ctx, 1, func(a **shop.Account) error { return credit(*a) })
			})
		}
		o.leave()
		for i, err := range errs {
			require.ErrorIs(t, err, sqlcas.ErrGone, "guest %d", i)
		}
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}

// bag is a row of which a plain copy is not one's own.
type bag struct {
	ID      uint64
	Items   []byte
	Version uint64
}

// bags is their table. It has no Clone.
func bags() sqlcas.Table[uint64, bag] {
	return sqlcas.Table[uint64, bag]{
		Schema: sqlcas.Schema{Name: "bag", Version: "version"}, Compare: cmp.Compare[uint64],
		Key:        func(b bag) uint64 { return b.ID },
		Version:    func(b bag) uint64 { return b.Version },
		SetVersion: func(b *bag, version uint64) { b.Version = version },
		Get: func(ctx context.Context, db sqlcas.DBTX, key uint64) (b bag, err error) {
			err = db.QueryRowContext(ctx, "SELECT id, items, version FROM bag WHERE id = ?", key).
				Scan(&b.ID, &b.Items, &b.Version)
			return b, err
		},
		Swap: func(ctx context.Context, db sqlcas.DBTX, b bag, steps uint64) (int64, error) {
			res, err := db.ExecContext(ctx, "UPDATE bag SET items = ?, version = version + ? WHERE id = ? AND version = ?",
				b.Items, steps, b.ID, b.Version)
			if err != nil {
				return 0, err
			}
			return res.RowsAffected()
		},
	}
}

// Ensures that what a closure has done to a row before it refused is in nobody else's, also where rows refer
// to something and the Table has no Clone.
func TestStoreRefusedChangeIsInNoOtherRow(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		r.exec(t, "CREATE TABLE bag (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, items VARBINARY(20) NOT NULL, "+
			"version BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB")
		r.exec(t, "INSERT INTO bag VALUES (1, 'aaa', ?)", firstVersion)
		st := optimistic.NewStore(db, bags())
		var first, refused, last error
		var told [2]bag
		put := func(i int, b byte, err error) func(*bag) error {
			return func(row *bag) error { row.Items[i] = b; return err }
		}
		calls := []func(ctx context.Context){
			func(ctx context.Context) { told[0], first = st.Update(ctx, 1, put(0, '0', nil)) },
			func(ctx context.Context) { _, refused = st.Update(ctx, 1, put(2, 'X', errRefusal)) },
			func(ctx context.Context) { told[1], last = st.Update(ctx, 1, put(1, '1', nil)) },
		}
		o := occupy(st)
		for _, call := range calls {
			o.join(t.Context(), call)
		}
		o.leave()
		require.NoError(t, first)
		require.NoError(t, last)
		require.ErrorIs(t, refused, errRefusal)
		require.EqualValues(t, '0', told[0].Items[0])
		require.EqualValues(t, '1', told[1].Items[1])
		for _, b := range told {
			require.EqualValues(t, 'a', b.Items[2], "the caller who made version %d has what another refused", b.Version)
		}
		var items string
		require.NoError(t, r.truth.QueryRowContext(t.Context(), "SELECT items FROM bag").Scan(&items))
		require.Equal(t, "01a", items)
		r.quiet(t, db)
	})
}

// Ensures that a caller who has lost locks the row for his next try, also where it is the server that tells him:
// in a transaction MariaDB says 1020 of a row that has changed. Another writer who is always faster does not
// keep him from it, alone or in a batch.
func TestStoreLocksAfterEachKindOfLoss(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, batched := range []bool{false, true} {
			for _, computed := range []bool{false, true} { // without a transaction, and in one
				r := newRig(t, s, 1)
				db := open(t, dial(t, r.cfg))
				var locked atomic.Bool
				table := shop.AccountTable
				table.Computed = computed
				table.GetForUpdate = func(ctx context.Context, tx *sql.Tx, key uint64, w sqlcas.LockWait) (shop.Account, error) {
					locked.Store(true)
					return shop.AccountTable.GetForUpdate(ctx, tx, key, w)
				}
				st := optimistic.NewStore(db, table)
				foreign := 0
				var err error
				call := func(ctx context.Context) {
					_, err = st.Update(ctx, 1, func(a *shop.Account) error {
						if !locked.Load() {
							foreign++
							if _, err := r.truth.ExecContext(ctx, "UPDATE account SET version = version + 1 WHERE id = 1"); err != nil {
								return err
							}
						}
						return credit(a)
					}, sqlcas.WithMaxAttempts(5))
				}
				if batched {
					o := occupy(st)
					o.join(t.Context(), call)
					o.leave()
				} else {
					call(t.Context())
				}
				require.NoError(t, err, "batched %v, computed %v", batched, computed)
				require.True(t, locked.Load())
				require.Equal(t, 1+foreign, r.swaps(t, 1))
				r.quiet(t, db)
				r.assertUnlocked(t)
			}
		}
	})
}

// Ensures that a batch which has lost is run again at once, as one attempt of its calls.
func TestStoreLostBatchIsOneAttempt(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		st := optimistic.NewStore(db, shop.AccountTable)
		var report sqlcas.Report
		var err error
		runs := 0
		o := occupy(st)
		o.join(t.Context(), func(ctx context.Context) {
			_, err = st.Update(ctx, 1, func(a *shop.Account) error {
				if runs++; runs == 1 {
					if _, err := r.truth.ExecContext(ctx, "UPDATE account SET version = version + 1 WHERE id = 1"); err != nil {
						return err
					}
				}
				return credit(a)
			}, sqlcas.WithMaxAttempts(1), sqlcas.WithReport(&report))
		})
		o.leave()
		require.NoError(t, err)
		require.Equal(t, 2, runs)
		require.Equal(t, 1, report.Attempts)
		require.Equal(t, 2, r.swaps(t, 1))
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}

// Ensures that a closure which wants a connection of a pool that has one gets it, or fails by its own limit: it
// keeps neither itself nor those behind it.
func TestStoreClosureInNeedOfTheOnlyConnection(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		db.SetMaxOpenConns(1)
		st := optimistic.NewStore(db, shop.AccountTable)
		ctx, cancel := context.WithTimeout(t.Context(), inTime)
		defer cancel()
		var behind error
		o := occupy(st)
		o.join(ctx, func(ctx context.Context) {
			_, _ = st.Update(ctx, 1, func(*shop.Account) error {
				own, stop := context.WithTimeout(ctx, 300*time.Millisecond)
				defer stop()
				_, _ = st.Get(own, 1)
				return errRefusal
			})
		})
		o.join(ctx, func(ctx context.Context) { _, behind = st.Update(ctx, 1, credit) })
		o.leave()
		require.NoError(t, behind)
		require.Equal(t, 1, r.swaps(t, 1))
		r.quiet(t, db)
		r.assertUnlocked(t)
	})
}
