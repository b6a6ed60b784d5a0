// Package bounds finds what is known of the values of a model (package plan) before anything is
// chosen: which pairs are there for sure, and which may be.
//
//	Bounds  the spans of these values for one structure, found when they are asked for
//	Span    what is between the two bounds
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

// Bounds finds the spans of the values of a plan, when they are asked for.
type Bounds struct {
	Plan  *plan.Plan
	N     int                   // events
	Input func(plan.Input) Span // the span of an input
	// With, unless it is nil, says that events may be absent: it relates each to those that are
	// there if it is. Compatible relates those that can be there together. Spans are then those of
	// pairs that are there.
	With, Compatible *rel.Rel
	spans            *plan.Eval[Span]
	id, none         rel.Rel
}

// New knows nothing yet of a structure of n events.
func New(p *plan.Plan, n int) *Bounds {
	b := &Bounds{Plan: p, N: n, id: rel.Identity(rel.Universe(n)), none: rel.New(n)}
	b.spans = plan.NewEval(p, plan.Domain[Span](domain{b}))
	return b
}

// Span is the span of a value.
func (b *Bounds) Span(s plan.Slot) *Span { return b.spans.Value(s) }

// together is the part of a span that is of pairs that can be there.
func (b *Bounds) together(sp Span) Span {
	if b.Compatible == nil {
		return sp
	}
	return Span{sp.Lo.Inter(*b.Compatible), sp.Hi.Inter(*b.Compatible)}
}

// domain computes spans.
type domain struct{ *Bounds }

func (d domain) Input(in plan.Input) Span { return d.together(d.Bounds.Input(in)) }

func (d domain) Choice(number int) Span { return d.together(d.choice(&d.Plan.Choices[number])) }

// Bottom has both bounds computed from below: the body of a fixpoint grows with what it has
// reached.
func (d domain) Bottom(plan.Slot) Span { return Exact(d.none) }

func (d domain) Equal(x, y Span) bool { return x.Lo.Equal(y.Lo) && x.Hi.Equal(y.Hi) }

// Apply computes the least and the greatest result: an operand that falls is greatest for the
// least.
func (d domain) Apply(s *plan.Step, x, y Span) Span {
	row := s.Op.Row()
	of := func(x, y rel.Rel) rel.Rel { return row.Relate(d.N, s.Set, x, y) }
	if d.With != nil && !row.Local() {
		return d.together(Span{d.applyWith(s.Op, x.Lo, y.Lo), of(x.Hi, y.Hi)})
	}
	settled := x.settled() && y.settled()
	x, y = x.as(row.Sign[0]), y.as(row.Sign[1])
	lo := of(x.Lo, y.Lo)
	if settled {
		return d.together(Exact(lo))
	}
	return d.together(Span{lo, of(x.Hi, y.Hi)})
}

// settled reports whether there is nothing between the bounds.
func (sp Span) settled() bool { return sp.Lo.Equal(sp.Hi) }

// as is the span with its bounds changed over for an operand that falls.
func (sp Span) as(sign relop.Sign) Span {
	if sign == relop.Falls {
		return Span{sp.Hi, sp.Lo}
	}
	return sp
}

// applyWith is an operator on lower bounds, as far as what is between is there with what it
// relates.
func (b *Bounds) applyWith(o relop.Op, x, y rel.Rel) rel.Rel {
	switch o {
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
