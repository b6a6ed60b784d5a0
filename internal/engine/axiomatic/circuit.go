package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// way is the direction of implication between a pair of a value and its literal. Up: if the pair is
// there, the literal is true; this suffices to forbid pairs. Down: if the literal is true, the pair
// is there.
type way uint8

const (
	up   way = 1 << iota
	down     // unsupported for recursive values: their pairs could justify each other
)

// opposite returns the way of the operand of a negation: up and down swapped.
func (w way) opposite() way { return w>>1 | w&up<<1 }

// pair is the literal of a pair, and the ways in which clauses define it.
type pair struct {
	lit  sat.Lit
	ways way
	made bool
}

// site is a pair of events in a value.
type site struct {
	slot plan.Slot
	a, b event.ID
}

// pending is a literal with clauses still to be added.
type pending struct {
	site
	lit  sat.Lit
	ways way
}

// circuit turns pairs of values into literals, on demand.
type circuit struct {
	*sat.Solver
	yes, no sat.Lit

	*bounds.Bounds
	u       *union
	present *presence
	there   [][]sat.Lit // by two events: both are present; 0 until first needed
	// by slot: the literals of an input that depends on the execution
	given  []func(a, b event.ID) sat.Lit
	orders []*order // by choice
	graphs *graphs
	// by closure and first event of a path: the graph of last steps that justify pairs
	steps  map[site]*graph
	pairs  [][][]pair
	last   []*rel.Rel  // by slot of a closure: see lastSteps; nil until first needed
	as     []plan.Slot // by slot: one more than sameAs; 0 until first needed
	first  map[operation]plan.Slot
	queue  []pending
	beyond bool           // a literal was needed that cannot be defined: the union is unsupported
	budget *engine.Budget // when it ends, clauses may be missing
	// an expression with at most that many combinations of values is computed as a whole, others in
	// parts (parts.go)
	whole int
}

func newCircuit(b *engine.Budget, p *plan.Plan, u *union) *circuit {
	slots, n := p.Slots(), u.N()
	c := &circuit{
		Solver: sat.New(), Bounds: bounds.New(p, n),
		given: make([]func(a, b event.ID) sat.Lit, slots), pairs: make([][][]pair, slots),
		last: make([]*rel.Rel, slots), as: make([]plan.Slot, slots), first: map[operation]plan.Slot{},
		graphs: newGraphs(), steps: map[site]*graph{}, budget: b, whole: fewCombinations,
	}
	c.Use(c.graphs)
	c.Stop = c.over
	c.NewVar() // reserves literal 0, which means no literal
	c.yes = c.NewVar()
	c.no = c.yes.Not()
	c.Add(c.yes)
	c.u, c.present, c.there = u, u.present(c), make([][]sat.Lit, n)
	if len(u.members) > 1 {
		with, compatible := u.with()
		c.With, c.Compatible = &with, &compatible
	}
	return c
}

// askEvery is the number of iterations of a long loop between two looks at the budget.
const askEvery = 64

// over reports whether the budget has ended. Clauses may be missing then.
func (c *circuit) over() bool { return c.budget.Err() != nil }

// areThere returns the literal that both events are present.
func (c *circuit) areThere(a, b event.ID) sat.Lit {
	x, y := c.present.here[a], c.present.here[b]
	switch {
	case c.With == nil:
		return c.yes
	case c.With.Has(a, b):
		return x
	case c.With.Has(b, a):
		return y
	}
	a, b = min(a, b), max(a, b)
	if c.there[a] == nil {
		c.there[a] = make([]sat.Lit, c.N)
	}
	if c.there[a][b] == 0 {
		c.there[a][b] = c.both(x, y)
	}
	return c.there[a][b]
}

