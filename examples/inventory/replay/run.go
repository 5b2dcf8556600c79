package replay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Setup is where and how orders are replayed.
type Setup struct {
	DB      *sql.DB
	Workers int             // orders in flight at a time, at least 1
	Options []sqlcas.Option // for every call of sqlcas
	NoLocks bool            // the database has no SELECT ... FOR UPDATE
	Done    func()          // told of each order that is through, by any worker; may be nil
}

// outcome is what became of an order.
type outcome struct {
	tally
	accepted bool // else refused
	latency  time.Duration
}

// Result is what a replay came to. An order is a line of the file unless the Strategy takes whole ones.
type Result struct {
	Strategy  Strategy
	Orders    int
	Elapsed   time.Duration // of the whole replay, restocking aside
	P50, P99  time.Duration // of one order, from its worker's point of view
	Attempts  int           // over all orders
	Most      int           // attempts of the order that took the most
	Conflicts int           // attempts lost to another worker, all of them absorbed
	Accepted  int           // orders
	Units     int64         // of the accepted orders
	Refused   int           // orders
	// Mismatches are what does not reconcile; there should be none.
	Mismatches []Mismatch
}

// PerSecond is the rate of orders, refused ones included.
func (r *Result) PerSecond() float64 { return float64(r.Orders) / r.Elapsed.Seconds() }

// MeanAttempts is the number of attempts per order.
func (r *Result) MeanAttempts() float64 { return float64(r.Attempts) / float64(r.Orders) }

// Run puts the products into an otherwise unused inventory table, replays the orders by the
// strategy, and compares the table with what was reported. An order ends accepted or refused; any
// other end, a deadlock for instance, stops the replay and is returned, with the order's name.
func Run(ctx context.Context, setup Setup, data *Data, strategy Strategy) (*Result, error) {
	if setup.Workers < 1 {
		return nil, fmt.Errorf("replay: %d workers: give at least 1", setup.Workers)
	}
	if err := data.restock(ctx, setup.DB); err != nil {
		return nil, err
	}
	orders := strategy.Orders(data)
	start := time.Now()
	outcomes, err := work(ctx, setup, orders, strategy)
	elapsed := time.Since(start)
	if err != nil {
		return nil, err
	}
	rows, err := shop.New(setup.DB).ListStock(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the stock that is left: %w", err)
	}
	result := summarize(orders, outcomes)
	result.Strategy, result.Elapsed = strategy, elapsed
	result.Mismatches = reconcile(data.Products, orders, outcomes, rows)
	return result, nil
}

// work hands the orders out to the workers in file order, and waits for all of them.
func work(ctx context.Context, setup Setup, orders []Order, strategy Strategy) ([]outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	deduct := strategy.prepare(setup)
	outcomes := make([]outcome, len(orders)) // each order's is written by one worker
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(setup.Workers, len(orders)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(orders) {
					return
				}
				o, err := through(ctx, deduct, orders[i])
				if err != nil {
					err = fmt.Errorf("%s: %s: %w", strategy.Title, orders[i], err)
					stop(err) // the first cause stays
					return
				}
				outcomes[i] = o
				if setup.Done != nil {
					setup.Done()
				}
			}
		})
	}
	workers.Wait()
	return outcomes, context.Cause(ctx)
}

// through takes one order through.
func through(ctx context.Context, deduct deduct, order Order) (outcome, error) {
	start := time.Now()
	t, err := deduct(ctx, order)
	o := outcome{tally: t, latency: time.Since(start), accepted: err == nil}
	if errors.Is(err, ErrInsufficientStock) {
		err = nil
	}
	return o, err
}

// summarize counts.
func summarize(orders []Order, outcomes []outcome) *Result {
	r := &Result{Orders: len(outcomes)}
	latencies := make([]time.Duration, len(outcomes))
	for i, o := range outcomes {
		latencies[i] = o.latency
		r.Attempts += o.attempts
		r.Most = max(r.Most, o.attempts)
		r.Conflicts += o.conflicts
		if o.accepted {
			r.Accepted++
			r.Units += orders[i].units()
		} else {
			r.Refused++
		}
	}
	slices.Sort(latencies)
	r.P50, r.P99 = percentile(latencies, 50), percentile(latencies, 99)
	return r
}

// percentile returns the smallest of the sorted durations that p per cent of them do not exceed,
// and 0 for none.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
