package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a plot of lines whose names are at their right ends. The name of the y axis is above it, where it can be
// read without turning one's head.
type panel struct {
	x, y  axis
	lines []line
	room  vg.Length // for the names of the lines, at least
}

// The sizes of what a panel draws, in points.
const (
	labelGap  = 12 // from one line's name to the next
	leaderLen = 16 // from a line's end to its name
	glyphSize = 2.5
	capWidth  = 2.5 // half of a whisker's end
)

func (p panel) draw(c draw.Canvas) {
	c.FillText(textStyle(plainAt, bold, black), vg.Point{X: c.Min.X, Y: c.Max.Y - plainAt}, p.y.label)
	c.Max.Y -= plainAt + 8

	q := plot.New()
	p.x.set(&q.X)
	p.y.set(&q.Y)
	q.X.Label.Text = p.x.label
	q.X.Label.Padding = 4
	q.Y.LineStyle.Width, q.Y.Tick.Length = 0, 0
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: pale, Width: 0.5}
	grid.Horizontal = grid.Vertical
	q.Add(grid, p)
	room := p.room
	for _, l := range p.lines {
		room = max(room, leaderLen+l.style().Width(l.label))
	}
	q.Draw(draw.Crop(c, 0, -room, 0, 0))
}

func (a axis) set(to *plot.Axis) {
	to.Min, to.Max = a.min, a.max
	to.Scale = plot.LinearScale{}
	if a.log {
		to.Scale = plot.LogScale{}
	}
	to.Tick.Marker = plot.ConstantTicks(a.ticks)
	to.LineStyle.Color, to.Tick.LineStyle.Color = grey, grey
	to.Tick.Length = 4
	for _, style := range []*draw.TextStyle{&to.Tick.Label, &to.Label.TextStyle} {
		style.Font, style.Color = textStyle(plainAt, plain, grey).Font, grey
	}
}

// Plot draws the lines, ours on top: it is what gonum's plot calls.
func (p panel) Plot(c draw.Canvas, q *plot.Plot) {
	x, y := q.Transforms(&c)
	at := func(pt point, v float64) vg.Point { return vg.Point{X: x(pt.x), Y: y(p.y.within(v))} }
	ends := make([]vg.Point, len(p.lines))
	for _, ours := range []bool{false, true} {
		for i, l := range p.lines {
			if (l.look == own) == ours {
				l.draw(&c, p.y, at)
				last := l.points[len(l.points)-1]
				ends[i] = at(last, last.y)
			}
		}
	}
	p.label(&c, ends)
}

// draw leaves out points that the y axis has no place for: a line to its edge would show a value that is not there.
func (l line) draw(c *draw.Canvas, y axis, at func(point, float64) vg.Point) {
	style := draw.LineStyle{Color: l.color, Width: l.width}
	all := l.stretches(y)
	for i, points := range all {
		way := make([]vg.Point, len(points))
		for j, pt := range points {
			way[j] = at(pt, pt.y)
			if pt.low < pt.high {
				whisker(c, l.color, at(pt, pt.low), at(pt, pt.high), vg.Point{X: capWidth})
			}
		}
		solid := way
		if l.tail && i == len(all)-1 && len(way) > 1 {
			solid = way[:len(way)-1]
			dashed := style
			dashed.Width, dashed.Dashes = 1, []vg.Length{2, 2}
			c.StrokeLines(dashed, way[len(way)-2:])
		}
		c.StrokeLines(style, solid)
		for _, pt := range way {
			c.DrawGlyph(draw.GlyphStyle{Color: l.color, Radius: glyphSize, Shape: l.glyph}, pt)
		}
	}
}

// whisker draws a thin bar with a cap, half of which is given, at each end.
func whisker(c *draw.Canvas, clr color.Color, low, high, half vg.Point) {
	style := draw.LineStyle{Color: clr, Width: 0.75}
	c.StrokeLines(
		style, []vg.Point{low, high},
		[]vg.Point{low.Sub(half), low.Add(half)}, []vg.Point{high.Sub(half), high.Add(half)},
	)
}

// label writes the lines' names beside their ends, pushed apart where they would overlap. A line that ends with a
// value which the y axis has no place for has its name at the axis's lower end, and nothing leads there.
func (p panel) label(c *draw.Canvas, ends []vg.Point) {
	want := make([]vg.Length, len(ends))
	for i, end := range ends {
		want[i] = end.Y
	}
	for i, y := range apart(want, labelGap, c.Min.Y, c.Max.Y) {
		l, left := p.lines[i], vg.Point{X: c.Max.X + leaderLen, Y: y}
		if p.y.has(l.points[len(l.points)-1].y) {
			c.StrokeLines(
				draw.LineStyle{Color: l.color, Width: 0.5},
				[]vg.Point{{X: ends[i].X + glyphSize + 1, Y: ends[i].Y}, {X: left.X - 2, Y: y}},
			)
		}
		style := l.style()
		style.YAlign = draw.YCenter
		c.FillText(style, left, l.label)
	}
}
