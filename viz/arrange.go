package viz

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// Measures of the picture, in pixels.
const (
	nodeHeight   = 30.0
	nodePad      = 11.0  // between the label of an event and its box
	portStep     = 10.0  // between lines that end on the same side of an event
	portEdge     = 5.0   // between a line that ends beside an event and the event's corner
	portInset    = 14.0  // between a line that ends below an event and the event's corner
	laneGap      = 10.0  // between a column, its lanes and their labels
	firstLane    = 26.0  // least distance of a column from its first lane
	loopGap      = 24.0  // left of the label of a line from an event to itself
	passageStep  = 14.0  // between lines that pass a column in the same slot
	passageLead  = 8.0   // length of the level part of such a line on both sides
	rowGap       = 68.0  // between events
	looseGap     = 34.0  // between rows that no line connects directly
	channelGap   = 34.0  // between frames that no line connects
	busyGap      = 118.0 // between columns that some line connects
	framePad     = 14.0
	frameTop     = 22.0 // for the label of each frame
	frameBottom  = 10.0
	frameInset   = 9.0  // between the border and the label
	initBand     = 34.0 // between initial writes and frames
	initGap      = 26.0 // between initial writes
	overheadStep = 26.0 // between lines above initial writes
	arrowLength  = 9.0
	margin       = 16.0 // around the picture
)

// arrangement is a plan with coordinates.
type arrangement struct {
	*plan
	room room

	columnX []Box // left and right end of the nodes of each column
	rowY    []float64
	slotY   []float64 // the middle of the corridor above each row, and below the last
	laneX   map[laneKey]float64
	nodes   map[event.ID]Box
	framed  map[*frame]Box
	fixed   []text // thread names and labels of frames
	bounds  Box
}

// room is the additional space that labels need, on top of the least distances.
type room struct {
	channel  []float64 // left of each column
	corridor []float64 // above each row, and below the last
	lane     map[laneKey]float64
	band     float64
}

func newRoom(p *plan) room {
	return room{
		channel:  make([]float64, len(p.columns)),
		corridor: make([]float64, p.height+1),
		lane:     map[laneKey]float64{},
	}
}

// arrange computes positions for everything except the labels of lines.
func (p *plan) arrange(r room) *arrangement {
	a := &arrangement{
		plan: p, room: r,
		columnX: make([]Box, len(p.columns)),
		laneX:   map[laneKey]float64{},
		nodes:   map[event.ID]Box{},
		framed:  map[*frame]Box{},
	}
	a.placeColumns()
	a.placeRows()
	a.placeNodes()
	a.placeBands()
	a.placeInits()
	a.drawRoutes()
	a.measure()
	return a
}

// nodeWidth returns the width of the events of a column, which is the same for all.
func (a *arrangement) nodeWidth(c int) float64 {
	w := threadFont.width(a.columns[c].name)
	for _, e := range a.columns[c].events {
		w = max(w, eventFont.width(a.label(e))+2*nodePad)
	}
	return w
}

// clearOfLabels returns the least right edge of column c for which lines that enter the column from
// above, on its right, do not cross the labels of its frames.
func (a *arrangement) clearOfLabels(c int) float64 {
	x := 0.0
	if slices.ContainsFunc(a.routes, func(r *route) bool { return r.shape == drop && r.column == c }) {
		eachFrame(a.frames, func(f *frame) {
			if f.first <= c && c <= f.last {
				x = max(x, a.framed[f].X0+frameInset+frameFont.width(f.label))
			}
		})
	}
	return x
}

// nodeHeight returns a height of e that leaves a separate position for each line that ends at its
// left or right side.
func (a *arrangement) nodeHeight(e event.ID) float64 {
	n := max(len(a.ports[rim{e, left}]), len(a.ports[rim{e, right}]))
	return max(nodeHeight, portStep*float64(n)+2*portEdge)
}

