package cat

import (
	"slices"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/src"
)

var unaryOps = map[syntax.UnaryOp]relop.Op{
	syntax.OpComplement: relop.Complement, syntax.OpPlus: relop.Plus, syntax.OpStar: relop.Star,
	syntax.OpOpt: relop.Opt, syntax.OpInverse: relop.Inverse, syntax.OpBracket: relop.Identity,
}

// binaryOps lacks ++, which takes an element.
var binaryOps = map[syntax.BinaryOp]relop.Op{
	syntax.OpUnion: relop.Union, syntax.OpInter: relop.Inter, syntax.OpDiff: relop.Diff,
	syntax.OpSeq: relop.Seq, syntax.OpProduct: relop.Product,
}

// operation returns the operator of an expression and its operands; 0 if it is no relational operation.
func operation(e syntax.Expr) (relop.Op, []syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Unary:
		return unaryOps[e.Op], []syntax.Expr{e.X}
	case *syntax.Binary:
		return binaryOps[e.Op], []syntax.Expr{e.X, e.Y}
	}
	return 0, nil
}

// operand is a value with the place of the expression that has it.
type operand struct {
	value
	at src.Span
}

// operators is what expressions and primitives are made of: an evaluator or a compiler.
type operators interface {
	operate(o relop.Op, xs ...operand) value
	given(name string, at src.Span) operand
}

// machine applies operators to sets and relations: those of a candidate, or nodes of a plan.
type machine[V any] interface {
	operand(x operand, set bool) V
	isSet(v value) bool // v is a set of events, and not one by context
	apply(o relop.Op, set bool, x, y V) value
	combine(row *relop.Row, x, y operand) value // sets of other things than events
}

// operate applies an operator to values.
func operate[V any](m machine[V], o relop.Op, xs []operand) value {
	row := o.Row()
	set := row.Result == relop.Set
	if row.Result == relop.Alike {
		if in := universes(xs); in != nil {
			return polymorphic(row.Keeps(in...))
		}
		if len(xs) == 2 && (isSetOf(xs[0].value) || isSetOf(xs[1].value)) {
			return m.combine(row, xs[0], xs[1])
		}
		set = slices.ContainsFunc(xs, func(x operand) bool { return m.isSet(x.value) })
	}
	var vs [2]V
	for i, x := range xs {
		kind := row.Operands[i]
		vs[i] = m.operand(x, kind == relop.Set || kind == relop.Alike && set)
	}
	return m.apply(o, set, vs[0], vs[1])
}

// universes reports of each operand whether it is _ and not {}; nil if some are neither.
func universes(xs []operand) []bool {
	var in []bool
	for _, x := range xs {
		if !isPolymorphic(x.value) {
			return nil
		}
		in = append(in, x.value == universeValue{})
	}
	return in
}

// isPolymorphic reports that v is a set or a relation by context.
func isPolymorphic(v value) bool {
	switch v.(type) {
	case emptyValue, universeValue:
		return true
	}
	return false
}

// polymorphic is _ or {}.
func polymorphic(all bool) value {
	if all {
		return universeValue{}
	}
	return emptyValue{}
}

// operator is a primitive that is an operator, whose second operand, if it has one, is a base name.
func operator(o relop.Op, base ...string) func(m operators, x operand) value {
	return func(m operators, x operand) value {
		xs := []operand{x}
		for _, name := range base {
			xs = append(xs, m.given(name, x.at))
		}
		return m.operate(o, xs...)
	}
}

// filter keeps the pairs of a relation that go from one set to the other.
func filter(from, to string) func(m operators, x operand) value {
	return func(m operators, x operand) value {
		begin := operand{m.operate(relop.From, x, m.given(from, x.at)), x.at}
		return m.operate(relop.To, begin, m.given(to, x.at))
	}
}

// separatedBy relates events with an event of a set between them in program order.
func separatedBy(m operators, x operand) value {
	po := m.given("po", x.at)
	return m.operate(relop.Seq, operand{m.operate(relop.To, po, x), x.at}, po)
}
