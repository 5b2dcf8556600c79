package chart

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

var errNothing = errors.New("the report has no results: there is nothing to draw")

// Throughput draws the updates a second by the number of callers, a line for each strategy; or, if there is one
// number of callers only, a bar for each strategy.
func Throughput(w io.Writer, r hotrow.Report) error {
	cells := slices.SortedStableFunc(slices.Values(r.Cells), func(a, b hotrow.Cell) int {
		return cmp.Compare(a.Callers, b.Callers)
	})
	cells = slices.DeleteFunc(cells, func(c hotrow.Cell) bool { return len(c.Results) == 0 })
	switch len(cells) {
	case 0:
		return errNothing
	case 1:
		return bars(w, r, cells[0])
	}
	return rates(w, r, cells)
}

func rates(w io.Writer, r hotrow.Report, cells []hotrow.Cell) error {
	var counts []int
	var values []float64
	var lines []line
	given := strategyLooks(cells...)
	index := map[string]int{}
	for _, cell := range cells {
		counts = append(counts, cell.Callers)
		for _, res := range cell.Results {
			low, high := res.Spread()
			values = append(values, low, high)
			i, has := index[res.Strategy]
			if !has {
				i = len(lines)
				index[res.Strategy] = i
				lines = append(lines, line{look: given[res.Strategy]})
			}
			lines[i].points = append(lines[i].points, point{float64(cell.Callers), res.Rate(), low, high})
			lines[i].label = title(res.Strategy) + ": " + hotrow.Rate(res.Rate()) + "/s"
		}
	}
	label := "callers"
	if r.Processes > 1 {
		label = "callers in each process"
	}
	p := page{
		width: 680, height: 420,
		title: subject(r) + ": updates a second by callers, " + where(r),
		under: []string{
			conditions(r),
			"Medians of " + turns(r) + "; whiskers are the spread of the rounds. Higher is better.",
		},
	}
	return p.write(w, panel{
		x: countsAxis(label, slices.Compact(counts)), y: logAxis("updates a second", values, brief),
		lines: lines, room: 175,
	}.draw)
}
