package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// statusError is an answer other than success.
type statusError struct {
	status int
	detail string
}

// Error is the text that the client gets.
func (e *statusError) Error() string { return e.detail }

func badRequest(detail string) error { return &statusError{http.StatusBadRequest, detail} }

func invalid(detail string) error { return &statusError{http.StatusUnprocessableEntity, detail} }

// preconditionError is 412: the row as it is now, and why that does not match.
type preconditionError struct {
	current shop.Inventory
	detail  string
}

// Error is the text that the client gets.
func (e *preconditionError) Error() string { return e.detail }

// problem is the body of such answers (RFC 9457).
type problem struct {
	Title   string          `json:"title"`
	Status  int             `json:"status"`
	Detail  string          `json:"detail"`
	Current *representation `json:"current,omitempty"` // with 412; the ETag header is its own
}

// show answers with a row.
func (s *service) show(w http.ResponseWriter, row shop.Inventory) {
	w.Header().Set("ETag", s.etag(row))
	write(w, http.StatusOK, "application/json", represent(row))
}

// fail answers with an error.
func (s *service) fail(w http.ResponseWriter, err error) {
	p := problem{Status: statusOf(err), Detail: err.Error()}
	p.Title = http.StatusText(p.Status)
	switch stale := (*preconditionError)(nil); {
	case errors.As(err, &stale):
		w.Header().Set("ETag", s.etag(stale.current))
		p.Current = represent(stale.current)
	case errors.Is(err, sqlcas.ErrGone):
		p.Detail = "there is no such product"
	case errors.Is(err, sqlcas.ErrOutcomeUnknown):
		// What If-Match is good for here: sent again, a change that has been applied is not applied twice.
		s.log.Error("outcome unknown", "err", err)
		p.Detail = "it is not known whether the change was applied; send it again with the same If-Match: " +
			"if the answer is 412 and the row is as you wanted it, it was"
	case p.Status == http.StatusServiceUnavailable:
		s.log.Warn("gave up", "err", err)
		w.Header().Set("Retry-After", "1")
		p.Detail = "the row is busy; nothing was changed"
	case p.Status == http.StatusInternalServerError:
		s.log.Error("failed", "err", err) // what it says is nothing for clients
		p.Detail = "nothing was changed"
	}
	write(w, p.Status, "application/problem+json", p)
}

// statusOf translates the typed causes.
func statusOf(err error) int {
	var known *statusError
	var stale *preconditionError
	switch {
	case errors.As(err, &known):
		return known.status
	case errors.As(err, &stale):
		return http.StatusPreconditionFailed
	case errors.Is(err, sqlcas.ErrGone):
		return http.StatusNotFound
	case errors.Is(err, sqlcas.ErrOutcomeUnknown), errors.Is(err, sqlcas.ErrExhausted),
		errors.Is(err, sqlcas.ErrLocked), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func write(w http.ResponseWriter, status int, contentType string, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that has gone away
}
