package cat

import (
	"slices"
	"sync"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// Compile translates a model that Check accepts into a plan. It evaluates the model once, on the
// nodes of a plan instead of the sets and relations of a candidate: it applies functions, decides
// tags and variants, and calls procedures. Operations on sets and relations remain.
//
// Coherence is a choice among the completions of co0 that relate the writes of each location,
// unless the model chooses its own coherence order.
//
// The model keeps its plan for each vocabulary. The error is an *UncompiledError: the model depends
// on the candidate in other ways than by operations.
func (m *Model) Compile(v *vocab.Vocabulary) (*plan.Plan, error) {
	kept, known := m.plans.Load(v)
	if !known {
		kept, _ = m.plans.LoadOrStore(v, sync.OnceValues(func() (*plan.Plan, error) { return m.compile(v) }))
	}
	return kept.(func() (*plan.Plan, error))()
}

func (m *Model) compile(v *vocab.Vocabulary) (p *plan.Plan, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *UncompiledError:
			err = r
		case *src.Diagnostic:
			err = &UncompiledError{r}
		default:
			panic(r)
		}
	}()
	c := &compiler{model: m, vocab: v, build: plan.NewBuilder(), base: map[string]value{}}
	c.coherence()
	c.block(m.stmts, point{env: m.prelude})
	p = c.build.Plan()
	if !slices.ContainsFunc(p.Choices, func(c plan.Choice) bool { return c.Name == "co" }) {
		uncompiled(m.File.Span(0, 0), "the model never makes its choice of co")
	}
	return p, nil
}

// UncompiledError is the part of a model that cannot be compiled, with the reason.
type UncompiledError struct{ *src.Diagnostic }

// Unwrap returns the position and the reason.
func (e *UncompiledError) Unwrap() error { return e.Diagnostic }

func uncompiled(at src.Span, what string, args ...any) {
	panic(&UncompiledError{src.Errorf(at, what, args...)})
}

// maxCompileSteps bounds the work, because functions may call themselves.
const maxCompileSteps = 50_000

// compiler evaluates a model on nodes.
type compiler struct {
	model *Model
	vocab *vocab.Vocabulary
	build *plan.Builder
	base  map[string]value // memoised base names
	steps int

	trials int // number of try expressions around this position
}

// nodeValue is a set of events or a relation that is known only when the plan runs.
type nodeValue struct{ plan.Node }

func (nodeValue) kind() string { return "a set or relation" }

// ordersValue is a set of orders to choose from.
type ordersValue struct {
	family plan.Family
	args   [2]plan.Node
}

func (ordersValue) kind() string { return "a set of orders" }

// point is the compiler's position in a model: the names in scope and the calls around it.
type point struct {
	env    *env
	prefix string // names of the calls around, a prefix of the names of checks
}

func (c *compiler) spend(at src.Span) {
	if c.steps++; c.steps > maxCompileSteps {
		uncompiled(at, "compiling the model takes more than %d steps", maxCompileSteps)
	}
	rest(c.steps)
}

// coherence makes co a choice. In a model that chooses its own coherence order, co before that
// choice orders initial writes first and nothing else.
func (c *compiler) coherence() {
	if c.model.Chooses("co") {
		c.base["co"] = nodeValue{c.baseNode("co0")}
		return
	}
	writes := c.baseNode("W")
	sameLocation := c.build.Inter(c.baseNode("loc"), c.build.Product(writes, writes))
	c.base["co"] = nodeValue{c.build.Choose("co", plan.Completions, sameLocation, c.baseNode("co0"))}
}

// block compiles statements and returns the point after them.
func (c *compiler) block(stmts []syntax.Stmt, p point) point {
	for _, s := range stmts {
		p = c.statement(s, p)
	}
	return p
}

func (c *compiler) statement(s syntax.Stmt, p point) point {
	c.spend(s.Span())
	switch s := s.(type) {
	case *syntax.LetStmt:
		p.env = c.bind(s.Rec, s.Bindings, p.env)
		if s.When != nil {
			c.check(s.When, p)
		}
	case *syntax.Check:
		c.check(s, p)
	case *syntax.ProcStmt:
		proc := &procedure{def: s, env: p.env}
		p.env = &env{name: s.Name.Text, value: proc, outer: p.env}
		if s.Rec {
			proc.env = p.env
		}
	case *syntax.EnumStmt:
		var tags setOfValue
		for _, t := range s.Tags {
			tags = append(tags, tagValue(t.Text))
		}
		p.env = &env{name: s.Name.Text, value: tags.orEmpty(), outer: p.env}
	case *syntax.IncludeStmt:
		return c.block(c.model.included[s], p)
	case *syntax.IfStmt:
		return c.block(branch(s, c.cond(s.Cond, p.env)), p)
	case *syntax.MatchStmt:
		return c.block(c.clause(s, p.env), p)
	case *syntax.CallStmt:
		c.call(s, p)
	case *syntax.ForallStmt:
		for _, v := range c.elements(c.expr(s.In, p.env), s.In.Span()) {
			inner := p
			inner.env = bindName(s.Var, v, p.env)
			c.block(s.Body, inner)
		}
	case *syntax.WithStmt:
		p.env = c.with(s, p.env)
	case *syntax.ShowStmt, *syntax.UnshowStmt, *syntax.DebugStmt, *syntax.BellStmt:
		// No verdict depends on these.
	default:
		uncompiled(s.Span(), "this statement is not compiled")
	}
	return p
}

var planTests = map[syntax.Test]plan.Test{
	syntax.Acyclic: plan.Acyclic, syntax.Irreflexive: plan.Irreflexive, syntax.IsEmpty: plan.IsEmpty,
}

