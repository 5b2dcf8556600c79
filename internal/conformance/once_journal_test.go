package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// journalChecks is the contract of a JournalStore, beside that of operation ids.
var journalChecks = []check{
	{"entries stand in the order of the changes, by one INSERT", checkJournalOrder},
	{"entries of who refuses, panics or ends are not written", checkJournalEndings},
	{"entries of a closure that is left behind are written once", checkJournalSlow},
	{"entries of lost tries are not written", checkJournalLost},
	{"entry that the server refuses is its caller's alone", checkJournalErrors},
	{"many entries of one closure", checkJournalMany},
	{"entries are sent in packets that servers take", checkJournalBig},
	{"UpdateAll enters all or nothing", checkJournalAll},
	{"names are quoted", checkJournalNames},
	{"Values of the wrong count change nothing", checkJournalValues},
	{"what is emitted afterwards is lost", checkJournalAfterwards},
}

// Ensures that the entries of those who meet stand in the order in which their changes were made, each caller's in the
// order in which he emitted them, and that one INSERT has entered them all, after the row was written.
func checkJournalOrder(t *testing.T, e *env) {
	e, log := e.logged(t)
	st, id := newReceiptStore(e.db), e.account(t)
	var all []*issuer
	var want []string
	for i := range 12 {
		is := &issuer{}
		for n := range i % 4 { // some have none
			memo := fmt.Sprintf("%d.%d", i, n)
			is.receipts = append(is.receipts, receipt{account: id, memo: memo})
			want = append(want, memo)
		}
		if i%3 == 0 {
			is.op = idOf(t, fmt.Sprint(i))
		}
		all = append(all, is)
	}
	issue(t, e, st, id, all...)
	for i, is := range all {
		require.NoError(t, is.err, "issuer %d", i)
	}
	require.Equal(t, want, e.memos(t, id))
	e.want(t, id, opening+13, 14)
	require.Len(t, log.receiptInserts(), 1)
	words := log.words()
	require.Equal(t, []string{"UPDATE", "INSERT", "INSERT", "COMMIT"}, words[len(words)-4:])
}

// Ensures that the entries of a closure that refuses, panics or ends its goroutine are not written, in a batch and alone.
func checkJournalEndings(t *testing.T, e *env) {
	st, id := newReceiptStore(e.db), e.account(t)
	boom := errors.New("boom")
	one := func(memo string, then func() error) *issuer {
		return &issuer{op: idOf(t, memo), receipts: []receipt{{account: id, memo: memo}}, then: then}
	}
	refuse, panics := func() error { return boom }, func() error { panic(boom) }
	exit := func() error { runtime.Goexit(); return nil }
	all := []*issuer{one("a", nil), one("refused", refuse), one("panicked", panics), one("exited", exit), one("b", nil)}
	issue(t, e, st, id, all...)
	require.Equal(t, []error{nil, boom, boom, nil, nil}, []error{all[0].err, all[1].err, all[2].err, all[3].err, all[4].err})
	for _, is := range []*issuer{one("refused", refuse), one("panicked", panics)} {
		is.call(t.Context(), st, id)
		require.Equal(t, boom, is.err)
	}
	require.Equal(t, []string{"a", "b"}, e.memos(t, id))
	e.want(t, id, opening+3, 4)
	require.Zero(t, e.noted(t, idOf(t, "refused"))+e.noted(t, idOf(t, "panicked"))+e.noted(t, idOf(t, "exited")))
}

// Ensures that a closure which blocks, and goes on to emit when the batch has gone on without it, has its entries written
// once: those of the run that was written.
func checkJournalSlow(t *testing.T, e *env) {
	st, id := newReceiptStore(e.db), e.account(t)
	served, runs := make(chan struct{}), 0
	slow := &issuer{op: idOf(t, "slow"), receipts: []receipt{{account: id, memo: "slow"}}, then: func() error {
		if runs++; runs == 1 {
			<-served
		}
		return nil
	}}
	quick := &issuer{receipts: []receipt{{account: id, memo: "quick"}}}
	err := party(t, e, issuing{journal: st}, id,
		func(ctx context.Context) { slow.call(ctx, st, id) },
		func(ctx context.Context) { quick.call(ctx, st, id); close(served) },
	)
	require.NoError(t, errors.Join(err, slow.err, quick.err))
	require.Equal(t, 2, runs)
	require.Equal(t, []string{"quick", "slow"}, e.memos(t, id))
	require.Equal(t, 1, e.noted(t, slow.op))
	e.want(t, id, opening+3, 4)
}

