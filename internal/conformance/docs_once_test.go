package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// errInsufficientFunds is what the document's code refuses with.
var errInsufficientFunds = errors.New("insufficient funds")

// onceDoc is where the code of docs/exactly-once.md runs. Its methods are Examples to the test that compares
// documents with code; they need a server, and say what came of them to who calls them.
type onceDoc struct{ db *sql.DB }

// ExampleUpdate is a payment that is asked for with a key.
func (d onceDoc) ExampleUpdate(ctx context.Context, key string, amount int64) (shop.Account, sqlcas.Report, error) {
	accounts := optimistic.NewStore(d.db, shop.AccountTable)
	// ---
	var report sqlcas.Report
	acct, err := accounts.Update(ctx, 42, func(a *shop.Account) error {
		if a.Balance < amount {
			return errInsufficientFunds
		}
		a.Balance -= amount
		return nil
	},
		sqlcas.WithOperationID("payment "+key),
		sqlcas.WithFingerprint(fmt.Appendf(nil, "amount %d", amount)),
		sqlcas.WithReport(&report))
	// ---
	return acct, report, err
}

// ExampleJournalStore makes a JournalStore of accounts with their ledger, and deducts with it.
func (d onceDoc) ExampleJournalStore(ctx context.Context, key string, amount int64) (shop.Account, error) {
	db := d.db
	// ---
	accounts := optimistic.NewJournalStore(db, shop.AccountTable, sqlcas.Journal[shop.LedgerEntry]{
		Table:   "ledger_entry",
		Columns: []string{"account_id", "amount", "memo"},
		Values:  func(e shop.LedgerEntry) []any { return []any{e.AccountID, e.Amount, e.Memo} },
	})
	acct, err := accounts.Update(ctx, 42, func(a *shop.Account, emit func(shop.LedgerEntry)) error {
		if a.Balance < amount {
			return errInsufficientFunds
		}
		a.Balance -= amount
		emit(shop.LedgerEntry{AccountID: a.ID, Amount: -amount, Memo: key})
		return nil
	}, sqlcas.WithOperationID("payment "+key))
	// ---
	return acct, err
}

// ExampleUpdateTx deducts, and leaves a message for another service in the same transaction.
func (d onceDoc) ExampleUpdateTx(ctx context.Context, key string, amount int64) error {
	db, accounts := d.db, optimistic.NewStore(d.db, shop.AccountTable)
	// ---
	err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		acct, err := accounts.In(tx).Get(ctx, 42)
		if err != nil {
			return err
		}
		if acct.Balance < amount {
			return errInsufficientFunds
		}
		acct.Balance -= amount
		if err := accounts.In(tx).Update(ctx, &acct); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO outbox (id, amount) VALUES (?, ?)", key+":shipping", amount)
		return err
	}, sqlcas.WithOperationID("order "+key))
	// ---
	return err
}

// ExampleDeleteOperations forgets old ids.
func (d onceDoc) ExampleDeleteOperations(ctx context.Context) (int64, error) {
	db := d.db
	// ---
	deleted, err := sqlcas.DeleteOperations(ctx, db, 30*24*time.Hour)
	// ---
	return deleted, err
}

// onceDocTables are those of the document's code, with alice's account.
func onceDocTables() []string {
	return append(append(schema.Shop(), schema.Sqlcas()...),
		"CREATE TABLE outbox (id VARBINARY(255) NOT NULL PRIMARY KEY, amount BIGINT NOT NULL) ENGINE=InnoDB",
		"INSERT INTO account VALUES (42, 'alice', 100, 7)")
}