func (c *compiler) check(s *syntax.Check, p point) {
	name, test := p.prefix+CheckName(s), planTests[s.Test]
	v := c.expr(s.X, p.env)
	var x plan.Node
	if n, ok := v.(nodeValue); ok && s.Test == syntax.IsEmpty {
		x = n.Node
	} else {
		x = c.rel(v, s.X.Span())
	}
	switch s.Role {
	case syntax.Require:
		c.build.Check(name, test, s.Negated, x)
	case syntax.Flag:
		c.build.Report(name, test, s.Negated, x, false)
	case syntax.UndefinedUnless:
		c.build.Report(name, test, s.Negated, x, true)
	default:
		uncompiled(s.Span(), "an assertion is not compiled")
	}
}

func (c *compiler) clause(s *syntax.MatchStmt, in *env) []syntax.Stmt {
	t := c.tag(c.expr(s.X, in), s.X.Span())
	for _, clause := range s.Clauses {
		if clause.Tag == nil || clause.Tag.Text == t {
			return clause.Body
		}
	}
	uncompiled(s.Span(), "no clause matches the tag '%s", t)
	return nil
}

// call compiles the body of a procedure. Its bindings stay inside; its checks count.
func (c *compiler) call(s *syntax.CallStmt, p point) {
	proc, ok := procedureOf(p.env.lookup(s.Name.Text))
	if !ok {
		uncompiled(s.Name.Span(), "%s is not a procedure", s.Name.Text)
	}
	inner := point{c.match(proc.def.Param, c.expr(s.Arg, p.env), proc.env), p.prefix}
	if s.As != nil {
		inner.prefix += s.As.Text + "."
	}
	c.block(proc.def.Body, inner)
}

// with compiles a choice.
func (c *compiler) with(s *syntax.WithStmt, in *env) *env {
	orders, ok := c.expr(s.From, in).(ordersValue)
	if !ok || c.build.TooManyChoices() {
		uncompiled(s.From.Span(), "choices are compiled from orders only, such as those of completions")
	}
	n := c.build.Choose(s.Var.Text, orders.family, orders.args[0], orders.args[1])
	return bindName(s.Var, nodeValue{n}, in)
}

// bind extends an environment by the bindings of a let.
func (c *compiler) bind(rec bool, bindings []*syntax.Binding, outer *env) *env {
	if rec {
		return c.bindRec(bindings, outer)
	}
	inner := outer
	for _, b := range bindings {
		if b.Param != nil {
			inner = c.match(b.Pat, &closure{name: nameOf(b), param: b.Param, body: b.Body, env: outer}, inner)
		} else {
			inner = c.match(b.Pat, c.expr(b.Body, outer), inner)
		}
	}
	return inner
}

// bindRec binds recursive functions and builds a fixpoint node for recursive sets and relations.
// Evaluating the bodies on empty arguments, once for each binding, tells the two apart and finds
// the bindings that stay empty.
func (c *compiler) bindRec(bindings []*syntax.Binding, outer *env) *env {
	values := make([]value, len(bindings))
	for i := range values {
		values[i] = emptyValue{}
	}
	evaluate := func(values []value) []value {
		inner := c.round(bindings, values, outer)
		next := make([]value, len(bindings))
		for i, b := range bindings {
			if next[i] = values[i]; !isFunction(b) {
				next[i] = c.expr(b.Body, inner)
			}
		}
		return next
	}
	for range bindings {
		values = evaluate(values)
	}
	var recursive []int
	var sets []bool
	for i, v := range values {
		if n, ok := v.(nodeValue); ok && !isFunction(bindings[i]) {
			recursive, sets = append(recursive, i), append(sets, c.build.IsSet(n.Node))
		} else if _, empty := v.(emptyValue); !empty {
			uncompiled(bindings[i].Span(), "this recursion is not compiled")
		}
	}
	if len(recursive) == 0 {
		return c.round(bindings, values, outer)
	}
	replace := func(by []plan.Node) {
		for j, i := range recursive {
			values[i] = nodeValue{by[j]}
		}
	}
	results, ok := c.build.Fixpoint(sets, func(vars []plan.Node) []plan.Node {
		replace(vars)
		next := evaluate(values)
		bodies := make([]plan.Node, len(recursive))
		for j, i := range recursive {
			if sets[j] {
				bodies[j] = c.set(next[i], bindings[i].Span())
			} else {
				bodies[j] = c.rel(next[i], bindings[i].Span())
			}
		}
		return bodies
	})
	if !ok {
		uncompiled(bindings[0].Span(), "the model has too many recursions to be compiled")
	}
	replace(results)
	return c.round(bindings, values, outer)
}

// round returns the environment in which the bodies of a let rec are evaluated.
func (c *compiler) round(bindings []*syntax.Binding, values []value, outer *env) *env {
	inner := outer
	var closures []*closure
	for i, b := range bindings {
		v := values[i]
		if isFunction(b) {
			f := &closure{name: nameOf(b), param: b.Param, body: b.Body}
			if fun, ok := b.Body.(*syntax.Fun); ok && b.Param == nil {
				f.param, f.body = fun.Param, fun.Body
			}
			closures = append(closures, f)
			v = f
		}
		inner = c.match(b.Pat, v, inner)
	}
	for _, f := range closures {
		f.env = inner
	}
	return inner
}

// match binds the names of a pattern.
func (c *compiler) match(p syntax.Pat, v value, outer *env) *env {
	switch p := p.(type) {
	case *syntax.VarPat:
		return bindName(p.Name, v, outer)
	case *syntax.TuplePat:
		t, ok := asTuple(v)
		if !ok || len(t) != len(p.Elems) {
			uncompiled(p.Span(), "this pattern is not compiled")
		}
		for i, sub := range p.Elems {
			outer = c.match(sub, t[i], outer)
		}
	}
	return outer
}
