package viz

import (
	"math"
	"slices"
)

// Point is a position in the picture in pixels; y points downwards.
type Point struct{ X, Y float64 }

// transposed exchanges the axes.
func (p Point) transposed() Point { return Point{p.Y, p.X} }

func (p Point) dist(q Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

// between returns the point at t of the way from p to q.
func (p Point) between(q Point, t float64) Point {
	return Point{p.X + t*(q.X-p.X), p.Y + t*(q.Y-p.Y)}
}

// Box is an axis-aligned rectangle.
type Box struct{ X0, Y0, X1, Y1 float64 }

// boxAround returns the box of that size with its centre at c.
func boxAround(c Point, w, h float64) Box {
	return Box{c.X - w/2, c.Y - h/2, c.X + w/2, c.Y + h/2}
}

// Width and Height return the lengths of the sides.
func (b Box) Width() float64  { return b.X1 - b.X0 }
func (b Box) Height() float64 { return b.Y1 - b.Y0 }
func (b Box) centre() Point   { return Point{(b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2} }

// grown returns b with a margin of d on all sides.
func (b Box) grown(d float64) Box { return Box{b.X0 - d, b.Y0 - d, b.X1 + d, b.Y1 + d} }

func (b Box) overlaps(c Box) bool {
	return b.X0 < c.X1 && c.X0 < b.X1 && b.Y0 < c.Y1 && c.Y0 < b.Y1
}

func (b Box) contains(p Point) bool {
	return b.X0 < p.X && p.X < b.X1 && b.Y0 < p.Y && p.Y < b.Y1
}

func (b Box) encloses(c Box) bool {
	return b.X0 <= c.X0 && c.X1 <= b.X1 && b.Y0 <= c.Y0 && c.Y1 <= b.Y1
}

// union returns the least box that contains both.
func (b Box) union(c Box) Box {
	return Box{min(b.X0, c.X0), min(b.Y0, c.Y0), max(b.X1, c.X1), max(b.Y1, c.Y1)}
}

// meetsSegment reports whether the segment from p to q has a point in b (Liang and Barsky's
// clipping).
func (b Box) meetsSegment(p, q Point) bool {
	if max(p.X, q.X) <= b.X0 || min(p.X, q.X) >= b.X1 || max(p.Y, q.Y) <= b.Y0 || min(p.Y, q.Y) >= b.Y1 {
		return false // the common case
	}
	enter, leave := 0.0, 1.0
	clip := func(from, delta, low, high float64) bool {
		if delta == 0 {
			return low < from && from < high
		}
		t0, t1 := (low-from)/delta, (high-from)/delta
		enter, leave = max(enter, min(t0, t1)), min(leave, max(t0, t1))
		return enter < leave
	}
	return clip(p.X, q.X-p.X, b.X0, b.X1) && clip(p.Y, q.Y-p.Y, b.Y0, b.Y1)
}

// Cubic is a Bézier curve: two ends and two control points between them.
type Cubic [4]Point

func (c Cubic) at(t float64) Point {
	u := 1 - t
	a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return Point{
		a*c[0].X + b*c[1].X + d*c[2].X + e*c[3].X,
		a*c[0].Y + b*c[1].Y + d*c[2].Y + e*c[3].Y,
	}
}

// IsStraight reports whether the curve is a segment.
func (c Cubic) IsStraight() bool { return c[0] == c[1] && c[2] == c[3] }

// Curve is a chain of Bézier curves.
type Curve []Cubic

// Start returns where the curve begins.
func (c Curve) Start() Point { return c[0][0] }
func (c Curve) end() Point   { return c[len(c)-1][3] }

// transposed exchanges the axes.
func (c Curve) transposed() Curve {
	for i := range c {
		for j := range c[i] {
			c[i][j] = c[i][j].transposed()
		}
	}
	return c
}

// reversed returns the same curve from its end to its start.
func (c Curve) reversed() Curve {
	r := make(Curve, 0, len(c))
	for i := len(c) - 1; i >= 0; i-- {
		r = append(r, Cubic{c[i][3], c[i][2], c[i][1], c[i][0]})
	}
	return r
}

// split cuts c at t (de Casteljau's construction) and returns the first part.
func (c Cubic) split(t float64) Cubic {
	ab, bc, cd := c[0].between(c[1], t), c[1].between(c[2], t), c[2].between(c[3], t)
	abc, bcd := ab.between(bc, t), bc.between(cd, t)
	if end := abc.between(bcd, t); c.IsStraight() {
		return Cubic{c[0], c[0], end, end}
	} else {
		return Cubic{c[0], ab, abc, end}
	}
}

// trimmed cuts c off at distance d from its end, to leave room for an arrowhead. Some part always
// remains.
func (c Curve) trimmed(d float64) Curve {
	tip, n := c.end(), len(c)
	for n > 1 && c[n-1][0].dist(tip) <= d {
		n--
	}
	low, high := 0.0, 1.0
	for range 20 {
		mid := (low + high) / 2
		if c[n-1].at(mid).dist(tip) > d {
			low = mid
		} else {
			high = mid
		}
	}
	return append(slices.Clone(c[:n-1]), c[n-1].split(high))
}

// lineTo appends a straight piece, unless it has no length.
func (c Curve) lineTo(from, to Point) Curve {
	if from.dist(to) < 0.05 {
		return c
	}
	return append(c, Cubic{from, from, to, to})
}

// polyline is a curve as a chain of short segments.
type polyline []Point

// flattened approximates the curve closely enough for placing labels.
func (c Curve) flattened() polyline {
	const pieces = 16
	pts := polyline{c.Start()}
	for _, piece := range c {
		if piece.IsStraight() {
			pts = append(pts, piece[3])
			continue
		}
		for i := 1; i <= pieces; i++ {
			pts = append(pts, piece.at(float64(i)/pieces))
		}
	}
	return pts
}

func (p polyline) length() float64 {
	sum := 0.0
	for i := 1; i < len(p); i++ {
		sum += p[i-1].dist(p[i])
	}
	return sum
}

// every returns points at equal distances along p, both ends included.
func (p polyline) every(step float64) []Point {
	n := max(2, math.Round(p.length()/step))
	step = p.length() / n
	pts := []Point{p[0]}
	travelled := 0.0
	for i := 1; i < len(p); i++ {
		d := p[i-1].dist(p[i])
		for next := float64(len(pts)) * step; next <= travelled+d &&
			float64(len(pts)) < n; next = float64(len(pts)) * step {
			pts = append(pts, p[i-1].between(p[i], (next-travelled)/d))
		}
		travelled += d
	}
	return append(pts, p[len(p)-1])
}

// meets reports whether p passes through b.
func (p polyline) meets(b Box) bool {
	for i := 1; i < len(p); i++ {
		if b.meetsSegment(p[i-1], p[i]) {
			return true
		}
	}
	return false
}

// bounds returns the least box around p.
func (p polyline) bounds() Box {
	b := Box{p[0].X, p[0].Y, p[0].X, p[0].Y}
	for _, q := range p {
		b = b.union(Box{q.X, q.Y, q.X, q.Y})
	}
	return b
}
