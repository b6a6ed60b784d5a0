package litmus

import (
	"slices"

	"github.com/muster-gpu/muster/src"
)

// Changing tests. A test that has been parsed is never changed in place: a change is
// made to a copy, which is then printed and read again.

// NewCell returns a cell with that text, which stands in no file.
func NewCell(text string) Cell { return Cell{src.NewFile("", text).Span(0, len(text))} }

// Clone copies a test so that its parts can be replaced and removed without changing t.
// Propositions are shared: nothing changes them.
func (t *Test) Clone() *Test {
	c := *t
	c.frame = frame{}
	c.Meta = slices.Clone(t.Meta)
	c.Locations = cloneAll(t.Locations)
	c.Registers = cloneAll(t.Registers)
	c.Threads = cloneAll(t.Threads)
	for _, th := range c.Threads {
		th.Cells = slices.Clone(th.Cells)
	}
	c.Scopes = cloneTree(t.Scopes)
	c.Observed = slices.Clone(t.Observed)
	return &c
}

func cloneAll[T any](all []*T) []*T {
	copies := make([]*T, len(all))
	for i, p := range all {
		v := *p
		copies[i] = &v
	}
	return copies
}

func cloneTree(nodes []*ScopeNode) []*ScopeNode {
	copies := cloneAll(nodes)
	for _, n := range copies {
		n.Threads = slices.Clone(n.Threads)
		n.Children = cloneTree(n.Children)
	}
	return copies
}

// WithoutThread returns a copy of the test without thread i: without its column, its registers, its
// leaf of the scope tree, and its parts of the condition and the clauses. It returns nil if no part
// of the condition or no thread would be left.
func (t *Test) WithoutThread(i int) *Test {
	isOf := func(o Operand) bool { return o.Ref != nil && o.Ref.Thread == i }
	gone := func(a Atom) bool { return isOf(a.X) || isOf(a.Y) }
	prop := WithoutAtoms(t.Cond.Prop, gone)
	if prop == nil || len(t.Threads) == 1 {
		return nil
	}
	c := t.Clone()
	c.Cond.Prop = renumber(prop, i)
	c.Filter = renumber(WithoutAtoms(t.Filter, gone), i)
	c.Observed = slices.DeleteFunc(c.Observed, func(r Ref) bool { return r.Thread == i })
	for j := range c.Observed {
		c.Observed[j].Thread = numberWithout(c.Observed[j].Thread, i)
	}
	c.Registers = slices.DeleteFunc(c.Registers, func(r *Register) bool { return r.Thread == i })
	for _, r := range c.Registers {
		r.Thread = numberWithout(r.Thread, i)
	}
	c.Threads = slices.Delete(c.Threads, i, i+1)
	c.Scopes = treeWithout(c.Scopes, i)
	return c
}

// numberWithout returns the index of a thread, or -1 for none, once thread i is gone.
func numberWithout(thread, i int) int {
	if thread > i {
		return thread - 1
	}
	return thread
}

// renumber returns a proposition that does not mention thread i, once that is gone.
func renumber(p Prop, i int) Prop {
	operand := func(o Operand) Operand {
		if o.Ref != nil {
			r := *o.Ref
			r.Thread = numberWithout(r.Thread, i)
			o.Ref = &r
		}
		return o
	}
	return MapAtoms(p, func(a Atom) Prop { return Atom{a.Op, operand(a.X), operand(a.Y)} })
}

// treeWithout removes thread i from nodes, which the caller owns, and the nodes that become empty.
func treeWithout(nodes []*ScopeNode, i int) []*ScopeNode {
	return slices.DeleteFunc(nodes, func(n *ScopeNode) bool {
		n.Threads = slices.DeleteFunc(n.Threads, func(t int) bool { return t == i })
		for j, t := range n.Threads {
			n.Threads[j] = numberWithout(t, i)
		}
		n.Children = treeWithout(n.Children, i)
		return len(n.Threads) == 0 && len(n.Children) == 0
	})
}

// WithoutAtoms removes comparisons from a proposition; it is nil if nothing remains. An
// implication without its premise is its conclusion, and one without its conclusion is removed.
func WithoutAtoms(p Prop, gone func(Atom) bool) Prop {
	switch p := p.(type) {
	case Not:
		if x := WithoutAtoms(p.X, gone); x != nil {
			return Not{x}
		}
		return nil
	case Binary:
		x, y := WithoutAtoms(p.X, gone), WithoutAtoms(p.Y, gone)
		switch {
		case x == nil, y == nil && p.Op == Implies:
			return y
		case y == nil:
			return x
		}
		return Binary{p.Op, x, y}
	case Atom:
		if gone(p) {
			return nil
		}
	}
	return p
}

// Shorter is a proposition without an operand of one of its connectives.
type Shorter struct {
	Prop    Prop
	Dropped Prop
}

// Shorten returns the propositions that remain when an operand of one of the connectives is
// dropped, the outermost connective first. An implication without its conclusion becomes the
// negation of its premise.
func Shorten(p Prop) (all []Shorter) {
	within := func(q Prop, around func(Prop) Prop) {
		for _, s := range Shorten(q) {
			all = append(all, Shorter{around(s.Prop), s.Dropped})
		}
	}
	switch p := p.(type) {
	case Not:
		within(p.X, func(x Prop) Prop { return Not{x} })
	case Binary:
		first := p.X
		if p.Op == Implies {
			first = Not{p.X}
		}
		all = append(all, Shorter{p.Y, p.X}, Shorter{first, p.Y})
		within(p.X, func(x Prop) Prop { return Binary{p.Op, x, p.Y} })
		within(p.Y, func(y Prop) Prop { return Binary{p.Op, p.X, y} })
	}
	return all
}
