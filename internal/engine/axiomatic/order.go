package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// order is a choice of the model as literals.
type order struct {
	c      *circuit
	choice *plan.Choice
	graph  *graph      // keeps the order acyclic; nil for orientations, which may have cycles
	ahead  [][]sat.Lit // by pair: it is directed so; 0 if the pair is never directed
	// exact reports whether a pair is in the order only if it is directed so. Otherwise the order
	// is a closure of the directed pairs.
	exact bool
	// ofPlaces reports whether the choice orders the writes of each location and relates no others.
	// The directed pairs are then transitively closed.
	ofPlaces bool
}

// newOrder makes the literals of a choice. The arguments of the choice must have bounds.
func (c *circuit) newOrder(choice *plan.Choice, graphs *graphs) *order {
	o := &order{c: c, choice: choice, ahead: make([][]sat.Lit, c.N)}
	for a := range o.ahead {
		o.ahead[a] = make([]sat.Lit, c.N)
	}
	if choice.Family == plan.Orientations {
		o.exact = true
		o.direct(*c.Span(choice.Args[0]))
		return o
	}
	o.graph = graphs.add(c.N)
	switch choice.Family {
	case plan.Completions:
		pairs, self := *c.Span(choice.Args[0]), *c.Span(choice.Slot)
		o.ofPlaces = c.isOfPlaces(choice)
		o.exact = o.ofPlaces || self.Hi.Diff(self.Lo).SubsetOf(pairs.Lo.Union(pairs.Lo.Inverse()))
		o.direct(pairs)
	case plan.Linearisations:
		set := *c.Span(choice.Args[1])
		o.exact = true
		c.beyond = c.beyond || !set.Lo.Equal(set.Hi)
		o.direct(bounds.Exact(rel.Product(set.Hi.Domain(), set.Hi.Domain())))
	case plan.PartialOrders:
		o.exact = true
		o.partial()
	}
	return o
}

// isOfPlaces reports whether a choice orders the writes of each location, initial ones first, and
// relates no others: the default coherence.
func (c *circuit) isOfPlaces(choice *plan.Choice) bool {
	pairs := c.Plan.Def(choice.Args[0])
	if pairs == nil || pairs.Op != relop.Inter || !c.isInput(choice.Args[1], "co0") {
		return false
	}
	place, of := pairs.X, c.Plan.Def(pairs.Y)
	if of == nil {
		place, of = pairs.Y, c.Plan.Def(pairs.X)
	}
	return c.isInput(place, "loc") && of != nil && of.Op == relop.Product && of.X == of.Y && c.isInput(of.X, "W")
}

// isInput reports whether a value is the input with a name.
func (c *circuit) isInput(s plan.Slot, name string) bool {
	return slices.ContainsFunc(c.Plan.Inputs, func(in plan.Input) bool { return in.Slot == s && in.Name == name })
}

// direct makes the literals of the direction of each pair.
func (o *order) direct(pairs bounds.Span) {
	c := o.c
	both := func(r rel.Rel, a, b event.ID) bool { return r.Has(a, b) || r.Has(b, a) }
	for a := range c.N {
		for b := a + 1; b < c.N; b++ {
			switch {
			case both(pairs.Lo, a, b):
				l := c.known(o.choice.Slot, a, b)
				o.ahead[a][b], o.ahead[b][a] = l, l.Not()
			case both(pairs.Hi, a, b):
				o.ahead[a][b], o.ahead[b][a] = c.NewVar(), c.NewVar()
			}
		}
	}
}

// known returns the literal of the direction of a pair. The bounds may decide it if both events are
// present.
func (c *circuit) known(s plan.Slot, a, b event.ID) sat.Lit {
	there := c.areThere(a, b)
	switch before, after := c.must(s, a, b), c.must(s, b, a); {
	case before && there == c.yes:
		return c.yes
	case after && there == c.yes:
		return c.no
	case before:
		return c.implied(there)
	case after:
		return c.implied(there).Not()
	}
	return c.NewVar()
}

// implied returns a new literal that another implies.
func (c *circuit) implied(by sat.Lit) sat.Lit {
	l := c.NewVar()
	c.Add(l, by.Not())
	return l
}

// constrain adds the clauses of the family of the choice. The literals of all choices must have
// been made.
func (o *order) constrain() {
	switch o.choice.Family {
	case plan.Orientations:
		o.constrainPairs(down)
	case plan.Completions:
		w := way(0)
		if o.ofPlaces {
			w = down
		}
		o.constrainPairs(w)
		o.contain(o.choice.Args[1])
	case plan.Linearisations:
		o.contain(o.choice.Args[0])
	case plan.PartialOrders:
		return
	}
	if o.graph != nil {
		for a, row := range o.ahead {
			for b, l := range row {
				if l != 0 {
					o.graph.edge(o.c, a, b, l)
				}
			}
		}
		o.triangles()
	}
}

