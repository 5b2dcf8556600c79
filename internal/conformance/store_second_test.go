package conformance

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
	"github.com/sqlcas/sqlcas/sqlcastest"
)

// checkAllLocksNext ensures that an UpdateAll which has lost locks its rows in the order of their keys the
// next time, and not before; and that one whose Table has no locking read goes on without.
func checkAllLocksNext(t *testing.T, e *env, s strategy) {
	for _, locks := range []bool{true, false} {
		e, log := e.logged(t)
		table := shop.AccountTable
		if !locks {
			table.GetForUpdate = nil
		}
		a, b := e.account(t), e.account(t)
		runs := 0
		_, err := s.accounts(e.db, table).UpdateAll(t.Context(), []uint64{b, a}, func(map[uint64]*shop.Account) error {
			if runs++; runs == 1 {
				e.bump(t, b)
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 2, runs)
		var reads []bool // whether each locked
		var keys []any
		for _, read := range log.of("SELECT") {
			if len(read.args) == 1 {
				reads = append(reads, strings.HasSuffix(read.text, "FOR UPDATE"))
				keys = append(keys, unsigned(read.args)...)
			}
		}
		require.Equal(t, []bool{false, false, locks, locks}, reads)
		require.Equal(t, []any{a, b, a, b}, keys)
	}
}

// checkForeignPool ensures that a transaction of another pool is refused where it is known to be one.
func checkForeignPool(t *testing.T, e *env, s strategy) {
	id := e.account(t)
	st := s.accounts(e.db, shop.AccountTable)
	locking := pessimistic.NewStore(e.db, shop.AccountTable)
	err := optimistic.UpdateTx(t.Context(), e.other, func(ctx context.Context, tx *sql.Tx) error {
		_, getErr := st.In(tx).Get(ctx, id)
		_, lockErr := locking.LockAll(ctx, tx, []uint64{id})
		_, takeErr := locking.Take(ctx, tx, 1)
		for name, err := range map[string]error{
			"Get": getErr, "Update": st.In(tx).Update(ctx, &shop.Account{ID: id, Version: 1}),
			"LockAll": lockErr, "Take": takeErr,
		} {
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, name)
			require.ErrorContains(t, err, "not of the *sql.DB of the Store", name)
		}
		return nil
	})
	require.NoError(t, err)
	e.want(t, id, opening, 1)
}

// bag is a row that shares memory with its copies.
type bag struct {
	ID      uint64
	Items   []byte
	Version uint64
}

// checkClone ensures that a closure which changes what a row refers to has changed a copy, if the Table can
// make one: the row that UpdateIfVersion returns when it has lost is as it was read.
func checkClone(t *testing.T, e *env, _ strategy) {
	for _, clones := range []bool{true, false} {
		kept := []byte("abc")
		table := sqlcas.Table[uint64, bag]{
			Schema:     sqlcas.Schema{Name: "bag", Version: "version"},
			Key:        func(b bag) uint64 { return b.ID },
			Compare:    shop.AccountTable.Compare,
			Version:    func(b bag) uint64 { return b.Version },
			SetVersion: func(b *bag, v uint64) { b.Version = v },
			Get: func(context.Context, sqlcas.DBTX, uint64) (bag, error) {
				return bag{ID: 1, Items: kept, Version: 5}, nil
			},
			Swap: func(context.Context, sqlcas.DBTX, bag, uint64) (int64, error) { return 0, nil },
		}
		if clones {
			table.Clone = func(b bag) bag {
				b.Items = append([]byte(nil), b.Items...)
				return b
			}
		}
		now, err := optimistic.NewStore(e.db, table).UpdateIfVersion(t.Context(), 1, 5, func(b *bag) error {
			b.Items[0] = 'X'
			return nil
		})
		require.ErrorIs(t, err, sqlcas.ErrConflict)
		require.Equal(t, clones, string(now.Items) == "abc", "%q", now.Items)
	}
}

// checkCreateLost ensures that GetOrCreate finds the row that it has created when the answer to the COMMIT
// was lost, and creates it when the COMMIT itself was.
func checkCreateLost(t *testing.T, e *env, _ strategy) {
	connector, err := mysql.NewConnector(e.cfg.Clone())
	require.NoError(t, err)
	faults := &sqlcastest.Faults{}
	st := pessimistic.NewStore(pool(t, sql.OpenDB(sqlcastest.Wrap(connector, faults)), 4), pairs.table())
	for name, loss := range map[string]sqlcastest.Loss{"reply": sqlcastest.Reply, "request": sqlcastest.Request} {
		key := itemKey{"lost " + name, 1}
		faults.LoseCommit(1, loss)
		row, err := st.GetOrCreate(t.Context(), key, func(ctx context.Context, db sqlcas.DBTX) error {
			_, err := db.ExecContext(ctx, "INSERT INTO item_pair (name, part) VALUES (?, ?)", key.Name, key.Part)
			return err
		})
		if loss == sqlcastest.Request && err != nil { // an INSERT leaves no version to look up
			require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, pairs.read(t, e, key), row, name)
	}
}
