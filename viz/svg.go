package viz

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// SVG writes the graph as a self-contained picture (Scene.SVG).
func (g *Graph) SVG(w io.Writer, s Style) error { return g.Scene(s).SVG(w) }

// SVG writes the scene as a self-contained picture. A page can restyle it and show
// or hide parts of it by these hooks:
//
//	svg.muster                         the picture; also auto, light or dark
//	g.event, #event-a, data-event      an event; also read, write, fence, barrier, init, cycle
//	g.edge, g.edge-label               an arrow and its label; also the families and cycle
//	data-rel, data-from, data-to       the labels of an edge, and its events as in their ids
//	g.meeting, data-events             a band and its name; the names of the events that meet
//	rect.frame, g.frame-label, g.thread, g.title, g.subtitle, g.legend, rect.paper
//
// The rules within begin with the classes of the picture, such as .muster.auto; those
// of the page prevail if they begin with svg.muster.auto.
func (s *Scene) SVG(w io.Writer) error {
	v := s.View
	d := &svgWriter{inked: s.inked}
	d.printf(
		`<svg xmlns="http://www.w3.org/2000/svg" class="muster %s" role="img" width="%s" height="%s" viewBox="%s %s %s %s">`+"\n",
		s.theme, num(v.Width()), num(v.Height()), num(v.X0), num(v.Y0), num(v.Width()), num(v.Height()))
	d.printf("<title>%s</title>\n<desc>%s</desc>\n", escape(s.Title), escape(s.About))
	sheet := s.exchange
	if !s.inked {
		sheet = func() string { return s.theme.sheet(s.families) }
	}
	d.printf("<style>\n%s</style>\n", sheet())
	for _, g := range s.Groups {
		d.group(g)
	}
	d.printf("</svg>\n")
	_, err := w.Write(d.buf.Bytes())
	return err
}

// svgWriter writes shapes as elements. The style sheet determines their look, or their attributes
// if they are inked.
type svgWriter struct {
	buf   bytes.Buffer
	inked bool
}

func (d *svgWriter) printf(format string, args ...any) { fmt.Fprintf(&d.buf, format, args...) }

func (d *svgWriter) group(g Group) {
	if g.hooks != nil || d.inked {
		d.printf("<g")
		for _, h := range g.hooks {
			d.printf(` %s="%s"`, h.name, escape(h.value))
		}
		d.printf(">\n")
		defer d.printf("</g>\n")
	}
	if g.Tip != "" {
		d.printf("<title>%s</title>\n", escape(g.Tip))
	}
	for _, shape := range g.Shapes {
		d.shape(shape)
	}
}

func (d *svgWriter) shape(shape Shape) {
	switch s := shape.(type) {
	case Rect:
		d.printf(`<rect%s x="%s" y="%s" width="%s" height="%s" rx="%s"/>`+"\n",
			d.look(s.class, s.Ink), num(s.X0), num(s.Y0), num(s.Width()), num(s.Height()), num(s.Radius))
	case Path:
		d.printf(`<path%s d="%s"/>`+"\n", d.look(s.class, s.Ink), pathData(s.Curve))
	case Polygon:
		var points []string
		for _, p := range s.Points {
			points = append(points, num(p.X)+","+num(p.Y))
		}
		d.printf(`<polygon%s points="%s"/>`+"\n", d.look(s.class, s.Ink), strings.Join(points, " "))
	case Text:
		attributes := ""
		if d.inked {
			attributes = s.attributes()
		}
		d.printf(`<text x="%s" y="%s"%s>`, num(s.At.X), num(s.At.Y), attributes)
		for _, r := range s.Runs {
			look := classOf(r.class)
			if d.inked {
				look = r.attributes()
			}
			if look == "" {
				d.printf("%s", escape(r.Text))
				continue
			}
			d.printf("<tspan%s>%s</tspan>", look, escape(r.Text))
		}
		d.printf("</text>\n")
	}
}

// look returns the look of a shape as attributes.
func (d *svgWriter) look(class string, i Ink) string {
	if d.inked {
		return i.attributes()
	}
	return classOf(class)
}

func classOf(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// pathData returns a curve in the syntax of the d attribute.
func pathData(c Curve) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", num(c.Start().X), num(c.Start().Y))
	for _, p := range c {
		if p.IsStraight() {
			fmt.Fprintf(&b, "L%s %s", num(p[3].X), num(p[3].Y))
			continue
		}
		fmt.Fprintf(&b, "C%s %s %s %s %s %s",
			num(p[1].X), num(p[1].Y), num(p[2].X), num(p[2].Y), num(p[3].X), num(p[3].Y))
	}
	return b.String()
}

// num prints a coordinate, to a tenth of a pixel.
func num(f float64) string {
	tenths := math.Round(f * 10)
	if tenths == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(tenths/10, 'f', -1, 64)
}

// escape escapes s for text and attributes of XML. Characters that XML does not allow become
// U+FFFD.
func escape(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF {
			return '\uFFFD'
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}
