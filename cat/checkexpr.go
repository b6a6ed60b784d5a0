package cat

import (
	"fmt"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/src"
)

// expr checks an expression and returns its type.
func (c *checker) expr(e syntax.Expr, s *scope) typ {
	if c.steps++; c.steps > maxCheckSteps {
		return anyType
	}
	if c.depth == maxDepth {
		c.errorf(e.Span(), "the model is more than %d expressions deep here", maxDepth)
		return anyType
	}
	c.depth++
	rest(c.depth)
	t := c.typeOf(e, s)
	c.depth--
	return t
}

func (c *checker) typeOf(e syntax.Expr, s *scope) typ {
	switch e := e.(type) {
	case *syntax.Ident:
		return c.ident(e, s)
	case *syntax.TagLit:
		c.declared(e.Name)
		return tagType
	case *syntax.Zero:
		return relType
	case *syntax.Universal:
		return typ{kind: kindUniverse}
	case *syntax.SetLit:
		return c.setLit(e, s)
	case *syntax.Tuple:
		elems := make([]typ, len(e.Elems))
		for i, x := range e.Elems {
			elems[i] = c.expr(x, s)
		}
		return tupleOf(elems)
	case *syntax.Unary, *syntax.Binary:
		if o, operands := operation(e); o != 0 {
			return c.operate(e, o, operands, s)
		}
		return c.add(e.(*syntax.Binary), s)
	case *syntax.App:
		return c.apply(e, s)
	case *syntax.Fun:
		return c.function("", e.Param, e.Body, s)
	case *syntax.LetExpr:
		return c.expr(e.Body, c.let(e.Rec, e.Bindings, s, inBody))
	case *syntax.IfExpr:
		c.hidden(func() { c.cond(e.Cond, s) })
		return c.branches(e, c.expr(e.Then, s), c.expr(e.Else, s))
	case *syntax.TryExpr:
		c.trials++
		x := c.expr(e.X, s)
		c.trials--
		return c.either(x, c.expr(e.Else, s))
	case *syntax.MatchTag:
		return c.matchTag(e, s)
	case *syntax.MatchSet:
		return c.matchSet(e, s)
	}
	return anyType
}

// branches returns the type of an if expression. If variants decide the condition, it is the type
// of that branch; otherwise both branches must have a common type.
func (c *checker) branches(e *syntax.IfExpr, then, otherwise typ) typ {
	if holds, known := c.model.decided(e.Cond); known {
		return map[bool]typ{true: then, false: otherwise}[holds]
	}
	t, ok := join(then, otherwise)
	if !ok {
		d := c.errorf(e.Else.Span(), "the branches of an if are of one type: the first is %s, this is %s", then,
			otherwise)
		hinted(d, mixedHint(then, otherwise))
	}
	return t
}

// either returns a type that fits both a and b, or unknown. It reports no error, because models may
// mix types on purpose.
func (c *checker) either(a, b typ) typ {
	t, ok := join(a, b)
	if !ok {
		return anyType
	}
	return t
}

// hidden checks an operand in which the result may be antitone.
func (c *checker) hidden(check func()) {
	c.opaques++
	check()
	c.opaques--
}

// lacking returns the advice for a base name that is undefined because the model chooses co itself.
// herd knows final writes before co: it tries each last write of a location and then orders the
// others before it. muster enumerates all orders, and each order has a last write.
func lacking(name string) string {
	if name == "FW" {
		return "a model that chooses co itself defines it behind the choice: let FW = W \\ domain(co); before it " +
			"leave (W \\ FW) * FW out: each order has a last write, and herd's co0 is there"
	}
	return "a model that chooses co itself defines the rest: let fr = rf^-1;co"
}

