// Package bounds finds what is known of the values of a model (package plan) before anything is chosen: which
// pairs are there for sure, and which may be.
//
//	Program  a plan by its values: which step defines which
//	Bounds   the spans of these values for one structure, found when they are asked for
//	Span     what is between the two bounds
package bounds

import (
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
)

// A set is the identity on its elements here, so that what is said of relations need not be said
// of sets again.

// Span is what is known of a set or relation before anything is chosen: it contains Lo, and is
// part of Hi.
type Span struct{ Lo, Hi rel.Rel }

// Exact is a set or relation that is known.
func Exact(r rel.Rel) Span { return Span{r, r} }

// Holds evaluates the test of a check, without its negation, on a set or relation that is known.
func Holds(c *plan.Check, x rel.Rel) bool {
	switch c.Test {
	case plan.Acyclic:
		return x.Acyclic()
	case plan.Irreflexive:
		return x.Irreflexive()
	}
	return x.Empty()
}

// Program is a plan by its values.
type Program struct {
	Plan   *plan.Plan
	Defs   []*plan.Step // by slot: the step that defines the value; nil of inputs
	inputs []plan.Input // by slot
	owners []*plan.Step // by slot: that step, or the outermost fixpoint that it is part of
}

// NewProgram looks at a plan.
func NewProgram(p *plan.Plan) *Program {
	all := &Program{Plan: p, Defs: make([]*plan.Step, p.Slots()), owners: make([]*plan.Step, p.Slots()), inputs: make([]plan.Input, p.Slots())}
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
			p.Defs[s.Dst], p.owners[s.Dst] = s, owner
			continue
		}
		p.own(s.Body, owner)
		for j, r := range s.Reached {
			p.Defs[r], p.owners[r] = &plan.Step{Op: plan.OpRecursive, Dst: r, X: s.Next[j]}, owner
		}
	}
}

// Bounds finds the spans of the values of a plan, when they are asked for.
type Bounds struct {
	Plan   *plan.Plan
	N      int                      // events
	Input  func(plan.Input)         // gives an input its span, by Bind
	Chosen func(choice int) rel.Rel // nil while nothing is chosen
	// With, unless it is nil, says that events may be absent: it relates each to those that are there if it is.
	// Compatible relates those that can be there together. Spans are then those of pairs that are there.
	With, Compatible *rel.Rel
	inputs           []plan.Input // by slot
	owners           []*plan.Step // by slot: what computes it; nil of inputs
	known            []bool       // by slot: its span is known
	spans            []Span
	id, full         rel.Rel
	none             rel.Rel
}

// New knows nothing yet of a structure of n events.
func New(p *Program, n int) *Bounds {
	return &Bounds{
		Plan: p.Plan, N: n, owners: p.owners, inputs: p.inputs, known: make([]bool, p.Plan.Slots()), spans: make([]Span, p.Plan.Slots()),
		id: rel.Identity(rel.Universe(n)), full: rel.Full(n), none: rel.New(n),
	}
}

// Bind gives an input its span.
func (b *Bounds) Bind(s plan.Slot, sp Span) { b.spans[s], b.known[s] = b.together(sp), true }

// together is the part of a span that is of pairs that can be there.
func (b *Bounds) together(sp Span) Span {
	if b.Compatible == nil {
		return sp
	}
	return Span{sp.Lo.Inter(*b.Compatible), sp.Hi.Inter(*b.Compatible)}
}

// Span is the span of a value.
func (b *Bounds) Span(s plan.Slot) *Span {
	switch {
	case b.known[s]:
	case b.owners[s] == nil:
		b.Input(b.inputs[s])
	default:
		b.compute(b.owners[s])
	}
	return &b.spans[s]
}

// compute finds what a step computes.
func (b *Bounds) compute(s *plan.Step) {
	switch {
	case s.Op == plan.OpFixpoint:
		b.fixpoint(s)
		return
	case s.Op != plan.OpChoice:
		b.spans[s.Dst] = b.together(b.step(s))
	case b.Chosen != nil:
		b.spans[s.Dst] = Exact(b.Chosen(int(s.X)))
	default:
		b.spans[s.Dst] = b.together(b.choice(&b.Plan.Choices[s.X]))
	}
	b.known[s.Dst] = true
}

// fixpoint computes both bounds from below: the body grows with what has been reached.
func (b *Bounds) fixpoint(s *plan.Step) {
	for _, r := range s.Reached {
		b.Bind(r, Exact(b.none))
	}
	for changed := true; changed; {
		changed = false
		for i := range s.Body {
			b.compute(&s.Body[i])
		}
		for i, r := range s.Reached {
			next := *b.Span(s.Next[i])
			changed = changed || !next.Lo.Equal(b.spans[r].Lo) || !next.Hi.Equal(b.spans[r].Hi)
			b.spans[r] = next
		}
	}
}

