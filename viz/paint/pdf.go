package paint

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"github.com/muster-gpu/muster/viz"
)

// Paper is the size of pages in points, in portrait orientation. The zero Paper fits each page to
// its picture.
type Paper struct{ Width, Height float64 }

// Papers are common sizes (ISO 216, ANSI/ASME Y14.1), by name.
var Papers = map[string]Paper{
	"a3": {841.89, 1190.55}, "a4": {595.28, 841.89}, "a5": {419.53, 595.28}, "letter": {612, 792},
}

const (
	pointsPerUnit = 0.75 // a unit of a scene is a pixel of CSS: 1/96 inch
	pageMargin    = 36.0 // points: half an inch
)

// under returns the paper in the orientation that suits a view, and the factor by which the view is
// scaled down.
func (p Paper) under(v viz.Box) (turned Paper, fit float64) {
	width, height := v.Width()*pointsPerUnit, v.Height()*pointsPerUnit
	if (width > height) != (p.Width > p.Height) {
		p.Width, p.Height = p.Height, p.Width
	}
	return p, min(1, (p.Width-2*pageMargin)/width, (p.Height-2*pageMargin)/height)
}

// Letters returns the size of the smallest letters of a scene on paper, in points.
func (p Paper) Letters(s *viz.Scene) float64 {
	size, fit := math.Inf(1), 1.0
	for t := range texts(s) {
		size = min(size, t.Size)
	}
	if p != (Paper{}) {
		_, fit = p.under(s.View)
	}
	return size * pointsPerUnit * fit
}

// PDF writes each scene on a page. On paper, a picture that is too large for its page is scaled
// down, and the page is in the orientation that leaves the picture larger. Equal scenes give equal
// documents.
func PDF(w io.Writer, paper Paper, scenes ...*viz.Scene) error {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt"})
	doc.SetAutoPageBreak(false, 0)
	doc.SetMargins(0, 0, 0)
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetProducer("muster", false)
	if len(scenes) > 0 {
		doc.SetTitle(within(scenes[0].Title), true)
	}
	p := &printer{doc: doc, loaded: map[face]bool{}}
	for _, s := range scenes {
		p.page(paper, s)
		for _, g := range s.Groups {
			for _, shape := range g.Shapes {
				p.shape(shape)
			}
		}
	}
	return doc.Output(w)
}

// printer paints shapes on pages.
type printer struct {
	doc    *fpdf.Fpdf
	scale  float64   // points per unit
	origin viz.Point // point of the scene at the corner of the page
	loaded map[face]bool
}

// page begins the page of a scene.
func (p *printer) page(paper Paper, s *viz.Scene) {
	v := s.View
	width, height := v.Width()*pointsPerUnit, v.Height()*pointsPerUnit
	p.scale, p.origin = pointsPerUnit, viz.Point{X: v.X0, Y: v.Y0}
	if paper != (Paper{}) {
		var fit float64
		paper, fit = paper.under(v)
		p.scale *= fit
		p.origin.X -= (paper.Width - width*fit) / 2 / p.scale
		p.origin.Y -= pageMargin / p.scale
		width, height = paper.Width, paper.Height
	}
	p.doc.AddPageFormat("P", fpdf.SizeType{Wd: width, Ht: height})
	if paper != (Paper{}) { // around a dark picture, the page is dark
		p.doc.Rect(0, 0, width, height, p.dip(viz.Ink{Fill: s.Paper()}))
	}
	p.doc.Bookmark(within(s.Title), 0, 0)
}

// at returns the position of a point on the page.
func (p *printer) at(q viz.Point) (x, y float64) {
	return (q.X - p.origin.X) * p.scale, (q.Y - p.origin.Y) * p.scale
}

func (p *printer) shape(shape viz.Shape) {
	switch s := shape.(type) {
	case viz.Rect:
		x, y := p.at(viz.Point{X: s.X0, Y: s.Y0})
		p.doc.RoundedRect(x, y, s.Width()*p.scale, s.Height()*p.scale, s.Radius*p.scale, "1234", p.dip(s.Ink))
	case viz.Path:
		style := p.dip(s.Ink)
		p.trace(s.Curve)
		p.doc.DrawPath(style)
	case viz.Polygon:
		var points []fpdf.PointType
		for _, q := range s.Points {
			x, y := p.at(q)
			points = append(points, fpdf.PointType{X: x, Y: y})
		}
		p.doc.Polygon(points, p.dip(s.Ink))
	case viz.Text:
		p.text(s)
	default:
		p.doc.SetError(fmt.Errorf("paint: no way to paint a %T", shape))
	}
}

// dip selects an ink and returns whether it fills, draws or both, as the library's style.
func (p *printer) dip(ink viz.Ink) (style string) {
	if ink.Fill != "" {
		c := colour(ink.Fill)
		p.doc.SetFillColor(int(c.R), int(c.G), int(c.B))
		style += "F"
	}
	if ink.Stroke != "" {
		c := colour(ink.Stroke)
		p.doc.SetDrawColor(int(c.R), int(c.G), int(c.B))
		p.doc.SetLineWidth(ink.Weight * p.scale)
		p.doc.SetLineJoinStyle("round")
		p.doc.SetLineCapStyle("butt")
		if ink.Round {
			p.doc.SetLineCapStyle("round")
		}
		dash := make([]float64, len(ink.Dash))
		for i, length := range ink.Dash {
			dash[i] = length * p.scale
		}
		p.doc.SetDashPattern(dash, 0)
		style += "D"
	}
	return style
}

func (p *printer) trace(c viz.Curve) {
	p.doc.MoveTo(p.at(c.Start()))
	for _, piece := range c {
		x3, y3 := p.at(piece[3])
		if piece.IsStraight() {
			p.doc.LineTo(x3, y3)
			continue
		}
		x1, y1 := p.at(piece[1])
		x2, y2 := p.at(piece[2])
		p.doc.CurveBezierCubicTo(x1, y1, x2, y2, x3, y3)
	}
}

// within replaces characters beyond 16 bits, which the library cannot handle; the fonts have none
// of them.
func within(text string) string {
	return strings.Map(func(c rune) rune {
		if c > math.MaxUint16 {
			return '\uFFFD'
		}
		return c
	}, text)
}

func (p *printer) text(t viz.Text) {
	width := 0.0
	for _, r := range t.Runs {
		p.setFont(faceOf(t, r), t.Size)
		width += p.doc.GetStringWidth(within(r.Text))
	}
	x, y := p.at(viz.Point{X: start(t, width/p.scale), Y: t.At.Y})
	for _, r := range t.Runs {
		p.setFont(faceOf(t, r), t.Size)
		c := colour(r.Colour)
		p.doc.SetTextColor(int(c.R), int(c.G), int(c.B))
		p.doc.Text(x, y, within(r.Text))
		x += p.doc.GetStringWidth(within(r.Text))
	}
}

// setFont selects a font and embeds it in the document on first use.
func (p *printer) setFont(f face, size float64) {
	family, style := "sans", ""
	if f.mono {
		family = "mono"
	}
	if f.bold {
		style = "B"
	}
	if !p.loaded[f] {
		p.loaded[f] = true
		p.doc.AddUTF8FontFromBytes(family, style, slices.Clone(fonts[f])) // the library changes them
	}
	p.doc.SetFont(family, style, size*p.scale)
}
