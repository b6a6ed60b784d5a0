package viz

import "math"

// draw maps each shape to the function that draws it, from the left or from the top.
var draw = [...]func(*arrangement, *route) Curve{
	straight: (*arrangement).drawStraight,
	sideways: (*arrangement).drawSideways,
	across:   (*arrangement).drawAcross,
	drop:     (*arrangement).drawDrop,
	overhead: (*arrangement).drawOverhead,
}

func (a *arrangement) drawRoutes() {
	for _, r := range a.routes {
		r.curve = draw[r.shape](a, r)
		r.points = r.curve.flattened()
		r.extent = r.points.bounds().grown(1) // no box is empty
	}
}

// offset returns the distance of a port from the middle of its side.
func (p port) offset() float64 { return (float64(p.nth) - float64(p.of-1)/2) * portStep }

// at returns the position of an end of r.
func (a *arrangement) at(r *route, end int) Point {
	p, other := r.ends[end], r.ends[1-end]
	b := a.nodes[p.event]
	offset := p.offset()
	if p.of == 1 && r.shape == across && a.cells[p.event].row == a.cells[other.event].row {
		reach := b.Height()/2 - portEdge
		offset = min(max(other.offset(), -reach), reach) // makes the line level if possible
	}
	switch p.side {
	case left:
		return Point{b.X0, b.centre().Y + offset}
	case right:
		return Point{b.X1, b.centre().Y + offset}
	case top:
		return Point{b.centre().X + offset, b.Y0}
	}
	if r.shape == drop && p.of == 1 {
		return Point{min(max(a.dropX(r), b.X0+portInset), b.X1-portInset), b.Y1}
	}
	return Point{b.centre().X + offset, b.Y1}
}

// start and finish return the ends of r.
func (a *arrangement) start(r *route) Point  { return a.at(r, 0) }
func (a *arrangement) finish(r *route) Point { return a.at(r, 1) }

func (a *arrangement) drawStraight(r *route) Curve {
	return Curve{}.lineTo(a.start(r), a.finish(r))
}

func (a *arrangement) drawSideways(r *route) Curve {
	return bracket(a.start(r), a.finish(r), a.dropX(r))
}

// bracket returns a curve from p level to x, then up or down, and level back to q.
func bracket(p, q Point, x float64) Curve {
	const roundest = 40
	reach := min(math.Abs(x-p.X), math.Abs(x-q.X))
	r := min(reach, math.Abs(q.Y-p.Y)/2, roundest)
	dx, dy := math.Copysign(r, x-p.X), math.Copysign(r, q.Y-p.Y)
	c := Curve{}.lineTo(p, Point{x - dx, p.Y})
	c = append(c, quarter(Point{x - dx, p.Y}, Point{x, p.Y + dy}, true))
	c = c.lineTo(Point{x, p.Y + dy}, Point{x, q.Y - dy})
	c = append(c, quarter(Point{x, q.Y - dy}, Point{x - dx, q.Y}, false))
	return c.lineTo(Point{x - dx, q.Y}, q)
}

// quarter returns a quarter of an ellipse from p to q that leaves p horizontally (level) or
// vertically.
func quarter(p, q Point, level bool) Cubic {
	const kappa = 0.5523 // makes a cubic nearly circular
	corner := Point{p.X, q.Y}
	if level {
		corner = Point{q.X, p.Y}
	}
	return Cubic{p, p.between(corner, kappa), q.between(corner, kappa), q}
}

// wave returns a curve from p to q that is level at both ends.
func wave(p, q Point) Cubic {
	const pull = 0.45
	dx := pull * (q.X - p.X)
	return Cubic{p, {p.X + dx, p.Y}, {q.X - dx, q.Y}, q}
}

func (a *arrangement) drawAcross(r *route) Curve {
	p, q := a.start(r), a.finish(r)
	backwards := p.X > q.X
	if backwards {
		p, q = q, p
	}
	var c Curve
	for _, via := range r.passages {
		y := a.passageY(via)
		x := a.columnX[via.column]
		in, out := Point{x.X0 - passageLead, y}, Point{x.X1 + passageLead, y}
		c = append(c, wave(p, in)).lineTo(in, out)
		p = out
	}
	c = append(c, wave(p, q))
	if backwards {
		return c.reversed()
	}
	return c
}

// passageY returns the y coordinate at which a line passes a column.
func (a *arrangement) passageY(p *passage) float64 {
	y := 0.0
	if k := p.row + 0.5; k == math.Floor(k) {
		y = a.slotY[int(k)]
	} else {
		y = a.rowY[int(p.row)]
	}
	return y + (float64(p.nth)-float64(p.of-1)/2)*passageStep
}

func (a *arrangement) drawDrop(r *route) Curve {
	p, q := a.start(r), a.finish(r)
	upwards := p.Y > q.Y
	if upwards {
		p, q = q, p
	}
	x := a.dropX(r)
	radius := min(math.Abs(x-q.X), 24)
	c := Curve{}
	if math.Abs(x-p.X) > 0.5 {
		top := Point{x, 0}
		c = append(c, Curve{wave(p.transposed(), top.transposed())}.transposed()...)
		p = top
	}
	c = c.lineTo(p, Point{x, q.Y - radius})
	turn := Point{x + math.Copysign(radius, q.X-x), q.Y}
	c = append(c, quarter(Point{x, q.Y - radius}, turn, false)).lineTo(turn, q)
	if upwards {
		return c.reversed()
	}
	return c
}

func (a *arrangement) drawOverhead(r *route) Curve {
	p, q := a.start(r), a.finish(r)
	height := overheadStep * float64(r.lane+1)
	return bracket(p.transposed(), q.transposed(), p.Y-height).transposed()
}
