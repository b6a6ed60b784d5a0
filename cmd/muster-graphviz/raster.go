package main

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"
	"slices"
	"strings"

	"git.sr.ht/~sbinet/gg"
	"github.com/goccy/go-graphviz"
	"github.com/goccy/go-graphviz/gvc"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// newGraphviz returns Graphviz with our own rasters for PNG and JPEG. The library's rasters
// (v0.2.10) fill every curve, because they are told that each is filled.
func newGraphviz(ctx context.Context, t *trouble) (*graphviz.Graphviz, error) {
	var plugins []graphviz.Plugin
	for _, f := range []struct {
		name   string
		device func(context.Context) (*graphviz.DevicePlugin, error)
		encode func(*gg.Context, io.Writer) error
	}{
		{"png", graphviz.PNGDevicePlugin, (*gg.Context).EncodePNG},
		{"jpg", graphviz.JPGDevicePlugin, encodeJPEG},
	} {
		render, err := graphviz.NewRenderPlugin(ctx, f.name, &raster{encode: f.encode, trouble: t})
		if err != nil {
			return nil, err
		}
		device, err := f.device(ctx)
		if err != nil {
			return nil, err
		}
		plugins = append(plugins, render, device)
	}
	return graphviz.NewWithPlugins(ctx, plugins...)
}

func encodeJPEG(c *gg.Context, w io.Writer) error {
	return jpeg.Encode(w, c.Image(), &jpeg.Options{Quality: 92})
}

// trouble is what went wrong in our rasters. They record errors here, because the library replaces
// errors that a raster returns.
type trouble struct {
	err     error
	lacking []rune // characters that the fonts lack, each once
}

// raster draws a graph that Graphviz has laid out into an image. Graphviz measures in points from
// the lower left corner, with y upwards.
type raster struct {
	graphviz.DefaultRenderEngine
	*trouble
	encode func(*gg.Context, io.Writer) error
	canvas *gg.Context
}

func (r *raster) BeginPage(_ context.Context, job *graphviz.Job) error {
	const longest, most = 1 << 15, 1 << 26 // pixels; a pixel takes 4 bytes
	width, height := job.Width(), job.Height()
	if width > longest || height > longest || width*height > most {
		r.err = fmt.Errorf("the picture has %d × %d pixels, which is too large: lower dpi or size", width, height)
		r.canvas = gg.NewContext(1, 1)
		r.canvas.Scale(0, 0) // draw nothing more
		return nil
	}
	r.canvas = gg.NewContext(int(width), int(height))
	r.canvas.SetColor(color.White)
	r.canvas.Clear()
	r.canvas.Scale(job.Scale().X(), job.Scale().Y())
	r.canvas.Translate(job.Translation().X(), -job.Translation().Y())
	return nil
}

func (r *raster) EndPage(_ context.Context, job *graphviz.Job) error {
	var b bytes.Buffer
	if err := r.encode(r.canvas, &b); err != nil {
		return err
	}
	job.SetOutputData(b.Bytes())
	job.SetOutputDataPosition(uint(b.Len()))
	return nil
}

func (r *raster) BezierCurve(_ context.Context, job *graphviz.Job, p []*graphviz.PointFloat, _ bool) error {
	r.canvas.MoveTo(p[0].X(), -p[0].Y())
	for i := 1; i+2 < len(p); i += 3 {
		r.canvas.CubicTo(p[i].X(), -p[i].Y(), p[i+1].X(), -p[i+1].Y(), p[i+2].X(), -p[i+2].Y())
	}
	r.paint(job, job.Object().Type() != gvc.EdgeObjectType)
	return nil
}

func (r *raster) Polygon(_ context.Context, job *graphviz.Job, p []*graphviz.PointFloat, _ bool) error {
	r.trace(p)
	r.canvas.ClosePath()
	r.paint(job, true)
	return nil
}

func (r *raster) Polyline(_ context.Context, job *graphviz.Job, p []*graphviz.PointFloat) error {
	r.trace(p)
	r.paint(job, false)
	return nil
}

