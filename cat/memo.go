package cat

import "github.com/muster-gpu/muster/cat/syntax"

// memo has each expression evaluated once in its environment, and what a let binds not before somebody asks for it. An explanation asks for
// the same relations again and again, and only for what its check is about; a verdict asks for nearly all of a model once.
type memo struct {
	values map[site]value
	frames map[site]*env // inside the let or the call at a site
}

// site is an expression in an environment.
type site struct {
	expr syntax.Expr
	env  *env
}

func newMemo() *memo { return &memo{values: map[site]value{}, frames: map[site]*env{}} }

func (m *memo) at(s site) (v value, ok bool) {
	if m != nil {
		v, ok = m.values[s]
	}
	return v, ok
}

func (m *memo) keep(s site, v value) {
	if m != nil {
		m.values[s] = v
	}
}

// inner is the environment inside the let or the call at a site.
func (ev *evaluator) inner(s site, enter func() *env) *env {
	if ev.memo == nil {
		return enter()
	}
	in, ok := ev.memo.frames[s]
	if !ok {
		in = enter()
		ev.memo.frames[s] = in
	}
	return in
}

// within is the environment inside a let expression.
func (ev *evaluator) within(e *syntax.LetExpr, in *env) *env {
	return ev.inner(site{e, in}, func() *env { return ev.bind(e.Rec, e.Bindings, in) })
}

// frame is the environment inside a call.
func (ev *evaluator) frame(e *syntax.App, in *env, f *closure) *env {
	return ev.inner(site{e, in}, func() *env { return ev.match(f.param, ev.eval(e.Arg, in), argument(e.Arg, in), f.env) })
}

// bindLater binds a name to an expression that has not been evaluated yet.
func bindLater(name syntax.Name, def *definition, outer *env) *env {
	inner := bindName(name, nil, outer)
	if inner != outer {
		inner.def = def
	}
	return inner
}

// of is the value of a binding.
func (ev *evaluator) of(b *env) value {
	if b.value == nil {
		b.value = ev.eval(b.def.expr, b.def.env)
	}
	return b.value
}
