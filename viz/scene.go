package viz

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/vocab"
)

// Scene is a picture independent of its format: shapes from back to front. Each shape has both its
// look, for formats without a style sheet, and its class, for those with one.
type Scene struct {
	Title, About string // alternative text for screen readers
	View         Box    // the visible part of the plane
	Groups       []Group

	theme    Theme
	families []vocab.Family // families in the style sheet
	inked    bool           // shapes have no classes: see Inked
	colours  []Colour
}

// Paper returns the background colour.
func (s *Scene) Paper() string { return s.theme.Pick(Base.Paper) }

// Group is shapes that belong together: an event, an arrow, its label.
type Group struct {
	Tip    string // tooltip
	Shapes []Shape

	hooks []hook // none if the group is no element of its own
}

// hook is an attribute by which a page finds a group.
type hook struct{ name, value string }

// Shape is a Rect, a Path, a Polygon or a Text.
type Shape interface{ isShape() }

// Rect is a rectangle with round corners.
type Rect struct {
	Box
	Radius float64
	Ink

	class string
}

// Path is a curve that is stroked, not filled.
type Path struct {
	Curve
	Ink

	class string
}

// Polygon is a filled polygon.
type Polygon struct {
	Points []Point
	Ink

	class string
}

// Text is a line of text in one size and family.
type Text struct {
	At     Point // on the baseline: the left end of the text, or its middle
	Middle bool
	Size   float64
	Mono   bool
	Runs   []Run
}

// Run is a part of a line of text.
type Run struct {
	Text   string
	Colour string
	Bold   bool

	class string // "" if the run has the text's style
}

func (Rect) isShape()    {}
func (Path) isShape()    {}
func (Polygon) isShape() {}
func (Text) isShape()    {}

// Ink is the fill and stroke of a shape. Colours are #rrggbb.
type Ink struct {
	Fill, Stroke string    // "" for none
	Weight       float64   // of the stroke
	Dash         []float64 // lengths of dashes and gaps, alternating
	Round        bool      // ends of lines and dashes are round
}

// Scene lays out the graph.
func (g *Graph) Scene(s Style) *Scene {
	d := &drawing{arrangement: layOut(g), style: s, palette: s.Theme.palette()}
	d.place()
	d.scene = &Scene{Title: g.title, About: g.describe(), View: d.view, theme: s.Theme, families: g.families()}
	if g.title == "" {
		d.scene.Title = "candidate execution"
	}
	d.add(nil, "", Rect{Box: d.view, Ink: Ink{Fill: d.paper}, class: "paper"})
	d.addBands()
	d.addFrames()
	d.addEdges()
	d.addEvents()
	d.addNames()
	d.addLabels()
	for _, t := range append(d.caption, d.fixed...) {
		d.addText(t)
	}
	d.addLegend()
	return d.scene
}

// drawing makes the scene of an arrangement.
type drawing struct {
	*arrangement
	*palette
	style   Style
	caption []text
	legend  []legendEntry
	view    Box
	scene   *Scene
}

func (d *drawing) add(hooks []hook, tip string, shapes ...Shape) {
	d.scene.Groups = append(d.scene.Groups, Group{Tip: tip, Shapes: shapes, hooks: hooks})
}

// place adds the captions above and the legend below.
func (d *drawing) place() {
	b := d.bounds
	y := b.Y0 - 14
	for _, c := range []struct {
		font
		s string
	}{{subtitleFont, d.subtitle}, {titleFont, d.title}} {
		if c.s != "" {
			y -= c.height()
			d.caption = append(d.caption, textAt(c.font, c.s, b.X0, y))
		}
	}
	for _, t := range d.caption {
		d.bounds = d.bounds.union(t.box)
	}
	d.legend = d.placeLegend(b.X0, b.Y1+18, max(b.Width(), leastLegend))
	for _, l := range d.legend {
		d.bounds = d.bounds.union(l.box())
	}
	d.view = d.bounds.grown(margin)
}

func (d *drawing) addBands() {
	for _, b := range d.bands {
		hooks := []hook{{"class", "meeting"}, {"data-rel", meets}, {"data-events", d.who(b.meeting)}}
		d.add(hooks, b.title()+": "+d.who(b.meeting),
			Rect{Box: b.box, Radius: bandRadius, Ink: Ink{Fill: d.palette.meeting}})
	}
}

// addNames writes the names of meetings, over the lines that they hide.
func (d *drawing) addNames() {
	for _, b := range d.bands {
		halo := Rect{Box: b.name.box, Ink: Ink{Fill: d.palette.meeting}}
		d.add([]hook{{"class", "meeting " + meetingFont.class}}, "", halo,
			d.lineOf(b.name, d.textColour(b.name.font), false))
	}
}

func (d *drawing) addFrames() {
	eachFrame(d.frames, func(f *frame) {
		r := Rect{Box: d.framed[f], Radius: 10, Ink: Ink{Stroke: d.palette.frame, Weight: frameRim}, class: "frame"}
		if f.light {
			r.Dash, r.Round, r.class = dashes(lightDash), true, "frame light"
		}
		d.add(nil, "", r)
	})
}

// lineOf returns a text in one colour.
func (d *drawing) lineOf(t text, colour string, bold bool) Text {
	line := Text{
		At:   Point{t.box.X0, t.baseline()},
		Size: t.size,
		Mono: t.mono,
		Runs: []Run{{Text: t.s, Colour: colour, Bold: bold}},
	}
	if t.mid {
		line.At.X, line.Middle = t.box.centre().X, true
	}
	return line
}

