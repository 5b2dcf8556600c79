package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

const (
	maxKey    = 200 // bytes; an operation id has 255 at most
	maxBody   = 1 << 12
	maxAmount = 1_000_000_000
)

// badRequestError is a request that means nothing.
type badRequestError struct{ detail string }

// Error is the text that the client gets.
func (e *badRequestError) Error() string { return e.detail }

func badRequest(format string, args ...any) error {
	return &badRequestError{fmt.Sprintf(format, args...)}
}

// readPayment reads a request.
func readPayment(w http.ResponseWriter, r *http.Request) (p payment, err error) {
	if p.key, err = readKey(r.Header.Values("Idempotency-Key")); err != nil {
		return p, err
	}
	p.account, err = strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil || strconv.FormatUint(p.account, 10) != r.PathValue("id") { // one URL an account: not 007
		return p, &sqlcas.GoneError{Table: shop.AccountTable.Schema.Name, Key: r.PathValue("id")}
	}
	var body struct {
		Amount int64 `json:"amount"`
	}
	text := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	text.DisallowUnknownFields()
	if err := text.Decode(&body); err != nil {
		return p, badRequest("the body: %v", err)
	}
	if _, err := text.Token(); !errors.Is(err, io.EOF) {
		return p, badRequest("the body: something follows the object")
	}
	if body.Amount < 1 || body.Amount > maxAmount {
		return p, badRequest("amount is %d: give 1 to %d", body.Amount, maxAmount)
	}
	p.amount = body.Amount
	return p, nil
}

// readKey reads the header. The draft makes it a string of RFC 9651, in double quotes; clients that send it
// without are so many that it is taken as well. "a" and a are the same key.
func readKey(values []string) (string, error) {
	if len(values) != 1 {
		return "", badRequest("send one Idempotency-Key: a new one for a new payment, and the same with each repetition")
	}
	key, quoted := values[0], false
	if inner, ok := strings.CutPrefix(key, `"`); ok {
		if key, quoted = strings.CutSuffix(inner, `"`); !quoted {
			return "", badRequest("Idempotency-Key: a quote is missing")
		}
	}
	if key == "" || len(key) > maxKey {
		return "", badRequest("Idempotency-Key has %d characters: give 1 to %d", len(key), maxKey)
	}
	// Of what RFC 9651 has, neither escapes nor parameters: keys are UUIDs and the like.
	for _, c := range []byte(key) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"\;,`, c) >= 0 {
			return "", badRequest("Idempotency-Key: %q is not taken: use letters, digits and - . _ : / + =", c)
		}
	}
	return key, nil
}
