package cat

import "github.com/muster-gpu/muster/cat/syntax"

// memo memoises the value of each expression in its environment, and defers evaluating a let-bound
// name until it is used. Explanations use it: they evaluate the same relations repeatedly, and only
// those of one check. A verdict evaluates nearly all of a model once and uses no memo.
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

// inner returns the environment inside the let or the call at a site.
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

// within returns the environment inside a let expression.
func (ev *evaluator) within(e *syntax.LetExpr, in *env) *env {
	return ev.inner(site{e, in}, func() *env { return ev.bind(e.Rec, e.Bindings, in) })
}

// frame returns the environment inside a call.
func (ev *evaluator) frame(e *syntax.App, in *env, f *closure) *env {
	return ev.inner(site{e, in}, func() *env {
		return ev.match(f.param, ev.eval(e.Arg, in), argument(e.Arg, in), f.env)
	})
}

// bindLater binds a name to an expression that is evaluated on first use.
func bindLater(name syntax.Name, def *definition, outer *env) *env {
	inner := bindName(name, nil, outer)
	if inner != outer {
		inner.def = def
	}
	return inner
}

// of returns the value of a binding, evaluating it on first use.
func (ev *evaluator) of(b *env) value {
	if b.value == nil {
		b.value = ev.eval(b.def.expr, b.def.env)
	}
	return b.value
}
