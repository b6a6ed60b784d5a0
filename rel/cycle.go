package rel

import "math"

// Cycle is a cycle of a relation: each event is related to the next, and the last to the first. It
// starts at its smallest event; no event occurs twice.
type Cycle []int

// Weight returns the length of an edge, which is never negative.
type Weight func(a, b int) int

// Unit gives every edge the length one.
func Unit(int, int) int { return 1 }

// ShortestCycle returns a cycle of r of least weight, or nil if r is acyclic. Of several it returns
// the one that starts at the smallest event, so the answer is stable.
func (r Rel) ShortestCycle(weight Weight) Cycle {
	var best Cycle
	bestLen := math.MaxInt
	for start := range r.n {
		// Every cycle through a smaller event has been looked at.
		if path, length := r.lightestPath(start, start, start, weight); length < bestLen {
			best, bestLen = path, length
		}
	}
	return best
}

// ShortestPath returns the events of a non-empty path of r from a to b of least weight: a first,
// without b. It returns nil if there is no path.
func (r Rel) ShortestPath(a, b int, weight Weight) []int {
	path, _ := r.lightestPath(a, b, 0, weight)
	return path
}

// lightestPath is Dijkstra's algorithm over the events ≥ least, in its O(n²) form. The length is
// MaxInt if there is no path.
func (r Rel) lightestPath(a, b, least int, weight Weight) ([]int, int) {
	const unreached = math.MaxInt
	dist, prev, done := make([]int, r.n), make([]int, r.n), make([]bool, r.n)
	for i := range dist {
		dist[i] = unreached
	}
	bestEnd, bestLen := -1, unreached
	relax := func(x, at int) {
		for y := range r.Row(x).All() {
			if y != b && (y < least || done[y] || y == a) {
				continue
			}
			length := at + weight(x, y)
			if y == b {
				if length < bestLen {
					bestEnd, bestLen = x, length
				}
			} else if length < dist[y] {
				dist[y], prev[y] = length, x
			}
		}
	}
	relax(a, 0)
	for {
		x := nearest(dist, done)
		if x < 0 || dist[x] >= bestLen {
			break
		}
		done[x] = true
		relax(x, dist[x])
	}
	if bestEnd < 0 {
		return nil, unreached
	}
	return backtrack(prev, a, bestEnd), bestLen
}

// nearest returns the reached event that is not done and has the least distance, or -1.
func nearest(dist []int, done []bool) int {
	best := -1
	for i, d := range dist {
		if !done[i] && d < math.MaxInt && (best < 0 || d < dist[best]) {
			best = i
		}
	}
	return best
}

// backtrack follows prev from x to a and returns the path in forward order.
func backtrack(prev []int, a, x int) []int {
	var rev []int
	for ; x != a; x = prev[x] {
		rev = append(rev, x)
	}
	path := []int{a}
	for i := len(rev) - 1; i >= 0; i-- {
		path = append(path, rev[i])
	}
	return path
}