// step computes the span of a value from those of its operands.
func (b *Bounds) step(s *plan.Step) Span {
	var x, y Span
	settled := true
	if s.X >= 0 {
		x = *b.Span(s.X)
		settled = settled && x.Lo.Equal(x.Hi)
	}
	if s.Y >= 0 {
		y = *b.Span(s.Y)
		settled = settled && y.Lo.Equal(y.Hi)
	}
	falling := y // an operand that makes the value smaller
	switch s.Op {
	case relop.Diff:
		falling = Span{y.Hi, y.Lo}
	case relop.Complement:
		x = Span{x.Hi, x.Lo}
	}
	if b.With != nil && through(s.Op) {
		return Span{b.applyWith(s, x.Lo, y.Lo), b.apply(s, x.Hi, y.Hi)}
	}
	lo := b.apply(s, x.Lo, falling.Lo)
	if settled {
		return Exact(lo)
	}
	return Span{lo, b.apply(s, x.Hi, falling.Hi)}
}

// through reports that a pair of the result may be there because of others than its two events.
func through(op relop.Op) bool {
	return op == relop.Seq || op == relop.Plus || op == relop.Domain || op == relop.Range
}

// applyWith is apply of lower bounds, as far as what is between is there with what it relates.
func (b *Bounds) applyWith(s *plan.Step, x, y rel.Rel) rel.Rel {
	switch s.Op {
	case relop.Seq:
		return b.Compose(x, y)
	case relop.Plus:
		return b.plus(x)
	case relop.Domain:
		return rel.Identity(x.Inter(*b.With).Domain())
	}
	return rel.Identity(x.Inter(b.With.Inverse()).Range())
}

// Compose composes over what is there for sure.
func (b *Bounds) Compose(x, y rel.Rel) rel.Rel {
	if b.With == nil {
		return x.Compose(y)
	}
	return x.Inter(*b.With).Compose(y).Union(x.Compose(y.Inter(b.With.Inverse())))
}

// plus closes over what is there for sure.
func (b *Bounds) plus(x rel.Rel) rel.Rel {
	if b.With == nil {
		return x.Plus()
	}
	for {
		more := x.Union(b.Compose(x, x))
		if more.Equal(x) {
			return x
		}
		x = more
	}
}

// all is the universal set or relation.
func (b *Bounds) all(s *plan.Step) rel.Rel {
	if s.Set {
		return b.id
	}
	return b.full
}

// apply computes the value of a step.
func (b *Bounds) apply(s *plan.Step, x, y rel.Rel) rel.Rel {
	switch s.Op {
	case relop.Union:
		return x.Union(y)
	case relop.Inter:
		return x.Inter(y)
	case relop.Diff:
		return x.Diff(y)
	case relop.Complement:
		return b.all(s).Diff(x)
	case relop.Seq:
		return x.Compose(y)
	case relop.Plus:
		return x.Plus()
	case relop.Inverse:
		return x.Inverse()
	case relop.Identity:
		return x
	case relop.Product:
		return rel.Product(x.Domain(), y.Domain())
	case relop.From:
		return x.Restrict(y.Domain(), rel.Universe(x.N()))
	case relop.To:
		return x.Restrict(rel.Universe(x.N()), y.Domain())
	case relop.Domain:
		return rel.Identity(x.Domain())
	case relop.Range:
		return rel.Identity(x.Range())
	case relop.Full:
		return b.all(s)
	}
	return b.none
}

// choice is the span of what a model chooses.
func (b *Bounds) choice(c *plan.Choice) Span {
	first := *b.Span(c.Args[0])
	pairs := func(r rel.Rel) rel.Rel { return r.Union(r.Inverse()).Diff(b.id) }
	switch c.Family {
	case plan.Orientations:
		return Span{b.none, pairs(first.Hi)}
	case plan.PartialOrders:
		second := *b.Span(c.Args[1])
		return Span{b.plus(second.Lo), first.Hi.Union(second.Hi.Plus()).Diff(b.id)}
	case plan.Linearisations:
		set := *b.Span(c.Args[1])
		lo := b.plus(first.Lo.Restrict(set.Lo.Domain(), set.Lo.Domain()))
		return Span{lo, rel.Product(set.Hi.Domain(), set.Hi.Domain()).Diff(b.id).Diff(lo.Inverse())}
	}
	lo := b.plus(b.Span(c.Args[1]).Lo)
	return Span{lo, pairs(first.Hi).Union(b.Span(c.Args[1]).Hi).Plus().Diff(b.id).Diff(lo.Inverse())}
}