// Ensures that the code of docs/exactly-once.md does what is said of it: it is applied once, refuses another
// amount, keeps nothing of a refusal, and takes ledger entry and message along.
func TestCodeOfExactlyOnce(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		d, ctx := onceDoc{open(t, s.Config(t, onceDocTables()...), 4)}, t.Context()
		for n := range 2 {
			acct, report, err := d.ExampleUpdate(ctx, "a", 30)
			require.NoError(t, err)
			require.Equal(t, n > 0, report.Replayed)
			require.Equal(t, shop.Account{ID: 42, Owner: "alice", Balance: 70, Version: 8}, acct)
		}
		_, _, err := d.ExampleUpdate(ctx, "a", 31)
		require.ErrorIs(t, err, sqlcas.ErrOperationMismatch)
		_, _, err = d.ExampleUpdate(ctx, "b", 71)
		require.True(t, err == errInsufficientFunds, "%v", err)
		for range 2 {
			acct, err := d.ExampleJournalStore(ctx, "b", 20)
			require.NoError(t, err)
			require.EqualValues(t, 50, acct.Balance)
			require.NoError(t, d.ExampleUpdateTx(ctx, "c", 10))
			const back = "UPDATE account SET balance = balance + 10, version = version + 1 WHERE balance = 40"
			_, err = d.db.ExecContext(ctx, back)
			require.NoError(t, err)
		}
		var ledger, outbox, operations int
		require.NoError(t, d.db.QueryRowContext(ctx, "SELECT (SELECT COUNT(*) FROM ledger_entry WHERE memo = 'b'), "+
			"(SELECT COUNT(*) FROM outbox WHERE id = 'c:shipping'), (SELECT COUNT(*) FROM sqlcas_operation)").
			Scan(&ledger, &outbox, &operations))
		require.Equal(t, []int{1, 1, 3}, []int{ledger, outbox, operations})

		_, err = d.db.ExecContext(ctx,
			"UPDATE sqlcas_operation SET created_at = created_at - INTERVAL 31 DAY WHERE id = 'payment a'")
		require.NoError(t, err)
		deleted, err := d.ExampleDeleteOperations(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 1, deleted)
		_, report, err := d.ExampleUpdate(ctx, "a", 31)
		require.NoError(t, err, "nobody remembers")
		require.False(t, report.Replayed)
	})
}

// onceDocCalls are those whose statements docs/exactly-once.md shows.
var onceDocCalls = map[string]func(t *testing.T, ctx context.Context, db *sql.DB){
	"optimistic.Store, Update": func(t *testing.T, ctx context.Context, db *sql.DB) {
		require.NoError(t, fails(optimistic.NewStore(db, shop.AccountTable).Update(ctx, 42, take30, onceDocOptions(1)...)))
	},
	"the same again": func(t *testing.T, ctx context.Context, db *sql.DB) {
		enteredBefore(t, db, 1)
		require.NoError(t, fails(optimistic.NewStore(db, shop.AccountTable).Update(ctx, 42, take30, onceDocOptions(1)...)))
	},
	"pessimistic.Store, Update": func(t *testing.T, ctx context.Context, db *sql.DB) {
		require.NoError(t, fails(pessimistic.NewStore(db, shop.AccountTable).Update(ctx, 42, take30, onceDocOptions(1)...)))
	},
	"UpdateTx": func(t *testing.T, ctx context.Context, db *sql.DB) {
		require.NoError(t, optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
			acct := deskAlice
			acct.Balance = 70
			return optimistic.NewStore(db, shop.AccountTable).In(tx).Update(ctx, &acct)
		}, onceDocOptions(1)...))
	},
	"optimistic.JournalStore, three calls that met, of which the second is a repetition": func(
		t *testing.T, ctx context.Context, db *sql.DB,
	) {
		enteredBefore(t, db, 2)
		threeMeet(t, ctx, db)
	},
}

func onceDocOptions(id int) []sqlcas.Option {
	return []sqlcas.Option{sqlcas.WithOperationID(fmt.Sprintf("payment %d", id))}
}

// enteredBefore enters an operation by another pool, whose statements are not looked at.
func enteredBefore(t *testing.T, db *sql.DB, id int) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), "/* planted */ INSERT INTO sqlcas_operation VALUES "+
		fmt.Sprintf("('payment %d', 'account 42', '', REPEAT('x', 16), UTC_TIMESTAMP(6))", id))
	require.NoError(t, err)
}