// Ensures that of the tries that have lost to another writer nothing is entered, with UpdateIfVersion too, whose loss is
// final.
func checkJournalLost(t *testing.T, e *env) {
	st, id := newReceiptStore(e.db), e.account(t)
	runs := 0
	change := func(a *shop.Account, emit func(receipt)) error {
		if runs++; runs == 1 {
			e.bump(t, id)
		}
		emit(receipt{account: id, memo: fmt.Sprint("run ", runs)})
		return nil
	}
	_, err := st.Update(t.Context(), id, change)
	require.NoError(t, err)
	require.Equal(t, []string{"run 2"}, e.memos(t, id))
	runs = 0
	_, err = st.UpdateIfVersion(t.Context(), id, 3, change)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	require.Equal(t, []string{"run 2"}, e.memos(t, id))
	e.want(t, id, opening+2*rivals, 4)
}

// refusedReceipts are entries that a server, or the driver, refuses, and by which error.
func refusedReceipts(id uint64) map[string]struct {
	receipt receipt
	numbers []uint16
} {
	return map[string]struct {
		receipt receipt
		numbers []uint16
	}{
		"duplicate":   {receipt{account: id, memo: "there"}, []uint16{1062}},
		"check":       {receipt{account: id, memo: "x", amount: 13}, []uint16{3819, 4025}},
		"too long":    {receipt{account: id, memo: strings.Repeat("x", 81)}, []uint16{1406}},
		"foreign key": {receipt{account: 1 << 60, memo: "y"}, []uint16{1452}},
		"type":        {receipt{account: id, memo: "z", body: struct{}{}}, nil},
	}
}

// Ensures that what the server says about an entry is told to its own caller, and to nobody else of those who were
// written with him: their changes, entries and ids are there, and his are not.
func checkJournalErrors(t *testing.T, e *env) {
	st, id := newReceiptStore(e.db), e.account(t)
	_, err := st.Update(t.Context(), id, func(_ *shop.Account, emit func(receipt)) error {
		emit(receipt{account: id, memo: "there"})
		return nil
	})
	require.NoError(t, err)
	var all []*issuer
	bad := map[*issuer][]uint16{}
	good := func() {
		memo := fmt.Sprint("good ", len(all))
		all = append(all, &issuer{op: idOf(t, memo), receipts: []receipt{{account: id, memo: memo}}})
	}
	for name, r := range refusedReceipts(id) {
		good()
		is := &issuer{op: idOf(t, name), receipts: []receipt{{account: id, memo: "beside " + name}, r.receipt}}
		bad[is] = r.numbers
		all = append(all, is)
		good()
	}
	issue(t, e, st, id, all...)
	want := []string{"there"}
	for i, is := range all {
		numbers, refused := bad[is]
		if refused {
			requireServerError(t, is, numbers)
			require.Zero(t, e.noted(t, is.op), is.op)
			is.call(t.Context(), st, id) // alone
			requireServerError(t, is, numbers)
			continue
		}
		require.NoError(t, is.err, "issuer %d", i)
		require.Equal(t, 1, e.noted(t, is.op), is.op)
		want = append(want, is.receipts[0].memo)
	}
	require.Equal(t, want, e.memos(t, id))
	e.want(t, id, opening+1+10, 13)
}

func requireServerError(t *testing.T, is *issuer, numbers []uint16) {
	t.Helper()
	require.ErrorContains(t, is.err, "journal receipt", is.op)
	require.NotErrorIs(t, is.err, sqlcas.ErrOutcomeUnknown, is.op)
	require.NotErrorIs(t, is.err, sqlcas.ErrConflict, is.op)
	var server *mysql.MySQLError
	if numbers == nil {
		require.False(t, errors.As(is.err, &server), "%s: %v", is.op, is.err)
		return
	}
	require.ErrorAs(t, is.err, &server, is.op)
	require.Contains(t, numbers, server.Number, is.op)
}

// Ensures that all entries are written of a closure that emits thousands, in their order.
func checkJournalMany(t *testing.T, e *env) {
	const many = 5000
	st, id := newReceiptStore(e.db), e.account(t)
	var want []string
	is := &issuer{op: idOf(t, "many")}
	for i := range many {
		want = append(want, fmt.Sprint(i))
		is.receipts = append(is.receipts, receipt{account: id, memo: want[i]})
	}
	is.call(t.Context(), st, id)
	require.NoError(t, is.err)
	require.Equal(t, want, e.memos(t, id))
	e.want(t, id, opening+1, 2)
}

