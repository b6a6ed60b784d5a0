package axiomatic

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// TestGraph compares a graph with a relation, while edges are added and the last ones removed.
func TestGraph(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "n")
		gs := newGraphs()
		g := gs.add(n)
		var trail [][2]int
		literal := func(e [2]int) sat.Lit { return sat.Lit(2 * (1 + e[0]*n + e[1])) }
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			if len(trail) > 0 && rapid.IntRange(0, 3).Draw(rt, "undo") == 0 {
				last := trail[len(trail)-1]
				trail = trail[:len(trail)-1]
				g.remove(last[0], last[1])
				continue
			}
			e := [2]int{rapid.IntRange(0, n-1).Draw(rt, "a"), rapid.IntRange(0, n-1).Draw(rt, "b")}
			with := rel.Of(n, append(trail, e)...)
			cycle := g.insert(e[0], e[1], literal(e))
			if (cycle == nil) != with.Acyclic() {
				rt.Fatalf("%v with %v: cycle %v", trail, e, cycle)
			}
			if cycle == nil {
				trail = append(trail, e)
				continue
			}
			ring := rel.New(n)
			for _, l := range cycle {
				at := int(l)/2 - 1
				if !with.Has(at/n, at%n) {
					rt.Fatalf("the cycle %v has an edge that is not there", cycle)
				}
				ring.Add(at/n, at%n)
			}
			if ring.Acyclic() {
				rt.Fatalf("%v is no cycle", ring)
			}
		}
	})
}
