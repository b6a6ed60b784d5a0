package rel_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

func TestShortestCycleByHand(t *testing.T) {
	tests := []struct {
		name string
		r    string
		want rel.Cycle
	}{
		{"empty", "", nil},
		{"acyclic", "01 12 02 34", nil},
		{"loop", "01 33", rel.Cycle{3}},
		{"from its smallest event", "42 24", rel.Cycle{2, 4}},
		{"three events", "31 14 43", rel.Cycle{1, 4, 3}},
		{"the shorter of two", "01 12 20 34 43", rel.Cycle{3, 4}},
		{"of two as short, the one with the smallest event", "43 34 21 12", rel.Cycle{1, 2}},
		{"two through one event", "01 12 23 30 20", rel.Cycle{0, 1, 2}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, relOf(tt.r).ShortestCycle(rel.Unit)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestShortestPathByHand(t *testing.T) {
	// The pair 0→3 has a weight, the path through 1 and 2 has none.
	weight := func(a, b int) int {
		if b == a+1 {
			return 0
		}
		return 5
	}
	tests := []struct {
		name string
		r    string
		a, b int
		want []int
	}{
		{"none", "01 23", 0, 3, nil},
		{"not backwards", "01", 1, 0, nil},
		{"one pair", "01", 0, 1, []int{0}},
		{"the lighter way", "03 01 12 23", 0, 3, []int{0, 1, 2}},
		{"the only way", "03 01 12", 0, 3, []int{0}},
		{"round", "01 12 20", 1, 1, []int{1, 2, 0}},
		{"loop", "22", 2, 2, []int{2}},
		{"no event leads to itself by no pair", "01", 0, 0, nil},
		{"past a loop", "00 01 11 12", 0, 2, []int{0, 1}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, relOf(tt.r).ShortestPath(tt.a, tt.b, weight)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// graph is a relation with the weights of its pairs.
type graph struct {
	n       int
	r       pairs
	weights [][]int
}

func drawGraph(t *rapid.T, n int) graph {
	g := graph{n: n, r: drawPairs(t, n, "r")}
	weight := rapid.SampledFrom([]int{0, 0, 1, 1, 2, 7})
	for a := range n {
		g.weights = append(g.weights, make([]int, n))
		for b := range n {
			if g.r.has(a, b) {
				g.weights[a][b] = weight.Draw(t, "weight")
			}
		}
	}
	return g
}

func (g graph) weight(a, b int) int { return g.weights[a][b] }

// length returns the weight of the path through the given events, and whether each is related to
// the next.
func (g graph) length(events ...int) (sum int, ok bool) {
	for i, b := range events[1:] {
		if !g.r.has(events[i], b) {
			return 0, false
		}
		sum += g.weight(events[i], b)
	}
	return sum, true
}

const unreachable = math.MaxInt / 4

// distances computes the least weight between any two events (Floyd's algorithm).
func (g graph) distances() [][]int {
	dist := make([][]int, g.n)
	for a := range dist {
		dist[a] = make([]int, g.n)
		for b := range dist[a] {
			dist[a][b] = unreachable
			if g.r.has(a, b) {
				dist[a][b] = g.weight(a, b)
			}
		}
	}
	for via := range g.n {
		for a := range g.n {
			for b := range g.n {
				dist[a][b] = min(dist[a][b], dist[a][via]+dist[via][b])
			}
		}
	}
	return dist
}

func distinct(events []int) bool {
	sorted := slices.Sorted(slices.Values(events))
	return len(slices.Compact(sorted)) == len(events)
}

func TestShortestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, sizes.Filter(func(n int) bool { return n > 0 && n <= 70 }).Draw(t, "n"))
		r, dist := g.r.rel(g.n), g.distances()
		a := rapid.IntRange(0, g.n-1).Draw(t, "a")
		for b := range g.n {
			path := r.ShortestPath(a, b, g.weight)
			if path == nil && dist[a][b] == unreachable {
				continue
			}
			if path == nil || path[0] != a || !distinct(path) || a != b && slices.Contains(path, b) {
				t.Fatalf("the path %d to %d of weight %d is %v", a, b, dist[a][b], path)
			}
			if length, ok := g.length(append(path, b)...); !ok || length != dist[a][b] {
				t.Fatalf("the path %d to %d is %v, of weight %d (%v), want %d", a, b, path, length, ok, dist[a][b])
			}
		}
	})
}

func TestShortestCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, sizes.Filter(func(n int) bool { return n <= 70 }).Draw(t, "n"))
		cycle := g.r.rel(g.n).ShortestCycle(g.weight)
		least := unreachable
		for a, dist := range g.distances() {
			least = min(least, dist[a])
		}
		if (cycle == nil) != (least == unreachable) {
			t.Fatalf("the cycle of weight %d is %v", least, cycle)
		}
		if cycle == nil {
			return
		}
		if cycle[0] != slices.Min(cycle) || !distinct(cycle) {
			t.Fatalf("the cycle %v repeats events, or does not start at the smallest", cycle)
		}
		if length, ok := g.length(append(slices.Clone(cycle), cycle[0])...); !ok || length != least {
			t.Fatalf("the cycle %v has weight %d (%v), want %d", cycle, length, ok, least)
		}
		if again := g.r.rel(g.n).ShortestCycle(g.weight); !slices.Equal(cycle, again) {
			t.Fatalf("the cycle is %v, then %v", cycle, again)
		}
	})
}

// TestShortestCycleAmongAll lists every cycle of small relations.
func TestShortestCycleAmongAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, rapid.IntRange(1, 6).Draw(t, "n"))
		least, start := unreachable, g.n
		g.cycles(func(cycle []int, weight int) {
			if weight < least || weight == least && cycle[0] < start {
				least, start = weight, cycle[0]
			}
		})
		cycle := g.r.rel(g.n).ShortestCycle(g.weight)
		if cycle == nil {
			if least != unreachable {
				t.Fatalf("no cycle found, there is one from %d of weight %d", start, least)
			}
			return
		}
		length, _ := g.length(append(slices.Clone(cycle), cycle[0])...)
		if length != least || cycle[0] != start {
			t.Fatalf("got %v of weight %d; one from %d has weight %d", cycle, length, start, least)
		}
	})
}

// cycles visits every cycle without repeated events, from its smallest event.
func (g graph) cycles(visit func(cycle []int, weight int)) {
	var extend func(path []int)
	extend = func(path []int) {
		if weight, ok := g.length(append(slices.Clone(path), path[0])...); ok {
			visit(path, weight)
		}
		last := path[len(path)-1]
		for next := path[0] + 1; next < g.n; next++ {
			if g.r.has(last, next) && !slices.Contains(path, next) {
				extend(append(slices.Clone(path), next))
			}
		}
	}
	for start := range g.n {
		extend([]int{start})
	}
}