// Ensures that entries which are too big for one statement together are written by several, in their order, and all or
// none; and that one which is big by itself is the server's to judge.
func checkJournalBig(t *testing.T, e *env) {
	e, log := e.logged(t)
	st, id := newReceiptStore(e.db), e.account(t)
	big := func(memo string, kib int) receipt {
		return receipt{account: id, memo: memo, body: []byte(strings.Repeat(`'\`, kib<<9))}
	}
	var want []string
	is := &issuer{op: idOf(t, "big")}
	for i := range 12 {
		want = append(want, fmt.Sprint(i))
		is.receipts = append(is.receipts, big(want[i], 100))
	}
	is.receipts = append(is.receipts, big("alone", 1200))
	is.call(t.Context(), st, id)
	require.NoError(t, is.err)
	require.Equal(t, append(want, "alone"), e.memos(t, id))
	require.Equal(t, 12, e.count(t, "receipt WHERE account_id = ? AND LENGTH(body) = 102400 AND body LIKE ?", id, `'\\'\\%`))
	inserts := log.receiptInserts()
	require.Greater(t, len(inserts), 3)
	for _, s := range inserts[:len(inserts)-1] {
		require.LessOrEqual(t, len(s.args)/4, 5, "entries of 100 KiB, each byte of which takes two, in a megabyte")
	}
	is = &issuer{op: idOf(t, "bad"), receipts: append(is.receipts[:0:0], big("new", 600), big("0", 600))}
	is.call(t.Context(), st, id)
	requireServerError(t, is, []uint16{1062})
	require.Equal(t, append(want, "alone"), e.memos(t, id))
	e.want(t, id, opening+1, 2)
}

// Ensures that UpdateAll writes its entries with the rows, and neither when its closure refuses or the server an entry.
func checkJournalAll(t *testing.T, e *env) {
	st, from, to := newReceiptStore(e.db), e.account(t), e.account(t)
	boom := errors.New("boom")
	move := func(memo string, err error) error {
		_, got := st.UpdateAll(t.Context(), []uint64{to, from}, func(rows map[uint64]*shop.Account, emit func(receipt)) error {
			rows[from].Balance, rows[to].Balance = rows[from].Balance-5, rows[to].Balance+5
			emit(receipt{account: from, memo: memo, amount: -5})
			emit(receipt{account: to, memo: memo, amount: 5})
			return err
		}, sqlcas.WithOperationID(idOf(t, memo+fmt.Sprint(err))))
		return got
	}
	require.NoError(t, move("moved", nil))
	require.NoError(t, move("moved", nil), "a replay")
	require.Equal(t, boom, move("refused", boom))
	err := move(strings.Repeat("x", 81), nil)
	var server *mysql.MySQLError
	require.ErrorAs(t, err, &server)
	require.EqualValues(t, 1406, server.Number)
	require.Equal(t, []string{"moved"}, e.memos(t, from))
	require.Equal(t, []string{"moved"}, e.memos(t, to))
	e.want(t, from, opening-5, 2)
	e.want(t, to, opening+5, 2)
}

// Ensures that a journal's table may be in a named schema, and its names may be of any letters.
func checkJournalNames(t *testing.T, e *env) {
	_, err := e.other.ExecContext(t.Context(), "CREATE TABLE `the ``odd`` table` "+
		"(`a ``b`` c` INT NOT NULL, `select` INT NULL) ENGINE=InnoDB")
	require.NoError(t, err)
	id := e.account(t)
	for _, name := range []string{"the `odd` table", e.cfg.DBName + ".the `odd` table"} {
		st := optimistic.NewJournalStore(e.db, shop.AccountTable, sqlcas.Journal[int]{
			Table: name, Columns: []string{"a `b` c", "select"}, Values: func(n int) []any { return []any{n, nil} },
		})
		_, err = st.Update(t.Context(), id, func(_ *shop.Account, emit func(int)) error { emit(7); emit(8); return nil })
		require.NoError(t, err, name)
	}
	require.Equal(t, 2, e.count(t, "`the ``odd`` table` WHERE `a ``b`` c` = 7 AND `select` IS NULL"))
	require.Equal(t, 4, e.count(t, "`the ``odd`` table`"))
}

// Ensures that a Journal whose Values do not fit its Columns is told so, and that nothing is written.
func checkJournalValues(t *testing.T, e *env) {
	id := e.account(t)
	for _, values := range [][]any{nil, {id}, {id, "m", 1, nil, 2}} {
		st := optimistic.NewJournalStore(e.db, shop.AccountTable, sqlcas.Journal[int]{
			Table: "receipt", Columns: []string{"account_id", "memo"}, Values: func(int) []any { return values },
		})
		_, err := st.Update(t.Context(), id, func(a *shop.Account, emit func(int)) error { a.Balance++; emit(1); return nil },
			sqlcas.WithOperationID(idOf(t, "values")))
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, fmt.Sprintf("receipt returned %d values for 2 columns", len(values)))
	}
	require.Zero(t, e.noted(t, idOf(t, "values")))
	e.want(t, id, opening, 1)
}

// Ensures that what a closure's leftovers emit when it has returned goes nowhere, not even into the entries of the
// next call.
func checkJournalAfterwards(t *testing.T, e *env) {
	st, id := newReceiptStore(e.db), e.account(t)
	var kept func(receipt)
	_, err := st.Update(t.Context(), id, func(_ *shop.Account, emit func(receipt)) error { kept = emit; return nil })
	require.NoError(t, err)
	kept(receipt{account: id, memo: "lost"})
	is := &issuer{receipts: []receipt{{account: id, memo: "next"}}}
	is.call(t.Context(), st, id)
	require.NoError(t, is.err)
	require.Equal(t, []string{"next"}, e.memos(t, id))
}
