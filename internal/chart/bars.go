package chart

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// The sizes of a chart of bars, in points.
const (
	barStep   = 30 // from one bar to the next
	barHeight = 16
	nameRoom  = 140 // to the left of the bars
	valueGap  = 8   // between a bar and its value
)

// bars draws one number of callers: a bar for each strategy, the best on top, from zero on a scale that is not
// logarithmic, so that lengths compare as the rates do.
func bars(w io.Writer, r hotrow.Report, cell hotrow.Cell) error {
	p := page{
		width: 680, height: vg.Length(2*margin + titleAt + 4 + 4*lineStep + barStep*len(cell.Results)),
		title: subject(r) + ": updates a second, " + callers(r, cell) + ", " + r.Server.Title(),
		under: []string{
			conditions(r),
			"Medians of " + turns(r) + "; the thin lines are the spread of the rounds. Higher is better.",
		},
	}
	given := strategyLooks(cell)
	results := slices.SortedStableFunc(slices.Values(cell.Results), func(a, b hotrow.Result) int {
		return cmp.Compare(b.Rate(), a.Rate())
	})
	return p.write(w, func(c draw.Canvas) {
		zero := c.Min.X + nameRoom
		each := unit(results, cell.Base(), given, c.Max.X-zero)
		scale := func(rate float64) vg.Length { return zero + each*vg.Length(rate) }
		for i, res := range results {
			middle := c.Max.Y - vg.Length(barStep*i) - barStep/2
			bar(&c, given[res.Strategy], res, middle, scale)
			style := given[res.Strategy].style()
			if given[res.Strategy] != own {
				style.Color = black // its colour is beside it
			}
			style.XAlign, style.YAlign = draw.XRight, draw.YCenter
			c.FillText(style, vg.Point{X: zero - valueGap, Y: middle}, title(res.Strategy))
			style.XAlign = draw.XLeft
			c.FillText(style, vg.Point{X: scale(reach(res)) + valueGap, Y: middle}, beside(res, cell.Base()))
		}
	})
}

// reach is how far right a bar or its thin line comes.
func reach(res hotrow.Result) float64 {
	_, high := res.Spread()
	return max(high, res.Rate())
}

// unit is the length of one update a second: the largest with which each bar has room for what is right of it. The
// longest bar need not have the longest text.
func unit(results []hotrow.Result, base hotrow.Result, given map[string]look, width vg.Length) vg.Length {
	each := width
	for _, res := range results {
		if reach(res) > 0 {
			text := given[res.Strategy].style().Width(beside(res, base))
			each = min(each, max(0, width-valueGap-text)/vg.Length(reach(res)))
		}
	}
	return each
}

// bar draws one, its length by the scale.
func bar(c *draw.Canvas, l look, res hotrow.Result, middle vg.Length, scale func(float64) vg.Length) {
	low, high := res.Spread()
	bottom, top := middle-barHeight/2, middle+barHeight/2
	left, right := scale(0), scale(res.Rate())
	c.FillPolygon(l.color, []vg.Point{
		{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top},
	})
	if low < high {
		whisker(c, black, vg.Point{X: scale(low), Y: middle}, vg.Point{X: scale(high), Y: middle}, vg.Point{Y: capWidth})
	}
}

// beside is a rate and how many times the base's it is.
func beside(res, base hotrow.Result) string {
	text := hotrow.Rate(res.Rate())
	if ratio := hotrow.Ratio(res, base); ratio > 0 && res.Strategy != base.Strategy {
		return fmt.Sprintf("%s/s (%s x %s)", text, times(ratio), title(base.Strategy))
	}
	return text + "/s"
}

// times writes a ratio with two digits, or all before the point.
func times(ratio float64) string {
	switch {
	case ratio < 0.001:
		return "less than 0.001"
	case ratio < 0.95:
		return strconv.FormatFloat(ratio, 'g', 2, 64)
	case ratio < 9.95:
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return hotrow.Grouped(ratio)
}
