package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"text/tabwriter"
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
		{"quiet row, no deadline", swapByHand, optimisticStore, withBackground, oneCaller, "µs", 0},
		{many, swapByHand, optimisticStore, withDeadline, manyCallers, "/s", 0.95},
		{"quiet row, FOR UPDATE", lockByHand, pessimisticStore, withDeadline, oneCaller, "µs", 0},
	}
}

// measure makes all comparisons on one server, and returns the table of them. After an error there is
// none.
func measure(ctx context.Context, s benchdb.Server, p plan, bar progress.Bar) (string, error) {
	d, err := benchdb.Create(ctx, s.DSN)
	if err != nil {
		return "", err
	}
	defer d.Drop()
	near, err := d.Open(1, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = near.Close() }()
	b, err := openBooks(ctx, near, p.rows)
	if err != nil {
		return "", err
	}
	var rows strings.Builder
	var pings []string
	for _, roundTrip := range p.roundTrips {
		ping, err := compareAll(ctx, &rows, d, b, p, roundTrip, func(c comparison) {
			bar.Describe(fmt.Sprintf("%s, %s, %s", s.Name, added(roundTrip), c.name))
		}, bar.Step)
		if err != nil {
			return "", err
		}
		pings = append(pings, fmt.Sprintf("%.0f µs (%s)", ping, added(roundTrip)))
	}
	version, settings, err := benchdb.Describe(ctx, near)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("\n%s %s, %s; SELECT 1 takes %s\n", s.Name, version, settings, strings.Join(pings, ", ")) +
		aligned(rows.String()), nil
}

// compareAll makes all comparisons with one round trip, and returns how long one takes, in microseconds.
func compareAll(
	ctx context.Context, rows *strings.Builder, d *benchdb.Database, b *books, p plan, roundTrip time.Duration,
	start func(comparison), told func(),
) (ping float64, err error) {
	db, err := d.Open(p.callers, roundTrip)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	if ping, err = pingTime(ctx, db); err != nil {
		return 0, err
	}
	for _, c := range p.comparisons {
		start(c)
		r, err := c.run(ctx, b, p, c.context(c.byHand(db)), c.context(c.store(db)), told)
		if err != nil {
			return 0, fmt.Errorf("%s, round trip %s: %w", c.name, added(roundTrip), err)
		}
		fmt.Fprintf(rows, "%s\t%s\t%.0f %s\t%.0f %s\t%s\t%s\t\n", added(roundTrip), c.name,
			r.Base.Median(), c.unit, r.Ours.Median(), c.unit, r.Ratio.Spread(3), verdict(r.Ratio.Median(), c.target))
	}
	return ping, nil
}

// added writes a round trip that is added: +0, +1ms.
func added(roundTrip time.Duration) string {
	if roundTrip == 0 {
		return "+0"
	}
	return "+" + roundTrip.String()
}

// verdict says what a ratio was to reach, and whether it has. It is for readers: a benchmark does not fail by
// the time that it took.
func verdict(ratio, target float64) string {
	switch {
	case target == 0:
		return ""
	case ratio >= target:
		return fmt.Sprintf("%.2f: reached", target)
	}
	return fmt.Sprintf("%.2f: MISSED", target)
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

// aligned lays rows of tab-separated cells out under their headings.
func aligned(rows string) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "round trip\twork\tby hand\tStore\tratio [quartiles]\ttarget\t\n", rows)
	_ = w.Flush() // a strings.Builder takes everything
	return out.String()
}
