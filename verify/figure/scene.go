package figure

import (
	"fmt"

	"github.com/muster-gpu/muster/viz"
)

// Colours beyond those of all pictures: of the race, and of cells that one thread or both touch.
var (
	red   = viz.Colour{Light: "#b8202f", Dark: "#ff8d8a"}
	tints = [2]viz.Colour{{Light: "#d6e6fb", Dark: "#1f3a5c"}, {Light: "#fbe7c2", Dark: "#473609"}}
	both  = viz.Colour{Light: "#e6daf5", Dark: "#43306b"}
	clash = viz.Colour{Light: "#fbd3d6", Dark: "#6b1f28"}

	colours = []viz.Colour{
		viz.Base.Paper, viz.Base.Ink, viz.Base.Muted, viz.Base.Node, viz.Base.Rim, red, tints[0], tints[1], both, clash,
	}
)

// The measures of the picture.
const (
	margin   = 20.0
	padding  = 12.0
	boxRoom  = 12.0 // between boxes
	boxSize  = 44.0
	ruleRoom = 40.0
	cellSize = 34.0
	large    = 17.0
	medium   = 14.0
	small    = 12.0
)

// drawing lays out the scene of a figure from top to bottom.
type drawing struct {
	*Figure
	theme  viz.Theme
	groups []viz.Group
	width  float64 // of a column
	right  float64 // right end of the second column
	y      float64
	at     [2]viz.Box // boxes of the racing accesses
}

// Scene lays the figure out.
func (f *Figure) Scene(s viz.Style) *viz.Scene {
	d := &drawing{Figure: f, theme: s.Theme}
	d.measure()
	d.heading()
	for _, in := range f.intervals {
		d.rule(in.begin)
		d.interval(in)
	}
	if f.end != "" {
		d.rule(f.end)
	}
	d.join()
	d.array()
	d.legend()
	view := viz.Box{X0: -margin, Y0: -margin, X1: d.right + margin, Y1: d.y + margin}
	scene := s.Theme.Inked(f.title, f.describe(), view, colours)
	paper := viz.Rect{Box: view, Ink: viz.Ink{Fill: d.theme.Pick(viz.Base.Paper)}}
	scene.Groups = append([]viz.Group{{Shapes: []viz.Shape{paper}}}, d.groups...)
	return scene
}

// measure computes the width of columns and of the picture.
func (d *drawing) measure() {
	for i, name := range d.threads {
		d.width = max(d.width, d.line(name, medium, viz.Base.Ink, true).Width())
		for _, in := range d.intervals {
			for _, b := range in.columns[i] {
				what, where := d.lines(b)
				d.width = max(d.width, what.Width()+2*padding, where.Width()+2*padding)
			}
		}
	}
	gap := d.mono(d.address(), small, red, true).Width() + 60
	d.right = 2*d.width + gap
	for _, c := range []viz.Text{
		d.line(d.title, large, viz.Base.Ink, true), d.line(d.subtitle, small, viz.Base.Muted, false),
		d.line(meaning, small, viz.Base.Muted, false),
	} {
		d.right = max(d.right, c.Width())
	}
	d.right = max(d.right, d.cellsWidth())
}

// column returns where a column begins.
func (d *drawing) column(i int) float64 { return float64(i) * (d.right - d.width) }

func (d *drawing) add(tip string, shapes ...viz.Shape) {
	d.groups = append(d.groups, viz.Group{Tip: tip, Shapes: shapes})
}

// line returns a line of text, not placed yet.
func (d *drawing) line(s string, size float64, c viz.Colour, bold bool) viz.Text {
	return viz.Text{Size: size, Runs: []viz.Run{{Text: s, Colour: d.theme.Pick(c), Bold: bold}}}
}

// mono returns a line of text in a font for code.
func (d *drawing) mono(s string, size float64, c viz.Colour, bold bool) viz.Text {
	t := d.line(s, size, c, bold)
	t.Mono = true
	return t
}

