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

// way says what a literal tells of a pair of a value: up, that it is true if the pair is there, so
// that what must not be is ruled out; down, that the pair is there if it is true.
type way uint8

const (
	up   way = 1 << iota
	down     // not known of recursions: they could justify themselves
)

// opposite is the way of the operand of a negation.
func (w way) opposite() way { return w>>1 | w&up<<1 }

// pair is the literal of a pair, and in which ways it has been defined.
type pair struct {
	lit  sat.Lit
	ways way
	made bool
}

// site is a pair of a value.
type site struct {
	slot plan.Slot
	a, b event.ID
}

// pending is a literal whose clauses are to be added.
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
	there   [][]sat.Lit                   // by two events: that both are there; 0 if nobody has asked
	given   []func(a, b event.ID) sat.Lit // by slot: the literals of inputs that are not known
	orders  []*order                      // of the choices
	graphs  *graphs
	steps   map[site]*graph // of closures: by the value and what paths begin with, the last steps that justify their pairs
	pairs   [][][]pair
	last    []*rel.Rel  // by slot of a closure: see lastSteps; nil if nobody has asked
	as      []plan.Slot // by slot: see sameAs, and one more; 0 if nobody has asked
	first   map[operation]plan.Slot
	queue   []pending
	beyond  bool           // a literal is asked for that cannot be defined
	budget  *engine.Budget // when it stops, what is asked is left
	whole   int            // expressions with so few combinations of values are computed as a whole, others in parts (parts.go)
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
	c.NewVar() // literal 0 stands for none
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

// askEvery is after how many steps of something that may take long it is asked whether somebody waits for it.
const askEvery = 64

// over reports that nobody waits for an answer any more. Clauses may be missing then.
func (c *circuit) over() bool { return c.budget.Err() != nil }

// areThere is the literal that two events are there.
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

// lit is the literal of a pair of a value.
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

// pair is the literal of a pair, which is made if there is none yet.
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

// operation is how a value is computed.
type operation struct {
	op   relop.Op
	set  bool
	x, y plan.Slot
}

// nothing stands for all values that are empty for sure.
const nothing plan.Slot = -2

// sameAs is the first value that is known to be the same in this structure, because it is computed in the same way, less what is empty here: most of what a
// model says of kinds of fences and of proxies is, so that what depends on them comes several times.
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
		c.as[s] = s + 1 // of recursions, which come here again
		c.as[s] = c.find(s, c.Plan.Def(s)) + 1
	}
	return c.as[s] - 1
}

// find is sameAs of a value that is defined so.
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

// within reports that a value is part of another, as far as unions and closures tell.
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

// may and must report that a pair can be in a value, and that it is for sure.
func (c *circuit) may(s plan.Slot, a, b event.ID) bool  { return c.Span(s).Hi.Has(a, b) }
func (c *circuit) must(s plan.Slot, a, b event.ID) bool { return c.Span(s).Lo.Has(a, b) }

// same is the pair of an operand that says the same as a pair of the result: the others do not matter.
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
			continue // that of a single event does not say that the other is there
		}
		if other := 1 - i; other < row.Arity() && !c.neutral(row, other, slots[other], a, b) {
			continue
		}
		x, y := row.Place[i].Of(a, b)
		return site{slots[i], x, y}, true
	}
	return site{}, false
}

// neutral reports whether an operand leaves it to the other whether a pair is in the result of a local operator.
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

// local adds the clauses of a pair that single pairs of the operands decide.
func (c *circuit) local(p *pending, d *plan.Step) {
	if d.Op >= relop.End {
		c.beyond = true
		return
	}
	row, slots := d.Op.Row(), [2]plan.Slot{d.X, d.Y}
	var of []sat.Lit
	if row.Sign[0] == relop.Falls { // no operand says that the events are there
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

// or makes a literal the disjunction of others.
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

// and makes a literal the conjunction of others.
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

// both is the conjunction of two literals.
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

// any is the disjunction of literals. It is yes itself if one of them is: what is so of an event is asked of those only
// that are there.
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

// plus lets paths grow by one pair at their ends.
func (c *circuit) plus(p *pending, d *plan.Step) {
	if p.ways&up != 0 {
		c.grow(p, d)
	}
	if p.ways&down != 0 {
		c.justify(p, d)
	}
}

// grow says that a pair is in a closure if one that is has been followed by another.
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

// lastSteps is the pairs with which the pairs of a closure can end: of those that it has for sure, those with no event between that is there, too.
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

// justify says that a pair of a closure has a last step. What leads to one step does not lead back to it, so that
// the steps are a path.
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

// stepsFrom is the graph of the last steps of paths from an event.
func (c *circuit) stepsFrom(s plan.Slot, a event.ID) *graph {
	from := site{s, a, a}
	if c.steps[from] == nil {
		c.steps[from] = c.graphs.add(c.N)
	}
	return c.steps[from]
}
