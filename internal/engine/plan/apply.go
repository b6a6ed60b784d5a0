package plan

import (
	"slices"

	"github.com/muster-gpu/muster/internal/engine/relop"
)

// Apply returns the node of an operator on its operands; those that it lacks are 0. set says of an
// operator without operands that it is a set.
func (b *Builder) Apply(o relop.Op, set bool, x, y Node) Node {
	if simpler := b.simplify(o, x, y); simpler != 0 {
		return simpler
	}
	switch row := o.Row(); {
	case row.Result != relop.Alike:
		set = row.Result == relop.Set
	case x != 0:
		set = b.IsSet(x)
	}
	n := node{op: o, set: set, x: x, y: y}
	b.depend(&n)
	return b.add(n)
}

// simplify returns a node that is equal to an operator on x and y, or 0 if no law says of one.
func (b *Builder) simplify(o relop.Op, x, y Node) Node {
	switch o {
	case relop.Union:
		return b.absorb(relop.Empty, relop.Full, x, y)
	case relop.Inter:
		return b.absorb(relop.Full, relop.Empty, x, y)
	case relop.Diff:
		switch {
		case x == y || b.is(y, relop.Full):
			return b.Empty(b.IsSet(x))
		case b.is(y, relop.Empty) || b.is(x, relop.Empty):
			return x
		}
	case relop.Complement:
		switch b.nodes[x].op {
		case relop.Empty:
			return b.Full(b.IsSet(x))
		case relop.Full:
			return b.Empty(b.IsSet(x))
		case relop.Complement:
			return b.nodes[x].x
		}
	case relop.Seq:
		switch {
		case b.is(x, relop.Empty) || b.is(y, relop.Empty):
			return b.Empty(false)
		case b.is(x, relop.Identity):
			return b.From(y, b.nodes[x].x)
		case b.is(y, relop.Identity):
			return b.To(x, b.nodes[y].x)
		}
	case relop.Opt:
		return b.Union(x, b.Identity(b.Full(true)))
	case relop.Star:
		return b.Opt(b.Plus(x))
	case relop.Inverse:
		if n := b.nodes[x]; n.op == relop.Inverse {
			return n.x
		} else if n.op == relop.Product {
			return b.Product(n.y, n.x)
		}
	case relop.Identity:
		if b.is(x, relop.Empty) {
			return b.Empty(false)
		}
	case relop.From, relop.To:
		if b.is(y, relop.Full) {
			return x
		}
	}
	if slices.Contains(fixed[o], b.nodes[x].op) {
		return x
	}
	return 0
}

// fixed are the operations whose results an operator leaves as they are.
var fixed = [relop.End][]relop.Op{
	relop.Plus:    {relop.Empty, relop.Plus, relop.Identity},
	relop.Inverse: {relop.Empty, relop.Full, relop.Identity},
}

// absorb knows the operand that leaves the other as it is, and the one that decides the result.
func (b *Builder) absorb(neutral, dominant relop.Op, x, y Node) Node {
	switch {
	case x == y || b.is(y, neutral) || b.is(x, dominant):
		return x
	case b.is(x, neutral) || b.is(y, dominant):
		return y
	}
	return 0
}

func (b *Builder) is(x Node, o relop.Op) bool { return b.nodes[x].op == o }

// Empty is the empty set or relation.
func (b *Builder) Empty(set bool) Node { return b.Apply(relop.Empty, set, 0, 0) }

// Full is the universal set or relation.
func (b *Builder) Full(set bool) Node { return b.Apply(relop.Full, set, 0, 0) }

// Union is x | y, of sets or of relations.
func (b *Builder) Union(x, y Node) Node { return b.Apply(relop.Union, false, x, y) }

// Inter is x & y, of sets or of relations.
func (b *Builder) Inter(x, y Node) Node { return b.Apply(relop.Inter, false, x, y) }

// Diff is x \ y, of sets or of relations.
func (b *Builder) Diff(x, y Node) Node { return b.Apply(relop.Diff, false, x, y) }

// Complement is ~x, of a set or of a relation.
func (b *Builder) Complement(x Node) Node { return b.Apply(relop.Complement, false, x, 0) }

// Seq is x;y.
func (b *Builder) Seq(x, y Node) Node { return b.Apply(relop.Seq, false, x, y) }

// From is the pairs of x that start in the set s.
func (b *Builder) From(x, s Node) Node { return b.Apply(relop.From, false, x, s) }

// To is the pairs of x that end in the set s.
func (b *Builder) To(x, s Node) Node { return b.Apply(relop.To, false, x, s) }

// Plus is x+.
func (b *Builder) Plus(x Node) Node { return b.Apply(relop.Plus, false, x, 0) }

// Opt is x?.
func (b *Builder) Opt(x Node) Node { return b.Apply(relop.Opt, false, x, 0) }

// Star is x*.
func (b *Builder) Star(x Node) Node { return b.Apply(relop.Star, false, x, 0) }

// Inverse is x^-1.
func (b *Builder) Inverse(x Node) Node { return b.Apply(relop.Inverse, false, x, 0) }

// Identity is [s].
func (b *Builder) Identity(s Node) Node { return b.Apply(relop.Identity, false, s, 0) }

// Product is s * t.
func (b *Builder) Product(s, t Node) Node { return b.Apply(relop.Product, false, s, t) }

// Domain is the events that x relates to something.
func (b *Builder) Domain(x Node) Node { return b.Apply(relop.Domain, false, x, 0) }

// Range is the events that x relates something to.
func (b *Builder) Range(x Node) Node { return b.Apply(relop.Range, false, x, 0) }
