package viz

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawPoint(t *rapid.T, name string) Point {
	return Point{rapid.Float64Range(-10, 10).Draw(t, name+".x"), rapid.Float64Range(-10, 10).Draw(t, name+".y")}
}

// TestMeetsSegment compares with testing many points of the segment.
func TestMeetsSegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawPoint(t, "p"), drawPoint(t, "q")
		if rapid.Bool().Draw(t, "upright") {
			q.X = p.X
		}
		b := boxAround(drawPoint(t, "box"), rapid.Float64Range(0.5, 5).Draw(t, "w"),
			rapid.Float64Range(0.5, 5).Draw(t, "h"))
		const tries = 2000
		some := func(b Box) bool {
			for i := range tries + 1 {
				if b.contains(p.between(q, float64(i)/tries)) {
					return true
				}
			}
			return false
		}
		got := b.meetsSegment(p, q)
		if got && !some(b.grown(0.02)) || !got && some(b) {
			t.Fatalf("%v meets %v–%v: %v", b, p, q, got)
		}
	})
}

func TestEvery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := polyline{drawPoint(t, "p"), drawPoint(t, "q"), drawPoint(t, "r"), drawPoint(t, "s")}
		pts := line.every(1)
		if pts[0] != line[0] || pts[len(pts)-1] != line[3] {
			t.Fatalf("the ends of %v are not those of %v", pts, line)
		}
		if want := max(2, math.Round(line.length())) + 1; math.Abs(float64(len(pts))-want) > 1 {
			t.Fatalf("%d points on a length of %.1f", len(pts), line.length())
		}
		for _, p := range pts {
			if d := distance(line, p); d > 1e-6 {
				t.Fatalf("%v is %g away from the line", p, d)
			}
		}
	})
}

func TestTrimmed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawPoint(t, "p"), drawPoint(t, "q")
		if p.dist(q) < 3 {
			t.Skip("too short")
		}
		c := Curve{wave(p, p.between(q, 0.5)), Cubic{p.between(q, 0.5), p.between(q, 0.5), q, q}}
		got := c.trimmed(2)
		if d := got.end().dist(q); math.Abs(d-2) > 1e-3 {
			t.Fatalf("it ends %g before the tip", d)
		}
		if got.Start() != c.Start() {
			t.Fatalf("it starts at %v, not at %v", got.Start(), c.Start())
		}
		for _, at := range got.flattened() {
			if d := distance(c.flattened(), at); d > 0.1 {
				t.Fatalf("%v is %g away from the curve", at, d)
			}
		}
	})
}
