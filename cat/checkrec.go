package cat

import (
	"github.com/muster-gpu/muster/cat/syntax"
)

// recursion is the state of checking one let rec.
type recursion struct {
	*checker
	*group
	bindings []*syntax.Binding
	types    []typ
	outer    *scope
}

// begin decides which names are bound to functions and which to sets or relations.
func (r *recursion) begin() {
	for i, b := range r.bindings {
		switch {
		case isFunction(b):
			param, body := b.Param, b.Body
			if f, ok := b.Body.(*syntax.Fun); ok && b.Param == nil {
				param, body = f.Param, f.Body
			}
			r.types[i] = typ{kind: kindFun, fun: &funType{name: nameOf(b), param: param, body: body}}
		case nameOf(b) == "":
			r.errorf(b.Pat.Span(), "let rec binds names, not patterns")
		default:
			r.names[nameOf(b)] = true
		}
	}
}

// round checks the bodies once and reports whether their types are unchanged.
func (r *recursion) round() bool {
	inner := r.bind(r.group)
	settled := true
	for i, b := range r.bindings {
		if isFunction(b) {
			f := r.types[i].fun
			r.expr(f.body, r.pattern(f.param, anyType, inner))
			continue
		}
		t := r.expr(b.Body, inner)
		if !t.is(kindRel) && !t.is(kindSet) {
			r.errorf(b.Body.Span(), "let rec defines relations and sets of events, not %s", t)
		}
		settled = settled && t.key() == r.types[i].key()
		r.types[i] = t
	}
	return settled
}

// bind returns the scope with the names of the bindings; g is nil after the recursion.
func (r *recursion) bind(g *group) *scope {
	inner := r.outer
	for i, b := range r.bindings {
		inner = r.pattern(b.Pat, r.types[i], inner)
		if g != nil && g.names[nameOf(b)] {
			inner.group = g
		}
	}
	for i, b := range r.bindings {
		if isFunction(b) {
			r.types[i].fun.scope = inner
		}
	}
	return inner
}

// after returns the scope after the recursion. Inside another recursion, each name counts as all
// bodies together where polarity is checked.
func (r *recursion) after() *scope {
	bound := r.bind(nil)
	if len(r.groups) == 0 {
		return bound
	}
	bodies := &syntax.Tuple{}
	for _, b := range r.bindings {
		if !isFunction(b) {
			bodies.Elems = append(bodies.Elems, b.Body)
		}
	}
	inner := r.bind(nil)
	for _, b := range r.bindings {
		if !isFunction(b) {
			standFor(b.Pat, bodies, inner, bound)
		}
	}
	return inner
}

// extended returns the name that a definition rebinds in terms of its old meaning, as in let co =
// co+, or "".
func extended(b *syntax.Binding) (name string) {
	v, ok := b.Pat.(*syntax.VarPat)
	if !ok || b.Param != nil {
		return ""
	}
	syntax.Walk(b.Body, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.Text == v.Name.Text {
			name = id.Text
		}
		return true
	})
	return name
}