// constrainPairs adds clauses: a pair that is present is directed, and, with down, only then.
func (o *order) constrainPairs(w way) {
	c, s := o.c, o.choice.Args[0]
	pairs := *c.Span(s)
	for a := range c.N {
		for b := a + 1; b < c.N; b++ {
			l, m := o.ahead[a][b], o.ahead[b][a]
			if l == 0 || l == m.Not() {
				continue
			}
			c.Add(l.Not(), m.Not())
			for _, p := range [][2]event.ID{{a, b}, {b, a}} {
				if pairs.Hi.Has(p[0], p[1]) {
					c.Add(c.lit(s, p[0], p[1], up).Not(), l, m)
				}
			}
			if w&down != 0 {
				there := c.any([]sat.Lit{c.lit(s, a, b, down), c.lit(s, b, a, down)})
				c.Add(l.Not(), there)
				c.Add(m.Not(), there)
			}
		}
	}
}

// contain makes the order contain a value.
func (o *order) contain(must plan.Slot) {
	c := o.c
	listed := rel.Universe(c.N)
	if o.choice.Family == plan.Linearisations {
		listed = c.Span(o.choice.Args[1]).Hi.Domain()
	}
	for a, b := range c.Span(must).Hi.Pairs() {
		if !listed.Has(a) || !listed.Has(b) {
			continue // events that the choice does not order
		}
		l := c.lit(must, a, b, up)
		switch {
		case a == b:
			c.Add(l.Not())
		case o.exact && o.ahead[a][b] != 0:
			c.Add(l.Not(), o.ahead[a][b])
		default:
			o.graph.edge(c, a, b, l)
		}
	}
}

// mostTriangles bounds the clauses that say that an order is transitive. They are redundant, since
// the graph is acyclic, but they propagate earlier.
const mostTriangles = 1 << 16

// triangles adds clauses: no three events that are directed pairwise form a cycle.
func (o *order) triangles() {
	left := mostTriangles
	for a, row := range o.ahead {
		for b := a + 1; b < o.c.N; b++ {
			if row[b] == 0 {
				continue
			}
			for d := b + 1; d < o.c.N && left > 0; d++ {
				if row[d] == 0 || o.ahead[b][d] == 0 {
					continue
				}
				o.c.Add(row[b].Not(), o.ahead[b][d].Not(), o.ahead[d][a].Not())
				o.c.Add(row[d].Not(), o.ahead[d][b].Not(), o.ahead[b][a].Not())
				left -= 2
			}
		}
	}
}

// partial makes the literals of a partial order within given pairs.
func (o *order) partial() {
	c, self := o.c, *o.c.Span(o.choice.Slot)
	may, must := *c.Span(o.choice.Args[0]), *c.Span(o.choice.Args[1])
	c.beyond = c.beyond || !may.Lo.Equal(may.Hi) || !must.Lo.Equal(must.Hi) || c.With != nil
	if !must.Lo.Acyclic() {
		c.Add(c.no)
	}
	for a, b := range self.Hi.Pairs() {
		if o.ahead[a][b] = c.NewVar(); self.Lo.Has(a, b) {
			o.ahead[a][b] = c.yes
		}
	}
	for a, b := range self.Hi.Pairs() {
		c.Add(o.ahead[a][b].Not(), o.of(b, a).Not())
		for d := range self.Hi.Row(b).All() {
			c.Add(o.ahead[a][b].Not(), o.ahead[b][d].Not(), o.of(a, d))
		}
	}
}

// of returns the literal that a pair is directed so, or no.
func (o *order) of(a, b event.ID) sat.Lit {
	if l := o.ahead[a][b]; l != 0 {
		return l
	}
	return o.c.no
}

// lit returns the literal of a pair that the bounds leave open.
func (o *order) lit(a, b event.ID, w way) sat.Lit {
	if o.exact {
		return o.of(a, b)
	}
	c := o.c
	c.beyond = c.beyond || w&down != 0
	p := c.pair(o.choice.Slot, a, b)
	if p.ways&up == 0 {
		p.ways |= up
		c.queue = append(c.queue, pending{site{o.choice.Slot, a, b}, p.lit, up})
	}
	return p.lit
}

// follows adds the clauses by which a pair follows from shorter paths.
func (o *order) follows(p *pending) {
	c := o.c
	must := o.choice.Args[1]
	for m := range c.N {
		for _, last := range []sat.Lit{o.of(m, p.b), c.lit(must, m, p.b, up)} {
			switch {
			case last == c.no:
			case m == p.a:
				c.Add(p.lit, last.Not())
			case c.may(o.choice.Slot, p.a, m):
				c.Add(p.lit, last.Not(), c.lit(o.choice.Slot, p.a, m, up).Not())
			}
		}
	}
}