// lit returns the literal of a pair of a value, defined at least in the ways w.
func (c *circuit) lit(s plan.Slot, a, b event.ID, w way) sat.Lit {
	if s = c.sameAs(s); s == nothing {
		return c.no
	}
	switch sp := c.Span(s); {
	case !sp.Hi.Has(a, b):
		return c.no
	case sp.Lo.Has(a, b):
		return c.areThere(a, b)
	}
	if given := c.given[s]; given != nil {
		return given(a, b)
	}
	def := c.Plan.Def(s)
	if def.Op == plan.OpChoice {
		return c.both(c.orders[def.X].lit(a, b, w), c.areThere(a, b))
	}
	if t, ok := c.same(def, a, b); ok {
		c.beyond = c.beyond || def.Op == plan.OpRecursive && w&down != 0
		return c.lit(t.slot, t.a, t.b, w)
	}
	p := c.pair(s, a, b)
	if missing := w &^ p.ways; missing != 0 {
		p.ways |= missing
		c.queue = append(c.queue, pending{site{s, a, b}, p.lit, missing})
	}
	return p.lit
}

// pair returns the literal of a pair. It makes it on the first call.
func (c *circuit) pair(s plan.Slot, a, b event.ID) *pair {
	if c.pairs[s] == nil {
		c.pairs[s] = make([][]pair, c.N)
	}
	if c.pairs[s][a] == nil {
		c.pairs[s][a] = make([]pair, c.N)
	}
	p := &c.pairs[s][a][b]
	if !p.made {
		p.lit, p.made = c.NewVar(), true
	}
	return p
}

// operation is the definition of a value, with operands replaced by sameAs.
type operation struct {
	op   relop.Op
	set  bool
	x, y plan.Slot
}

// nothing is the slot of all values that are certainly empty.
const nothing plan.Slot = -2

// sameAs returns the first value that is known to be equal in this structure: it has the same
// definition after empty operands are removed. A model defines many values per kind of fence or
// proxy, and most of these kinds do not occur in a program.
func (c *circuit) sameAs(s plan.Slot) plan.Slot {
	switch {
	case s < 0:
		return s
	case c.Span(s).Hi.Empty():
		return nothing
	case c.Plan.Def(s) == nil:
		return s
	}
	if c.as[s] == 0 {
		c.as[s] = s + 1 // ends the recursion for recursive values
		c.as[s] = c.find(s, c.Plan.Def(s)) + 1
	}
	return c.as[s] - 1
}

// find is sameAs of a value with definition d.
func (c *circuit) find(s plan.Slot, d *plan.Step) plan.Slot {
	switch {
	case d.Op == plan.OpRecursive || d.Op == plan.OpChoice || d.Op == plan.OpFixpoint:
		return s
	case d.Op == relop.Identity, d.Op == relop.Union && c.within(d.Y, d.X), d.Op == relop.Diff && c.sameAs(d.Y) == nothing:
		return c.sameAs(d.X)
	case d.Op == relop.Union && c.within(d.X, d.Y):
		return c.sameAs(d.Y)
	}
	is := operation{d.Op, d.Set, c.sameAs(d.X), c.sameAs(d.Y)}
	if d.Op == relop.Plus && c.isPlus(is.x) {
		return is.x
	}
	if first, known := c.first[is]; known {
		return first
	}
	c.first[is] = s
	return s
}

// within reports whether x is a subset of y, as far as unions and closures tell.
func (c *circuit) within(x, y plan.Slot) bool {
	if x, y = c.sameAs(x), c.sameAs(y); x == y || x == nothing {
		return true
	}
	if y == nothing || c.Plan.Def(y) == nil {
		return false
	}
	switch d := c.Plan.Def(y); d.Op {
	case relop.Union:
		return c.within(x, d.X) || c.within(x, d.Y)
	case relop.Plus:
		return c.within(x, d.X)
	}
	return false
}

func (c *circuit) isPlus(s plan.Slot) bool {
	return c.Plan.Def(s) != nil && c.Plan.Def(s).Op == relop.Plus
}

// may and must report whether a pair can be in a value, and whether it always is if both events are
// present.
func (c *circuit) may(s plan.Slot, a, b event.ID) bool  { return c.Span(s).Hi.Has(a, b) }
func (c *circuit) must(s plan.Slot, a, b event.ID) bool { return c.Span(s).Lo.Has(a, b) }