func (c *checker) ident(e *syntax.Ident, s *scope) typ {
	b := c.lookup(s, e.Text)
	if b == nil && c.trials > 0 { // the try evaluates its other branch
		return anyType
	}
	if b == nil && c.strange(e.Span(), e.Text, s) {
		return typ{kind: kindEmpty}
	}
	if b == nil {
		d := c.errorf(e.Span(), "unknown name %s", e.Text)
		if c.model.Lacks(c.vocab.Get(e.Text)) {
			hinted(d, lacking(e.Text))
		} else {
			hinted(d, c.near(e.Text, s))
		}
		return anyType
	}
	if b.base {
		c.used[b.name] = true
	}
	c.polarity(e, b)
	return b.typ
}

// polarity checks that a recursive name occurs in monotone positions only. A parameter counts as
// its argument, a local name as its definition.
func (c *checker) polarity(e *syntax.Ident, b *scope) {
	if len(c.groups) == 0 {
		return
	}
	if g := b.group; g != nil && ((c.flips-g.flips)%2 != 0 || c.opaques > g.opaques) {
		d := c.errorf(e.Span(), "%s is defined by this recursion and may only make it grow", e.Text)
		hinted(d,
			"it must not stand under ~, to the right of \\, in a condition or in an argument in which a function may "+
				"not be monotone")
	}
	outermost := c.groups[0]
	if b.arg != nil && (c.flips != outermost.flips || c.opaques > outermost.opaques) {
		c.expr(b.arg, b.argIn)
	}
}

func (c *checker) setLit(e *syntax.SetLit, s *scope) typ {
	if len(e.Elems) == 0 {
		return typ{kind: kindEmpty}
	}
	t := c.expr(e.Elems[0], s)
	for _, x := range e.Elems[1:] {
		next := c.expr(x, s)
		var ok bool
		if t, ok = common(t, next); !ok {
			c.errorf(x.Span(), "the elements of a set are of one sort; this is %s", next)
		}
	}
	return setWith(t)
}

// want reports an operand e of type t that is not of kind k. For kindSetOf, the elements must be
// sets.
func (c *checker) want(k typeKind, e syntax.Expr, t typ, what string) {
	elem, _ := t.elem()
	if t.is(k) && (k != kindSetOf || elem.is(kindSet)) {
		return
	}
	d := c.errorf(e.Span(), "%s takes %s, not %s", what, k, t)
	if k == kindRel {
		hinted(d, relationHint(t))
	}
}

// kindsOf maps the kinds of relop's operands and results to those of types.
var kindsOf = map[relop.Kind]typeKind{relop.Set: kindSet, relop.Rel: kindRel}

// operate checks the operands of an operator on sets and relations and returns the type of its
// result.
func (c *checker) operate(e syntax.Expr, o relop.Op, operands []syntax.Expr, s *scope) typ {
	row, types := o.Row(), make([]typ, len(operands))
	for i, x := range operands {
		if row.Sign[i] == relop.Falls {
			c.flips++
		}
		types[i] = c.expr(x, s)
		if row.Sign[i] == relop.Falls {
			c.flips--
		}
	}
	switch {
	case row.Result != relop.Alike:
		for i, x := range operands {
			c.want(kindsOf[row.Operands[i]], x, types[i], row.Text)
		}
		return typ{kind: kindsOf[row.Result]}
	case len(types) == 1:
		return c.alone(row, operands[0], types[0])
	}
	for i, t := range types {
		if _, ok := t.elem(); !ok && !t.is(kindRel) {
			c.errorf(operands[i].Span(), "%s takes sets or relations, not %s", row.Text, t)
			return anyType
		}
	}
	x, y := types[0], types[1]
	if x.polymorphic() && y.polymorphic() {
		return polymorphicType(row.Keeps(x.kind == kindUniverse, y.kind == kindUniverse))
	}
	t, ok := common(x, y)
	if !ok {
		d := c.errorf(e.Span(), "%s of %s and %s", row.Text, x, y)
		hinted(d, mixedHint(x, y))
	}
	return promote(t)
}

// alone returns the type of the result of ~, and reports an operand that is neither a set nor a
// relation.
func (c *checker) alone(row *relop.Row, x syntax.Expr, t typ) typ {
	switch {
	case t.polymorphic():
		return polymorphicType(row.Keeps(t.kind == kindUniverse))
	case t.kind == kindAny:
		return t
	case t.is(kindSet):
		return setType
	}
	c.want(kindRel, x, t, row.Text)
	return relType
}

