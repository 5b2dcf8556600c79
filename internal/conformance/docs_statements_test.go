package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// shown are the statements of docs/stores.md by list and call. The root package's tests write them there.
func shown(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/stores.md")
	require.NoError(t, err)
	all := map[string][]string{}
	for _, list := range regexp.MustCompile("(?s)<!-- statements (\\w+) -->\n```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for call := range strings.SplitSeq(list[2], "\n\n") {
			head, statements, _ := strings.Cut(strings.TrimPrefix(call, "-- "), "\n")
			end := strings.LastIndex(head, ": ")
			require.Positive(t, end, head)
			title, trips := head[:end], head[end+2:]
			lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(statements, ";", "")), "\n")
			require.Equal(t, fmt.Sprint(len(lines)), strings.Fields(trips)[0], "%s: %s", title, trips)
			all[list[1]+" "+title] = lines
		}
	}
	return all
}

// desk is where the calls are made: the program under test, another writer, and the other's session.
type desk struct {
	db, other *sql.DB
	session   uint64
	o         *optimistic.Store[uint64, shop.Account]
	p         *pessimistic.Store[uint64, shop.Account]
	tx        *sql.Tx
}

func fails[T any](_ T, err error) error { return err }

var deskAlice = shop.Account{ID: 42, Owner: "alice", Balance: 100, Version: 7}

func take30(a *shop.Account) error {
	a.Balance -= 30
	return nil
}

func take30OfBoth(rows map[uint64]*shop.Account) error {
	return errors.Join(take30(rows[42]), take30(rows[43]))
}

// deskCalls are those that the document shows, under the names of lists and calls.
var deskCalls = map[string]func(ctx context.Context, d *desk) error{
	"optimistic Get":    func(ctx context.Context, d *desk) error { return fails(d.o.Get(ctx, 42)) },
	"optimistic Update": func(ctx context.Context, d *desk) error { return fails(d.o.Update(ctx, 42, take30)) },
	"optimistic Update, and another writer was faster once": func(ctx context.Context, d *desk) error {
		runs := 0
		return fails(d.o.Update(ctx, 42, func(a *shop.Account) error {
			if runs++; runs == 1 {
				credit := shop.CreditBalanceParams{Balance: 200, ID: 42, Version: 7}
				if err := sqlcas.One(shop.New(d.other).CreditBalance(context.Background(), credit)); err != nil {
					return err
				}
			}
			return take30(a)
		}))
	},
	"optimistic Update of a Computed table": func(ctx context.Context, d *desk) error {
		table := shop.AccountTable
		table.Computed = true
		return fails(optimistic.NewStore(d.db, table).Update(ctx, 42, take30))
	},
	"optimistic UpdateIfVersion": func(ctx context.Context, d *desk) error {
		return fails(d.o.UpdateIfVersion(ctx, 42, 7, take30))
	},
	"optimistic UpdateIfVersion, and the row has another version": func(ctx context.Context, d *desk) error {
		return fails(d.o.UpdateIfVersion(ctx, 42, 6, take30))
	},
	"optimistic UpdateAll of two rows": func(ctx context.Context, d *desk) error {
		return fails(d.o.UpdateAll(ctx, []uint64{43, 42}, take30OfBoth))
	},
	"optimistic Delete": func(ctx context.Context, d *desk) error { return d.o.Delete(ctx, deskAlice) },
	"optimistic Delete, and the row has another version": func(ctx context.Context, d *desk) error {
		return d.o.Delete(ctx, shop.Account{ID: 42, Version: 6})
	},
	"pessimistic Get":    func(ctx context.Context, d *desk) error { return fails(d.p.Get(ctx, 42)) },
	"pessimistic Update": func(ctx context.Context, d *desk) error { return fails(d.p.Update(ctx, 42, take30)) },
	"pessimistic Update, and the closure returns an error": func(ctx context.Context, d *desk) error {
		return fails(d.p.Update(ctx, 42, func(*shop.Account) error { return errors.New("refused") }))
	},
	"pessimistic Update with NoWait, and the row is locked": func(ctx context.Context, d *desk) error {
		return d.whileLocked(ctx, pessimistic.NoWait())
	},
	"pessimistic Update with SkipLocked, and the row is locked": func(ctx context.Context, d *desk) error {
		return d.whileLocked(ctx, pessimistic.SkipLocked())
	},
	"pessimistic UpdateIfVersion": func(ctx context.Context, d *desk) error {
		return fails(d.p.UpdateIfVersion(ctx, 42, 7, take30))
	},
	"pessimistic UpdateIfVersion, and the row has another version": func(ctx context.Context, d *desk) error {
		return fails(d.p.UpdateIfVersion(ctx, 42, 6, take30))
	},
	"pessimistic UpdateAll of two rows": func(ctx context.Context, d *desk) error {
		return fails(d.p.UpdateAll(ctx, []uint64{43, 42}, take30OfBoth))
	},
	"pessimistic Delete":                            func(ctx context.Context, d *desk) error { return d.p.Delete(ctx, deskAlice) },
	"pessimistic GetOrCreate, and the row is there": func(ctx context.Context, d *desk) error { return d.getOrCreate(ctx, 1) },
	"pessimistic GetOrCreate, and it is not":        func(ctx context.Context, d *desk) error { return d.getOrCreate(ctx, 2) },

	"in optimistic: In(tx).Get":  func(ctx context.Context, d *desk) error { return fails(d.o.In(d.tx).Get(ctx, 42)) },
	"in pessimistic: In(tx).Get": func(ctx context.Context, d *desk) error { return fails(d.p.In(d.tx).Get(ctx, 42)) },
	"in pessimistic: LockAll of two rows": func(ctx context.Context, d *desk) error {
		return fails(d.p.LockAll(ctx, d.tx, []uint64{43, 42}))
	},
	"in both: In(tx).Update": func(ctx context.Context, d *desk) error {
		row := deskAlice
		row.Balance = 70
		return d.p.In(d.tx).Update(ctx, &row)
	},
	"in both: In(tx).Touch": func(ctx context.Context, d *desk) error {
		row := deskAlice
		return d.p.In(d.tx).Touch(ctx, &row)
	},
	"in both: In(tx).Check":  func(ctx context.Context, d *desk) error { return d.p.In(d.tx).Check(ctx, deskAlice) },
	"in both: In(tx).Delete": func(ctx context.Context, d *desk) error { return d.p.In(d.tx).Delete(ctx, deskAlice) },
}