func (d *drawing) addText(t text) {
	d.add([]hook{{"class", t.class}}, "", d.lineOf(t, d.textColour(t.font), t.bold))
}

func (d *drawing) addEvents() {
	cycle := d.onCycle()
	for _, e := range d.events() {
		ev := &d.x.Events[e]
		class := "event event-label " + [...]string{"read", "write", "fence", "barrier"}[ev.Kind]
		r := Rect{Box: d.nodes[e], Radius: 7, Ink: Ink{Fill: d.node, Stroke: d.rim, Weight: nodeRim}}
		if ev.IsInit() {
			class += " init"
			r.Dash = dashes(initDash)
		}
		if cycle.Has(e) {
			class += " cycle"
			r.Stroke, r.Weight = d.ink, cycleRim
		}
		hooks := []hook{
			{"class", class},
			{"id", d.style.IDPrefix + "event-" + d.id(e)},
			{"data-event", d.names[e]},
			{"data-loc", d.location(e)},
		}
		label := textOn(eventFont, d.label(e), d.nodes[e].centre())
		d.add(hooks, ev.Mnemonic, r, d.lineOf(label, d.ink, cycle.Has(e)))
	}
}

// hooks returns the attributes by which a page finds a line.
func (d *drawing) hooks(class string, r *route) []hook {
	var families, labels []string
	for _, e := range r.Parts {
		families = append(families, e.Family.String())
		labels = append(labels, e.Label)
	}
	class += " " + families[0]
	if r.highlighted() {
		class += " cycle"
	}
	return []hook{
		{"class", class},
		{"data-rel", strings.Join(labels, " ")},
		{"data-from", d.id(r.From)},
		{"data-to", d.id(r.To)},
	}
}

// addEdges adds the lines, highlighted ones last, over the others.
func (d *drawing) addEdges() {
	for _, highlighted := range []bool{false, true} {
		for _, r := range d.routes {
			if r.highlighted() == highlighted {
				tip := d.ref(r.From) + " –" + r.label + "→ " + d.ref(r.To)
				stroke := d.stroke(r.Parts[0].Family, highlighted)
				d.add(d.hooks("edge", r), tip, d.arrow(r.curve, stroke, highlighted)...)
			}
		}
	}
}

// arrow returns a curve with a head at its end, and a band behind it if it is highlighted.
func (d *drawing) arrow(c Curve, stroke Ink, highlighted bool) (shapes []Shape) {
	length, width := arrowLength, 4.0
	if highlighted {
		length, width = arrowLength+3, 5.5
	}
	tip := c.end()
	shaft := c.trimmed(length * 0.8)
	if highlighted {
		shapes = append(shapes, Path{shaft, Ink{Stroke: d.band, Weight: bandWidth, Round: true}, "band"})
	}
	back := c.trimmed(length).end()
	nx, ny := (back.Y-tip.Y)/length*width, (tip.X-back.X)/length*width
	head := []Point{tip, {back.X + nx, back.Y + ny}, {back.X - nx, back.Y - ny}}
	return append(shapes, Path{shaft, stroke, "stroke"}, Polygon{head, Ink{Fill: stroke.Stroke}, "head"})
}

func (d *drawing) addLabels() {
	for _, r := range d.routes {
		halo := Rect{Box: r.labelBox, Radius: 4, Ink: Ink{Fill: d.paper}, class: "halo"}
		line := d.lineOf(textOn(edgeFont, r.label, r.labelBox.centre()), "", false)
		line.Runs = nil
		for i, e := range r.Parts {
			if i > 0 {
				line.Runs = append(line.Runs, Run{Text: ", ", Colour: d.ink})
			}
			run := Run{Text: e.Label, Colour: d.edge(looks[e.Family]), Bold: e.Highlight, class: e.Family.String()}
			if e.Highlight {
				run.class += " cycle"
			}
			line.Runs = append(line.Runs, run)
		}
		d.add(d.hooks("edge-label", r), "", halo, line)
	}
}

func (d *drawing) addLegend() {
	for _, l := range d.legend {
		class, shapes := d.sampleOf(l)
		d.add([]hook{{"class", "legend" + class}}, "", append(shapes, d.lineOf(l.text, d.muted, false))...)
	}
}

// sampleOf returns the sample of an entry, and the classes that it adds.
func (d *drawing) sampleOf(l legendEntry) (class string, shapes []Shape) {
	switch l.sample {
	case bandSample:
		return " meeting", []Shape{Rect{Box: l.room, Radius: bandRadius / 2, Ink: Ink{Fill: d.palette.meeting}}}
	case lineSample:
		class, stroke := " edge "+l.family.String(), d.stroke(l.family, l.highlight)
		if l.highlight {
			class += " cycle"
			stroke.Stroke, stroke.Dash = d.ink, nil
		}
		y := l.room.centre().Y
		return class, d.arrow(Curve{}.lineTo(Point{l.room.X0, y}, Point{l.room.X1, y}), stroke, l.highlight)
	}
	return "", nil
}

// id returns the name of e in ids. Initial writes are identified by the number of their location,
// because its name may contain any character.
func (d *drawing) id(e event.ID) string {
	if d.x.Events[e].IsInit() {
		return fmt.Sprintf("%s-%d", d.names[e], d.x.Loc[e])
	}
	return d.names[e]
}
