package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// load is how much to send.
type load struct{ accounts, payments, callers, kills int }

// told is a payment and what its senders were told: one, or two who sent it at once.
type told struct {
	payment
	outcomes []outcome
}

// totals is what a run came to, as the senders know it.
type totals struct {
	told    []told
	elapsed time.Duration
}

// draw makes up the payments. The first account is in three of four.
func (l *load) draw() []payment {
	asked := make([]payment, l.payments)
	for i := range asked {
		account := uint64(1)
		if i%4 == 0 {
			account = 1 + uint64(i/4%l.accounts)
		}
		asked[i] = payment{key: fmt.Sprintf("order-%05d", i+1), account: account, amount: 1 + rand.Int64N(100_00)}
	}
	return asked
}

// send starts the service and has the callers send the payments, while the service is killed and started again.
func (l *load) send(ctx context.Context, s *service, asked []payment, out io.Writer) (sum totals, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	if err := s.start(ctx); err != nil {
		return sum, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * l.callers}
	defer transport.CloseIdleConnections()
	c := &client{http: &http.Client{Transport: transport}, address: s.at}

	answered := make(chan struct{}, len(asked))
	killed := make(chan error, 1)
	go func() {
		err := l.killNowAndThen(ctx, s, answered, out)
		if err != nil {
			cancel()
		}
		killed <- err
	}()
	sum.told, err = l.sendAll(ctx, c, asked, answered)
	if err != nil {
		cancel()
	}
	if err = errors.Join(err, <-killed); err != nil {
		s.kill()
		return sum, err
	}
	sum.elapsed = time.Since(start)
	return sum, s.stop()
}

// sendAll returns when each payment is answered, or its sender has lost patience.
func (l *load) sendAll(
	ctx context.Context, c *client, asked []payment, answered chan<- struct{},
) (all []told, err error) {
	all = make([]told, len(asked))
	next := make(chan int)
	var mu sync.Mutex
	var callers sync.WaitGroup
	for range l.callers {
		callers.Go(func() {
			for i := range next {
				outcomes, e := sendOne(ctx, c, asked[i], i%5 == 0)
				all[i] = told{asked[i], outcomes}
				if e != nil {
					mu.Lock()
					err = e
					mu.Unlock()
				}
				answered <- struct{}{}
			}
		})
	}
	for i := range asked {
		next <- i
	}
	close(next)
	callers.Wait()
	return all, errors.Join(err, ctx.Err())
}

// sendOne sends a payment, or the same one twice at once, as somebody does who presses the button twice.
func sendOne(ctx context.Context, c *client, p payment, twice bool) ([]outcome, error) {
	outcomes, errs := make([]outcome, 1, 2), make([]error, 2)
	var second sync.WaitGroup
	if twice {
		outcomes = outcomes[:2]
		second.Go(func() { outcomes[1], errs[1] = c.pay(ctx, p) })
	}
	outcomes[0], errs[0] = c.pay(ctx, p)
	second.Wait()
	return outcomes, errors.Join(errs...)
}

// killNowAndThen kills the service when a part of the payments is answered, at moments that lie
// evenly, and starts it again.
func (l *load) killNowAndThen(ctx context.Context, s *service, answered <-chan struct{}, out io.Writer) error {
	for n := range l.kills {
		for range l.payments / (l.kills + 1) {
			select {
			case <-answered:
			case <-ctx.Done():
				return nil
			}
		}
		s.kill()
		killed := time.Now()
		if err := s.start(ctx); err != nil {
			return err
		}
		fmt.Fprintf(out, "kill -9 when %d were answered; served again after %v\n",
			(n+1)*(l.payments/(l.kills+1)), time.Since(killed).Round(time.Millisecond))
	}
	return nil
}
