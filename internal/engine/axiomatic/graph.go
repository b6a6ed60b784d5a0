package axiomatic

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// graphs is a theory of the solver: relations whose pairs are literals and that must stay acyclic.
// Each graph keeps its nodes in a topological order. A new edge that goes down in this order
// reorders the nodes between its ends (Pearce, Kelly, "A Dynamic Topological Sort Algorithm for
// Directed Acyclic Graphs", JEA 2007). Removing an edge keeps the order valid.
type graphs struct {
	all     []*graph
	watched map[sat.Lit][]watched
}

// watched is an edge that a literal stands for.
type watched struct {
	g    *graph
	a, b event.ID
}

type graph struct {
	owner    *graphs
	out, in  [][]arc
	rank     []int // by node: its position in the order
	seen     []int // by node: the last search that met it
	from     []arc // by node: the edge by which the search reached it
	round    int
	up, down []int
}

// arc is an edge at one of its ends.
type arc struct {
	to  event.ID
	lit sat.Lit
}

func newGraphs() *graphs { return &graphs{watched: map[sat.Lit][]watched{}} }

func (gs *graphs) add(n int) *graph {
	g := &graph{
		owner: gs, out: make([][]arc, n), in: make([][]arc, n),
		rank: make([]int, n), seen: make([]int, n), from: make([]arc, n),
	}
	for i := range g.rank {
		g.rank[i] = i
	}
	gs.all = append(gs.all, g)
	return g
}

// edge adds an edge that is present if a literal is true.
func (g *graph) edge(c *circuit, a, b event.ID, l sat.Lit) {
	switch c.Fixed(l) {
	case sat.Unsat:
	case sat.Sat:
		if g.insert(a, b, c.yes) != nil {
			c.Add(c.no)
		}
	default:
		c.Watch(l)
		g.owner.watched[l] = append(g.owner.watched[l], watched{g, a, b})
	}
}

// Assign inserts the edges of a literal that became true. If that closes a cycle, it inserts none
// of them and returns the literals of the cycle.
func (gs *graphs) Assign(l sat.Lit) []sat.Lit {
	edges := gs.watched[l]
	for i, e := range edges {
		if cycle := e.g.insert(e.a, e.b, l); cycle != nil {
			for _, f := range edges[:i] {
				f.g.remove(f.a, f.b)
			}
			return cycle
		}
	}
	return nil
}

// Undo removes the edges of a literal, which must be the last ones inserted.
func (gs *graphs) Undo(l sat.Lit) {
	for _, e := range gs.watched[l] {
		e.g.remove(e.a, e.b)
	}
}

func (g *graph) remove(a, b event.ID) {
	g.out[a] = without(g.out[a], b)
	g.in[b] = without(g.in[b], a)
}

// without returns the arcs without the last one to a node.
func without(arcs []arc, to event.ID) []arc {
	for i := len(arcs) - 1; i >= 0; i-- {
		if arcs[i].to == to {
			return slices.Delete(arcs, i, i+1)
		}
	}
	return arcs
}

// insert adds an edge. If that would close a cycle, it returns the literals of the cycle instead.
func (g *graph) insert(a, b event.ID, l sat.Lit) []sat.Lit {
	if a == b {
		return []sat.Lit{l}
	}
	if g.rank[b] < g.rank[a] {
		if !g.forward(a, b) {
			return append(g.path(a, b), l)
		}
		g.backward(a, b)
		g.reorder()
	}
	g.out[a] = append(g.out[a], arc{b, l})
	g.in[b] = append(g.in[b], arc{a, l})
	return nil
}

// forward finds the nodes that b leads to, up to the rank of a. It returns false if it reaches a.
func (g *graph) forward(a, b event.ID) bool {
	g.round++
	g.up = append(g.up[:0], b)
	g.seen[b] = g.round
	for i := 0; i < len(g.up); i++ {
		at := g.up[i]
		for _, e := range g.out[at] {
			if g.rank[e.to] > g.rank[a] || g.seen[e.to] == g.round {
				continue
			}
			g.seen[e.to], g.from[e.to] = g.round, arc{at, e.lit}
			if e.to == a {
				return false
			}
			g.up = append(g.up, e.to)
		}
	}
	return true
}

// path returns the literals of the edges by which forward reached a from b.
func (g *graph) path(a, b event.ID) (lits []sat.Lit) {
	for at := a; at != b; at = g.from[at].to {
		lits = append(lits, g.from[at].lit)
	}
	return lits
}

// backward finds the nodes that lead to a, down to the rank of b.
func (g *graph) backward(a, b event.ID) {
	g.round++
	g.down = append(g.down[:0], a)
	g.seen[a] = g.round
	for i := 0; i < len(g.down); i++ {
		for _, e := range g.in[g.down[i]] {
			if g.rank[e.to] >= g.rank[b] && g.seen[e.to] != g.round {
				g.seen[e.to] = g.round
				g.down = append(g.down, e.to)
			}
		}
	}
}

// reorder redistributes the ranks of the nodes found: those that lead to a get the lowest ones,
// those that b leads to the others.
func (g *graph) reorder() {
	byRank := func(x, y int) int { return cmp.Compare(g.rank[x], g.rank[y]) }
	slices.SortFunc(g.down, byRank)
	slices.SortFunc(g.up, byRank)
	nodes := append(g.down, g.up...)
	ranks := make([]int, len(nodes))
	for i, x := range nodes {
		ranks[i] = g.rank[x]
	}
	slices.Sort(ranks)
	for i, x := range nodes {
		g.rank[x] = ranks[i]
	}
}
