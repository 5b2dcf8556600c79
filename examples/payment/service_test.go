package main

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Ensures on each server that a payment whose service is killed while its transaction is under way is made once: by
// the service that is started next, when it is sent again.
func TestServiceIsKilledInMidPayment(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		db := opened(t, server.DSN)
		dsn, err := ownDSN(t.Context(), db, server.DSN)
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		s := &service{dsn: dsn, errOut: &said}
		if err := s.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		rival, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rival.Rollback() }()
		if _, err := shop.New(rival).GetAccountForUpdate(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		c := &client{http: &http.Client{Transport: transport}, address: s.at}
		answered := make(chan outcome, 1)
		go func() {
			o, err := c.pay(t.Context(), payment{key: "a", account: 1, amount: 30})
			if err != nil {
				t.Error(err)
			}
			answered <- o
		}()
		for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) {
			const query = "SELECT COUNT(*) FROM information_schema.processlist " +
				"WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE '%UPDATE account%'"
			if err := db.QueryRowContext(t.Context(), query).Scan(&waiting); err != nil {
				t.Fatal(err)
			}
		}
		s.kill()
		if err := rival.Rollback(); err != nil {
			t.Fatal(err)
		}
		if err := s.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := <-answered; !got.paid || got.lost == 0 {
			t.Errorf("got %+v, want it paid after an answer was lost", got)
		}
		if err := s.stop(); err != nil || said.Len() > 0 {
			t.Errorf("got %v and %q, want a quiet end", err, said.String())
		}
		(&desk{db: db}).want(t, 1, 70, "payment a")
	})
}

// Ensures that a service which cannot start is an error, and leaves no process.
func TestServiceThatCannotStart(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	s := &service{dsn: "nonsense", errOut: &said}
	if err := s.start(t.Context()); err == nil || s.cmd.ProcessState == nil || said.Len() == 0 {
		t.Errorf("got %v and %q, want an error and what the service says", err, said.String())
	}
}
