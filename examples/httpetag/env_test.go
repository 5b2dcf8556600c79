package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// env is a service over one Store on one database, behind a real HTTP server.
type env struct {
	*sandbox.Sandbox
	service *service
	server  *httptest.Server
}

// onAll runs fn over the optimistic Store on SQLite, and over both Stores on each server.
func onAll(t *testing.T, fn func(t *testing.T, e *env)) {
	t.Helper()
	on := func(t *testing.T, dsn string) {
		s := sandboxtest.Open(t, dsn, conns)
		t.Run("optimistic", func(t *testing.T) {
			fn(t, serveFor(t, s, optimistic.NewStore(s.DB, sandbox.Table(s, shop.StockTable), s.Options...)))
		})
		if s.Embedded {
			return
		}
		t.Run("pessimistic", func(t *testing.T) {
			fn(t, serveFor(t, s, pessimistic.NewStore(s.DB, shop.StockTable, s.Options...)))
		})
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		on(t, "")
	})
	t.Run("servers", func(t *testing.T) {
		sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) { on(t, server.DSN) })
	})
}

// serveFor puts the products back to what they were, and serves them.
func serveFor(t *testing.T, s *sandbox.Sandbox, p products) *env {
	t.Helper()
	if _, err := s.DB.ExecContext(t.Context(), "DELETE FROM inventory"); err != nil {
		t.Fatal(err)
	}
	if err := stock(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	svc := &service{
		products: p, tags: testSigner(t, testSecret), timeout: requestTimeout, log: slog.New(slog.DiscardHandler),
	}
	e := &env{Sandbox: s, service: svc, server: httptest.NewServer(svc.handler())}
	e.server.Client().Timeout = 15 * time.Second // for a service that has forgotten its own
	t.Cleanup(e.server.Close)
	return e
}

// answer is what a request came back with.
type answer struct {
	status int
	header http.Header
	text   string
	row    representation // of 200; of 412 the current one
	detail string
}

func (a answer) etag() string { return a.header.Get("ETag") }

// ask sends a request with the Content-Type that its method wants, and If-Match unless that is "".
func (e *env) ask(t *testing.T, method, path, ifMatch, body string) answer {
	t.Helper()
	header := http.Header{}
	if ifMatch != "" {
		header.Set("If-Match", ifMatch)
	}
	switch method {
	case http.MethodPut:
		header.Set("Content-Type", "application/json")
	case http.MethodPatch:
		header.Set("Content-Type", "application/merge-patch+json")
	}
	return e.askWith(t, method, path, header, body)
}

func (e *env) askWith(t *testing.T, method, path string, header http.Header, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, e.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	resp, err := e.server.Client().Do(r)
	if err != nil {
		t.Error(err) // not Fatal: also called by other goroutines
		return answer{}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(text)}
	switch resp.Header.Get("Content-Type") {
	case "application/json":
		err = json.Unmarshal(text, &a.row)
	case "application/problem+json":
		p := problem{Current: &a.row}
		err = json.Unmarshal(text, &p)
		a.detail = p.Detail
		if p.Status != a.status {
			t.Errorf("got status %d in the body of %d", p.Status, a.status)
		}
	}
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return a
}

// want checks a product in the table.
func (e *env) want(t *testing.T, id uint64, name string, onHand int64, version uint64) {
	t.Helper()
	row, err := shop.New(e.DB).GetStock(context.WithoutCancel(t.Context()), id)
	if err != nil {
		t.Fatal(err)
	}
	if row.Name != name || row.OnHand != onHand || row.Version != version {
		t.Errorf("got %+v, want %s, %d on hand, version %d", row, name, onHand, version)
	}
}

// tagOf is the tag of a product's row at a version.
func (e *env) tagOf(id, version uint64) string {
	return `"` + e.service.tags.token("inventory", strconv.FormatUint(id, 10), version) + `"`
}