// polymorphicType returns the type of _ or of {}.
func polymorphicType(all bool) typ {
	if all {
		return typ{kind: kindUniverse}
	}
	return typ{kind: kindEmpty}
}

// promote returns the type of the result of an operator on sets: a set where an operand is an
// element.
func promote(t typ) typ {
	switch {
	case t.kind == kindEvent:
		return setType
	case t.kind == kindPair || t.kind == kindTuple:
		return relType
	}
	return t
}

func mixedHint(x, y typ) string {
	if x.is(kindSet) && y.is(kindRel) || x.is(kindRel) && y.is(kindSet) {
		return relationHint(setType)
	}
	return ""
}

// add checks x ++ S.
func (c *checker) add(e *syntax.Binary, s *scope) typ {
	x, y := c.expr(e.X, s), c.expr(e.Y, s)
	elem, ok := y.elem()
	if !ok {
		c.errorf(e.Y.Span(), "++ adds an element to a set, not to %s", y)
		return anyType
	}
	t, ok := common(x, elem)
	if !ok {
		c.errorf(e.X.Span(), "++ adds %s to %s", x, y)
	}
	return setWith(t)
}

// elemOf checks an expression that must be a set and returns the type of its elements.
func (c *checker) elemOf(e syntax.Expr, s *scope) typ {
	t := c.expr(e, s)
	elem, ok := t.elem()
	if !ok {
		c.errorf(e.Span(), "expected a set, found %s", t)
	}
	return elem
}

// tagged checks an expression that must be a tag.
func (c *checker) tagged(e syntax.Expr, s *scope) {
	if t := c.expr(e, s); !t.is(kindTag) {
		c.errorf(e.Span(), "expected a tag, found %s", t)
	}
}

func (c *checker) matchTag(e *syntax.MatchTag, s *scope) typ {
	c.tagged(e.X, s)
	var t typ
	for i, clause := range e.Clauses {
		if clause.Tag != nil {
			c.declared(*clause.Tag)
		}
		body := c.expr(clause.Body, s)
		if i == 0 {
			t = body
		} else {
			t = c.either(t, body)
		}
	}
	return t
}

func (c *checker) matchSet(e *syntax.MatchSet, s *scope) typ {
	var elem typ
	c.hidden(func() { elem = c.elemOf(e.X, s) })
	empty := c.expr(e.Empty, s)
	inner := c.bindName(e.Elem, elem, s)
	inner = c.bindName(e.Rest, setWith(elem), inner)
	return c.either(empty, c.expr(e.NonEmpty, inner))
}

func (c *checker) cond(x syntax.Cond, s *scope) {
	switch x := x.(type) {
	case *syntax.NotCond:
		c.cond(x.X, s)
	case *syntax.BoolCond:
		c.cond(x.X, s)
		c.cond(x.Y, s)
	case *syntax.CompareCond:
		a, b := c.expr(x.X, s), c.expr(x.Y, s)
		if x.Op == syntax.OpIn {
			elem, ok := b.elem()
			if !ok {
				c.errorf(x.Y.Span(), "in asks about a set, not %s", b)
			}
			b = elem
		}
		if _, ok := join(a, b); !ok {
			c.errorf(x.Span(), "%s compares %s and %s", x.Op, a, b)
		}
	}
}

func (c *checker) apply(e *syntax.App, s *scope) typ {
	f := c.expr(e.Fun, s)
	if f.kind == kindFun && f.fun.builtin != nil {
		return c.applyBuiltin(f.fun.builtin, e, s)
	}
	arg := c.expr(e.Arg, s)
	switch f.kind {
	case kindAny:
		return anyType
	case kindFun:
		c.countArgs(f.fun, arg, e.Arg)
		return c.once(f.fun, arg, e.Span(), func() typ {
			return c.expr(f.fun.body, c.parameter(f.fun, arg, e.Arg, s))
		})
	case kindProc:
		c.errorf(e.Fun.Span(), "%s is a procedure: use call", f.fun.name)
	default:
		c.errorf(e.Fun.Span(), "expected a function, found %s", f)
	}
	return anyType
}

