package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is how a line or bar is told from the others.
type look struct {
	color color.Color
	glyph draw.GlyphDrawer
	width vg.Length
}

// style is that of the name beside the line or bar.
func (l look) style() draw.TextStyle {
	if l == own {
		return textStyle(plainAt, bold, l.color)
	}
	return textStyle(plainAt, plain, l.color)
}

var own = look{color: color.RGBA{G: 0x72, B: 0xb2, A: 255}, glyph: draw.CircleGlyph{}, width: 3}

// looks are those of all others. The colours are dark enough for text on white.
var looks = []look{
	{color.RGBA{R: 0xd5, G: 0x5e, A: 255}, draw.SquareGlyph{}, 1.25},
	{color.RGBA{G: 0x85, B: 0x60, A: 255}, draw.PyramidGlyph{}, 1.25},
	{color.RGBA{R: 0xaa, G: 0x33, B: 0x77, A: 255}, draw.RingGlyph{}, 1.25},
	{color.RGBA{R: 0x66, G: 0x66, B: 0x66, A: 255}, draw.BoxGlyph{}, 1.25},
	{color.RGBA{R: 0x96, G: 0x6f, A: 255}, draw.TriangleGlyph{}, 1.25},
	{color.RGBA{R: 0x33, G: 0x22, B: 0x88, A: 255}, draw.CrossGlyph{}, 1.25},
	{color.RGBA{R: 0x1a, G: 0x8f, B: 0xb8, A: 255}, draw.PlusGlyph{}, 1.25},
	{black, draw.CircleGlyph{}, 1.25},
}

// looksOf gives each name a look by its place among the others. The name of what is ours has a look of its own.
func looksOf(names []string, ours string) map[string]look {
	given := map[string]look{}
	for _, name := range names {
		if _, has := given[name]; has {
			continue
		}
		if name == ours {
			given[name] = own
			continue
		}
		others := len(given)
		if _, has := given[ours]; has {
			others--
		}
		given[name] = looks[others%len(looks)]
	}
	return given
}

// line is one of a panel's.
type line struct {
	label string // at its right end
	look
	points []point // from left to right
	tail   bool    // the last point is set apart: the way to it is dashed
}

// point is a value and, where low is not high, its spread.
type point struct{ x, y, low, high float64 }

// stretches are the points that have a place on the y axis, parted where one between them has none.
func (l line) stretches(y axis) [][]point {
	var all [][]point
	broken := true
	for _, pt := range l.points {
		switch {
		case !y.has(pt.y):
			broken = true
			continue
		case broken:
			all = append(all, nil)
			broken = false
		}
		all[len(all)-1] = append(all[len(all)-1], pt)
	}
	return all
}