// same returns the pair of an operand that alone decides a pair of the result. The bool is
// false if there is no such operand.
func (c *circuit) same(d *plan.Step, a, b event.ID) (site, bool) {
	if d.Op == plan.OpRecursive {
		return site{d.X, a, b}, true
	}
	row := d.Op.Row()
	if !row.Local() {
		return site{}, false
	}
	slots := [2]plan.Slot{d.X, d.Y}
	for i := range row.Arity() {
		if row.Sign[i] == relop.Falls || !row.Place[i].Covers() {
			continue // a literal of one event does not imply that the other is present
		}
		if other := 1 - i; other < row.Arity() && !c.neutral(row, other, slots[other], a, b) {
			continue
		}
		x, y := row.Place[i].Of(a, b)
		return site{slots[i], x, y}, true
	}
	return site{}, false
}

// neutral reports whether an operand leaves the decision about a pair to the other operand.
func (c *circuit) neutral(row *relop.Row, operand int, s plan.Slot, a, b event.ID) bool {
	x, y := row.Place[operand].Of(a, b)
	if row.Any || row.Sign[operand] == relop.Falls {
		return !c.may(s, x, y)
	}
	return c.must(s, x, y)
}

// drain adds the clauses of all literals that have been asked for.
func (c *circuit) drain() {
	for n := 0; len(c.queue) > 0; n++ {
		if n%askEvery == 0 && c.over() {
			c.queue = nil
			return
		}
		p := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.gate(&p)
	}
}

// gate adds the clauses of a literal.
func (c *circuit) gate(p *pending) {
	d := c.Plan.Def(p.slot)
	switch d.Op {
	case relop.Seq:
		c.seq(p, d)
	case relop.Plus:
		c.plus(p, d)
	case relop.Domain, relop.Range:
		var some []sat.Lit
		for other := range c.N {
			x, y := p.a, other
			if d.Op == relop.Range {
				x, y = other, p.a
			}
			if c.may(d.X, x, y) {
				some = append(some, c.lit(d.X, x, y, p.ways))
			}
		}
		c.or(p.lit, p.ways, some...)
	case plan.OpChoice:
		c.orders[d.X].follows(p)
	default:
		c.local(p, d)
	}
}

// local adds the clauses of a pair that depends on one pair of each operand.
func (c *circuit) local(p *pending, d *plan.Step) {
	if d.Op >= relop.End {
		c.beyond = true
		return
	}
	row, slots := d.Op.Row(), [2]plan.Slot{d.X, d.Y}
	var of []sat.Lit
	// the operand, negated, does not imply that the events are present
	if row.Sign[0] == relop.Falls {
		of = append(of, c.areThere(p.a, p.b))
	}
	for i := range row.Arity() {
		a, b := row.Place[i].Of(p.a, p.b)
		if row.Sign[i] == relop.Falls {
			of = append(of, c.lit(slots[i], a, b, p.ways.opposite()).Not())
		} else {
			of = append(of, c.lit(slots[i], a, b, p.ways))
		}
	}
	if row.Any {
		c.or(p.lit, p.ways, of...)
	} else {
		c.and(p.lit, p.ways, of...)
	}
}

// or defines g as the disjunction of literals, in the ways w.
func (c *circuit) or(g sat.Lit, w way, lits ...sat.Lit) {
	if w&up != 0 {
		for _, l := range lits {
			c.Add(g, l.Not())
		}
	}
	if w&down != 0 {
		c.Add(append(lits, g.Not())...)
	}
}

// and defines g as the conjunction of literals, in the ways w.
func (c *circuit) and(g sat.Lit, w way, lits ...sat.Lit) {
	if w&down != 0 {
		for _, l := range lits {
			c.Add(g.Not(), l)
		}
	}
	if w&up != 0 {
		all := []sat.Lit{g}
		for _, l := range lits {
			all = append(all, l.Not())
		}
		c.Add(all...)
	}
}

