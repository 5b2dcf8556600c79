package main

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// eachTable runs fn for each table that is written with a library, on SQLite and on each server.
func eachTable(t *testing.T, fn func(t *testing.T, s *sandbox.Sandbox, table sqlcas.Table[uint64, account])) {
	t.Helper()
	on := func(t *testing.T, dsn string) {
		s := sandboxtest.Open(t, dsn, 8)
		g, err := openGorm(s.DB)
		if err != nil {
			t.Fatal(err)
		}
		for name, table := range map[string]sqlcas.Table[uint64, account]{"sqlx": sqlxTable(), "gorm": gormTable(g)} {
			t.Run(name, func(t *testing.T) { fn(t, s, sandbox.Table(s, table)) })
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		on(t, "")
	})
	t.Run("servers", func(t *testing.T) {
		sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) { on(t, server.DSN) })
	})
}

// updaters returns the Stores that the database can run.
func updaters(s *sandbox.Sandbox, table sqlcas.Table[uint64, account]) []sqlcas.Updater[uint64, account] {
	all := []sqlcas.Updater[uint64, account]{optimistic.NewStore(s.DB, table, s.Options...)}
	if !s.Embedded {
		all = append(all, pessimistic.NewStore(s.DB, table, s.Options...))
	}
	return all
}

// Ensures that a Store whose statements are sqlx's or gorm's loses no update of many at a time, writes a
// balance of zero too, and that both Stores may work on the table at once.
func TestTablesLoseNoUpdate(t *testing.T) {
	t.Parallel()
	const callers, each = 4, 10
	eachTable(t, func(t *testing.T, s *sandbox.Sandbox, table sqlcas.Table[uint64, account]) {
		id := open(t, s.DB)
		var wg sync.WaitGroup
		stores := updaters(s, table)
		for _, store := range stores {
			for range callers {
				wg.Go(func() {
					for range each {
						_, err := store.Update(t.Context(), id, func(a *account) error { a.Balance--; return nil })
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		wg.Wait()
		writes := len(stores) * callers * each
		want(t, s.DB, id, 100_00-int64(writes), 1+uint64(writes), 0)
		for _, store := range stores {
			got, err := store.Update(t.Context(), id, func(a *account) error {
				a.Owner, a.Balance = "Bob", 0
				return nil
			})
			writes++
			if err != nil || got != (account{id, "Bob", 0, 1 + uint64(writes)}) {
				t.Errorf("got %+v, %v, want Bob's with nothing in it at version %d", got, err, 1+writes)
			}
			want(t, s.DB, id, 0, 1+uint64(writes), 0)
		}
	})
}

// Ensures that a row that is not there is ErrGone in the way of either library, that a stale version
// conflicts in an update and in a delete, and that a delete deletes.
func TestTablesTellGoneFromStale(t *testing.T) {
	t.Parallel()
	eachTable(t, func(t *testing.T, s *sandbox.Sandbox, table sqlcas.Table[uint64, account]) {
		nothing := func(*account) error { return nil }
		for _, store := range updaters(s, table) {
			if _, err := store.Update(t.Context(), 1<<40, nothing); !errors.Is(err, sqlcas.ErrGone) {
				t.Errorf("got %v, want %v", err, sqlcas.ErrGone)
			}
		}
		id := open(t, s.DB)
		accounts := optimistic.NewStore(s.DB, table, s.Options...)
		stale, err := accounts.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := accounts.Update(t.Context(), id, nothing); err != nil {
			t.Fatal(err)
		}
		now, err := accounts.UpdateIfVersion(t.Context(), id, stale.Version, nothing)
		if !errors.Is(err, sqlcas.ErrConflict) || now.Version != 2 {
			t.Errorf("got %+v, %v, want %v at version 2", now, err, sqlcas.ErrConflict)
		}
		if err := accounts.Delete(t.Context(), stale); !errors.Is(err, sqlcas.ErrConflict) {
			t.Errorf("got %v, want %v", err, sqlcas.ErrConflict)
		}
		if err := accounts.Delete(t.Context(), now); err != nil {
			t.Error(err)
		}
		if _, err := accounts.Get(t.Context(), id); !errors.Is(err, sqlcas.ErrGone) {
			t.Errorf("got %v, want %v", err, sqlcas.ErrGone)
		}
	})
}

// Ensures on each server that the locking reads of both libraries lock, and meet a lock in each way.
func TestTablesLock(t *testing.T) {
	t.Parallel()
	eachTable(t, func(t *testing.T, s *sandbox.Sandbox, table sqlcas.Table[uint64, account]) {
		if s.Embedded {
			t.Skip("SQLite has no row locks")
		}
		id := open(t, s.DB)
		rival, err := s.DB.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rival.Rollback() }()
		accounts := pessimistic.NewStore(s.DB, table)
		if _, err := accounts.In(rival).Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for _, how := range []sqlcas.Option{pessimistic.NoWait(), pessimistic.SkipLocked()} {
			_, err := accounts.Update(t.Context(), id, func(*account) error { return nil }, how)
			if !errors.Is(err, sqlcas.ErrLocked) || !strings.Contains(err.Error(), "account") {
				t.Errorf("got %v, want %v", err, sqlcas.ErrLocked)
			}
		}
	})
}
