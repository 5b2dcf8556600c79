package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	answerTimeout = 10 * time.Second // for one answer
	patience      = time.Minute      // for a payment, however often it is sent
	firstPause    = 20 * time.Millisecond
	longestPause  = 500 * time.Millisecond
)

// client sends payments until they are answered.
type client struct {
	http    *http.Client
	address func() string // where the service is now
}

// outcome is what came of a payment, as far as its sender can know.
type outcome struct {
	paid, refused bool // neither: he has lost patience
	replayed      bool // it had been made by an earlier request
	sent          int  // requests
	lost          int  // of those had no answer, or one that does not tell
}

// errRepeat says that it is not known what became of a request.
var errRepeat = errors.New("no answer")

// pay sends a payment, and again after a pause for as long as nobody says what became of it. The key is
// the payment's, and never made anew: that is all that a client has to do.
func (c *client) pay(ctx context.Context, p payment) (o outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		o.sent++
		after, err := c.ask(ctx, p, &o)
		if !errors.Is(err, errRepeat) {
			return o, err
		}
		o.lost++
		select {
		case <-time.After(after + rand.N(pause)):
		case <-ctx.Done():
			return o, nil
		}
	}
}

// ask sends one request. With errRepeat it returns how long to wait at least.
//
// http.Transport takes a request with an Idempotency-Key for one that it may send again itself if a kept
// connection turns out to be closed; those are not counted.
func (c *client) ask(ctx context.Context, p payment, o *outcome) (after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	url := c.address() + "/accounts/" + strconv.FormatUint(p.account, 10) + "/payments"
	body := strings.NewReader(fmt.Sprintf(`{"amount": %d}`, p.amount))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", `"`+p.key+`"`)
	resp, err := c.http.Do(r)
	if err != nil {
		return 0, errors.Join(errRepeat, err) // refused, closed, timed out: it may have been paid
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return 0, errors.Join(errRepeat, err)
	case resp.StatusCode == http.StatusCreated:
		o.paid, o.replayed = true, resp.Header.Get("Idempotency-Replayed") == "true"
		return 0, nil
	case resp.StatusCode == http.StatusPaymentRequired:
		o.refused = true
		return 0, nil
	case resp.StatusCode >= http.StatusInternalServerError:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, errRepeat
	}
	return 0, fmt.Errorf("payment %s: %s: %s", p.key, resp.Status, text)
}
