package optimistic_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
	"github.com/sqlcas/sqlcas/optimistic"
)

// entry and its journal are the tests'.
type entry struct{ amount int64 }

type (
	entryJournal = sqlcas.Journal[entry]
	accountTable = sqlcas.Table[uint64, shop.Account]
)

func journal() sqlcas.Journal[entry] {
	return sqlcas.Journal[entry]{
		Table: "ledger_entry", Columns: []string{"amount"}, Values: func(e entry) []any { return []any{e.amount} },
	}
}

// calls makes one call of every method of a JournalStore and returns their errors.
func calls(st *optimistic.JournalStore[uint64, shop.Account, entry], opts ...sqlcas.Option) map[string]error {
	ctx := context.Background()
	change := func(*shop.Account, func(entry)) error { return nil }
	_, get := st.Get(ctx, 42)
	_, update := st.Update(ctx, 42, change, opts...)
	_, ifVersion := st.UpdateIfVersion(ctx, 42, 7, change, opts...)
	_, all := st.UpdateAll(ctx, []uint64{42}, func(map[uint64]*shop.Account, func(entry)) error { return nil }, opts...)
	return map[string]error{"Get": get, "Update": update, "UpdateIfVersion": ifVersion, "UpdateAll": all}
}

// Ensures that a JournalStore whose journal, table or pool lacks something says what in every call, and sends nothing.
func TestJournalStoreSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*entryJournal, *accountTable){
		"the Journal has no Table":                func(j *entryJournal, _ *accountTable) { j.Table = "" },
		"the Journal ledger_entry has no Columns": func(j *entryJournal, _ *accountTable) { j.Columns = nil },
		"the Journal ledger_entry has no Values":  func(j *entryJournal, _ *accountTable) { j.Values = nil },
		`the Table "account" has no Swap`:         func(_ *entryJournal, t *accountTable) { t.Swap = nil },
		"Journal ledger_entry has 60001 Columns": func(j *entryJournal, _ *accountTable) {
			j.Columns = make([]string, 60001)
		},
	} {
		script, j, table := scriptdb.Shop(), journal(), shop.AccountTable
		spoil(&j, &table)
		db := script.Open()
		for method, err := range calls(optimistic.NewJournalStore(db, table, j)) {
			require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, method)
			require.ErrorContains(t, err, want, method)
		}
		require.Empty(t, script.Sent())
		require.NoError(t, db.Close())
	}
	for method, err := range calls(optimistic.NewJournalStore[uint64](nil, shop.AccountTable, journal())) {
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, method)
		require.ErrorContains(t, err, "the *sql.DB is nil", method)
	}
}

// Ensures that a nil closure is refused before anything is sent.
func TestJournalStoreRefusesNilClosures(t *testing.T) {
	t.Parallel()
	script := scriptdb.Shop()
	db := script.Open()
	defer func() { _ = db.Close() }()
	st, ctx := optimistic.NewJournalStore(db, shop.AccountTable, journal()), context.Background()
	_, err := st.Update(ctx, 42, nil)
	_, ifVersion := st.UpdateIfVersion(ctx, 42, 7, nil)
	_, all := st.UpdateAll(ctx, []uint64{42}, nil)
	for _, err := range []error{err, ifVersion, all} {
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, "the closure is nil")
	}
	require.Empty(t, script.Sent())
}

// Ensures that a JournalStore reads as a Store does, and that a closure's error comes back as the very value.
func TestJournalStoreReadsAndRefuses(t *testing.T) {
	t.Parallel()
	db := openShop()
	defer func() { _ = db.Close() }()
	st, ctx := optimistic.NewJournalStore(db, shop.AccountTable, journal()), context.Background()
	a, err := st.Get(ctx, 42)
	require.NoError(t, err)
	require.Equal(t, shop.Account{ID: 42, Owner: "alice", Balance: 100, Version: 7}, a)
	_, err = st.Get(ctx, 44)
	require.ErrorIs(t, err, sqlcas.ErrGone)
	boom := errors.New("boom")
	_, err = st.Update(ctx, 42, func(_ *shop.Account, emit func(entry)) error { emit(entry{1}); return boom })
	require.True(t, err == boom, "got %v, want the very value", err)
}
