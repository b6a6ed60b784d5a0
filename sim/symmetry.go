package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
	"github.com/muster-gpu/muster/litmus"
)

// classes returns classes of threads that can be exchanged without changing the verdict, or the
// states if these are wanted. s is any structure of the test.
func (q question) classes(s *event.Structure) symmetry.Classes {
	t := q.test
	if q.want == Verdict {
		prop, filter := shape(t.prop, 0, 0), shape(t.filter, 0, 0)
		return symmetry.Of(s, func(u, v int) bool { return shape(t.prop, u, v) == prop && shape(t.filter, u, v) == filter })
	}
	named := make([]bool, len(t.Threads))
	for _, ref := range t.Observables() {
		if ref.Thread >= 0 {
			named[ref.Thread] = true
		}
	}
	return symmetry.Of(s, func(u, v int) bool { return !named[u] && !named[v] })
}

// shape returns a canonical text of a proposition with threads u and v exchanged. Propositions that
// differ only in the order of conjuncts or disjuncts have the same text.
func shape(p litmus.Prop, u, v int) string {
	switch p := p.(type) {
	case litmus.Not:
		return fmt.Sprintf("~(%s)", shape(p.X, u, v))
	case litmus.Binary:
		of := func(x litmus.Prop) string { return shape(x, u, v) }
		if p.Op == litmus.Implies {
			return fmt.Sprintf("(%s => %s)", of(p.X), of(p.Y))
		}
		parts := flat(p, p.Op, of)
		slices.Sort(parts)
		return "(" + strings.Join(parts, p.Op.String()) + ")"
	case litmus.Atom:
		return operand(p.X, u, v) + p.Op.String() + operand(p.Y, u, v)
	}
	return fmt.Sprint(p)
}

// flat returns the parts of a conjunction or disjunction of any number of parts.
func flat(p litmus.Prop, op litmus.Connective, of func(litmus.Prop) string) []string {
	if b, ok := p.(litmus.Binary); ok && b.Op == op {
		return append(flat(b.X, op, of), flat(b.Y, op, of)...)
	}
	return []string{of(p)}
}

func operand(o litmus.Operand, u, v int) string {
	if o.Ref == nil {
		return fmt.Sprint(o.Const)
	}
	r := *o.Ref
	switch r.Thread {
	case u:
		r.Thread = v
	case v:
		r.Thread = u
	}
	return fmt.Sprintf("%d:%s[%d]", r.Thread, r.Name, r.Index)
}
