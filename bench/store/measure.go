package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/progress"
)

// comparison sets a Store beside the same work by hand.
type comparison struct {
	name          string
	byHand, store maker
	context       func(work) work
	run           func(context.Context, *books, plan, work, work, func()) (paired.Result, error)
	unit          string
	target        float64 // of the ratio; 0: none
}

// comparisons are all that are made, with each round trip.
func comparisons(callers, rows int) []comparison {
	many := fmt.Sprintf("%d callers, %d rows", callers, rows)
	return []comparison{
		{"quiet row", swapByHand, optimisticStore, withDeadline, oneCaller, "µs", 0.97},
		{"quiet row, not combining | combining", storeAlone, optimisticStore, withDeadline, oneCaller, "µs", 0},
		{"quiet row, no deadline", swapByHand, optimisticStore, withBackground, oneCaller, "µs", 0},
		{many, swapByHand, optimisticStore, withDeadline, manyCallers, "/s", 0.95},
		{"quiet row, FOR UPDATE", lockByHand, pessimisticStore, withDeadline, oneCaller, "µs", 0},
	}
}

// measure makes all comparisons on one server. After an error there are none.
func measure(ctx context.Context, s benchdb.Server, p plan, bar progress.Bar) (outcome, error) {
	d, err := benchdb.Create(ctx, s.DSN)
	if err != nil {
		return outcome{}, err
	}
	defer func() { _ = d.Drop() }() // the server is a throwaway
	near, err := d.Open(1, 0)
	if err != nil {
		return outcome{}, err
	}
	defer func() { _ = near.Close() }()
	b, err := openBooks(ctx, near, p.rows)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Server: s.Name}
	for _, roundTrip := range p.roundTrips {
		err := compareAll(ctx, &o, d, b, p, roundTrip, func(c comparison) {
			bar.Describe(fmt.Sprintf("%s, %s, %s", s.Name, added(roundTrip), c.name))
		}, bar.Step)
		if err != nil {
			return outcome{}, err
		}
	}
	o.Version, o.Settings, err = benchdb.Describe(ctx, near)
	return o, err
}

// compareAll makes all comparisons with one round trip, and adds them to the outcome.
func compareAll(
	ctx context.Context, o *outcome, d *benchdb.Database, b *books, p plan, roundTrip time.Duration,
	start func(comparison), told func(),
) error {
	db, err := d.Open(p.callers, roundTrip)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ping, err := pingTime(ctx, db)
	if err != nil {
		return err
	}
	o.Pings = append(o.Pings, pinged{roundTrip, ping})
	for _, c := range p.comparisons {
		start(c)
		r, err := c.run(ctx, b, p, c.context(c.byHand(db)), c.context(c.store(db)), told)
		if err != nil {
			return fmt.Errorf("%s, round trip %s: %w", c.name, added(roundTrip), err)
		}
		o.Compared = append(o.Compared, compared{
			RoundTrip: roundTrip, Work: c.name, Unit: c.unit, ByHand: r.Base.Median(), Store: r.Ours.Median(),
			Ratios: r.Ratio, Target: c.target,
		})
	}
	return nil
}

// pingTime is the median time of a query that costs nothing but its round trip, in microseconds.
func pingTime(ctx context.Context, db *sql.DB) (float64, error) {
	var times paired.Sample
	for range 200 {
		var one int
		start := time.Now()
		if err := db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
			return 0, err
		}
		times = append(times, paired.Micros(time.Since(start)))
	}
	return times.Median(), nil
}