// threeMeet has three calls meet behind one that is refused.
func threeMeet(t *testing.T, ctx context.Context, db *sql.DB) {
	t.Helper()
	reading, gate, table := make(chan struct{}), make(chan struct{}), shop.AccountTable
	var first atomic.Bool
	table.Get = func(ctx context.Context, db sqlcas.DBTX, id uint64) (shop.Account, error) {
		if first.CompareAndSwap(false, true) {
			close(reading)
			<-gate
			return shop.Account{}, sql.ErrNoRows
		}
		return shop.AccountTable.Get(ctx, db, id)
	}
	accounts := optimistic.NewJournalStore(db, table, sqlcas.Journal[int64]{
		Table: "ledger_entry", Columns: []string{"account_id", "amount", "memo"},
		Values: func(amount int64) []any { return []any{42, amount, "rent"} },
	})
	var all sync.WaitGroup
	call := func(ctx context.Context, want error, opts ...sqlcas.Option) {
		all.Go(func() {
			_, err := accounts.Update(ctx, 42, func(a *shop.Account, emit func(int64)) error {
				emit(-10)
				a.Balance -= 10
				return nil
			}, opts...)
			if want == nil && err != nil || want != nil && err == nil {
				t.Errorf("got %v, want %v", err, want)
			}
		})
	}
	call(ctx, sqlcas.ErrGone)
	<-reading
	for id := range 3 {
		in := &inLine{Context: ctx, in: make(chan struct{})}
		call(in, nil, onceDocOptions(id+1)...)
		<-in.in
	}
	close(gate)
	all.Wait()
}

var (
	// onceDocShown finds the list of statements in docs/exactly-once.md.
	onceDocShown = regexp.MustCompile("(?s)<!-- what operations send -->\n```sql\n(.*?)```")
	// onceDocAttempt finds the attempt in an INSERT, which is another one each time.
	onceDocAttempt = regexp.MustCompile(`UNHEX\('[0-9a-f]{32}'\), UTC_TIMESTAMP`)
)

// Ensures that the statements which docs/exactly-once.md shows are, one by one, those that the server gets.
func TestTheDocumentShowsWhatOperationsSend(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/exactly-once.md")
	require.NoError(t, err)
	found := onceDocShown.FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, 1)
	shown := map[string]string{}
	for call := range strings.SplitSeq(strings.TrimSpace(found[0][1]), "\n\n") {
		head, statements, _ := strings.Cut(strings.TrimPrefix(call, "-- "), "\n")
		shown[head] = strings.ReplaceAll(statements, "\n    ", " ") // where a long one is broken
	}
	require.Len(t, shown, len(onceDocCalls))
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		for call, send := range onceDocCalls {
			cfg := s.Config(t, onceDocTables()...)
			cfg.InterpolateParams = true
			db := open(t, cfg.Clone(), 4)
			sent := logOf(t, open(t, cfg.Clone(), 1), func() { send(t, t.Context(), db) })
			got := strings.TrimPrefix(strings.Join(sent, "\n"), "START TRANSACTION;\nROLLBACK;\n") // who was waited for
			require.Equal(t, shown[call], got, "%s: %s", s.Name, call)
		}
	})
}

// logOf returns the statements that the server gets from others than admin during the call, as the document has them.
func logOf(t *testing.T, admin *sql.DB, call func()) (sent []string) {
	t.Helper()
	ctx := t.Context()
	for _, set := range []string{
		"SET GLOBAL log_output = 'TABLE'", "TRUNCATE mysql.general_log", "SET GLOBAL general_log = ON",
	} {
		_, err := admin.ExecContext(ctx, set)
		require.NoError(t, err)
	}
	call()
	_, err := admin.ExecContext(ctx, "SET GLOBAL general_log = OFF")
	require.NoError(t, err)
	rows, err := admin.QueryContext(ctx, "SELECT argument FROM mysql.general_log "+
		"WHERE command_type = 'Query' AND thread_id <> CONNECTION_ID() ORDER BY event_time")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		text = onceDocAttempt.ReplaceAllString(text, "UNHEX('...'), UTC_TIMESTAMP")
		if strings.HasPrefix(text, "-- name:") {
			_, text, _ = strings.Cut(text, "\n")
		}
		text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "_binary", "")
		if !strings.HasPrefix(text, "SELECT CONNECTION_ID(), ") && !strings.HasPrefix(text, "SET NAMES") &&
			!strings.HasPrefix(text, "/* planted */") {
			sent = append(sent, text+";")
		}
	}
	require.NoError(t, rows.Err())
	return sent
}
