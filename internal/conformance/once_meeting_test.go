package conformance

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// shopWithIDs opens a database of the shop, and of operation ids, with an account.
func shopWithIDs(t *testing.T, s *mysqltest.Server) (*sql.DB, uint64) {
	t.Helper()
	db := s.DB(t, append(schema.Shop(), schema.Sqlcas()...)...)
	res, err := db.ExecContext(t.Context(), "INSERT INTO account (owner, balance) VALUES ('a', 1000)")
	require.NoError(t, err)
	id, err := res.LastInsertId()
	require.NoError(t, err)
	return db, uint64(id)
}

// gather has calls meet behind one that has the row to itself: it is given a function to call inside its closure, and
// each of the others a context by which it is known to be in line.
func gather(t *testing.T, alone func(inside func()), calls ...func(context.Context)) {
	t.Helper()
	inside, release := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(inside) })
	var all sync.WaitGroup
	all.Go(func() { alone(func() { once(); <-release }) })
	<-inside
	for _, call := range calls {
		ctx := &inLine{Context: t.Context(), in: make(chan struct{})}
		all.Go(func() { call(ctx) })
		<-ctx.in
	}
	close(release)
	all.Wait()
}

// paper is a row that two closures must not share.
type paper struct {
	ID, Version uint64
	Data        []byte
}

var paperTable = sqlcas.Table[uint64, paper]{
	Schema:     sqlcas.Schema{Name: "paper", Key: []string{"id"}, Version: "version"},
	Key:        func(p paper) uint64 { return p.ID },
	Compare:    cmp.Compare[uint64],
	Version:    func(p paper) uint64 { return p.Version },
	SetVersion: func(p *paper, v uint64) { p.Version = v },
	Clone:      func(p paper) paper { p.Data = bytes.Clone(p.Data); return p },
	Get: func(ctx context.Context, db sqlcas.DBTX, key uint64) (p paper, err error) {
		err = db.QueryRowContext(ctx, "SELECT id, data, version FROM paper WHERE id = ?", key).Scan(&p.ID, &p.Data, &p.Version)
		return p, err
	},
	Swap: func(ctx context.Context, db sqlcas.DBTX, p paper, steps uint64) (int64, error) {
		res, err := db.ExecContext(ctx, "UPDATE paper SET data = ?, version = version + ? WHERE id = ? AND version = ?",
			p.Data, steps, p.ID, p.Version)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	},
}

// Ensures that the row which a replay returns is its caller's own: what he does to it is not found by those whose
// closures run after him in the same batch.
func TestReplayedRowIsItsCallersOwn(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, _ := shopWithIDs(t, s)
		_, err := db.ExecContext(t.Context(), "CREATE TABLE paper (id BIGINT PRIMARY KEY, data VARBINARY(100) NOT NULL, "+
			"version BIGINT UNSIGNED NOT NULL)")
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), "INSERT INTO paper VALUES (1, 'good', 5)")
		require.NoError(t, err)
		st := optimistic.NewStore(db, paperTable)
		keep := func(*paper) error { return nil }
		_, err = st.Update(t.Context(), 1, keep, sqlcas.WithOperationID("old"))
		require.NoError(t, err)
		scribbled := make(chan struct{})
		gather(t, func(inside func()) {
			_, err := st.Update(t.Context(), 1, func(*paper) error { inside(); return nil })
			require.NoError(t, err)
		}, func(ctx context.Context) {
			row, err := st.Update(ctx, 1, keep, sqlcas.WithOperationID("old"))
			require.NoError(t, err)
			copy(row.Data, "EVIL")
			close(scribbled)
		}, func(ctx context.Context) {
			_, err := st.Update(ctx, 1, func(*paper) error { <-scribbled; return nil }, sqlcas.WithOperationID("slow"))
			require.NoError(t, err)
		}, func(ctx context.Context) {
			_, err := st.Update(ctx, 1, keep, sqlcas.WithOperationID("new"))
			require.NoError(t, err)
		})
		row, err := st.Get(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, "good", string(row.Data))
	})
}