func at(t viz.Text, x, y float64) viz.Text {
	t.At = viz.Point{X: x, Y: y}
	return t
}

func centred(t viz.Text, x, y float64) viz.Text {
	t = at(t, x, y)
	t.Middle = true
	return t
}

// heading draws the titles and the names of the columns.
func (d *drawing) heading() {
	d.add("", at(d.line(d.title, large, viz.Base.Ink, true), 0, large))
	d.add("", at(d.line(d.subtitle, small, viz.Base.Muted, false), 0, large+22))
	d.y = large + 54
	for i, name := range d.threads {
		d.add("", centred(d.line(name, medium, viz.Base.Ink, true), d.column(i)+d.width/2, d.y))
	}
	d.y += 8
}

// rule draws a barrier, or an end of the kernel, across both columns.
func (d *drawing) rule(label string) {
	d.y += ruleRoom / 2
	from, to := viz.Point{X: 0, Y: d.y}, viz.Point{X: d.right, Y: d.y}
	text := d.mono(label, small, viz.Base.Ink, false)
	middle := viz.Point{X: d.right / 2, Y: d.y}
	d.add(label, segment(from, to, viz.Ink{Stroke: d.theme.Pick(viz.Base.Ink), Weight: 2.4}), d.behind(text, middle),
		centred(text, middle.X, middle.Y+0.35*small))
	d.y += ruleRoom / 2
}

// behind returns a rectangle of background behind a line of text, which interrupts a line drawn
// there.
func (d *drawing) behind(t viz.Text, c viz.Point) viz.Rect {
	w, h := t.Width()+12, t.Size*1.5
	return viz.Rect{
		Box:    viz.Box{X0: c.X - w/2, Y0: c.Y - h/2, X1: c.X + w/2, Y1: c.Y + h/2},
		Radius: 4,
		Ink:    viz.Ink{Fill: d.theme.Pick(viz.Base.Paper)},
	}
}

// segment returns a straight line.
func segment(from, to viz.Point, i viz.Ink) viz.Path {
	return viz.Path{Curve: viz.Curve{{from, from, to, to}}, Ink: i}
}

// lines returns the two lines of text of a box.
func (d *drawing) lines(b box) (what, where viz.Text) {
	return d.mono(b.what, medium, viz.Base.Ink, b.access != nil && b.access.races), d.mono(b.where, small,
		viz.Base.Muted, false)
}

// interval draws the boxes of both threads, each column on its own.
func (d *drawing) interval(in interval) {
	top, bottom := d.y, d.y
	for i, column := range in.columns {
		y := top
		for _, b := range column {
			r := viz.Box{X0: d.column(i), Y0: y, X1: d.column(i) + d.width, Y1: y + boxSize}
			d.box(b, r)
			y = r.Y1 + boxRoom
		}
		bottom = max(bottom, y-boxRoom)
	}
	d.y = bottom
}

// box draws a box in its column.
func (d *drawing) box(b box, r viz.Box) {
	what, where := d.lines(b)
	middle := (r.X0 + r.X1) / 2
	if b.where == "" {
		d.add("", centred(what, middle, (r.Y0+r.Y1)/2+0.35*medium))
		return
	}
	shape := viz.Rect{
		Box:    r,
		Radius: 7,
		Ink:    viz.Ink{Fill: d.theme.Pick(viz.Base.Node), Stroke: d.theme.Pick(viz.Base.Rim), Weight: 1},
	}
	switch a := b.access; {
	case a == nil:
		shape.Dash = []float64{4, 3}
	case a.races:
		shape.Fill, shape.Stroke, shape.Weight = d.theme.Pick(tints[a.thread]), d.theme.Pick(red), 2.4
		d.at[a.thread] = r
	case a.Object == d.race[0].Object:
		shape.Fill = d.theme.Pick(tints[a.thread])
	}
	d.add(b.what+" at "+b.where, shape, centred(what, middle, r.Y0+19), centred(where, middle, r.Y0+36))
}

