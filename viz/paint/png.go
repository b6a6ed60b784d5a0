package paint

import (
	"fmt"
	"io"
	"math"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"

	"github.com/muster-gpu/muster/viz"
)

// MostScale returns the largest number of pixels per unit of a scene that keeps its image within
// bounds.
func MostScale(s *viz.Scene) float64 {
	const longest, most = 1 << 15, 1 << 24 // pixels, of 4 bytes each
	v := s.View
	return min(longest/max(v.Width(), v.Height()), math.Sqrt(most/(v.Width()*v.Height())))
}

// PNG writes the scene with scale pixels per unit, or MostScale if that is less.
func PNG(w io.Writer, s *viz.Scene, scale float64) error {
	v := s.View
	scale = min(scale, MostScale(s))
	c := &canvas{
		image: gg.NewContext(max(1, int(v.Width()*scale)), max(1, int(v.Height()*scale))),
		scale: scale, origin: viz.Point{X: v.X0, Y: v.Y0}, faces: map[sized]font.Face{},
	}
	for _, g := range s.Groups {
		for _, shape := range g.Shapes {
			if err := c.shape(shape); err != nil {
				return err
			}
		}
	}
	return c.image.EncodePNG(w)
}

// canvas paints shapes into an image. It scales points itself, because gg would scale up the pixels
// of letters.
type canvas struct {
	image  *gg.Context
	scale  float64
	origin viz.Point
	faces  map[sized]font.Face
}

// sized is a face with a size.
type sized struct {
	face
	size float64
}

// at returns the position of a point in the image.
func (c *canvas) at(p viz.Point) (x, y float64) {
	return (p.X - c.origin.X) * c.scale, (p.Y - c.origin.Y) * c.scale
}

func (c *canvas) shape(shape viz.Shape) error {
	switch s := shape.(type) {
	case viz.Rect:
		x, y := c.at(viz.Point{X: s.X0, Y: s.Y0})
		c.image.DrawRoundedRectangle(x, y, s.Width()*c.scale, s.Height()*c.scale, s.Radius*c.scale)
		c.paint(s.Ink)
	case viz.Path:
		c.trace(s.Curve)
		c.paint(s.Ink)
	case viz.Polygon:
		for _, p := range s.Points {
			c.image.LineTo(c.at(p))
		}
		c.image.ClosePath()
		c.paint(s.Ink)
	case viz.Text:
		return c.text(s)
	default:
		return fmt.Errorf("paint: no way to paint a %T", shape)
	}
	return nil
}

func (c *canvas) trace(curve viz.Curve) {
	c.image.MoveTo(c.at(curve.Start()))
	for _, p := range curve {
		x1, y1 := c.at(p[1])
		x2, y2 := c.at(p[2])
		x3, y3 := c.at(p[3])
		c.image.CubicTo(x1, y1, x2, y2, x3, y3)
	}
}

// paint fills and strokes the traced outline.
func (c *canvas) paint(ink viz.Ink) {
	if ink.Fill != "" {
		c.image.SetColor(colour(ink.Fill))
		c.image.FillPreserve()
	}
	if ink.Stroke != "" {
		dash := make([]float64, len(ink.Dash))
		for i, length := range ink.Dash {
			dash[i] = length * c.scale
		}
		c.image.SetColor(colour(ink.Stroke))
		c.image.SetDash(dash...)
		c.image.SetLineWidth(ink.Weight * c.scale)
		c.image.SetLineJoin(gg.LineJoinRound)
		c.image.SetLineCap(gg.LineCapButt)
		if ink.Round {
			c.image.SetLineCap(gg.LineCapRound)
		}
		c.image.StrokePreserve()
	}
	c.image.ClearPath()
}

func (c *canvas) text(t viz.Text) error {
	width := 0.0
	for _, r := range t.Runs {
		f, err := c.face(faceOf(t, r), t.Size)
		if err != nil {
			return err
		}
		width += float64(font.MeasureString(f, r.Text)) / 64
	}
	x, y := c.at(viz.Point{X: start(t, width/c.scale), Y: t.At.Y})
	for _, r := range t.Runs {
		f, _ := c.face(faceOf(t, r), t.Size)
		c.image.SetFontFace(f)
		c.image.SetColor(colour(r.Colour))
		c.image.DrawString(r.Text, x, y)
		x += float64(font.MeasureString(f, r.Text)) / 64
	}
	return nil
}

// face returns a face at the scale of the image.
func (c *canvas) face(f face, size float64) (font.Face, error) {
	key := sized{f, size}
	if c.faces[key] == nil {
		outlines, err := opentype.Parse(fonts[f])
		if err != nil {
			return nil, err
		}
		const pointsPerInch = 72 // sizes are numbers of pixels
		face, err := opentype.NewFace(outlines, &opentype.FaceOptions{Size: size * c.scale, DPI: pointsPerInch})
		if err != nil {
			return nil, err
		}
		c.faces[key] = face
	}
	return c.faces[key], nil
}
