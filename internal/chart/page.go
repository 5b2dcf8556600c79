package chart

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes of a page, in points.
const (
	margin   = 14
	titleAt  = 15 // size of the text
	plainAt  = 10
	lineStep = 14 // from one line of text to the next
)

var (
	black = color.RGBA{A: 255}
	grey  = color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 255}
	pale  = color.RGBA{R: 0xe2, G: 0xe2, B: 0xe2, A: 255}
)

// page is a picture with a title.
type page struct {
	width, height vg.Length
	title         string
	under         []string // lines under the title
}

// write writes the picture, after paint has filled what is under the title.
func (p page) write(w io.Writer, paint func(draw.Canvas)) error {
	canvas := vgsvg.NewWith(vgsvg.UseWH(p.width, p.height))
	c := draw.New(canvas)
	c.SetColor(color.White) // else it would be black on black where pages are dark
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)

	c.FillText(fitted(p.title, titleAt, bold, black, c.Size().X), vg.Point{X: c.Min.X, Y: c.Max.Y - titleAt}, p.title)
	c.Max.Y -= titleAt + 4
	for _, line := range p.under {
		c.Max.Y -= lineStep
		c.FillText(fitted(line, plainAt, plain, grey, c.Size().X), vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
	}
	c.Max.Y -= lineStep
	paint(c)

	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), fontNamed, fontsNamed))
	return err
}

// Few have the font by which the text was measured. The next two are as wide. Without the last, a reader who has
// none of them would see a serif font.
var (
	fontNamed  = []byte("font-family:Liberation Sans;")
	fontsNamed = []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
)

// The weights of a font that are used, as golang.org/x/image/font counts them.
const (
	plain = 0
	bold  = 3
)

// textStyle is that of text which begins at its point, on its baseline.
func textStyle(size vg.Length, weight int, c color.Color) draw.TextStyle {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if weight == bold {
		f.Weight = bold
	}
	return draw.TextStyle{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// fitted is the style of text that is to be so wide at most: it has the given size or, if that is too large, a
// smaller one.
func fitted(text string, size vg.Length, weight int, c color.Color, width vg.Length) draw.TextStyle {
	style := textStyle(size, weight, c)
	for style.Width(text) > width && size > 1 {
		size -= 0.5
		style = textStyle(size, weight, c)
	}
	return style
}
