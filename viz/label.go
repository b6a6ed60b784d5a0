package viz

import (
	"cmp"
	"math"
	"slices"
)

// Measures of labels, in pixels.
const (
	labelPad   = 3.0 // of the halo around the text
	labelSpace = 3.0 // least distance to nodes and other labels
	labelStep  = 5.0 // between positions to try
	mostPlaces = 200 // to try on a line

	clearlyLess = 0.04 // between costs: among nearly equal positions, the first is taken
)

func labelWidth(s string) float64 { return edgeFont.width(s) + 2*labelPad }

func labelHeight() float64 { return edgeFont.height() + 1 }

// layOut arranges the plan with enough room for the labels: each round adds room where a label did
// not fit.
func layOut(g *Graph) *arrangement {
	const rounds = 60 // pictures rarely need more than a few
	p := newPlan(g)
	rm := newRoom(p)
	for round := 0; ; round++ {
		a := p.arrange(rm)
		failed := a.placeLabels()
		if len(failed) == 0 {
			return a
		}
		if round == rounds { // an overlap is better than a missing label
			for _, r := range failed {
				r.labelBox = a.labelOn(r, r.points[len(r.points)/2])
				a.bounds = a.bounds.union(r.labelBox)
			}
			return a
		}
		for _, r := range failed {
			rm.growFor(p, r)
		}
	}
}

// growFor adds room along the path of r.
func (m *room) growFor(p *plan, r *route) {
	const more = 16
	from, to := p.cells[r.From], p.cells[r.To]
	for k := min(from.row, to.row) + 1; k <= max(from.row, to.row); k++ {
		m.corridor[k] += more
	}
	switch r.shape {
	case across:
		for c := min(from.column, to.column) + 1; c <= max(from.column, to.column); c++ {
			m.channel[c] += more
		}
	case sideways, drop:
		m.lane[laneKey{r.column, r.side, r.lane}] += more / 4
	}
	if r.shape == drop {
		m.band += more
	}
}

// placeLabels places a label on each line and returns the lines without a position for theirs.
func (a *arrangement) placeLabels() (failed []*route) {
	others := newCrowd(a.obstacles(), a.routes)
	a.placeNames(others)
	order := slices.Clone(a.routes)
	slices.SortStableFunc(order, func(a, b *route) int { // those with the fewest positions first
		return cmp.Compare(a.points.length()-labelWidth(a.label), b.points.length()-labelWidth(b.label))
	})
	for _, r := range order {
		place, ok := a.bestPlace(r, others)
		if !ok {
			failed = append(failed, r)
			continue
		}
		r.labelBox = place
		others.add(place.grown(labelSpace))
		a.bounds = a.bounds.union(place)
	}
	return failed
}

// obstacles returns the boxes that labels must not cover.
func (a *arrangement) obstacles() []Box {
	var boxes []Box
	for _, e := range a.events() {
		boxes = append(boxes, a.nodes[e].grown(labelSpace))
	}
	for _, t := range a.fixed {
		boxes = append(boxes, t.box.grown(labelSpace))
	}
	return boxes
}

// labelOn returns the box of the label of r around c.
func (a *arrangement) labelOn(r *route, c Point) Box {
	return boxAround(c, labelWidth(r.label), labelHeight())
}

// bestPlace tries positions along r and returns the least disturbing one, or false if there is
// none.
func (a *arrangement) bestPlace(r *route, others *crowd) (Box, bool) {
	best, bestCost := Box{}, math.Inf(1)
	places := r.points.every(max(labelStep, r.points.length()/mostPlaces))
	start, tip := r.curve.Start(), r.curve.end()
	for i, c := range places {
		b := a.labelOn(r, c)
		if b.grown(4).contains(start) || b.grown(arrowLength+2).contains(tip) {
			continue
		}
		if others.isTaken(b) {
			continue
		}
		cost := 2 * math.Abs(float64(i)/float64(len(places)-1)-0.5)
		if cost < bestCost-clearlyLess {
			cost = a.disturbance(r, b, others, cost, bestCost-clearlyLess)
		}
		if cost < bestCost-clearlyLess {
			best, bestCost = b, cost
		}
	}
	return best, bestCost < math.Inf(1)
}

// disturbance adds to a cost the disturbance by a label at b, of r or of no line (nil): hiding
// arrowheads costs most, then other lines, then the borders of frames. Anything close costs a
// little, because the label might be read with the wrong line. It stops at the limit.
func (a *arrangement) disturbance(r *route, b Box, others *crowd, cost, limit float64) float64 {
	covered, near := b.grown(3), b.grown(10)
	for _, o := range others.near(near) {
		if cost >= limit {
			return cost
		}
		if o == r || !o.extent.overlaps(near) {
			continue
		}
		if covered.grown(arrowLength / 2).contains(o.curve.end()) {
			cost += 8
		}
		switch {
		case o.points.meets(covered):
			cost += 2
		case o.points.meets(near):
			cost += 0.6
		}
	}
	for _, f := range a.framed {
		if b.overlaps(f) && !f.grown(-2).encloses(b) {
			cost += 0.5
		}
	}
	return cost
}
