package viz

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/event"
)

// SVG writes the graph as a self-contained picture. A page can restyle it and show
// or hide parts of it by these hooks:
//
//	svg.muster                         the picture; also auto, light or dark
//	g.event, #event-a, data-event      an event; also read, write, fence, barrier, init, cycle
//	g.edge, g.edge-label               an arrow and its label; also the kinds and cycle
//	data-rel, data-from, data-to       the labels of an edge, and its events as in their ids
//	rect.frame, g.frame-label, g.thread, g.title, g.subtitle, g.legend, rect.paper
//
// The rules within begin with the classes of the picture, such as .muster.auto; those
// of the page prevail if they begin with svg.muster.auto.
func (g *Graph) SVG(w io.Writer, s Style) error {
	d := &drawing{arrangement: layOut(g), style: s}
	d.place()
	d.write()
	_, err := w.Write(d.buf.Bytes())
	return err
}

// drawing writes an arrangement as SVG.
type drawing struct {
	*arrangement
	style   Style
	caption []text
	legend  []legendEntry
	view    box
	buf     bytes.Buffer
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.buf, format, args...) }

// place adds the captions above and the legend below.
func (d *drawing) place() {
	b := d.bounds
	y := b.y0 - 14
	for _, c := range []struct {
		font
		s string
	}{{subtitleFont, d.subtitle}, {titleFont, d.title}} {
		if c.s != "" {
			y -= c.height()
			d.caption = append(d.caption, textAt(c.font, c.s, b.x0, y))
		}
	}
	for _, t := range d.caption {
		d.bounds = d.bounds.union(t.box)
	}
	if !d.style.NoLegend {
		d.legend = d.placeLegend(b.x0, b.y1+18, max(b.width(), leastLegend))
		for _, l := range d.legend {
			d.bounds = d.bounds.union(l.box())
		}
	}
	d.view = d.bounds.grown(margin)
}

