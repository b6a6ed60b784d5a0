package cat

import (
	"context"
	"runtime"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// Bounds on the evaluation of a model on one candidate, for one way to make its choices. Functions
// and procedures may call themselves, so evaluation may not terminate.
const (
	maxSteps = 2_000_000 // expressions and statements evaluated, and orders enumerated
	maxDepth = 120_000   // nesting depth of expressions, statements and calls
)

// A step on a large candidate, or over a set of many values, counts as several steps.
const (
	pairsAStep  = 256
	valuesAStep = 16
)

// evaluator evaluates expressions on one candidate. Its methods panic with a *src.Diagnostic on an
// error in the model.
type evaluator struct {
	Candidate
	ctx    context.Context // polled for cancellation
	work   int             // steps since the last poll
	model  *Model
	n      int
	base   map[string]value // memoised base names of the candidate
	steps  int
	depth  int
	trials int   // number of try expressions around this position
	memo   *memo // nil if each expression is evaluated every time that it is met
}

func newEvaluator(ctx context.Context, m *Model, c Candidate) *evaluator {
	return &evaluator{Candidate: c, ctx: ctx, model: m, n: c.N(), base: map[string]value{}}
}

// spend counts steps and panics past maxSteps.
func (ev *evaluator) spend(steps int, at src.Span) {
	if ev.steps += steps; ev.steps > maxSteps {
		panic(&LimitError{src.Errorf(at, "the model takes more than %d steps on one candidate", maxSteps)})
	}
	ev.ask(steps)
}

// ask polls the context every few steps and panics with stopped if the context is done.
func (ev *evaluator) ask(steps int) {
	const askEvery = 1 << 12
	if ev.work += steps; ev.work < askEvery {
		return
	}
	ev.work = 0
	if ev.ctx.Err() != nil {
		panic(stopped{context.Cause(ev.ctx)})
	}
}

// stopped is the panic value that ends an evaluation whose context is done.
type stopped struct{ why error }

// enter counts one more level of nesting. The caller decrements ev.depth when it leaves; a panic
// need not.
func (ev *evaluator) enter(at src.Span) {
	ev.spend(1+ev.n*ev.n/pairsAStep, at)
	if ev.depth++; ev.depth > maxDepth {
		typeError(at, "evaluation is more than %d deep: does some recursion never end?", maxDepth)
	}
	rest(ev.depth)
}

// rest lets a deep recursion continue in a browser. WebAssembly frames stay on the small stack of
// JavaScript until the goroutine yields. When it resumes, only Go's own stack holds them.
func rest(depth int) {
	const deep = 100
	if depth%deep == 0 {
		runtime.Gosched()
	}
}

// lookup returns the binding of a name that the model binds, or nil.
func (ev *evaluator) lookup(name string, in *env) *env {
	if ev.model != nil && !ev.model.bound[name] {
		return nil
	}
	return in.lookup(name)
}

// lookupBase returns the value of a name that the candidate defines, or nil.
func (ev *evaluator) lookupBase(name string) value {
	if v, ok := ev.base[name]; ok {
		return v
	}
	var v value
	if r, ok := ev.Rel(name); ok {
		v = relValue{r}
	} else if s, ok := ev.Set(name); ok {
		v = setValue{s}
	}
	ev.base[name] = v
	return v
}

// baseRel returns the relation of a base name that a builtin applied at a span needs.
func (ev *evaluator) baseRel(name string, at src.Span) rel.Rel {
	return ev.rel(ev.needed(name, at), at)
}

func (ev *evaluator) needed(name string, at src.Span) value {
	v := ev.lookupBase(name)
	if v == nil {
		typeError(at, "this needs %s, which the execution does not define", name)
	}
	return v
}

// rel converts v to a relation.
func (ev *evaluator) rel(v value, at src.Span) rel.Rel {
	r, ok := asRel(v, ev.n)
	if !ok {
		typeError(at, "expected a relation, found %s", v.kind())
	}
	return r
}

// set converts v to a set of events.
func (ev *evaluator) set(v value, at src.Span) rel.Set {
	s, ok := asSet(v, ev.n)
	if !ok {
		typeError(at, "expected a set of events, found %s", v.kind())
	}
	return s
}

// tag reads v as a tag.
func (ev *evaluator) tag(v value, at src.Span) string {
	t, ok := v.(tagValue)
	if !ok {
		typeError(at, "expected a tag, found %s", v.kind())
	}
	return string(t)
}

// elements returns the elements of v, which must be a set.
func (ev *evaluator) elements(v value, at src.Span) []value {
	if _, ok := v.(universeValue); ok {
		v = setValue{rel.Universe(ev.n)}
	}
	es, ok := elements(v)
	if !ok {
		typeError(at, "expected a set, found %s", v.kind())
	}
	return es
}

// bind extends an environment by the bindings of a let.
func (ev *evaluator) bind(rec bool, bindings []*syntax.Binding, outer *env) *env {
	if rec {
		return ev.bindRec(bindings, outer)
	}
	inner := outer
	for _, b := range bindings {
		if b.Param != nil {
			inner = ev.match(b.Pat, &closure{name: nameOf(b), param: b.Param, body: b.Body, env: outer}, nil, inner)
			continue
		}
		def := &definition{expr: b.Body, env: outer}
		if v, ok := b.Pat.(*syntax.VarPat); ok && ev.memo != nil {
			inner = bindLater(v.Name, def, inner)
			continue
		}
		inner = ev.match(b.Pat, ev.eval(b.Body, outer), def, inner)
	}
	return inner
}

// nameOf returns the name of a binding of a single name, or "".
func nameOf(b *syntax.Binding) string {
	if v, ok := b.Pat.(*syntax.VarPat); ok {
		return v.Text
	}
	return ""
}

// isFunction reports whether a binding defines a function.
func isFunction(b *syntax.Binding) bool {
	_, fun := b.Body.(*syntax.Fun)
	return b.Param != nil || fun
}

// bindRec binds recursive functions and computes the least fixpoint of recursive relations and
// sets, from empty ones upwards. Every round of a monotone definition adds a pair, so the result
// settles after at most n² rounds for each binding. Each round has an environment of its own, in
// which the next round is evaluated; explanations follow these environments back.
func (ev *evaluator) bindRec(bindings []*syntax.Binding, outer *env) *env {
	values := make([]value, len(bindings))
	for i := range bindings {
		values[i] = emptyValue{}
	}
	round := func(before *env) *env { return ev.round(bindings, values, before, outer) }
	inner := round(nil)
	for rounds := len(bindings)*ev.n*ev.n + 1; rounds >= 0; rounds-- {
		settled := true
		for i, b := range bindings {
			if isFunction(b) {
				continue
			}
			next := ev.eval(b.Body, inner)
			settled = settled && equal(ev.n, next, values[i])
			values[i] = next
		}
		if settled {
			return inner
		}
		inner = round(inner)
	}
	typeError(bindings[0].Span(), "this recursion does not settle: what it defines must only grow with itself")
	return nil
}

// round returns the environment of one round of a fixpoint.
func (ev *evaluator) round(bindings []*syntax.Binding, values []value, before, outer *env) *env {
	inner := outer
	var closures []*closure
	for i, b := range bindings {
		v, def := values[i], &definition{expr: b.Body, env: before, rec: true}
		if isFunction(b) {
			c := &closure{name: nameOf(b), param: b.Param, body: b.Body}
			if f, ok := b.Body.(*syntax.Fun); ok && b.Param == nil {
				c.param, c.body = f.Param, f.Body
			}
			closures = append(closures, c)
			v, def = c, nil
		}
		inner = ev.match(b.Pat, v, def, inner)
	}
	for _, c := range closures {
		c.env = inner
	}
	return inner
}

// match binds the names of a pattern.
func (ev *evaluator) match(p syntax.Pat, v value, def *definition, outer *env) *env {
	switch p := p.(type) {
	case *syntax.VarPat:
		if p.Text == "_" {
			return outer
		}
		return &env{p.Text, v, def, outer}
	case *syntax.TuplePat:
		t, ok := asTuple(v)
		if !ok {
			typeError(p.Span(), "expected a tuple of %d, found %s", len(p.Elems), v.kind())
		}
		if len(t) != len(p.Elems) {
			typeError(p.Span(), "expected a tuple of %d, found one of %d", len(p.Elems), len(t))
		}
		for i, sub := range p.Elems {
			outer = ev.match(sub, t[i], def.elem(i), outer)
		}
	}
	return outer
}

// asTuple converts v to a tuple. A pair of events is a tuple.
func asTuple(v value) (tupleValue, bool) {
	switch v := v.(type) {
	case tupleValue:
		return v, true
	case pairValue:
		return tupleValue{eventValue(v.from), eventValue(v.to)}, true
	}
	return nil, false
}

// elem returns the definition of the i-th element of a tuple, or nil if it is unknown.
func (d *definition) elem(i int) *definition {
	if d == nil {
		return nil
	}
	switch e := d.expr.(type) {
	case *syntax.Tuple:
		return &definition{expr: e.Elems[i], env: d.env, arg: d.arg}
	case *syntax.Ident:
		if b := d.env.lookup(e.Text); b != nil && b.def != nil {
			tuple := &definition{expr: b.def.expr, env: b.def.env, arg: d.arg}
			return tuple.elem(i)
		}
	}
	return nil
}

// eval evaluates an expression, or returns its memoised value.
func (ev *evaluator) eval(e syntax.Expr, in *env) value {
	if name, ok := e.(*syntax.Ident); ok {
		return ev.ident(name, in)
	}
	s := site{e, in}
	if v, ok := ev.memo.at(s); ok {
		return v
	}
	ev.enter(e.Span())
	v := ev.expr(e, in)
	ev.depth--
	ev.memo.keep(s, v)
	return v
}

func (ev *evaluator) expr(e syntax.Expr, in *env) value {
	switch e := e.(type) {
	case *syntax.TagLit:
		return tagValue(e.Text)
	case *syntax.Zero:
		return relValue{rel.New(ev.n)}
	case *syntax.Universal:
		return universeValue{}
	case *syntax.SetLit:
		return ev.collect(ev.evalAll(e.Elems, in), e.Span())
	case *syntax.Tuple:
		return tupleValue(ev.evalAll(e.Elems, in))
	case *syntax.Unary:
		return ev.unary(e, ev.eval(e.X, in))
	case *syntax.Binary:
		return ev.binary(e, ev.eval(e.X, in), ev.eval(e.Y, in))
	case *syntax.App:
		return ev.applied(e, in)
	case *syntax.Fun:
		return &closure{param: e.Param, body: e.Body, env: in}
	case *syntax.LetExpr:
		return ev.eval(e.Body, ev.within(e, in))
	case *syntax.IfExpr:
		if ev.cond(e.Cond, in) {
			return ev.eval(e.Then, in)
		}
		return ev.eval(e.Else, in)
	case *syntax.TryExpr:
		return ev.try(e, in)
	case *syntax.MatchTag:
		return ev.matchTag(e, in)
	case *syntax.MatchSet:
		return ev.matchSet(e, in)
	}
	typeError(e.Span(), "this expression has no meaning")
	return nil
}

func (ev *evaluator) evalAll(es []syntax.Expr, in *env) []value {
	vs := make([]value, len(es))
	for i, e := range es {
		vs[i] = ev.eval(e, in)
	}
	return vs
}

func (ev *evaluator) ident(e *syntax.Ident, in *env) value {
	if b := ev.lookup(e.Text, in); b != nil {
		return ev.of(b)
	}
	if v := ev.lookupBase(e.Text); v != nil {
		return v
	}
	if b, ok := builtins[e.Text]; ok {
		return b
	}
	if ev.trials > 0 {
		panic(failure{e.Span()})
	}
	if stranger(e.Text) {
		return emptyValue{}
	}
	typeError(e.Span(), "unknown name %s", e.Text)
	return nil
}

func (ev *evaluator) unary(e *syntax.Unary, x value) value {
	return ev.operate(unaryOps[e.Op], operand{x, e.X.Span()})
}

func (ev *evaluator) binary(e *syntax.Binary, x, y value) value {
	if e.Op == syntax.OpAdd {
		return ev.add(e, x, y)
	}
	return ev.operate(binaryOps[e.Op], operand{x, e.X.Span()}, operand{y, e.Y.Span()})
}

func (ev *evaluator) operate(o relop.Op, xs ...operand) value {
	row := o.Row()
	set, result := kindOf(ev, row, xs)
	if result != nil {
		return result
	}
	x, y := &xs[0], &xs[len(xs)-1] // an operator of one operand ignores y
	switch {
	case row.Ends != nil:
		return setValue{row.Ends(ev.rel(x.value, x.at))}
	case row.Cut != nil:
		return relValue{row.Cut(ev.rel(x.value, x.at), ev.set(y.value, y.at))}
	case row.Pairs != nil:
		return relValue{row.Pairs(ev.set(x.value, x.at), ev.set(y.value, y.at))}
	case set:
		return setValue{row.Sets(ev.set(x.value, x.at), ev.set(y.value, y.at))}
	}
	return relValue{row.Rels(ev.rel(x.value, x.at), ev.rel(y.value, y.at))}
}

func (ev *evaluator) given(name string, at src.Span) operand { return operand{ev.needed(name, at), at} }

func (ev *evaluator) combine(row *relop.Row, x, y operand) value {
	xs, ys := ev.elements(x.value, x.at), ev.elements(y.value, y.at)
	ev.spend(combining(len(xs), len(ys)), x.at)
	return combine(ev.n, row, xs, ys)
}

func (ev *evaluator) isSet(v value) bool {
	switch v.(type) {
	case setValue, eventValue:
		return true
	}
	return false
}

func isSetOf(v value) bool {
	_, ok := v.(setOfValue)
	return ok
}

// add returns x ++ y, with x as the first element.
func (ev *evaluator) add(e *syntax.Binary, x, y value) value {
	ys, ok := y.(setOfValue)
	if !ok {
		return ev.collect(append([]value{x}, ev.elements(y, e.Y.Span())...), e.Span())
	}
	ev.spend(len(ys)/valuesAStep, e.Span())
	if ys.has(ev.n, x) {
		return ys
	}
	return append(setOfValue{x}, ys...)
}

// combining returns the number of steps that combining sets of x and y values counts.
func combining(x, y int) int {
	if x > fewValues && y > fewValues {
		return 2 * (x + y)
	}
	return (x + y) / valuesAStep
}

// combine applies a set operator to sets of values: tags, sets of events, or relations over n
// events.
func combine(n int, row *relop.Row, xs, ys setOfValue) value {
	kept := xs
	if !row.Keeps(true, true) || !row.Keeps(true, false) {
		inY := ys.finder(n)
		kept = xs.filter(func(v value) bool { return row.Keeps(true, inY(v)) })
	}
	if row.Keeps(false, true) {
		inX := xs.finder(n)
		kept = append(kept[:len(kept):len(kept)], ys.filter(func(v value) bool { return !inX(v) })...)
	}
	return kept.orEmpty()
}

func (ev *evaluator) applied(e *syntax.App, in *env) value {
	switch f := ev.eval(e.Fun, in).(type) {
	case *builtin:
		return f.call(ev, ev.eval(e.Arg, in), e.Arg.Span())
	case *closure:
		return ev.eval(f.body, ev.frame(e, in, f))
	default:
		typeError(e.Fun.Span(), "expected a function, found %s", f.kind())
	}
	return nil
}

// failure is the panic value that try catches, of the primitive fail or of an undefined name.
type failure struct{ at src.Span }

func (ev *evaluator) try(e *syntax.TryExpr, in *env) (v value) {
	depth, trials := ev.depth, ev.trials
	ev.trials++
	defer func() {
		r := recover()
		if _, failed := r.(failure); r != nil && !failed {
			panic(r)
		}
		ev.depth, ev.trials = depth, trials
		if r != nil {
			v = ev.eval(e.Else, in)
		}
	}()
	return ev.eval(e.X, in)
}

func (ev *evaluator) matchTag(e *syntax.MatchTag, in *env) value {
	t := ev.tag(ev.eval(e.X, in), e.X.Span())
	for _, c := range e.Clauses {
		if c.Tag == nil || c.Tag.Text == t {
			return ev.eval(c.Body, in)
		}
	}
	typeError(e.Span(), "no clause matches the tag '%s", t)
	return nil
}

// matchSet evaluates match e with {} -> … || x ++ S -> …: it splits a set into its first element
// and the rest.
func (ev *evaluator) matchSet(e *syntax.MatchSet, in *env) value {
	v := ev.eval(e.X, in)
	es := ev.elements(v, e.X.Span())
	if len(es) == 0 {
		return ev.eval(e.Empty, in)
	}
	var rest value
	if set, ok := v.(setOfValue); ok {
		rest = set[1:].orEmpty()
	} else {
		rest = ev.collect(es[1:], e.X.Span())
	}
	return ev.eval(e.NonEmpty, bindName(e.Rest, rest, bindName(e.Elem, es[0], in)))
}

// bindName binds a name whose value has no defining expression; _ binds nothing.
func bindName(name syntax.Name, v value, outer *env) *env {
	if name.Text == "_" {
		return outer
	}
	return &env{name: name.Text, value: v, outer: outer}
}

// cond decides a condition.
func (ev *evaluator) cond(c syntax.Cond, in *env) bool {
	switch c := c.(type) {
	case *syntax.VariantCond:
		return ev.model.variants[c.Text]
	case *syntax.NotCond:
		return !ev.cond(c.X, in)
	case *syntax.BoolCond:
		if x := ev.cond(c.X, in); x != c.And {
			return x
		}
		return ev.cond(c.Y, in)
	case *syntax.CompareCond:
		x, y := ev.eval(c.X, in), ev.eval(c.Y, in)
		switch c.Op {
		case syntax.OpEqual:
			return equal(ev.n, x, y)
		case syntax.OpSubset:
			return subset(ev.n, x, y)
		}
		return setOfValue(ev.elements(y, c.Y.Span())).has(ev.n, x)
	}
	return false
}