func (d *desk) whileLocked(ctx context.Context, opt sqlcas.Option) error {
	tx, err := d.other.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := shop.New(tx).GetAccountForUpdate(ctx, 42); err != nil {
		return err
	}
	return fails(d.p.Update(ctx, 42, take30, opt))
}

func (d *desk) getOrCreate(ctx context.Context, id uint64) error {
	return fails(pessimistic.NewStore(d.db, shop.StockTable).GetOrCreate(ctx, id,
		func(ctx context.Context, db sqlcas.DBTX) error {
			return shop.New(db).InsertStock(ctx, shop.InsertStockParams{ProductID: id, Name: "Chang"})
		}))
}

// Ensures that the statements which docs/stores.md shows for each call are, one by one, those that the
// server gets, so that its numbers of round trips are true where arguments go into the text; and that an
// Update whose arguments do not takes two more.
func TestTheDocumentShowsWhatTheServerGets(t *testing.T) {
	t.Parallel()
	doc := shown(t)
	for call := range doc {
		require.Contains(t, deskCalls, call, "docs/stores.md shows a call that is not made here")
	}
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		for call, make := range deskCalls {
			require.Contains(t, doc, call, "docs/stores.md does not show it")
			sent := serverLog(t, s, true, strings.HasPrefix(call, "in "), make)
			require.Equal(t, doc[call], sent["Query"], call)
		}
		sent := serverLog(t, s, false, false, deskCalls["optimistic Update"])
		require.Len(t, sent["Prepare"], 2)
		require.Len(t, sent["Execute"], 2)
		require.Empty(t, sent["Query"])
	})
}

// serverLog makes the call on a database of its own and returns what the server has got from the
// program's connections, by the kinds of its general log.
func serverLog(
	t *testing.T, s *mysqltest.Server, interpolate, inside bool, call func(context.Context, *desk) error,
) map[string][]string {
	t.Helper()
	ctx := t.Context()
	cfg := s.Config(t, append(schema.Shop(), `INSERT INTO account (id, owner, balance, version) VALUES
		(42, 'alice', 100, 7), (43, 'bob', 50, 1)`, "INSERT INTO inventory VALUES (1, 'Chai', 100, 1)")...)
	cfg.InterpolateParams = interpolate
	d := &desk{db: open(t, cfg.Clone(), 4), other: open(t, cfg.Clone(), 1)}
	d.o, d.p = optimistic.NewStore(d.db, shop.AccountTable), pessimistic.NewStore(d.db, shop.AccountTable)
	require.NoError(t, d.other.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&d.session))
	if inside {
		tx, err := d.db.BeginTx(ctx, nil)
		require.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		d.tx = tx
	}
	admin := open(t, cfg.Clone(), 1)
	for _, set := range []string{
		"SET GLOBAL log_output = 'TABLE'", "TRUNCATE mysql.general_log", "SET GLOBAL general_log = ON",
	} {
		_, err := admin.ExecContext(ctx, set)
		require.NoError(t, err)
	}
	_ = call(ctx, d) // what is sent tells enough
	_, err := admin.ExecContext(ctx, "SET GLOBAL general_log = OFF")
	require.NoError(t, err)
	rows, err := admin.QueryContext(ctx, "SELECT command_type, argument FROM mysql.general_log "+
		"WHERE thread_id NOT IN (?, CONNECTION_ID()) ORDER BY event_time", d.session)
	require.NoError(t, err)
	defer rows.Close()
	sent := map[string][]string{}
	for rows.Next() {
		var kind, text string
		require.NoError(t, rows.Scan(&kind, &text))
		if strings.HasPrefix(text, "-- name:") {
			_, text, _ = strings.Cut(text, "\n")
		}
		text = strings.Join(strings.Fields(text), " ")
		if !strings.HasPrefix(text, "SELECT CONNECTION_ID(), ") && !strings.HasPrefix(text, "SET NAMES") {
			sent[kind] = append(sent[kind], text)
		}
	}
	require.NoError(t, rows.Err())
	return sent
}
