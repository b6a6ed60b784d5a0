package term

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteSMTLIB writes the question whether the conditions are satisfiable in SMT-LIB 2 (logic
// QF_UFBV). Terms that are used more than once get names, so the text is as short as the shared
// terms.
func WriteSMTLIB(w io.Writer, conditions ...*Term) error {
	s := &script{Writer: bufio.NewWriter(w), names: map[*Term]string{}, declared: map[string]bool{}}
	s.line("(set-logic QF_UFBV)")
	for _, c := range conditions {
		s.define(c)
		s.line("(assert (= %s #b1))", s.names[c])
	}
	s.line("(check-sat)")
	return s.Flush()
}

// script is a text of SMT-LIB in progress. Its writer keeps the first error.
type script struct {
	*bufio.Writer
	names    map[*Term]string // names of the written terms
	declared map[string]bool
}

func (s *script) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// define names a term, after its operands.
func (s *script) define(t *Term) {
	if s.names[t] != "" {
		return
	}
	for _, a := range t.args {
		s.define(a)
	}
	switch t.op {
	case Const:
		s.names[t] = constant(t.k, t.width)
	case Var, App:
		s.declare(t)
	default:
		s.names[t] = fmt.Sprintf("t%d", t.id)
		s.line("(define-fun t%d () (_ BitVec %d) %s)", t.id, t.width, s.text(t))
	}
}

// declare declares a variable or function once.
func (s *script) declare(t *Term) {
	symbol := "|" + t.name + "|"
	if !s.declared[symbol] {
		s.declared[symbol] = true
		var sorts []string
		for _, a := range t.args {
			sorts = append(sorts, fmt.Sprintf("(_ BitVec %d)", a.width))
		}
		s.line("(declare-fun %s (%s) (_ BitVec %d))", symbol, strings.Join(sorts, " "), t.width)
	}
	if hi, ok := t.Bound(); ok {
		s.line("(assert (bvule %s %s))", symbol, constant(hi, t.width))
	}
	s.names[t] = symbol
	if len(t.args) > 0 {
		s.names[t] = s.call(symbol, t.args)
	}
}

// standard are the operations that SMT-LIB has under a name, with the same operands.
var standard = map[Op]string{
	Mul: "bvmul", UDiv: "bvudiv", URem: "bvurem", And: "bvand", Or: "bvor", Xor: "bvxor", Shl: "bvshl", LShr: "bvlshr",
}

// text returns a term in terms of its operands' names.
func (s *script) text(t *Term) string {
	if name := standard[t.op]; name != "" {
		return s.call(name, t.args)
	}
	switch t.op {
	case ZExt:
		return s.call(fmt.Sprintf("(_ zero_extend %d)", t.width-t.args[0].width), t.args)
	case Extract:
		return s.call(fmt.Sprintf("(_ extract %d %d)", int(t.k)+t.width-1, t.k), t.args)
	case Ite:
		return fmt.Sprintf("(ite (= %s #b1) %s %s)", s.names[t.args[0]], s.names[t.args[1]], s.names[t.args[2]])
	case Eq:
		return fmt.Sprintf("(ite %s #b1 #b0)", s.call("=", t.args))
	case ULt:
		return fmt.Sprintf("(ite %s #b1 #b0)", s.call("bvult", t.args))
	case Sum:
		sum := constant(t.k, t.width)
		for i, a := range t.args {
			sum = fmt.Sprintf("(bvadd %s (bvmul %s %s))", sum, constant(t.coefs[i], t.width), s.names[a])
		}
		return sum
	}
	panic("term: " + t.op.String() + " is not written")
}

func (s *script) call(function string, args []*Term) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = s.names[a]
	}
	return "(" + function + " " + strings.Join(names, " ") + ")"
}

func constant(v uint64, width int) string { return fmt.Sprintf("(_ bv%d %d)", v, width) }