// join draws the line between the racing accesses, with the address.
func (d *drawing) join() {
	from := viz.Point{X: d.at[0].X1, Y: (d.at[0].Y0 + d.at[0].Y1) / 2}
	to := viz.Point{X: d.at[1].X0, Y: (d.at[1].Y0 + d.at[1].Y1) / 2}
	middle := viz.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}
	text := d.mono(d.address(), small, red, true)
	d.add(d.verdict(), segment(from, to, viz.Ink{Stroke: d.theme.Pick(red), Weight: 2.8, Round: true}),
		d.behind(text, middle), centred(text, middle.X, middle.Y+0.35*small))
}

// array draws the cells and the accesses of each thread to them.
func (d *drawing) array() {
	d.y += 34
	d.add("", at(d.mono(d.Figure.array, medium, viz.Base.Ink, true), 0, d.y))
	d.y += 12
	x := d.marksWidth()
	for i, name := range d.threads {
		d.add("", at(d.line(name, small, viz.Base.Muted, false), 0, d.y+cellSize+float64(i)*18+17))
	}
	var racing []func() // drawn over their neighbours
	for _, c := range d.cells {
		if c.gap {
			d.add("", centred(d.line("…", medium, viz.Base.Muted, false), x+cellSize/2, d.y+cellSize/2+5))
			x += cellSize
		}
		r := viz.Box{X0: x, Y0: d.y, X1: x + cellSize, Y1: d.y + cellSize}
		if c.races {
			racing = append(racing, func() { d.cell(c, r) })
		} else {
			d.cell(c, r)
		}
		x += cellSize
	}
	for _, draw := range racing {
		draw()
	}
	d.y += cellSize + 2*18 + 6
}

// cell draws an element of the array.
func (d *drawing) cell(c cell, r viz.Box) {
	fill, rim, weight := viz.Base.Paper, viz.Base.Rim, 1.0
	switch {
	case c.races:
		fill, rim, weight = clash, red, 2.4
	case c.touches[0] != "" && c.touches[1] != "":
		fill = both
	case c.touches[0] != "":
		fill = tints[0]
	case c.touches[1] != "":
		fill = tints[1]
	}
	ink := viz.Ink{Fill: d.theme.Pick(fill), Stroke: d.theme.Pick(rim), Weight: weight}
	middle := (r.X0 + r.X1) / 2
	size := small
	if len(fmt.Sprint(c.index)) > 4 {
		size = 8
	}
	shapes := []viz.Shape{
		viz.Rect{Box: r, Ink: ink},
		centred(d.mono(fmt.Sprint(c.index), size, viz.Base.Ink, c.races), middle, (r.Y0+r.Y1)/2+0.35*size),
	}
	for i, s := range c.touches {
		if s != "" {
			shapes = append(shapes, centred(d.mono(s, small, viz.Base.Ink, false), middle, r.Y1+float64(i)*18+17))
		}
	}
	d.add("", shapes...)
}

// marksWidth returns the space for the names of the threads before the cells.
func (d *drawing) marksWidth() float64 {
	w := 0.0
	for _, name := range d.threads {
		w = max(w, d.line(name, small, viz.Base.Muted, false).Width())
	}
	return w + padding
}

func (d *drawing) cellsWidth() float64 {
	n := len(d.cells)
	for _, c := range d.cells {
		if c.gap {
			n++
		}
	}
	return d.marksWidth() + float64(n)*cellSize
}

// meaning explains letters and lines.
const meaning = "r read, w write, rw both; between two rules, the threads have no order; + counts bytes"

// legend draws the explanation at the bottom.
func (d *drawing) legend() {
	d.y += 16
	d.add("", at(d.line(meaning, small, viz.Base.Muted, false), 0, d.y))
}
