package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/sqlcas/sqlcas"
)

// requestTimeout bounds the work for one request.
const requestTimeout = 5 * time.Second

// handler serves POST /accounts/{id}/payments with the body {"amount": 30}, in minor units, and a header
// Idempotency-Key, as draft-ietf-httpapi-idempotency-key-header has it:
//
//	201     the payment is made; with Idempotency-Replayed: true it had been before, and the answer is the same
//	400     there is no key, or it or the body is none
//	402     not enough money. Nothing is kept: the same request may be sent again, with its key
//	404     there is no such account
//	422     the key was used for another payment, of another amount or account
//	503     it is not known yet, or it took too long: send it again after Retry-After, with the same key
//
// Not enough money is 402 and not 409, because the draft has 409 for a request whose first copy is still being
// worked on, which clients answer by waiting. Here such a copy waits itself, and gets the first one's answer.
// The text of 503 need not say whether the payment was made: the key makes it safe to ask again.
func handler(accounts *ledgerStore, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /accounts/{id}/payments", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		p, err := readPayment(w, r)
		var replayed bool
		if err == nil {
			replayed, err = pay(ctx, accounts, p)
		}
		if err != nil {
			fail(w, log, err)
			return
		}
		if replayed {
			w.Header().Set("Idempotency-Replayed", "true")
		}
		write(w, http.StatusCreated, "application/json", receipt{p.key, p.account, p.amount})
	})
	return mux
}

// receipt is the answer to a payment. It has what the request says, and nothing that goes on moving, such as the
// balance: only so is the answer to the second request that to the first.
type receipt struct {
	Payment string `json:"payment"`
	Account uint64 `json:"account,string"`
	Amount  int64  `json:"amount"`
}

// problem is the body of all other answers (RFC 9457).
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// fail answers with an error.
func fail(w http.ResponseWriter, log *slog.Logger, err error) {
	status, detail := verdict(err)
	if status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) { // by a client that has gone away
		log.Warn("not answered", "status", status, "err", err) // what it says is nothing for clients
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	write(w, status, "application/problem+json", problem{http.StatusText(status), status, detail})
}

// verdict translates the typed causes.
func verdict(err error) (status int, detail string) {
	var bad *badRequestError
	switch {
	case errors.As(err, &bad):
		return http.StatusBadRequest, bad.detail
	case errors.Is(err, errInsufficientFunds):
		return http.StatusPaymentRequired, err.Error()
	case errors.Is(err, sqlcas.ErrGone):
		return http.StatusNotFound, "there is no such account"
	case errors.Is(err, sqlcas.ErrOperationMismatch):
		return http.StatusUnprocessableEntity, "the key was used for another payment: give each one of its own"
	case errors.Is(err, sqlcas.ErrOutcomeUnknown), errors.Is(err, sqlcas.ErrExhausted),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable, "not known yet: send it again, with the same key"
	}
	return http.StatusInternalServerError, "nothing was paid"
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