// Ellipse draws an ellipse, given its centre and a corner of its bounding box.
func (r *raster) Ellipse(_ context.Context, job *graphviz.Job, p []*graphviz.PointFloat, _ bool) error {
	r.canvas.DrawEllipse(p[0].X(), -p[0].Y(), p[1].X()-p[0].X(), p[1].Y()-p[0].Y())
	r.paint(job, true)
	return nil
}

func (r *raster) trace(p []*graphviz.PointFloat) {
	r.canvas.MoveTo(p[0].X(), -p[0].Y())
	for _, q := range p[1:] {
		r.canvas.LineTo(q.X(), -q.Y())
	}
}

// dashes are the dash patterns of pens, in points.
var dashes = map[gvc.PenType][]float64{
	gvc.PenDashed: {6, 3},
	gvc.PenDotted: {1.5, 3},
}

// paint fills the path if it is closed and the object is filled, then strokes it.
func (r *raster) paint(job *graphviz.Job, closed bool) {
	o := job.Object()
	if closed && isFilled(o) {
		r.setColour(o.FillColor())
		r.canvas.FillPreserve()
	}
	if o.Pen() == gvc.PenNone {
		r.canvas.ClearPath()
		return
	}
	scale := job.Scale().X() // gg scales paths, but not widths and dashes
	var dash []float64
	for _, d := range dashes[o.Pen()] {
		dash = append(dash, d*scale)
	}
	r.canvas.SetDash(dash...)
	r.canvas.SetLineCapButt()
	r.canvas.SetLineWidth(o.PenWidth() * scale)
	r.setColour(o.PenColor())
	r.canvas.Stroke()
}

// isFilled reports whether the closed shapes of o are filled: the background, arrowheads, and
// objects with the style "filled".
func isFilled(o *graphviz.ObjectState) bool {
	switch o.Type() {
	case gvc.RootGraphObjectType, gvc.EdgeObjectType:
		return true
	default:
		return o.Fill() != gvc.FillNone && slices.Contains(o.RawStyle(), "filled")
	}
}

func (r *raster) setColour(c *gvc.Color) {
	v := c.RGBAUint()
	r.canvas.SetColor(color.NRGBA{uint8(v[0]), uint8(v[1]), uint8(v[2]), uint8(v[3])})
}

// TextSpan draws a line of text. Its point is the left end, the right end or the middle, as the
// justification says.
func (r *raster) TextSpan(_ context.Context, job *graphviz.Job, p *graphviz.PointFloat, s *graphviz.TextSpan) error {
	if r.err != nil {
		return nil
	}
	const largest = 400 // a typeface allocates space for several glyphs at once
	font := typeface(s.Font().Name())
	for _, c := range s.Text() {
		glyph, err := font.GlyphIndex(nil, c)
		if err != nil {
			return err
		}
		if glyph == 0 && !slices.Contains(r.lacking, c) {
			r.lacking = append(r.lacking, c)
		}
	}
	size := min(s.Font().Size()*job.Scale().X(), largest)
	face, err := opentype.NewFace(font, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return err
	}
	r.canvas.SetFontFace(face)
	anchor := map[int]float64{'l': 0, 'n': 0.5, 'r': 1}[s.Just()]
	r.setColour(job.Object().PenColor())
	x, y := r.canvas.TransformPoint(p.X(), -p.Y()-s.YOffsetCenterLine())
	r.canvas.Push()
	r.canvas.Identity()
	r.canvas.DrawStringAnchored(s.Text(), x, y, anchor, 0)
	r.canvas.Pop()
	return nil
}

// The typefaces that are built in, because the system may have none.
var (
	regular = mustParse(goregular.TTF)
	bold    = mustParse(gobold.TTF)
	mono    = mustParse(gomono.TTF)
)

func mustParse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(err)
	}
	return f
}

// typeface returns the built-in typeface that comes nearest to a font's name.
func typeface(name string) *opentype.Font {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "mono"), strings.Contains(name, "courier"):
		return mono
	case strings.Contains(name, "bold"):
		return bold
	default:
		return regular
	}
}
