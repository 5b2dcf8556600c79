package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// meeting is a Store whose closures wait for each other.
type meeting struct {
	products
	barrier func()
}

// UpdateIfVersion waits in the closure, which runs between the read and the swap.
func (m meeting) UpdateIfVersion(
	ctx context.Context, id, version uint64, change func(*shop.Inventory) error, opts ...sqlcas.Option,
) (shop.Inventory, error) {
	return m.products.UpdateIfVersion(ctx, id, version, func(row *shop.Inventory) error {
		m.barrier()
		return change(row)
	}, opts...)
}

// newBarrier returns a function that returns when n calls of it have been made. Later ones do not wait.
func newBarrier(n int) func() {
	all := make(chan struct{})
	var mu sync.Mutex
	return func() {
		mu.Lock()
		if n--; n == 0 {
			close(all)
		}
		mu.Unlock()
		<-all
	}
}

// failing is a Store all of whose calls end in an error.
type failing struct{ err error }

func (f failing) Get(context.Context, uint64) (shop.Inventory, error) {
	return shop.Inventory{}, f.err
}

func (f failing) Update(
	context.Context, uint64, func(*shop.Inventory) error, ...sqlcas.Option,
) (shop.Inventory, error) {
	return shop.Inventory{}, f.err
}

func (f failing) UpdateIfVersion(
	context.Context, uint64, uint64, func(*shop.Inventory) error, ...sqlcas.Option,
) (shop.Inventory, error) {
	return shop.Inventory{}, f.err
}

func (f failing) Delete(context.Context, shop.Inventory, ...sqlcas.Option) error { return f.err }

// Ensures that each typed cause has its status, that an unknown outcome says how to find out, and that what
// the database has to say stays inside.
func TestCausesAndStatuses(t *testing.T) {
	t.Parallel()
	e := serveFor(t, sandboxtest.Open(t, "", 1), failing{})
	for name, c := range map[string]struct {
		err    error
		status int
		detail string
		retry  string
	}{
		"gone":      {&sqlcas.GoneError{Table: "inventory", Key: 1}, 404, "no such product", ""},
		"exhausted": {&sqlcas.ExhaustedError{Attempts: 9, Last: sqlcas.ErrLocked}, 503, "nothing was changed", "1"},
		"locked":    {fmt.Errorf("secret: %w", sqlcas.ErrLocked), 503, "nothing was changed", "1"},
		"deadline":  {fmt.Errorf("secret: %w", context.DeadlineExceeded), 503, "nothing was changed", "1"},
		"unknown": {
			errors.Join(sqlcas.ErrOutcomeUnknown, context.DeadlineExceeded, errors.New("secret")),
			503, "send it again with the same If-Match", "",
		},
		"other": {errors.New("Error 1064: secret"), 500, "nothing was changed", ""},
	} {
		e.service.products = failing{c.err}
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			for _, ifMatch := range []string{e.tagOf(1, 1), "*", `"x"`} {
				got := e.ask(t, method, "/products/1", ifMatch, `{"name":"a","onHand":1}`)
				if got.status != c.status || !strings.Contains(got.detail, c.detail) ||
					got.header.Get("Retry-After") != c.retry || strings.Contains(got.text, "secret") {
					t.Errorf("%s, %s, %s: got %+v, want %d, %q", name, method, ifMatch, got, c.status, c.detail)
				}
			}
		}
	}
}

// Ensures on each server that a row which somebody else holds for longer than a request may take is 503
// in time, whichever Store, and that nothing of the change lands when the row is free again.
func TestHeldRow(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		if e.Embedded {
			t.Skip("SQLite has no row locks")
		}
		e.service.timeout = 200 * time.Millisecond
		tx, err := e.DB.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := shop.New(tx).GetStockForUpdate(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		for _, ifMatch := range []string{e.tagOf(1, 1), "*"} {
			for _, method := range []string{"PUT", "PATCH", "DELETE"} {
				start := time.Now()
				got := e.ask(t, method, "/products/1", ifMatch, `{"name":"late","onHand":1}`)
				if elapsed := time.Since(start); got.status != 503 || elapsed > 3*time.Second {
					t.Errorf("%s, %s: got %+v after %v, want 503 after %v", method, ifMatch, got, elapsed, e.service.timeout)
				}
			}
		}
		if got := e.ask(t, "GET", "/products/1", "", ""); got.status != 200 {
			t.Errorf("GET: got %+v, want 200: readers do not wait", got)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		e.service.timeout = requestTimeout
		got := e.ask(t, "PATCH", "/products/1", e.tagOf(1, 1), `{"onHand":1}`)
		if got.status != 200 {
			t.Errorf("afterwards: got %+v, want 200", got)
		}
		e.want(t, 1, "Chai", 1, 2)
	})
}
