package cat

import (
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/src"
)

var unaryOps = [...]relop.Op{
	syntax.OpComplement: relop.Complement, syntax.OpPlus: relop.Plus, syntax.OpStar: relop.Star,
	syntax.OpOpt: relop.Opt, syntax.OpInverse: relop.Inverse, syntax.OpBracket: relop.Identity,
}

// binaryOps has no entry for ++, whose left operand is an element.
var binaryOps = [...]relop.Op{
	syntax.OpUnion: relop.Union, syntax.OpInter: relop.Inter, syntax.OpDiff: relop.Diff,
	syntax.OpSeq: relop.Seq, syntax.OpProduct: relop.Product,
}

// operation returns the operator of an expression and its operands; the operator is 0 if the
// expression is not a relational operation.
func operation(e syntax.Expr) (relop.Op, []syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Unary:
		return unaryOps[e.Op], []syntax.Expr{e.X}
	case *syntax.Binary:
		return binaryOps[e.Op], []syntax.Expr{e.X, e.Y}
	}
	return 0, nil
}

// operand is a value and the span of the expression that has it.
type operand struct {
	value
	at src.Span
}

// operators evaluates or compiles the operators that builtins are defined by.
type operators interface {
	operate(o relop.Op, xs ...operand) value
	given(name string, at src.Span) operand
}

// machine is what applying an operator needs: an evaluator or a compiler.
type machine interface {
	isSet(v value) bool                         // v is a set of events; {} and _ are not
	combine(row *relop.Row, x, y operand) value // of sets of values other than events
}

// kindOf reports whether the result of an operator is a set of events. It returns the result itself
// if the operands are neither sets of events nor relations.
func kindOf(m machine, row *relop.Row, xs []operand) (set bool, result value) {
	if row.Result != relop.Alike {
		return row.Result == relop.Set, nil
	}
	if in := universes(xs); in != nil {
		return false, polymorphic(row.Keeps(in...))
	}
	if len(xs) == 2 && (isSetOf(xs[0].value) || isSetOf(xs[1].value)) {
		return false, m.combine(row, xs[0], xs[1])
	}
	return m.isSet(xs[0].value) || m.isSet(xs[len(xs)-1].value), nil
}

// universes reports for each operand whether it is _ (true) or {} (false). It returns nil if any
// operand is neither.
func universes(xs []operand) []bool {
	var in []bool
	for i := range xs {
		if !isPolymorphic(xs[i].value) {
			return nil
		}
		in = append(in, xs[i].value == universeValue{})
	}
	return in
}

// isPolymorphic reports whether v is {} or _, a set or a relation by context.
func isPolymorphic(v value) bool {
	switch v.(type) {
	case emptyValue, universeValue:
		return true
	}
	return false
}

// polymorphic returns _ or {}.
func polymorphic(all bool) value {
	if all {
		return universeValue{}
	}
	return emptyValue{}
}

// operator returns the definition of a builtin that applies o to its argument and, if given, to a
// base name.
func operator(o relop.Op, base ...string) func(m operators, x operand) value {
	return func(m operators, x operand) value {
		xs := []operand{x}
		for _, name := range base {
			xs = append(xs, m.given(name, x.at))
		}
		return m.operate(o, xs...)
	}
}

// filter returns the definition of a builtin that keeps the pairs from one set to another.
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
