package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// stage is where the calls are made of which docs/stores.md shows what they send.
type stage struct {
	db, other *sql.DB // other is another writer's, of whom nothing is shown
	o         *optimistic.Store[uint64, shop.Account]
	p         *pessimistic.Store[uint64, shop.Account]
	tx        *sql.Tx // of the list "in"
}

// sending is a call in one of the lists.
type sending struct {
	call string
	make func(ctx context.Context, s *stage) error
	want error // nil: success
}

// sendings are the calls in the lists of docs/stores.md, by the names of the lists. internal/conformance
// makes the same calls on servers.
var sendings = map[string][]sending{
	"optimistic": {
		{call: "Get", make: func(ctx context.Context, s *stage) error { return second(s.o.Get(ctx, 42)) }},
		{call: "Update", make: func(ctx context.Context, s *stage) error { return second(s.o.Update(ctx, 42, take30)) }},
		{call: "Update, and another writer was faster once", make: func(ctx context.Context, s *stage) error {
			return second(s.o.Update(ctx, 42, s.overtaken()))
		}},
		{call: "Update of a Computed table", make: func(ctx context.Context, s *stage) error {
			table := shop.AccountTable
			table.Computed = true
			return second(optimistic.NewStore(s.db, table).Update(ctx, 42, take30))
		}},
		{call: "UpdateIfVersion", make: func(ctx context.Context, s *stage) error {
			return second(s.o.UpdateIfVersion(ctx, 42, 7, take30))
		}},
		{call: "UpdateIfVersion, and the row has another version", make: func(ctx context.Context, s *stage) error {
			return second(s.o.UpdateIfVersion(ctx, 42, 6, take30))
		}, want: sqlcas.ErrConflict},
		{call: "UpdateAll of two rows", make: func(ctx context.Context, s *stage) error {
			return second(s.o.UpdateAll(ctx, []uint64{43, 42}, take30OfBoth))
		}},
		{call: "Delete", make: func(ctx context.Context, s *stage) error { return s.o.Delete(ctx, alice) }},
		{call: "Delete, and the row has another version", make: func(ctx context.Context, s *stage) error {
			return s.o.Delete(ctx, shop.Account{ID: 42, Version: 6})
		}, want: sqlcas.ErrConflict},
	},
	"pessimistic": {
		{call: "Get", make: func(ctx context.Context, s *stage) error { return second(s.p.Get(ctx, 42)) }},
		{call: "Update", make: func(ctx context.Context, s *stage) error { return second(s.p.Update(ctx, 42, take30)) }},
		{call: "Update, and the closure returns an error", make: func(ctx context.Context, s *stage) error {
			return second(s.p.Update(ctx, 42, func(*shop.Account) error { return errInsufficientFunds }))
		}, want: errInsufficientFunds},
		{call: "Update with NoWait, and the row is locked", make: func(ctx context.Context, s *stage) error {
			return s.whileLocked(ctx, func() error { return second(s.p.Update(ctx, 42, take30, pessimistic.NoWait())) })
		}, want: sqlcas.ErrLocked},
		{call: "Update with SkipLocked, and the row is locked", make: func(ctx context.Context, s *stage) error {
			return s.whileLocked(ctx, func() error { return second(s.p.Update(ctx, 42, take30, pessimistic.SkipLocked())) })
		}, want: sqlcas.ErrLocked},
		{call: "UpdateIfVersion", make: func(ctx context.Context, s *stage) error {
			return second(s.p.UpdateIfVersion(ctx, 42, 7, take30))
		}},
		{call: "UpdateIfVersion, and the row has another version", make: func(ctx context.Context, s *stage) error {
			return second(s.p.UpdateIfVersion(ctx, 42, 6, take30))
		}, want: sqlcas.ErrConflict},
		{call: "UpdateAll of two rows", make: func(ctx context.Context, s *stage) error {
			return second(s.p.UpdateAll(ctx, []uint64{43, 42}, take30OfBoth))
		}},
		{call: "Delete", make: func(ctx context.Context, s *stage) error { return s.p.Delete(ctx, alice) }},
		{call: "GetOrCreate, and the row is there", make: func(ctx context.Context, s *stage) error { return s.getOrCreate(ctx, 1) }},
		{call: "GetOrCreate, and it is not", make: func(ctx context.Context, s *stage) error { return s.getOrCreate(ctx, 2) }},
	},
	"in": {
		{call: "optimistic: In(tx).Get", make: func(ctx context.Context, s *stage) error { return second(s.o.In(s.tx).Get(ctx, 42)) }},
		{call: "pessimistic: In(tx).Get", make: func(ctx context.Context, s *stage) error { return second(s.p.In(s.tx).Get(ctx, 42)) }},
		{call: "pessimistic: LockAll of two rows", make: func(ctx context.Context, s *stage) error {
			return second(s.p.LockAll(ctx, s.tx, []uint64{43, 42}))
		}},
		{call: "both: In(tx).Update", make: func(ctx context.Context, s *stage) error {
			row := alice
			row.Balance = 70
			return s.o.In(s.tx).Update(ctx, &row)
		}},
		{call: "both: In(tx).Touch", make: func(ctx context.Context, s *stage) error {
			row := alice
			return s.o.In(s.tx).Touch(ctx, &row)
		}},
		{call: "both: In(tx).Check", make: func(ctx context.Context, s *stage) error { return s.o.In(s.tx).Check(ctx, alice) }},
		{call: "both: In(tx).Delete", make: func(ctx context.Context, s *stage) error { return s.o.In(s.tx).Delete(ctx, alice) }},
	},
}