// placeColumns places columns from left to right.
func (a *arrangement) placeColumns() {
	x := 0.0
	for c := range a.columns {
		if c > 0 {
			x += a.channelWidth(c)
		}
		eachFrame(a.frames, func(f *frame) {
			if f.first == c {
				a.framed[f] = Box{X0: x}
				x += framePad
			}
		})
		x += a.gutter(c)
		_, leftLanes := a.laneOffsets(c, left)
		edges := Box{X0: x + leftLanes, X1: max(x+leftLanes+a.nodeWidth(c), a.clearOfLabels(c))}
		a.columnX[c] = edges
		a.placeLanes(c, left, edges.X0, -1)
		x = edges.X1 + a.placeLanes(c, right, edges.X1, +1)
		a.closeFrames(a.frames, c, &x)
	}
}

// closeFrames ends the frames whose last column is c, inner ones first. A frame is at least as wide
// as its label.
func (a *arrangement) closeFrames(frames []*frame, c int, x *float64) {
	for _, f := range frames {
		a.closeFrames(f.kids, c, x)
		if f.last == c {
			b := a.framed[f]
			*x = max(*x+framePad, b.X0+frameFont.width(f.label)+2*frameInset)
			b.X1 = *x
			a.framed[f] = b
		}
	}
}

// placeLanes places the lanes on one side of a column, away from its edge in the direction of sign,
// and returns their total width.
func (a *arrangement) placeLanes(c int, s side, edge, sign float64) float64 {
	offsets, width := a.laneOffsets(c, s)
	for n, offset := range offsets {
		a.laneX[laneKey{c, s, n}] = edge + sign*offset
	}
	return width
}

// laneOffsets returns the distances of the lanes on one side of a column from its edge, and their
// total width. Every lane has room for its labels.
func (a *arrangement) laneOffsets(c int, s side) (offsets []float64, width float64) {
	for k := (laneKey{c, s, 0}); a.lanes[k] != nil; k.n++ {
		half, gap := a.room.lane[k], laneGap/2
		for _, r := range a.lanes[k].routes {
			half = max(half, a.room.lane[k]+labelWidth(r.label)/2)
			if r.From == r.To {
				gap = loopGap
			}
		}
		offset := max(width+gap+half, firstLane)
		offsets = append(offsets, offset)
		width = offset + half + laneGap/2
	}
	return offsets, width
}

// channelWidth returns the width of the channel between column c and the previous one. The label of
// a line between neighbouring columns fits into it.
func (a *arrangement) channelWidth(c int) float64 {
	n, widest := 0, 0.0
	for _, r := range a.routes {
		if r.shape != across {
			continue
		}
		from, to := a.cells[r.From].column, a.cells[r.To].column
		if from > to {
			from, to = to, from
		}
		if from < c && c <= to {
			n++
		}
		if from+1 == c && c == to {
			widest = max(widest, labelWidth(r.label))
		}
	}
	if n == 0 {
		return channelGap + a.room.channel[c]
	}
	return max(busyGap, widest+44) + 6*float64(n) + a.room.channel[c]
}

// placeRows places rows from top to bottom. The top of the outermost frames is at 0.
func (a *arrangement) placeRows() {
	depth := float64(frameDepth(a.frames))
	heights := make([]float64, a.height)
	for e, cell := range a.cells {
		if cell.column != noColumn {
			heights[cell.row] = max(heights[cell.row], a.nodeHeight(e))
		}
	}
	y := depth * frameTop
	for c, col := range a.columns {
		a.fixed = append(a.fixed, textOn(threadFont, col.name,
			Point{a.columnX[c].centre().X, y + threadFont.height()/2}))
	}
	y += threadFont.height()
	for k := range a.height + 1 {
		h := a.corridorHeight(k)
		a.slotY = append(a.slotY, y+h/2)
		y += h
		if k < a.height {
			a.rowY = append(a.rowY, y+heights[k]/2)
			y += heights[k]
		}
	}
	y += depth * frameBottom
	eachFrame(a.frames, func(f *frame) {
		d := float64(f.depth)
		b := a.framed[f]
		b.Y0, b.Y1 = d*frameTop, y-d*frameBottom
		a.framed[f] = b
		a.fixed = append(a.fixed, textAt(frameFont, f.label, b.X0+frameInset, b.Y0+4))
	})
}