// Ensures that many who repeat what was applied long ago do not keep those from the row who have something new: a batch
// that has met one of them late is begun again, but not again and again.
func TestReplaysDoNotStarveOthers(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, id := shopWithIDs(t, s)
		st := optimistic.NewStore(db, shop.AccountTable)
		const repeaters, fresh = 16, 40
		pay := func(ctx context.Context, op string) error {
			_, err := st.Update(ctx, id, plus(1), sqlcas.WithOperationID(op))
			return err
		}
		var over atomic.Bool
		var all sync.WaitGroup
		for i := range repeaters {
			op := fmt.Sprint("old", i)
			require.NoError(t, pay(t.Context(), op))
			all.Go(func() {
				for !over.Load() {
					if err := pay(t.Context(), op); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // without the mend it is that for each few
		defer cancel()
		for i := range fresh {
			if err := pay(ctx, fmt.Sprint("new", i)); err != nil {
				t.Errorf("call %d of %d: %v", i, fresh, err)
				break
			}
		}
		over.Store(true)
		all.Wait()
		row, err := st.Get(t.Context(), id)
		require.NoError(t, err)
		require.EqualValues(t, 1000+repeaters+fresh, row.Balance)
	})
}

// Ensures that an entry of which nothing can be made, be it that Values or a value panics or that there are too few, is its own caller's
// mistake alone.
func TestEntryOfOneCallerIsHisAlone(t *testing.T) {
	t.Parallel()
	type entry struct{ values []any }
	journal := sqlcas.Journal[*entry]{
		Table: "ledger_entry", Columns: []string{"account_id", "amount", "memo"},
		Values: func(e *entry) []any { return e.values },
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, id := shopWithIDs(t, s)
		st := optimistic.NewJournalStore(db, shop.AccountTable, journal)
		for _, bad := range []*entry{nil, {[]any{id}}, {[]any{id, 1, memoOf{}}}} {
			errs := make([]error, 5)
			var calls []func(context.Context)
			for i := range errs {
				e := &entry{[]any{id, 1, "fine"}}
				if i == 2 {
					e = bad
				}
				calls = append(calls, func(ctx context.Context) {
					defer func() {
						if p := recover(); p != nil {
							errs[i] = fmt.Errorf("panic: %v", p)
						}
					}()
					_, errs[i] = st.Update(ctx, id, func(_ *shop.Account, emit func(*entry)) error {
						emit(e)
						return nil
					})
				})
			}
			gather(t, func(inside func()) {
				_, err := st.Update(t.Context(), id, func(*shop.Account, func(*entry)) error { inside(); return nil })
				require.NoError(t, err)
			}, calls...)
			require.Error(t, errs[2])
			errs[2] = nil
			require.NoError(t, errors.Join(errs...))
		}
		var n int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM ledger_entry").Scan(&n))
		require.Equal(t, 12, n)
	})
}

// memoOf panics when its value is asked for, if it has none.
type memoOf struct{ memo *string }

func (m memoOf) Value() (driver.Value, error) { return *m.memo, nil }

// Ensures that under READ COMMITTED a replay returns the row with what the operation had changed, also if it was applied by
// another call between the two reads.
func TestReplayShowsItsOperation(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db, id := shopWithIDs(t, s)
		twin := optimistic.NewStore(db, shop.AccountTable)
		table := shop.AccountTable
		var first sync.Once
		table.Get = func(ctx context.Context, db sqlcas.DBTX, key uint64) (shop.Account, error) {
			row, err := shop.AccountTable.Get(ctx, db, key)
			first.Do(func() {
				_, err := twin.Update(context.WithoutCancel(t.Context()), id, plus(5), sqlcas.WithOperationID("pay"))
				require.NoError(t, err)
			})
			return row, err
		}
		st := optimistic.NewStore(db, table, sqlcas.WithIsolation(sql.LevelReadCommitted))
		var report sqlcas.Report
		row, err := st.Update(t.Context(), id, plus(5), sqlcas.WithOperationID("pay"), sqlcas.WithReport(&report))
		require.NoError(t, err)
		require.True(t, report.Replayed)
		require.EqualValues(t, 1005, row.Balance)
	})
}

// Ensures that a JournalStore that was not made says so.
func TestZeroJournalStore(t *testing.T) {
	t.Parallel()
	var s optimistic.JournalStore[uint64, shop.Account, int]
	_, err := s.Update(t.Context(), 1, func(*shop.Account, func(int)) error { return nil })
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
	_, err = s.Get(t.Context(), 1)
	require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
}
