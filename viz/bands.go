package viz

import "math"

// Measures of bands, in pixels.
const (
	bandPad    = 7.0  // between the events of a meeting and the border of its band
	bandInset  = 10.0 // between a border and the name of the meeting
	bandRadius = 10.0
)

// band is a strip behind events of a meeting, across the columns of its threads and those in
// between. A meeting has one band, unless its threads have other events between arriving and
// waiting.
type band struct {
	*meeting
	upper, lower int // rows

	// Set by arrange and placeLabels.
	box  Box
	name text
}

// chooseBands makes the bands of the meetings. Arrivals share a band with the waits directly below
// them.
func (p *plan) chooseBands() {
	for _, m := range p.meetings {
		var b *band
		for _, t := range m.tiers {
			row := p.rows[t[0]]
			if b == nil || row != b.lower+1 {
				b = &band{meeting: m, upper: row}
				p.bands = append(p.bands, b)
			}
			b.lower = row
		}
	}
}

// gutter returns the space left of a column for the names of the meetings that begin there.
func (p *plan) gutter(column int) float64 {
	w := 0.0
	for _, b := range p.bands {
		if b.first == column {
			w = max(w, meetingFont.width(b.title())+2*bandInset)
		}
	}
	return w
}

// placeBands places bands around their events.
func (a *arrangement) placeBands() {
	for _, b := range a.bands {
		_, lanes := a.laneOffsets(b.first, left)
		b.box = Box{
			X0: a.columnX[b.first].X0 - lanes - a.gutter(b.first),
			X1: a.columnX[b.last].X1 + bandPad,
			Y0: math.Inf(1),
			Y1: math.Inf(-1),
		}
		for _, e := range b.events() {
			if row := a.rows[e]; b.upper <= row && row <= b.lower {
				b.box.Y0, b.box.Y1 = min(b.box.Y0, a.nodes[e].Y0-bandPad), max(b.box.Y1, a.nodes[e].Y1+bandPad)
			}
		}
	}
}

// placeNames places the name of each meeting in its band: at the left end, unless it would hide
// lines there and there is a better position.
func (a *arrangement) placeNames(others *crowd) {
	for _, b := range a.bands {
		width := meetingFont.width(b.title())
		best := math.Inf(1)
		for x := b.box.X0 + bandInset; x+width <= b.box.X1; x += labelStep {
			t := textOn(meetingFont, b.title(), Point{x + width/2, b.box.centre().Y})
			if others.isTaken(t.box) {
				continue
			}
			cost := (x - b.box.X0) / b.box.Width()
			cost = a.disturbance(nil, t.box, others, cost, best-clearlyLess)
			if cost < best-clearlyLess {
				best, b.name = cost, t
			}
		}
		others.add(b.name.box.grown(labelSpace))
	}
}