func (d *drawing) write() {
	v := d.view
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="muster %s" role="img" width="%s" height="%s" viewBox="%s %s %s %s">`+"\n",
		d.style.Theme, num(v.width()), num(v.height()), num(v.x0), num(v.y0), num(v.width()), num(v.height()))
	title := d.title
	if title == "" {
		title = "candidate execution"
	}
	d.printf("<title>%s</title>\n<desc>%s</desc>\n", escape(title), escape(d.describe()))
	d.printf("<style>\n%s</style>\n", d.style.Theme.sheet(d.kinds()))
	d.printf(`<rect class="paper" x="%s" y="%s" width="%s" height="%s"/>`+"\n",
		num(v.x0), num(v.y0), num(v.width()), num(v.height()))
	d.writeFrames()
	d.writeEdges()
	d.writeEvents()
	d.writeLabels()
	for _, t := range append(d.caption, d.fixed...) {
		d.writeText(t)
	}
	d.writeLegend()
	d.printf("</svg>\n")
}

func (d *drawing) writeFrames() {
	eachFrame(d.frames, func(f *frame) {
		class := "frame"
		if f.light {
			class = "frame light"
		}
		d.rect(class, d.framed[f], 10)
	})
}

func (d *drawing) rect(class string, b box, radius float64) {
	attr := ""
	if class != "" {
		attr = ` class="` + class + `"`
	}
	d.printf(`<rect%s x="%s" y="%s" width="%s" height="%s" rx="%s"/>`+"\n",
		attr, num(b.x0), num(b.y0), num(b.width()), num(b.height()), num(radius))
}

// writeText writes a line of text; the style sheet centres some classes.
func (d *drawing) writeText(t text) {
	x := t.box.x0
	if t.font == threadFont {
		x = t.box.centre().x
	}
	d.printf(`<g class="%s"><text x="%s" y="%s">%s</text></g>`+"\n", t.class, num(x), num(t.baseline()), escape(t.s))
}

func (d *drawing) writeEvents() {
	cycle := d.onCycle()
	for _, e := range d.events() {
		ev := &d.x.Events[e]
		class := "event event-label " + [...]string{"read", "write", "fence", "barrier"}[ev.Kind]
		if ev.IsInit() {
			class += " init"
		}
		if cycle.Has(e) {
			class += " cycle"
		}
		d.printf(`<g class="%s" id="%sevent-%s" data-event="%s" data-loc="%s">`+"\n",
			class, escape(d.style.IDPrefix), d.id(e), escape(d.names[e]), escape(d.location(e)))
		if ev.Mnemonic != "" {
			d.printf("<title>%s</title>\n", escape(ev.Mnemonic))
		}
		d.rect("", d.nodes[e], 7)
		t := textOn(eventFont, d.label(e), d.nodes[e].centre())
		d.printf(`<text x="%s" y="%s">%s</text>`+"\n</g>\n", num(t.box.centre().x), num(t.baseline()), escape(t.s))
	}
}

// id names e within ids; initial writes are told apart by the number of their
// location, since its name may hold any character.
func (d *drawing) id(e event.ID) string {
	if d.x.Events[e].IsInit() {
		return fmt.Sprintf("%s-%d", d.names[e], d.x.Loc[e])
	}
	return d.names[e]
}

// hooks are the attributes by which a page finds a line.
func (d *drawing) hooks(class string, r *route) string {
	var kinds, labels []string
	for _, e := range r.Parts {
		kinds = append(kinds, e.Kind.String())
		labels = append(labels, e.Label)
	}
	class += " " + kinds[0]
	if r.highlighted() {
		class += " cycle"
	}
	return fmt.Sprintf(`class="%s" data-rel="%s" data-from="%s" data-to="%s"`,
		class, escape(strings.Join(labels, " ")), d.id(r.From), d.id(r.To))
}

// writeEdges draws the highlighted lines last, over the others.
func (d *drawing) writeEdges() {
	for _, highlighted := range []bool{false, true} {
		for _, r := range d.routes {
			if r.highlighted() == highlighted {
				d.writeEdge(r)
			}
		}
	}
}

func (d *drawing) writeEdge(r *route) {
	d.printf("<g %s>\n", d.hooks("edge", r))
	d.printf("<title>%s</title>\n", escape(d.ref(r.From)+" –"+r.label+"→ "+d.ref(r.To)))
	d.arrow(r.curve, r.highlighted())
	d.printf("</g>\n")
}

// arrow draws a curve with a head at its end, and a band behind it if it is
// highlighted.
func (d *drawing) arrow(c curve, highlighted bool) {
	length, width := arrowLength, 4.0
	if highlighted {
		length, width = arrowLength+3, 5.5
	}
	tip := c.end()
	shaft := c.trimmed(length * 0.8)
	if highlighted {
		d.printf(`<path class="band" d="%s"/>`+"\n", pathData(shaft))
	}
	d.printf(`<path class="stroke" d="%s"/>`+"\n", pathData(shaft))
	back := c.trimmed(length).end()
	nx, ny := (back.y-tip.y)/length*width, (tip.x-back.x)/length*width
	d.printf(`<polygon class="head" points="%s,%s %s,%s %s,%s"/>`+"\n",
		num(tip.x), num(tip.y), num(back.x+nx), num(back.y+ny), num(back.x-nx), num(back.y-ny))
}

func (d *drawing) writeLabels() {
	for _, r := range d.routes {
		d.printf("<g %s>\n", d.hooks("edge-label", r))
		d.rect("halo", r.labelBox, 4)
		t := textOn(edgeFont, r.label, r.labelBox.centre())
		d.printf(`<text x="%s" y="%s">`, num(t.box.centre().x), num(t.baseline()))
		for i, e := range r.Parts {
			if i > 0 {
				d.printf(", ")
			}
			class := e.Kind.String()
			if e.Highlight {
				class += " cycle"
			}
			d.printf(`<tspan class="%s">%s</tspan>`, class, escape(e.Label))
		}
		d.printf("</text>\n</g>\n")
	}
}

// pathData is a curve in the language of the d attribute.
func pathData(c curve) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", num(c.start().x), num(c.start().y))
	for _, p := range c {
		if p.isStraight() {
			fmt.Fprintf(&b, "L%s %s", num(p[3].x), num(p[3].y))
			continue
		}
		fmt.Fprintf(&b, "C%s %s %s %s %s %s",
			num(p[1].x), num(p[1].y), num(p[2].x), num(p[2].y), num(p[3].x), num(p[3].y))
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

// escape makes s fit for the text and the attributes of XML. Characters that XML
// cannot hold become U+FFFD.
func escape(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF {
			return '\uFFFD'
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}