// both returns the conjunction of two literals.
func (c *circuit) both(x, y sat.Lit) sat.Lit {
	switch {
	case x == c.yes:
		return y
	case y == c.yes || x == y:
		return x
	case x == c.no || y == c.no:
		return c.no
	}
	g := c.NewVar()
	c.and(g, up|down, x, y)
	return g
}

// any returns the disjunction of literals. It returns yes if one of them is yes, even for a
// property of an event that may be absent: callers ask only about present events.
func (c *circuit) any(lits []sat.Lit) sat.Lit {
	if slices.Contains(lits, c.yes) {
		return c.yes
	}
	lits = slices.DeleteFunc(slices.Clone(lits), func(l sat.Lit) bool { return l == c.no })
	switch len(lits) {
	case 0:
		return c.no
	case 1:
		return lits[0]
	}
	g := c.NewVar()
	c.or(g, up|down, lits...)
	return g
}

func (c *circuit) seq(p *pending, d *plan.Step) {
	var ways []sat.Lit
	for m := range c.Span(d.X).Hi.Row(p.a).All() {
		if !c.may(d.Y, m, p.b) {
			continue
		}
		x, y := c.lit(d.X, p.a, m, p.ways), c.lit(d.Y, m, p.b, p.ways)
		if p.ways&up != 0 {
			c.Add(p.lit, x.Not(), y.Not())
		}
		if p.ways&down != 0 {
			ways = append(ways, c.both(x, y))
		}
	}
	if p.ways&down != 0 {
		c.or(p.lit, down, ways...)
	}
}

// plus adds the clauses of a pair of a transitive closure.
func (c *circuit) plus(p *pending, d *plan.Step) {
	if p.ways&up != 0 {
		c.grow(p, d)
	}
	if p.ways&down != 0 {
		c.justify(p, d)
	}
}

// grow adds clauses: a pair (a, m) of the closure and a step (m, b) imply the pair (a, b).
func (c *circuit) grow(p *pending, d *plan.Step) {
	steps := c.lastSteps(p.slot, d)
	for m := range c.N {
		if !steps.Has(m, p.b) {
			continue
		}
		last := c.areThere(m, p.b)
		if !c.must(p.slot, m, p.b) {
			last = c.lit(d.X, m, p.b, up)
		}
		switch {
		case m == p.a:
			c.Add(p.lit, last.Not())
		case c.may(p.slot, p.a, m):
			c.Add(p.lit, last.Not(), c.lit(p.slot, p.a, m, up).Not())
		}
	}
}

// lastSteps returns the pairs that suffice as last steps of a closure. Of the pairs that the
// closure always has, these are the ones that no composition of two others gives.
func (c *circuit) lastSteps(s plan.Slot, d *plan.Step) *rel.Rel {
	if c.last[s] == nil {
		steps, sure := c.Span(d.X).Hi, c.Span(s).Lo
		if sure.Irreflexive() {
			steps = steps.Diff(sure).Union(sure.Diff(c.Compose(sure, sure)))
		}
		c.last[s] = &steps
	}
	return c.last[s]
}

// justify adds clauses: a pair of the closure has a last step. The graph of steps is acyclic, so
// the steps form a path.
func (c *circuit) justify(p *pending, d *plan.Step) {
	ways := []sat.Lit{p.lit.Not()}
	for m := range c.N {
		switch {
		case !c.may(d.X, m, p.b):
		case m == p.a:
			ways = append(ways, c.lit(d.X, m, p.b, down))
		case c.may(p.slot, p.a, m):
			step := c.NewVar()
			c.and(step, down, c.lit(d.X, m, p.b, down), c.lit(p.slot, p.a, m, down))
			if c.may(p.slot, p.b, m) {
				c.stepsFrom(p.slot, p.a).edge(c, m, p.b, step)
			}
			ways = append(ways, step)
		}
	}
	c.Add(ways...)
}

// stepsFrom returns the graph of the last steps of paths from an event.
func (c *circuit) stepsFrom(s plan.Slot, a event.ID) *graph {
	from := site{s, a, a}
	if c.steps[from] == nil {
		c.steps[from] = c.graphs.add(c.N)
	}
	return c.steps[from]
}