var alice = shop.Account{ID: 42, Owner: "alice", Balance: 100, Version: 7}

func second[T any](_ T, err error) error { return err }

func take30(a *shop.Account) error {
	a.Balance -= 30
	return nil
}

func take30OfBoth(rows map[uint64]*shop.Account) error {
	return errors.Join(take30(rows[42]), take30(rows[43]))
}

// overtaken is take30 that another writer overtakes once.
func (s *stage) overtaken() func(a *shop.Account) error {
	runs := 0
	return func(a *shop.Account) error {
		if runs++; runs == 1 {
			credit := shop.CreditBalanceParams{Balance: 200, ID: a.ID, Version: a.Version}
			if err := sqlcas.One(shop.New(s.other).CreditBalance(context.Background(), credit)); err != nil {
				return err
			}
		}
		return take30(a)
	}
}

// whileLocked calls f while somebody else has account 42 locked.
func (s *stage) whileLocked(ctx context.Context, f func() error) error {
	tx, err := s.other.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := shop.New(tx).GetAccountForUpdate(ctx, 42); err != nil {
		return err
	}
	return f()
}

func (s *stage) getOrCreate(ctx context.Context, id uint64) error {
	stock := pessimistic.NewStore(s.db, shop.StockTable)
	return second(stock.GetOrCreate(ctx, id, func(ctx context.Context, db sqlcas.DBTX) error {
		return shop.New(db).InsertStock(ctx, shop.InsertStockParams{ProductID: id, Name: "Chang"})
	}))
}

// statementList returns what the calls of a list send, as docs/stores.md shows it.
func statementList(t *testing.T, list string) string {
	t.Helper()
	require.Contains(t, sendings, list)
	var b strings.Builder
	for i, s := range sendings[list] {
		if i > 0 {
			b.WriteString("\n")
		}
		statements := s.statements(t, list == "in")
		trips := "1 round trip"
		if len(statements) != 1 {
			trips = fmt.Sprintf("%d round trips", len(statements))
		}
		fmt.Fprintf(&b, "-- %s: %s\n%s;\n", s.call, trips, strings.Join(statements, ";\n"))
	}
	return b.String()
}

// statements makes the call and returns what it has sent.
func (s sending) statements(t *testing.T, inside bool) []string {
	t.Helper()
	script := scriptdb.LockingShop(func(number uint16, message string) error {
		return &mysql.MySQLError{Number: number, Message: message}
	})
	st := &stage{db: pool(t, script), other: pool(t, script)}
	st.o, st.p = optimistic.NewStore(st.db, shop.AccountTable), pessimistic.NewStore(st.db, shop.AccountTable)
	st.other.SetMaxOpenConns(1)
	require.NoError(t, st.other.PingContext(t.Context()), "connection 1 is the other writer's")
	if inside {
		tx, err := st.db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		st.tx = tx
	}
	before := len(script.Sent())
	if err := s.make(t.Context(), st); s.want == nil {
		require.NoError(t, err, s.call)
	} else {
		require.ErrorIs(t, err, s.want, s.call)
	}
	var sent []string
	for _, st := range script.Sent()[before:] {
		if st.Conn != 1 {
			sent = append(sent, st.String())
		}
	}
	return sent
}
