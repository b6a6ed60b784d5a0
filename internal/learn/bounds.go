package learn

import (
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/rel"
)

// A set is the identity on its elements here, so that what is said of relations need not be said
// of sets again.

// span is what is known of a set or relation before anything is chosen: it contains lo, and is
// part of hi.
type span struct{ lo, hi rel.Rel }

// exact is a set or relation that is known.
func exact(r rel.Rel) span { return span{r, r} }

// Program is a plan by its values.
type Program struct {
	plan   *plan.Plan
	defs   []*plan.Step // by slot: the step that defines the value; nil of inputs
	inputs []plan.Input // by slot
	owners []*plan.Step // by slot: that step, or the outermost fixpoint that it is part of
}

// NewProgram looks at a plan.
func NewProgram(p *plan.Plan) *Program {
	all := &Program{plan: p, defs: make([]*plan.Step, p.Slots()), owners: make([]*plan.Step, p.Slots()), inputs: make([]plan.Input, p.Slots())}
	for _, in := range p.Inputs {
		all.inputs[in.Slot] = in
	}
	all.own(p.Steps(), nil)
	return all
}

// own notes which step defines which value.
func (p *Program) own(steps []plan.Step, within *plan.Step) {
	for i := range steps {
		s := &steps[i]
		owner := within
		if owner == nil {
			owner = s
		}
		if s.Op != plan.OpFixpoint {
			p.defs[s.Dst], p.owners[s.Dst] = s, owner
			continue
		}
		p.own(s.Body, owner)
		for j, r := range s.Reached {
			p.defs[r], p.owners[r] = &plan.Step{Op: plan.OpRecursive, Dst: r, X: s.Next[j]}, owner
		}
	}
}

// bounds finds the spans of the values of a plan, when they are asked for.
type bounds struct {
	plan     *plan.Plan
	n        int
	inputs   []plan.Input // by slot
	owners   []*plan.Step // by slot: what computes it; nil of inputs
	known    []bool       // by slot: its span is known
	spans    []span
	id, full rel.Rel
	none     rel.Rel
	input    func(plan.Input)         // gives an input its span
	chosen   func(choice int) rel.Rel // nil while nothing is chosen
}

func newBounds(p *Program, n int) *bounds {
	return &bounds{
		plan: p.plan, n: n, owners: p.owners, inputs: p.inputs, known: make([]bool, p.plan.Slots()), spans: make([]span, p.plan.Slots()),
		id: rel.Identity(rel.Universe(n)), full: rel.Full(n), none: rel.New(n),
	}
}

// bind gives an input its span.
func (b *bounds) bind(s plan.Slot, sp span) { b.spans[s], b.known[s] = sp, true }

// span is the span of a value.
func (b *bounds) span(s plan.Slot) *span {
	switch {
	case b.known[s]:
	case b.owners[s] == nil:
		b.input(b.inputs[s])
	default:
		b.compute(b.owners[s])
	}
	return &b.spans[s]
}

// compute finds what a step computes.
func (b *bounds) compute(s *plan.Step) {
	switch {
	case s.Op == plan.OpFixpoint:
		b.fixpoint(s)
		return
	case s.Op != plan.OpChoice:
		b.spans[s.Dst] = b.step(s)
	case b.chosen != nil:
		b.spans[s.Dst] = exact(b.chosen(int(s.X)))
	default:
		b.spans[s.Dst] = b.choice(&b.plan.Choices[s.X])
	}
	b.known[s.Dst] = true
}

// fixpoint computes both bounds from below: the body grows with what has been reached.
func (b *bounds) fixpoint(s *plan.Step) {
	for _, r := range s.Reached {
		b.bind(r, exact(b.none))
	}
	for changed := true; changed; {
		changed = false
		for i := range s.Body {
			b.compute(&s.Body[i])
		}
		for i, r := range s.Reached {
			next := *b.span(s.Next[i])
			changed = changed || !next.lo.Equal(b.spans[r].lo) || !next.hi.Equal(b.spans[r].hi)
			b.spans[r] = next
		}
	}
}

// step computes the span of a value from those of its operands.
func (b *bounds) step(s *plan.Step) span {
	var x, y span
	settled := true
	if s.X >= 0 {
		x = *b.span(s.X)
		settled = settled && x.lo.Equal(x.hi)
	}
	if s.Y >= 0 {
		y = *b.span(s.Y)
		settled = settled && y.lo.Equal(y.hi)
	}
	falling := y // an operand that makes the value smaller
	switch s.Op {
	case plan.OpDiff:
		falling = span{y.hi, y.lo}
	case plan.OpComplement:
		x = span{x.hi, x.lo}
	}
	lo := b.apply(s, x.lo, falling.lo)
	if settled {
		return exact(lo)
	}
	return span{lo, b.apply(s, x.hi, falling.hi)}
}

// all is the universal set or relation.
func (b *bounds) all(s *plan.Step) rel.Rel {
	if s.Set {
		return b.id
	}
	return b.full
}

// apply computes the value of a step.
func (b *bounds) apply(s *plan.Step, x, y rel.Rel) rel.Rel {
	switch s.Op {
	case plan.OpUnion:
		return x.Union(y)
	case plan.OpInter:
		return x.Inter(y)
	case plan.OpDiff:
		return x.Diff(y)
	case plan.OpComplement:
		return b.all(s).Diff(x)
	case plan.OpSeq:
		return x.Compose(y)
	case plan.OpPlus:
		return x.Plus()
	case plan.OpInverse:
		return x.Inverse()
	case plan.OpIdentity:
		return x
	case plan.OpProduct:
		return rel.Product(x.Domain(), y.Domain())
	case plan.OpFrom:
		return x.Restrict(y.Domain(), rel.Universe(x.N()))
	case plan.OpTo:
		return x.Restrict(rel.Universe(x.N()), y.Domain())
	case plan.OpDomain:
		return rel.Identity(x.Domain())
	case plan.OpRange:
		return rel.Identity(x.Range())
	case plan.OpFull:
		return b.all(s)
	}
	return b.none
}

// choice is the span of what a model chooses.
func (b *bounds) choice(c *plan.Choice) span {
	first := *b.span(c.Args[0])
	pairs := func(r rel.Rel) rel.Rel { return r.Union(r.Inverse()).Diff(b.id) }
	switch c.Family {
	case plan.Orientations:
		return span{b.none, pairs(first.hi)}
	case plan.PartialOrders:
		second := *b.span(c.Args[1])
		return span{second.lo.Plus(), first.hi.Union(second.hi.Plus()).Diff(b.id)}
	case plan.Linearisations:
		set := *b.span(c.Args[1])
		lo := first.lo.Restrict(set.lo.Domain(), set.lo.Domain()).Plus()
		return span{lo, rel.Product(set.hi.Domain(), set.hi.Domain()).Diff(b.id).Diff(lo.Inverse())}
	}
	lo := b.span(c.Args[1]).lo.Plus()
	return span{lo, pairs(first.hi).Union(b.span(c.Args[1]).hi).Plus().Diff(b.id).Diff(lo.Inverse())}
}
