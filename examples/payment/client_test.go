package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas"
)

// Ensures that a client whose request gets no answer, a cut one, or a failure sends it again with the key that it
// has sent before, not earlier than it is told to, until it has an answer.
func TestClientRepeatsWithItsKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys []string
	var last time.Time
	cut := func(w http.ResponseWriter, text string) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte(text))
		_ = conn.Close()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		switch len(keys) {
		case 1:
			cut(w, "")
		case 2:
			cut(w, "HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{")
		case 3:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			last = time.Now()
		case 4:
			if since := time.Since(last); since < time.Second {
				t.Errorf("sent again after %v, want a second at least", since)
			}
			w.Header().Set("Idempotency-Replayed", "true")
			w.WriteHeader(http.StatusCreated)
		}
	}))
	defer server.Close()
	c := &client{http: server.Client(), address: func() string { return server.URL }}
	got, err := c.pay(t.Context(), payment{key: "k", account: 1, amount: 5})
	if want := (outcome{paid: true, replayed: true, sent: 4, lost: 3}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got := strings.Join(keys, " "); got != `"k" "k" "k" "k"` {
		t.Errorf("got keys %s, want the same four times", got)
	}
}

// Ensures that a client takes a refusal for an answer, and any other status for a mistake of its own.
func TestClientTakesAnswers(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]outcome{
		402: {refused: true, sent: 1}, 201: {paid: true, sent: 1}, 422: {sent: 1},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}))
		c := &client{http: server.Client(), address: func() string { return server.URL }}
		got, err := c.pay(t.Context(), payment{key: "k", account: 1, amount: 5})
		if got != want || (err != nil) != (status == 422) {
			t.Errorf("%d: got %+v, %v, want %+v", status, got, err, want)
		}
		server.Close()
	}
}

// Ensures that what is not known, or only took too long, is 503, so that clients ask again, that a failure is 500,
// and that neither shows what the database has said.
func TestCausesAndStatuses(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret")
	for want, err := range map[int]error{
		503: errors.Join(sqlcas.ErrOutcomeUnknown, secret), 500: secret,
	} {
		if status, detail := verdict(err); status != want || strings.Contains(detail, "secret") {
			t.Errorf("%v: got %d, %q, want %d", err, status, detail, want)
		}
	}
	for _, err := range []error{
		&sqlcas.ExhaustedError{Attempts: 9, Last: sqlcas.ErrConflict},
		fmt.Errorf("secret: %w", context.DeadlineExceeded), context.Canceled,
	} {
		if status, _ := verdict(err); status != http.StatusServiceUnavailable {
			t.Errorf("%v: got %d, want 503", err, status)
		}
	}
}
