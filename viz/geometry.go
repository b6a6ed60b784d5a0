package viz

import (
	"math"
	"slices"
)

type point struct{ x, y float64 }

// transposed exchanges the axes.
func (p point) transposed() point { return point{p.y, p.x} }

func (p point) dist(q point) float64 { return math.Hypot(p.x-q.x, p.y-q.y) }

// between is the point at t of the way from p to q.
func (p point) between(q point, t float64) point {
	return point{p.x + t*(q.x-p.x), p.y + t*(q.y-p.y)}
}

// box is a rectangle with sides along the axes.
type box struct{ x0, y0, x1, y1 float64 }

// boxAround is the box of that size with its centre at c.
func boxAround(c point, w, h float64) box {
	return box{c.x - w/2, c.y - h/2, c.x + w/2, c.y + h/2}
}

func (b box) width() float64  { return b.x1 - b.x0 }
func (b box) height() float64 { return b.y1 - b.y0 }
func (b box) centre() point   { return point{(b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2} }

// grown is b with a margin of d on all sides.
func (b box) grown(d float64) box { return box{b.x0 - d, b.y0 - d, b.x1 + d, b.y1 + d} }

func (b box) overlaps(c box) bool {
	return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1
}

func (b box) contains(p point) bool {
	return b.x0 < p.x && p.x < b.x1 && b.y0 < p.y && p.y < b.y1
}

func (b box) encloses(c box) bool {
	return b.x0 <= c.x0 && c.x1 <= b.x1 && b.y0 <= c.y0 && c.y1 <= b.y1
}

// union is the least box around both.
func (b box) union(c box) box {
	return box{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
}

// meetsSegment reports that the segment from p to q has a point in b (Liang and
// Barsky's clipping).
func (b box) meetsSegment(p, q point) bool {
	if max(p.x, q.x) <= b.x0 || min(p.x, q.x) >= b.x1 || max(p.y, q.y) <= b.y0 || min(p.y, q.y) >= b.y1 {
		return false // as nearly all
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
	return clip(p.x, q.x-p.x, b.x0, b.x1) && clip(p.y, q.y-p.y, b.y0, b.y1)
}

// cubic is a Bézier curve: two ends and two control points between them.
type cubic [4]point

func (c cubic) at(t float64) point {
	u := 1 - t
	a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return point{
		a*c[0].x + b*c[1].x + d*c[2].x + e*c[3].x,
		a*c[0].y + b*c[1].y + d*c[2].y + e*c[3].y,
	}
}

func (c cubic) isStraight() bool { return c[0] == c[1] && c[2] == c[3] }

// curve is a chain of Bézier curves.
type curve []cubic

func (c curve) start() point { return c[0][0] }
func (c curve) end() point   { return c[len(c)-1][3] }

// transposed exchanges the axes.
func (c curve) transposed() curve {
	for i := range c {
		for j := range c[i] {
			c[i][j] = c[i][j].transposed()
		}
	}
	return c
}

// reversed is the same curve from its end to its start.
func (c curve) reversed() curve {
	r := make(curve, 0, len(c))
	for i := len(c) - 1; i >= 0; i-- {
		r = append(r, cubic{c[i][3], c[i][2], c[i][1], c[i][0]})
	}
	return r
}

// split cuts c at t (de Casteljau's construction) and returns the first part.
func (c cubic) split(t float64) cubic {
	ab, bc, cd := c[0].between(c[1], t), c[1].between(c[2], t), c[2].between(c[3], t)
	abc, bcd := ab.between(bc, t), bc.between(cd, t)
	if end := abc.between(bcd, t); c.isStraight() {
		return cubic{c[0], c[0], end, end}
	} else {
		return cubic{c[0], ab, abc, end}
	}
}

// trimmed cuts c off where it is d away from its end, to leave room for an
// arrowhead. Something is always left.
func (c curve) trimmed(d float64) curve {
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
func (c curve) lineTo(from, to point) curve {
	if from.dist(to) < 0.05 {
		return c
	}
	return append(c, cubic{from, from, to, to})
}

// polyline is a curve as a chain of short segments.
type polyline []point

// flattened approximates the curve closely enough for placing labels.
func (c curve) flattened() polyline {
	const pieces = 16
	pts := polyline{c.start()}
	for _, piece := range c {
		if piece.isStraight() {
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
func (p polyline) every(step float64) []point {
	n := max(2, math.Round(p.length()/step))
	step = p.length() / n
	pts := []point{p[0]}
	travelled := 0.0
	for i := 1; i < len(p); i++ {
		d := p[i-1].dist(p[i])
		for next := float64(len(pts)) * step; next <= travelled+d && float64(len(pts)) < n; next = float64(len(pts)) * step {
			pts = append(pts, p[i-1].between(p[i], (next-travelled)/d))
		}
		travelled += d
	}
	return append(pts, p[len(p)-1])
}

// meets reports that p passes through b.
func (p polyline) meets(b box) bool {
	for i := 1; i < len(p); i++ {
		if b.meetsSegment(p[i-1], p[i]) {
			return true
		}
	}
	return false
}

// bounds is the least box around p.
func (p polyline) bounds() box {
	b := box{p[0].x, p[0].y, p[0].x, p[0].y}
	for _, q := range p {
		b = b.union(box{q.x, q.y, q.x, q.y})
	}
	return b
}
