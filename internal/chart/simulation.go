package chart

import (
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sqlcas/sqlcas/internal/backoffsim"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// simulationHeight is that of one table's panels, in points.
const simulationHeight = 330

// Simulation draws, for each table, the writes that clients sent and the time until all were done, side by side.
func Simulation(w io.Writer, tables ...backoffsim.Table) error {
	tables = slices.DeleteFunc(slices.Clone(tables), func(t backoffsim.Table) bool { return len(t.Rows) == 0 })
	if len(tables) == 0 {
		return errNothing
	}
	p := page{
		width: 960, height: vg.Length(2*margin + titleAt + 4 + 2*lineStep + simulationHeight*len(tables)),
		title: "Many clients update one row at once: how they pause after losing decides work and time",
		under: []string{"Simulated, 10 ms each way; " + hotrow.Counted(tables[0].Trials, "trial", "trials") +
			"; after the study \"Exponential Backoff And Jitter\". Lower is better."},
	}
	return p.write(w, func(c draw.Canvas) {
		for i, t := range tables {
			row := c
			row.Max.Y = c.Max.Y - vg.Length(simulationHeight*i)
			row.Min.Y = row.Max.Y - simulationHeight + lineStep
			at := vg.Point{X: row.Min.X, Y: row.Max.Y - plainAt - 1}
			c.FillText(textStyle(plainAt+1, bold, grey), at, sentence(t.Model.Title()))
			row.Max.Y -= 2 * lineStep
			half := (c.Max.X - c.Min.X) / 2
			simulated("writes sent, all clients together", t, brief, func(r backoffsim.Row) float64 {
				return r.Calls
			}).draw(draw.Crop(row, 0, -half-margin/2, 0, 0))
			simulated("time until the last client is done", t, timeName, func(r backoffsim.Row) float64 {
				return r.Finish.Seconds()
			}).draw(draw.Crop(row, half+margin/2, 0, 0, 0))
		}
	})
}

// simulated is the panel of one of the things that a table holds.
func simulated(
	label string, t backoffsim.Table, name func(float64) string, value func(backoffsim.Row) float64,
) panel {
	given := looksOf(t.Policies, backoffsim.Ours)
	p := panel{room: 130}
	var values []float64
	var counts []int
	for _, policy := range t.Policies {
		l := line{look: given[policy]}
		for _, r := range t.Rows {
			if r.Policy != policy {
				continue
			}
			v := value(r)
			values, counts = append(values, v), append(counts, r.Clients)
			l.points = append(l.points, point{x: float64(r.Clients), y: v})
		}
		slices.SortFunc(l.points, func(a, b point) int { return int(a.x - b.x) })
		if n := len(l.points); n > 0 {
			last := l.points[n-1].y
			l.label = policy + ": " + name(round(last))
			p.lines = append(p.lines, l)
		}
	}
	slices.Sort(counts)
	p.x, p.y = countsAxis("clients", slices.Compact(counts)), logAxis(label, values, name)
	return p
}