// corridorHeight returns the height of the corridor above row k, or below the last row.
func (a *arrangement) corridorHeight(k int) float64 {
	passing := 0
	for s, rs := range a.slots {
		if s.row == float64(k)-0.5 {
			passing = max(passing, len(rs))
		}
	}
	h := passageStep*float64(passing) + a.room.corridor[k]
	switch {
	case k == 0 || k == a.height:
		return h + 8
	case a.isTight(k):
		return h + looseGap
	default:
		return h + rowGap
	}
}

// isTight reports whether no straight line runs between row k and the row above.
func (a *arrangement) isTight(k int) bool {
	return !slices.ContainsFunc(a.routes, func(r *route) bool {
		return r.shape == straight && a.cells[r.To].row == k
	})
}

func (a *arrangement) placeNodes() {
	for e, cell := range a.cells {
		if cell.column != noColumn {
			c := Point{a.columnX[cell.column].centre().X, a.rowY[cell.row]}
			a.nodes[e] = boxAround(c, a.columnX[cell.column].Width(), a.nodeHeight(e))
		}
	}
}

// placeInits places the initial writes in a row above the frames, each near the lanes of its lines.
func (a *arrangement) placeInits() {
	type wish struct {
		event event.ID
		x     float64
	}
	drops := 0
	var wishes []wish
	for _, e := range a.inits {
		ds := a.ports[rim{e, bottom}]
		drops += len(ds)
		wishes = append(wishes, wish{e, a.initX(e, ds)})
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(a.x, b.x) })
	y := -(initBand + 6*float64(drops) + a.room.band + nodeHeight/2)
	free, shift := 0.0, 0.0
	for i, w := range wishes {
		half := a.initWidth(w.event) / 2
		x := w.x
		if i > 0 {
			x = max(x, free+half)
		}
		a.nodes[w.event] = boxAround(Point{x, y}, 2*half, nodeHeight)
		free = x + half + initGap
		shift += (w.x - x) / float64(len(wishes))
	}
	for _, e := range a.inits { // spread evenly around their best positions
		b := a.nodes[e]
		a.nodes[e] = Box{b.X0 + shift, b.Y0, b.X1 + shift, b.Y1}
	}
}

// initX returns the best position for an initial write. With a single line, the write is directly
// above the end of that line.
func (a *arrangement) initX(e event.ID, drops []approach) float64 {
	if len(drops) == 0 {
		return 0
	}
	if len(drops) == 1 {
		return a.dropX(drops[0].route) - a.initWidth(e)/2 + portInset
	}
	sum := 0.0
	for _, d := range drops {
		sum += a.dropX(d.route)
	}
	return sum / float64(len(drops))
}

func (a *arrangement) initWidth(e event.ID) float64 {
	n := max(len(a.ports[rim{e, bottom}]), len(a.ports[rim{e, top}]))
	return max(eventFont.width(a.label(e))+2*nodePad, portStep*float64(n)+2*portInset)
}

// dropX returns the position of a route's lane.
func (a *arrangement) dropX(r *route) float64 { return a.laneX[laneKey{r.column, r.side, r.lane}] }

// measure computes the bounds of everything except the labels of lines.
func (a *arrangement) measure() {
	var boxes []Box
	for _, b := range a.nodes {
		boxes = append(boxes, b)
	}
	for _, b := range a.framed {
		boxes = append(boxes, b)
	}
	for _, b := range a.bands {
		boxes = append(boxes, b.box)
	}
	for _, t := range a.fixed {
		boxes = append(boxes, t.box)
	}
	for _, r := range a.routes {
		boxes = append(boxes, r.extent.grown(3))
	}
	for i, b := range boxes {
		if i == 0 {
			a.bounds = b
		}
		a.bounds = a.bounds.union(b)
	}
}
