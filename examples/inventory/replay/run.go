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

// Setup is where and how lines are replayed.
type Setup struct {
	DB      *sql.DB
	Workers int             // lines in flight at a time, at least 1
	Options []sqlcas.Option // for every call of sqlcas
	Done    func()          // told of each line that is through, by any worker; may be nil
}

// outcome is what became of a line.
type outcome struct {
	tally
	accepted bool // else refused
	latency  time.Duration
}

// Result is what a replay came to.
type Result struct {
	Strategy  Strategy
	Lines     int
	Elapsed   time.Duration // of the whole replay, restocking aside
	P50, P99  time.Duration // of one line, from its worker's point of view
	Attempts  int           // over all lines
	Most      int           // attempts of the line that took the most
	Conflicts int           // attempts lost to another worker, all of them absorbed
	Accepted  int           // lines
	Units     int64         // of the accepted lines
	Refused   int           // lines
	// Mismatches are what does not reconcile; there should be none.
	Mismatches []Mismatch
}

// PerSecond is the rate of lines, refused ones included.
func (r *Result) PerSecond() float64 { return float64(r.Lines) / r.Elapsed.Seconds() }

// MeanAttempts is the number of attempts per line.
func (r *Result) MeanAttempts() float64 { return float64(r.Attempts) / float64(r.Lines) }

// Run puts the products into an otherwise unused inventory table, replays the lines by the
// strategy, and compares the table with what was reported. A line ends accepted or refused; any
// other end stops the replay and is returned, with the line's name.
func Run(ctx context.Context, setup Setup, data *Data, strategy Strategy) (*Result, error) {
	if setup.Workers < 1 {
		return nil, fmt.Errorf("replay: %d workers: give at least 1", setup.Workers)
	}
	if err := data.restock(ctx, setup.DB); err != nil {
		return nil, err
	}
	start := time.Now()
	outcomes, err := work(ctx, setup, data, strategy)
	elapsed := time.Since(start)
	if err != nil {
		return nil, err
	}
	rows, err := shop.New(setup.DB).ListStock(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the stock that is left: %w", err)
	}
	result := summarize(data.Lines, outcomes)
	result.Strategy, result.Elapsed = strategy, elapsed
	result.Mismatches = reconcile(data, outcomes, rows)
	return result, nil
}

// work hands the lines out to the workers in file order, and waits for all of them.
func work(ctx context.Context, setup Setup, data *Data, strategy Strategy) ([]outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	outcomes := make([]outcome, len(data.Lines)) // each line's is written by one worker
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(setup.Workers, len(data.Lines)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(data.Lines) {
					return
				}
				o, err := deduct(ctx, setup, data.Lines[i], strategy)
				if err != nil {
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

// deduct takes one line through.
func deduct(ctx context.Context, setup Setup, line Line, strategy Strategy) (outcome, error) {
	start := time.Now()
	// Clipped, so that workers who append to the options do not share what is behind them.
	t, err := strategy.deduct(ctx, setup.DB, line, slices.Clip(setup.Options)...)
	o := outcome{tally: t, latency: time.Since(start), accepted: err == nil}
	if err != nil && !errors.Is(err, ErrInsufficientStock) {
		return o, fmt.Errorf("%s: %s: %w", strategy.Title, line, err)
	}
	return o, nil
}

// summarize counts.
func summarize(lines []Line, outcomes []outcome) *Result {
	r := &Result{Lines: len(outcomes)}
	latencies := make([]time.Duration, len(outcomes))
	for i, o := range outcomes {
		latencies[i] = o.latency
		r.Attempts += o.attempts
		r.Most = max(r.Most, o.attempts)
		r.Conflicts += o.conflicts
		if o.accepted {
			r.Accepted++
			r.Units += lines[i].Quantity
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