// countArgs checks the number of arguments.
func (c *checker) countArgs(f *funType, arg typ, e syntax.Expr) {
	p, ok := f.param.(*syntax.TuplePat)
	if n := argsIn(arg); ok && arg.kind != kindAny && n != len(p.Elems) {
		c.errorf(e.Span(), "%s takes %s, not %d", nameOr(f.name, "this function"), arity(len(p.Elems)), n)
	}
}

// argsIn returns the number of arguments that a value of type t supplies.
func argsIn(t typ) int {
	switch t.kind {
	case kindTuple:
		return len(t.elems)
	case kindPair:
		return 2
	}
	return 1
}

// parameter binds the parameter of a function to an argument. For polarity, a name in the parameter
// counts as the argument.
func (c *checker) parameter(f *funType, arg typ, e syntax.Expr, s *scope) *scope {
	if p, ok := f.param.(*syntax.TuplePat); ok && argsIn(arg) != len(p.Elems) {
		arg = anyType // it has been reported
	}
	inner := c.pattern(f.param, arg, f.scope)
	standFor(f.param, e, inner, s)
	return inner
}

// standFor records which expression each name of a pattern stands for. A name of a tuple whose
// components are unknown stands for the whole tuple.
func standFor(p syntax.Pat, arg syntax.Expr, inner, outer *scope) {
	switch p := p.(type) {
	case *syntax.VarPat:
		if p.Text != "_" {
			b := inner.lookup(p.Text)
			b.arg, b.argIn = arg, outer
		}
	case *syntax.TuplePat:
		t, ok := arg.(*syntax.Tuple)
		for i := range p.Elems {
			part := arg
			if ok && len(t.Elems) == len(p.Elems) {
				part = t.Elems[i]
			}
			standFor(p.Elems[i], part, inner, outer)
		}
	}
}

func nameOr(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// once checks a call, unless the same call is being checked or has been checked.
func (c *checker) once(f *funType, arg typ, at src.Span, check func() typ) typ {
	key := typ{kind: kindFun, fun: f, elems: []typ{arg}}.key()
	if len(c.groups) > 0 {
		outermost := c.groups[0]
		key += fmt.Sprint((c.flips-outermost.flips)%2, c.opaques > outermost.opaques)
	}
	if f.fromLibrary() && !inLibrary(at) { // errors are reported at the call, so each call is checked
		key += fmt.Sprint(at.Start, at.File.Name)
	}
	if c.active[key] || len(c.active) > maxCheckDepth {
		return anyType
	}
	if len(c.groups) == 0 {
		if t, ok := c.memo[key]; ok {
			return t
		}
	}
	if !c.call.Valid() {
		c.call = at
		defer func() { c.call = src.Span{} }()
	}
	entry := c.entry
	if !inLibrary(at) {
		c.entry = at
	}
	c.active[key] = true
	t := check()
	delete(c.active, key)
	c.entry = entry
	if len(c.groups) == 0 {
		c.memo[key] = t
	}
	return t
}

func (c *checker) applyBuiltin(b *builtin, e *syntax.App, s *scope) typ {
	var arg typ
	if b.opaque {
		c.hidden(func() { arg = c.expr(e.Arg, s) })
	} else {
		arg = c.expr(e.Arg, s)
	}
	if len(b.params) == 1 {
		c.want(b.params[0], e.Arg, arg, b.name)
		return b.result
	}
	switch {
	case arg.kind == kindAny:
	case arg.kind != kindTuple || len(arg.elems) != len(b.params):
		c.errorf(e.Arg.Span(), "%s takes %s", b.name, arity(len(b.params)))
	default:
		for i, k := range b.params {
			at := e.Arg
			if t, ok := e.Arg.(*syntax.Tuple); ok {
				at = t.Elems[i]
			}
			c.want(k, at, arg.elems[i], b.name)
		}
	}
	return b.result
}
