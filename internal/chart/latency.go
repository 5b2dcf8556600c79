package chart

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// slowest is where the slowest update of all stands on the axis of percentiles, on which it has no place of its own.
const slowest = 3.6

// Latency draws how long updates took with one number of callers, r.Cells[cell]: a line for each strategy, over an
// axis on which 90, 99 and 99.9 % are as far from each other as it is ten times as rare to be slower.
func Latency(w io.Writer, r hotrow.Report, cell int) error {
	if cell < 0 || cell >= len(r.Cells) {
		return fmt.Errorf("cell %d: the report has %d, counted from 0", cell, len(r.Cells))
	}
	given := strategyLooks(r.Cells[cell])
	var lines []line
	var values []float64
	for _, res := range r.Cells[cell].Results {
		l := line{look: given[res.Strategy]}
		for _, q := range res.Latency {
			pt := point{x: percentile(q.Part), y: q.Time.Seconds()}
			l.points = append(l.points, pt)
			l.tail = q.Part == 1
			l.label = title(res.Strategy) + ": " + hotrow.Short(q.Time)
			values = append(values, pt.y)
		}
		if len(l.points) > 0 {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return errNothing
	}
	p := page{
		width: 680, height: 420,
		title: subject(r) + ": how long an update takes, " + callers(r, r.Cells[cell]) + ", " + r.Server.Title(),
		under: []string{
			conditions(r),
			"All updates of " + turns(r) + ". At 99 %: one update in a hundred takes longer. Lower is better.",
		},
	}
	return p.write(w, panel{
		x: percentiles(), y: logAxis("time from call to answer", values, timeName), lines: lines, room: 175,
	}.draw)
}

// percentile is the place of a part on the axis.
func percentile(part float64) float64 { return min(-math.Log10(1-part), slowest) }

func percentiles() axis {
	a := axis{label: "part of the updates that took at most so long", max: slowest}
	for _, part := range []float64{0.01, 0.5, 0.9, 0.99, 0.999} {
		name := strconv.FormatFloat(100*part, 'g', 4, 64) + " %"
		a.ticks = append(a.ticks, plot.Tick{Value: percentile(part), Label: name})
	}
	a.ticks = append(a.ticks, plot.Tick{Value: slowest, Label: "slowest"})
	return a
}

// timeName writes a number of seconds in the unit that fits.
func timeName(seconds float64) string {
	return hotrow.Short(time.Duration(math.Round(seconds * float64(time.Second))))
}
