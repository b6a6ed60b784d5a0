package cat

import (
	"fmt"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// evaluator evaluates a model on one candidate. Its methods panic with a
// *src.Diagnostic on a type error.
type evaluator struct {
	Candidate
	n    int
	env  *env             // of the statements so far
	base map[string]value // what the candidate has been asked for

	depth int // of the expressions inside each other that are being evaluated
}

func newEvaluator(c Candidate) *evaluator {
	return &evaluator{Candidate: c, n: c.N(), base: map[string]value{}}
}

// lookupBase finds a name that the candidate defines; nil if there is none.
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

// baseRel and baseSet find what a builtin, applied to what is at a place, needs.
func (ev *evaluator) baseRel(name string, at src.Span) rel.Rel {
	return ev.rel(ev.needed(name, at), at)
}

func (ev *evaluator) baseSet(name string, at src.Span) rel.Set {
	return ev.set(ev.needed(name, at), at)
}

func (ev *evaluator) needed(name string, at src.Span) value {
	v := ev.lookupBase(name)
	if v == nil {
		typeError(at, "this needs %s, which the execution does not define", name)
	}
	return v
}

// rel reads v as a relation.
func (ev *evaluator) rel(v value, at src.Span) rel.Rel {
	r, ok := asRel(v, ev.n)
	if !ok {
		typeError(at, "expected a relation, found %s", v.kind())
	}
	return r
}

// set reads v as a set of events.
func (ev *evaluator) set(v value, at src.Span) rel.Set {
	s, ok := asSet(v, ev.n)
	if !ok {
		typeError(at, "expected a set, found %s", v.kind())
	}
	return s
}

// statement evaluates a statement that is not a check. What to show is the business
// of those who draw.
func (ev *evaluator) statement(s syntax.Stmt) {
	if let, ok := s.(*syntax.LetStmt); ok {
		ev.env = ev.bind(let.Rec, let.Bindings, ev.env)
	}
}

// holds evaluates the test of a check.
func (ev *evaluator) holds(c *syntax.Check) bool {
	v := ev.eval(c.X, ev.env)
	var ok bool
	switch c.Test {
	case syntax.Acyclic:
		ok = ev.rel(v, c.X.Span()).Acyclic()
	case syntax.Irreflexive:
		ok = ev.rel(v, c.X.Span()).Irreflexive()
	case syntax.IsEmpty:
		if s, isSet := v.(setValue); isSet {
			ok = s.Empty()
		} else {
			ok = ev.rel(v, c.X.Span()).Empty()
		}
	}
	return ok != c.Negated
}

// bind extends an environment by the bindings of a let.
func (ev *evaluator) bind(rec bool, bindings []*syntax.Binding, outer *env) *env {
	if rec {
		return ev.bindRec(bindings, outer)
	}
	inner := outer
	for _, b := range bindings {
		if b.Param != nil {
			inner = ev.match(b.Pat, &closure{b.Param, b.Body, outer}, nil, inner)
			continue
		}
		inner = ev.match(b.Pat, ev.eval(b.Body, outer), &definition{expr: b.Body, env: outer}, inner)
	}
	return inner
}

// bindRec computes a least fixpoint, starting from empty relations. Every round of a
// monotone definition adds a pair, so it settles after at most n² rounds for each
// binding. Each round is an environment of its own, in which the next is evaluated:
// explanations follow the rounds down.
func (ev *evaluator) bindRec(bindings []*syntax.Binding, outer *env) *env {
	values := make([]rel.Rel, len(bindings))
	for i := range bindings {
		values[i] = rel.New(ev.n)
	}
	round := func(before *env) *env {
		inner := outer
		for i, b := range bindings {
			def := &definition{expr: b.Body, env: before, rec: true}
			inner = &env{b.Pat.(*syntax.VarPat).Text, relValue{values[i]}, def, inner}
		}
		return inner
	}
	inner := round(nil)
	for rounds := len(bindings)*ev.n*ev.n + 1; rounds >= 0; rounds-- {
		settled := true
		for i, b := range bindings {
			next := ev.rel(ev.eval(b.Body, inner), b.Body.Span())
			settled = settled && next.Equal(values[i])
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

// match binds the names of a pattern.
func (ev *evaluator) match(p syntax.Pat, v value, def *definition, outer *env) *env {
	switch p := p.(type) {
	case *syntax.VarPat:
		if p.Text == "_" {
			return outer
		}
		return &env{p.Text, v, def, outer}
	case *syntax.TuplePat:
		t, ok := v.(tupleValue)
		if !ok || len(t) != len(p.Elems) {
			typeError(p.Span(), "expected a tuple of %d, found %s", len(p.Elems), describeTuple(v))
		}
		for i, sub := range p.Elems {
			outer = ev.match(sub, t[i], def.elem(i), outer)
		}
	}
	return outer
}

func describeTuple(v value) string {
	if t, ok := v.(tupleValue); ok {
		return fmt.Sprintf("one of %d", len(t))
	}
	return v.kind()
}

// elem is the definition of the i-th element of a defined tuple.
func (d *definition) elem(i int) *definition {
	if d == nil {
		return nil
	}
	switch e := d.expr.(type) {
	case *syntax.Tuple:
		return &definition{expr: e.Elems[i], env: d.env}
	case *syntax.Ident:
		if b := d.env.lookup(e.Text); b != nil {
			return b.def.elem(i)
		}
	}
	return nil
}

// maxDepth bounds the expressions inside each other, those of called functions
// included. The parser bounds what the text can have; but a function can call itself
// without let rec, as its own argument.
const maxDepth = 200_000

// eval evaluates an expression.
func (ev *evaluator) eval(e syntax.Expr, in *env) value {
	if ev.depth++; ev.depth > maxDepth {
		panic(src.Errorf(e.Span(), "expected at most %d expressions inside each other", maxDepth).
			WithHint("does a function call itself?"))
	}
	v := ev.evalInner(e, in)
	ev.depth--
	return v
}

func (ev *evaluator) evalInner(e syntax.Expr, in *env) value {
	switch e := e.(type) {
	case *syntax.Ident:
		return ev.ident(e, in)
	case *syntax.Zero:
		return relValue{rel.New(ev.n)}
	case *syntax.Universal:
		return universeValue{}
	case *syntax.SetLit:
		return emptyValue{}
	case *syntax.Tuple:
		t := make(tupleValue, len(e.Elems))
		for i, x := range e.Elems {
			t[i] = ev.eval(x, in)
		}
		return t
	case *syntax.Unary:
		return ev.unary(e, ev.eval(e.X, in))
	case *syntax.Binary:
		return ev.binary(e, ev.eval(e.X, in), ev.eval(e.Y, in))
	case *syntax.App:
		return ev.apply(e, in)
	case *syntax.Fun:
		return &closure{e.Param, e.Body, in}
	case *syntax.LetExpr:
		return ev.eval(e.Body, ev.bind(e.Rec, e.Bindings, in))
	}
	typeError(e.Span(), "not supported yet: this expression")
	return nil
}

func (ev *evaluator) ident(e *syntax.Ident, in *env) value {
	if b := in.lookup(e.Text); b != nil {
		return b.value
	}
	if v := ev.lookupBase(e.Text); v != nil {
		return v
	}
	if b, ok := builtins[e.Text]; ok {
		return b
	}
	typeError(e.Span(), "unknown name %s", e.Text)
	return nil
}

// unaryOps are the operators that take a relation.
var unaryOps = map[syntax.UnaryOp]func(rel.Rel) rel.Rel{
	syntax.OpPlus:    rel.Rel.Plus,
	syntax.OpStar:    rel.Rel.Star,
	syntax.OpOpt:     rel.Rel.Opt,
	syntax.OpInverse: rel.Rel.Inverse,
}

func (ev *evaluator) unary(e *syntax.Unary, v value) value {
	switch e.Op {
	case syntax.OpBracket:
		return relValue{rel.Identity(ev.set(v, e.X.Span()))}
	case syntax.OpComplement:
		switch v := v.(type) {
		case setValue:
			return setValue{v.Complement()}
		case emptyValue:
			return universeValue{}
		case universeValue:
			return emptyValue{}
		}
		return relValue{ev.rel(v, e.X.Span()).Complement()}
	}
	return relValue{unaryOps[e.Op](ev.rel(v, e.X.Span()))}
}

// latticeOps are the operators that take two sets or two relations.
var latticeOps = map[syntax.BinaryOp]struct {
	sets func(a, b rel.Set) rel.Set
	rels func(a, b rel.Rel) rel.Rel
	// all says whether the result of two operands that are {} or _ is _, if they are.
	all func(a, b bool) bool
}{
	syntax.OpUnion: {rel.Set.Union, rel.Rel.Union, func(a, b bool) bool { return a || b }},
	syntax.OpInter: {rel.Set.Inter, rel.Rel.Inter, func(a, b bool) bool { return a && b }},
	syntax.OpDiff:  {rel.Set.Diff, rel.Rel.Diff, func(a, b bool) bool { return a && !b }},
}

func (ev *evaluator) binary(e *syntax.Binary, x, y value) value {
	switch e.Op {
	case syntax.OpSeq:
		return relValue{ev.rel(x, e.X.Span()).Compose(ev.rel(y, e.Y.Span()))}
	case syntax.OpProduct:
		return relValue{rel.Product(ev.set(x, e.X.Span()), ev.set(y, e.Y.Span()))}
	}
	op := latticeOps[e.Op]
	switch {
	case isPolymorphic(x) && isPolymorphic(y):
		if op.all(x == universeValue{}, y == universeValue{}) {
			return universeValue{}
		}
		return emptyValue{}
	case isSet(x) || isSet(y):
		return setValue{op.sets(ev.set(x, e.X.Span()), ev.set(y, e.Y.Span()))}
	}
	return relValue{op.rels(ev.rel(x, e.X.Span()), ev.rel(y, e.Y.Span()))}
}

func isSet(v value) bool {
	_, ok := v.(setValue)
	return ok
}

// isPolymorphic reports that v is a set or a relation by context.
func isPolymorphic(v value) bool {
	switch v.(type) {
	case emptyValue, universeValue:
		return true
	}
	return false
}

func (ev *evaluator) apply(e *syntax.App, in *env) value {
	arg := ev.eval(e.Arg, in)
	switch f := ev.eval(e.Fun, in).(type) {
	case *builtin:
		return f.fn(ev, arg, e.Arg.Span())
	case *closure:
		return ev.eval(f.body, ev.match(f.param, arg, &definition{expr: e.Arg, env: in}, f.env))
	default:
		typeError(e.Fun.Span(), "expected a function, found %s", f.kind())
	}
	return nil
}
