package sim

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/litmus"
)

// formula returns a proposition over the test's observables, by number. A nil proposition (no
// filter) is true.
func (t *Test) formula(p litmus.Prop) final.Formula {
	switch p := p.(type) {
	case litmus.Truth:
		return final.Truth(p)
	case litmus.Not:
		return final.Not{X: t.formula(p.X)}
	case litmus.Binary:
		x, y := t.formula(p.X), t.formula(p.Y)
		switch p.Op {
		case litmus.And:
			return final.Every{x, y}
		case litmus.Or:
			return final.Any{x, y}
		}
		return final.Any{final.Not{X: x}, y}
	case litmus.Atom:
		return t.atom(p)
	}
	return final.Truth(true)
}

// atom returns the formula of a comparison.
func (t *Test) atom(a litmus.Atom) final.Formula {
	op, value := a.Op, t.Program.Value
	number := func(o litmus.Operand) int { return litmus.FindRef(t.Observables(), *o.Ref) }
	switch left, right := a.X.Const, a.Y.Const; {
	case a.X.Ref == nil && a.Y.Ref == nil:
		return final.Truth(op.Holds(left, right))
	case a.X.Ref == nil:
		y := number(a.Y)
		return final.Atom{X: y, Y: y, Holds: func(v, _ event.Value) bool { return op.Holds(left, value(v)) }}
	case a.Y.Ref == nil:
		x := number(a.X)
		return final.Atom{X: x, Y: x, Holds: func(v, _ event.Value) bool { return op.Holds(value(v), right) }}
	}
	return final.Atom{X: number(a.X), Y: number(a.Y), Holds: func(v, w event.Value) bool { return op.Holds(value(v), value(w)) }}
}
