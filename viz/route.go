package viz

import "math"

// draw has the function that draws each shape, from the left or from the top.
var draw = [...]func(*arrangement, *route) curve{
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

// offset is how far a port is from the middle of its side.
func (p port) offset() float64 { return (float64(p.nth) - float64(p.of-1)/2) * portStep }

// at is where an end of r is.
func (a *arrangement) at(r *route, end int) point {
	p, other := r.ends[end], r.ends[1-end]
	b := a.nodes[p.event]
	offset := p.offset()
	if p.of == 1 && r.shape == across && a.cells[p.event].row == a.cells[other.event].row {
		offset = other.offset() // this makes the line level
	}
	switch p.side {
	case left:
		return point{b.x0, b.centre().y + offset}
	case right:
		return point{b.x1, b.centre().y + offset}
	case top:
		return point{b.centre().x + offset, b.y0}
	}
	if r.shape == drop && p.of == 1 {
		return point{min(max(a.dropX(r), b.x0+portInset), b.x1-portInset), b.y1}
	}
	return point{b.centre().x + offset, b.y1}
}

// start and finish are the two ends of r.
func (a *arrangement) start(r *route) point  { return a.at(r, 0) }
func (a *arrangement) finish(r *route) point { return a.at(r, 1) }

func (a *arrangement) drawStraight(r *route) curve {
	return curve{}.lineTo(a.start(r), a.finish(r))
}

func (a *arrangement) drawSideways(r *route) curve {
	return bracket(a.start(r), a.finish(r), a.dropX(r))
}

// bracket goes from p level to x, then up or down, and level back to q.
func bracket(p, q point, x float64) curve {
	const roundest = 40
	reach := min(math.Abs(x-p.x), math.Abs(x-q.x))
	r := min(reach, math.Abs(q.y-p.y)/2, roundest)
	dx, dy := math.Copysign(r, x-p.x), math.Copysign(r, q.y-p.y)
	c := curve{}.lineTo(p, point{x - dx, p.y})
	c = append(c, quarter(point{x - dx, p.y}, point{x, p.y + dy}, true))
	c = c.lineTo(point{x, p.y + dy}, point{x, q.y - dy})
	c = append(c, quarter(point{x, q.y - dy}, point{x - dx, q.y}, false))
	return c.lineTo(point{x - dx, q.y}, q)
}

// quarter is a quarter of an ellipse from p to q; it leaves p level, or upright.
func quarter(p, q point, level bool) cubic {
	const kappa = 0.5523 // makes a cubic nearly a circle
	corner := point{p.x, q.y}
	if level {
		corner = point{q.x, p.y}
	}
	return cubic{p, p.between(corner, kappa), q.between(corner, kappa), q}
}

// wave goes from p to q; it is level at both ends.
func wave(p, q point) cubic {
	const pull = 0.45
	dx := pull * (q.x - p.x)
	return cubic{p, {p.x + dx, p.y}, {q.x - dx, q.y}, q}
}

func (a *arrangement) drawAcross(r *route) curve {
	p, q := a.start(r), a.finish(r)
	backwards := p.x > q.x
	if backwards {
		p, q = q, p
	}
	var c curve
	for _, via := range r.passages {
		y := a.passageY(via)
		x := a.columnX[via.column]
		in, out := point{x.x0 - passageLead, y}, point{x.x1 + passageLead, y}
		c = append(c, wave(p, in)).lineTo(in, out)
		p = out
	}
	c = append(c, wave(p, q))
	if backwards {
		return c.reversed()
	}
	return c
}

// passageY is the height at which a line passes a column.
func (a *arrangement) passageY(p *passage) float64 {
	y := 0.0
	if k := p.row + 0.5; k == math.Floor(k) {
		y = a.slotY[int(k)]
	} else {
		y = a.rowY[int(p.row)]
	}
	return y + (float64(p.nth)-float64(p.of-1)/2)*passageStep
}

func (a *arrangement) drawDrop(r *route) curve {
	p, q := a.start(r), a.finish(r)
	upwards := p.y > q.y
	if upwards {
		p, q = q, p
	}
	x := a.dropX(r)
	radius := min(math.Abs(x-q.x), 24)
	c := curve{}
	if math.Abs(x-p.x) > 0.5 {
		top := point{x, 0}
		c = append(c, curve{wave(p.transposed(), top.transposed())}.transposed()...)
		p = top
	}
	c = c.lineTo(p, point{x, q.y - radius})
	turn := point{x + math.Copysign(radius, q.x-x), q.y}
	c = append(c, quarter(point{x, q.y - radius}, turn, false)).lineTo(turn, q)
	if upwards {
		return c.reversed()
	}
	return c
}

func (a *arrangement) drawOverhead(r *route) curve {
	p, q := a.start(r), a.finish(r)
	height := overheadStep * float64(r.lane+1)
	return bracket(p.transposed(), q.transposed(), p.y-height).transposed()
}
