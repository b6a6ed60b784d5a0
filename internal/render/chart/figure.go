package chart

import (
	"bytes"
	"image/color"
	"io"
	"math"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats are the formats of charts, by file extension.
var Formats = []string{"svg", "png", "pdf"}

// figure is a chart independent of its format: plots, one below the other, and a key to their
// right. The canvas grows with them: with a fixed size, the key would be cut off first.
type figure struct {
	title         string
	plots         []*plot.Plot
	width, height vg.Length // of each plot
	key           key       // nil for none
}

// key explains the colours of a figure.
type key interface {
	size() (width, height vg.Length)
	draw(draw.Canvas) // from the upper left corner
}

// Measures of figures. In a figure printed at its size, letters are as large as those of captions.
const (
	margin     = 3 * vg.Millimeter
	gap        = 5 * vg.Millimeter
	titleSize  = vg.Length(11)
	labelSize  = vg.Length(9)
	tickSize   = vg.Length(8)
	dots       = 200     // dots per inch, of a PNG
	mostPixels = 1 << 26 // of a PNG; larger ones have fewer dots per inch
)

var (
	ink   = color.Gray{0x22}
	faint = color.Gray{0xdd}
)

// letters returns a style of text.
func letters(size vg.Length) text.Style {
	return text.Style{
		Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
}

// newPlot returns a plot in the style of figures.
func newPlot() *plot.Plot {
	p := plot.New()
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = letters(labelSize).Font, letters(tickSize).Font
		a.Label.Padding = 4
		a.Label.TextStyle.Color, a.Tick.Label.Color, a.LineStyle.Color, a.Tick.LineStyle.Color = ink, ink, ink, ink
	}
	return p
}

// lattice returns a grid of pale lines behind curves.
func lattice() plot.Plotter {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = faint, faint
	return g
}

// empty returns the figure of an index that has nothing to show.
func empty() *figure {
	p := newPlot()
	p.HideAxes()
	p.X.Label.Text = "no results"
	return &figure{plots: []*plot.Plot{p}, width: 10 * vg.Centimeter, height: 2 * vg.Centimeter}
}

// size returns the size of the canvas.
func (f *figure) size() (width, height vg.Length) {
	width, height = f.width, f.height*vg.Length(len(f.plots))
	if f.key != nil {
		w, h := f.key.size()
		width, height = width+gap+w, max(height, h)
	}
	return max(width, letters(titleSize).Width(f.title)) + 2*margin, height + f.titleRoom() + 2*margin
}

// titleRoom returns the height of the title with some air, or 0.
func (f *figure) titleRoom() vg.Length {
	if f.title == "" {
		return 0
	}
	return 2 * titleSize
}

// paint draws the figure.
func (f *figure) paint(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c.FillText(letters(titleSize), vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize*2/3}, f.title)
	c = draw.Crop(c, 0, 0, 0, -f.titleRoom())
	if f.key != nil {
		f.key.draw(draw.Crop(c, f.width+gap, 0, 0, 0))
	}
	var rows [][]*plot.Plot
	for _, p := range f.plots {
		rows = append(rows, []*plot.Plot{p})
	}
	area := c
	area.Max.X, area.Min.Y = c.Min.X+f.width, c.Max.Y-f.height*vg.Length(len(f.plots))
	canvases := plot.Align(rows, draw.Tiles{Rows: len(rows), Cols: 1, PadY: gap}, area)
	for i, p := range f.plots {
		p.BackgroundColor = nil
		p.Draw(canvases[i][0])
	}
}

// write draws the figure in a format.
func (f *figure) write(format string, to io.Writer) error {
	width, height := f.size()
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(width, height)
	case "pdf":
		c = latin{vgpdf.New(width, height), fpdf.New("", "", "", "").UnicodeTranslatorFromDescriptor("")}
	default:
		inches := width.Dots(1) * height.Dots(1)
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height),
			vgimg.UseDPI(max(1, int(min(dots, math.Sqrt(mostPixels/inches))))))}
	}
	f.paint(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := to.Write(withFallback(b.Bytes(), format))
	return err
}

// latin encodes the text of PDFs in the encoding of the library's fonts, Windows-1252; the library
// would misread UTF-8.
type latin struct {
	*vgpdf.Canvas
	encoded func(string) string
}

func (c latin) FillString(f font.Face, at vg.Point, words string) {
	c.Canvas.FillString(f, at, c.encoded(words))
}

// withFallback adds fallback fonts of the same width to an SVG: the library names one font, and
// where that is not installed, viewers would use one of any width.
func withFallback(made []byte, format string) []byte {
	if format != "svg" {
		return made
	}
	return bytes.ReplaceAll(made, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
}

// legend is a key that lists curves.
type legend struct{ plot.Legend }

func newLegend() *legend {
	l := &legend{plot.NewLegend()}
	l.Left, l.Top, l.TextStyle = true, true, letters(tickSize)
	l.TextStyle.YAlign = draw.YBottom
	l.Padding = 3
	return l
}

func (l *legend) size() (width, height vg.Length) {
	r := l.Rectangle(draw.Canvas{})
	return r.Size().X + labelSize, r.Size().Y
}

func (l *legend) draw(c draw.Canvas) { l.Draw(c) }
