package viz

import (
	"cmp"
	"math"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// shape is the kind of path that a line takes.
type shape uint8

const (
	straight shape = iota // down to the next event of the column
	sideways              // out of the column, along a lane beside it, and back
	across                // to another column, between the events of the columns in between
	drop                  // from an initial write down a lane to its column
	overhead              // between initial writes, above them
)

// side is the side of a node at which a line ends.
type side uint8

const (
	left side = iota
	right
	top
	bottom
)

// route is a line and its path.
type route struct {
	*line
	shape shape

	// Of sideways and drop: the lane, counted outwards from the column, and the rows along which it
	// runs. Of overhead: the lane, counted upwards.
	column, lane int
	side         side
	upper, lower float64
	// Of across: the slots in which it passes the columns in between, from left to right.
	passages []*passage

	ends [2]port // at From and at To

	// Set by arrange and placeLabels.
	curve    Curve
	points   polyline
	extent   Box // of the curve
	labelBox Box
}

// port is a position on a side of a node at which a line ends: the nth of several.
type port struct {
	event   event.ID
	side    side
	nth, of int
}

// slot is a gap in which lines can pass a column: between rows n-1 and n, at n-½, or at a row in
// which the column has no event.
type slot struct {
	column int
	row    float64
}

// passage is the position of a line in a slot.
type passage struct {
	slot
	nth, of int
}

// cell is the position of a node.
type cell struct{ column, row int }

// noColumn is the column of initial writes, which have a row of their own.
const noColumn = -1

// plan is the layout without coordinates.
type plan struct {
	*Graph
	cells  map[event.ID]cell
	full   map[cell]bool // cells that hold an event
	height int           // in rows
	bands  []*band
	routes []*route
	lanes  map[laneKey]*lane
	slots  map[slot][]*route
	ports  map[rim][]approach
}

// laneKey identifies a lane.
type laneKey struct {
	column int
	side   side
	n      int
}

// lane holds lines beside a column that do not overlap.
type lane struct{ routes []*route }

// rim is a side of a node.
type rim struct {
	event event.ID
	side  side
}

// approach is an end of a route at a side of a node. Ends are sorted by key, from the top or from
// the left.
type approach struct {
	route *route
	end   int
	key   float64
}

func newPlan(g *Graph) *plan {
	p := &plan{
		Graph: g,
		cells: map[event.ID]cell{},
		full:  map[cell]bool{},
		lanes: map[laneKey]*lane{},
		slots: map[slot][]*route{},
		ports: map[rim][]approach{},
	}
	for _, e := range g.inits {
		p.cells[e] = cell{noColumn, -1}
	}
	for c, col := range g.columns {
		for _, e := range col.events {
			p.cells[e] = cell{c, p.rows[e]}
			p.full[p.cells[e]] = true
			p.height = max(p.height, p.rows[e]+1)
		}
	}
	p.chooseBands()
	p.chooseShapes()
	p.chooseLanes()
	p.choosePassages()
	p.choosePorts()
	return p
}

// chooseShapes makes a route of each line.
func (p *plan) chooseShapes() {
	taken := map[cell]bool{} // cells with a straight line in the gap below
	for _, l := range p.lines {
		r := &route{line: l}
		a, b := p.cells[r.From], p.cells[r.To]
		switch {
		case a.column == noColumn && b.column == noColumn:
			r.shape = overhead
		case a.column == noColumn || b.column == noColumn:
			r.shape = drop
		case a.column != b.column:
			r.shape = across
		case r.ordering && !taken[a] && p.isNext(r.From, r.To):
			r.shape = straight
			taken[a] = true
		default:
			r.shape = sideways
		}
		p.routes = append(p.routes, r)
	}
}

// isNext reports whether b is directly below a in their column.
func (g *Graph) isNext(a, b event.ID) bool {
	return slices.ContainsFunc(g.columns, func(c column) bool {
		i := slices.Index(c.events, a)
		return i >= 0 && i+1 < len(c.events) && c.events[i+1] == b
	})
}

// chooseLanes assigns the lines beside each column to lanes, short ones inside.
func (p *plan) chooseLanes() {
	var rs []*route
	overheads := 0
	for _, r := range p.routes {
		if r.shape == overhead {
			r.lane = overheads
			overheads++
		}
		if r.shape != sideways && r.shape != drop {
			continue
		}
		a, b := p.cells[r.From], p.cells[r.To]
		r.column, r.side = max(a.column, b.column), right
		if r.shape == sideways && r.column < len(p.columns)/2 {
			r.side = left // the middle is for lines between columns
		}
		r.upper, r.lower = float64(min(a.row, b.row)), float64(max(a.row, b.row))
		if a == b {
			r.upper, r.lower = r.upper-0.4, r.lower+0.4
		}
		rs = append(rs, r)
	}
	slices.SortStableFunc(rs, func(a, b *route) int { return cmp.Compare(a.lower-a.upper, b.lower-b.upper) })
	for _, r := range rs {
		for p.laneOf(r).blocks(r) {
			r.lane++
		}
		l := p.laneOf(r)
		l.routes = append(l.routes, r)
	}
}

func (p *plan) laneOf(r *route) *lane {
	k := laneKey{r.column, r.side, r.lane}
	if p.lanes[k] == nil {
		p.lanes[k] = &lane{}
	}
	return p.lanes[k]
}

// blocks reports whether r overlaps a line of the lane.
func (l *lane) blocks(r *route) bool {
	return slices.ContainsFunc(l.routes, func(o *route) bool { return o.upper < r.lower && r.upper < o.lower })
}

// choosePassages leads every line across several columns through slots near the straight line.
func (p *plan) choosePassages() {
	for _, r := range p.routes {
		if r.shape != across {
			continue
		}
		a, b := p.cells[r.From], p.cells[r.To]
		if a.column > b.column {
			a, b = b, a
		}
		for c := a.column + 1; c < b.column; c++ {
			t := float64(c-a.column) / float64(b.column-a.column)
			s := p.nearestSlot(c, float64(a.row)+t*float64(b.row-a.row))
			r.passages = append(r.passages, &passage{slot: s})
			p.slots[s] = append(p.slots[s], r)
		}
	}
	for s, rs := range p.slots {
		height := func(r *route) int { return p.cells[r.From].row + p.cells[r.To].row }
		slices.SortStableFunc(rs, func(a, b *route) int { return cmp.Compare(height(a), height(b)) })
		for n, r := range rs {
			i := slices.IndexFunc(r.passages, func(p *passage) bool { return p.slot == s })
			r.passages[i].nth, r.passages[i].of = n, len(rs)
		}
	}
}

// nearestSlot returns the slot of a column nearest to a row, preferring emptier ones.
func (p *plan) nearestSlot(column int, row float64) slot {
	best, bestCost := slot{}, math.Inf(1)
	consider := func(at float64) {
		s := slot{column, at}
		if cost := math.Abs(at-row) + 0.3*float64(len(p.slots[s])); cost < bestCost-1e-9 {
			best, bestCost = s, cost
		}
	}
	for k := range p.height + 1 {
		consider(float64(k) - 0.5)
	}
	for r := range p.height {
		if !p.full[cell{column, r}] {
			consider(float64(r))
		}
	}
	return best
}

// choosePorts chooses, for every end of a line, the side of the node and the order among the ends
// on that side, such that lines do not cross at a node.
func (p *plan) choosePorts() {
	for _, r := range p.routes {
		for end := range r.ends {
			s, key := p.approach(r, end)
			e := [2]event.ID{r.From, r.To}[end]
			r.ends[end] = port{event: e, side: s}
			p.ports[rim{e, s}] = append(p.ports[rim{e, s}], approach{r, end, key})
		}
	}
	for _, as := range p.ports {
		slices.SortStableFunc(as, func(a, b approach) int { return cmp.Compare(a.key, b.key) })
		for n, a := range as {
			a.route.ends[a.end].nth, a.route.ends[a.end].of = n, len(as)
		}
	}
}

// approach returns the side at which a line reaches one of its ends, and the key for the order
// among the lines there. On the left and right of a node, lines from above are first and lines from
// below last; among these, outer lanes are nearer the middle. The two ends of a line from an event
// to itself are above all others.
func (p *plan) approach(r *route, end int) (side, float64) {
	const far = 1000 // more than the number of rows or lanes
	here, there := p.cells[r.From], p.cells[r.To]
	if end == 1 {
		here, there = there, here
	}
	switch r.shape {
	case straight:
		return [2]side{bottom, top}[end], 0
	case overhead:
		other := [2]event.ID{r.To, r.From}[end]
		return top, float64(slices.Index(p.inits, other))
	case drop:
		if here.column == noColumn {
			return bottom, float64(far*r.column + r.lane)
		}
		return r.side, float64(-2*far + r.lane)
	case sideways:
		switch {
		case there == here:
			return r.side, float64(-3*far + 2*r.lane + end)
		case there.row < here.row:
			return r.side, float64(-2*far + r.lane)
		default:
			return r.side, float64(2*far - r.lane)
		}
	}
	next := float64(there.row)
	if here.column < there.column {
		if len(r.passages) > 0 {
			next = r.passages[0].row
		}
		return right, next
	}
	if n := len(r.passages); n > 0 {
		next = r.passages[n-1].row
	}
	return left, next
}
