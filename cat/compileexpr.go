package cat

import (
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/src"
)

func (c *compiler) expr(e syntax.Expr, in *env) value {
	c.spend(e.Span())
	switch e := e.(type) {
	case *syntax.Ident:
		return c.ident(e, in)
	case *syntax.TagLit:
		return tagValue(e.Text)
	case *syntax.Zero:
		return nodeValue{c.build.Empty(false)}
	case *syntax.Universal:
		return universeValue{}
	case *syntax.SetLit:
		return c.collect(c.exprs(e.Elems, in), e.Span())
	case *syntax.Tuple:
		return tupleValue(c.exprs(e.Elems, in))
	case *syntax.Unary:
		return c.operate(unaryOps[e.Op], operand{c.expr(e.X, in), e.X.Span()})
	case *syntax.Binary:
		return c.binary(e, operand{c.expr(e.X, in), e.X.Span()}, operand{c.expr(e.Y, in), e.Y.Span()})
	case *syntax.App:
		return c.applied(e, in)
	case *syntax.Fun:
		return &closure{param: e.Param, body: e.Body, env: in}
	case *syntax.LetExpr:
		return c.expr(e.Body, c.bind(e.Rec, e.Bindings, in))
	case *syntax.IfExpr:
		if c.cond(e.Cond, in) {
			return c.expr(e.Then, in)
		}
		return c.expr(e.Else, in)
	case *syntax.TryExpr:
		return c.try(e, in)
	case *syntax.MatchTag:
		t := c.tag(c.expr(e.X, in), e.X.Span())
		for _, clause := range e.Clauses {
			if clause.Tag == nil || clause.Tag.Text == t {
				return c.expr(clause.Body, in)
			}
		}
	case *syntax.MatchSet:
		return c.matchSet(e, in)
	}
	uncompiled(e.Span(), "this expression is not compiled")
	return nil
}

// try compiles try e with f: f if e fails, for instance because it mentions a name that some
// executions lack, alone or in an argument.
func (c *compiler) try(e *syntax.TryExpr, in *env) (v value) {
	c.trials++
	defer func() {
		c.trials--
		switch r := recover().(type) {
		case nil:
		case failure:
			v = c.expr(e.Else, in)
		default:
			panic(r)
		}
	}()
	return c.expr(e.X, in)
}

func (c *compiler) exprs(es []syntax.Expr, in *env) []value {
	vs := make([]value, len(es))
	for i, e := range es {
		vs[i] = c.expr(e, in)
	}
	return vs
}

func (c *compiler) ident(e *syntax.Ident, in *env) value {
	v := c.named(e.Text, in)
	if v == nil && c.trials > 0 {
		panic(failure{e.Span()})
	}
	if v == nil && stranger(e.Text) {
		return emptyValue{}
	}
	if v == nil {
		uncompiled(e.Span(), "unknown name %s", e.Text)
	}
	return v
}

// named returns the value of a name, or nil if it is undefined.
func (c *compiler) named(name string, in *env) value {
	if c.model.bound[name] {
		if b := in.lookup(name); b != nil {
			return b.value
		}
	}
	if v := c.baseValue(name); v != nil {
		return v
	}
	if b, ok := builtins[name]; ok {
		return b
	}
	return nil
}

// baseValue returns the value of a name that candidates define, or nil.
func (c *compiler) baseValue(name string) value {
	if v, ok := c.base[name]; ok {
		return v
	}
	var v value
	switch n := baseName(c.vocab, name); {
	case n == nil:
	case n.Derived != "":
		v = c.expr(derived(name, n.Derived), nil)
	default:
		v = nodeValue{c.build.Input(name, n.Set, varsOf(n))}
	}
	c.base[name] = v
	return v
}

// derived parses the expression that defines a name of the vocabulary.
func derived(name, text string) syntax.Expr {
	tree, err := syntax.Parse(src.NewFile(name, "let "+name+" = "+text))
	if err != nil {
		panic(err) // the vocabulary is part of muster
	}
	return tree.Stmts[0].(*syntax.LetStmt).Bindings[0].Body
}

// baseNode returns the node of a name that all candidates define.
func (c *compiler) baseNode(name string) plan.Node {
	v, ok := c.baseValue(name).(nodeValue)
	if !ok {
		uncompiled(src.Span{}, "executions do not define %s", name)
	}
	return v.Node
}

// collect makes a set of values. Only tags can be compared before the plan runs.
func (c *compiler) collect(elems []value, at src.Span) value {
	var set setOfValue
	for _, v := range elems {
		if _, ok := v.(tagValue); !ok {
			uncompiled(at, "sets of values other than tags are not compiled")
		}
		if !set.has(0, v) {
			set = append(set, v)
		}
	}
	return set.orEmpty()
}

// elements lists the elements of a set that is known at compile time.
func (c *compiler) elements(v value, at src.Span) []value {
	switch v := v.(type) {
	case setOfValue:
		return v
	case emptyValue:
		return nil
	}
	uncompiled(at, "what depends on the elements of a set is not compiled")
	return nil
}

func (c *compiler) tag(v value, at src.Span) string {
	t, ok := v.(tagValue)
	if !ok {
		uncompiled(at, "expected a tag, found %s", c.kind(v))
	}
	return string(t)
}

// rel reads v as a relation.
func (c *compiler) rel(v value, at src.Span) plan.Node { return c.node(v, false, at) }

// set reads v as a set of events.
func (c *compiler) set(v value, at src.Span) plan.Node { return c.node(v, true, at) }

func (c *compiler) node(v value, set bool, at src.Span) plan.Node {
	switch v := v.(type) {
	case nodeValue:
		if c.build.IsSet(v.Node) == set {
			return v.Node
		}
	case emptyValue:
		return c.build.Empty(set)
	case universeValue:
		return c.build.Full(set)
	}
	wanted := kindRel
	if set {
		wanted = kindSet
	}
	uncompiled(at, "expected %s, found %s", wanted, c.kind(v))
	return 0
}

// kind returns the kind of a value in words.
func (c *compiler) kind(v value) string {
	switch n, ok := v.(nodeValue); {
	case !ok:
		return v.kind()
	case c.build.IsSet(n.Node):
		return kindSet.String()
	}
	return kindRel.String()
}

// isSet reports whether v is a set of events. {} and _ are not: context decides their kind.
func (c *compiler) isSet(v value) bool {
	n, ok := v.(nodeValue)
	return ok && c.build.IsSet(n.Node)
}

func (c *compiler) binary(e *syntax.Binary, x, y operand) value {
	if e.Op != syntax.OpAdd {
		return c.operate(binaryOps[e.Op], x, y)
	}
	ys := setOfValue(c.elements(y.value, y.at))
	if _, isTag := x.value.(tagValue); isTag && ys.has(0, x.value) {
		return ys
	}
	return c.collect(append([]value{x.value}, ys...), e.Span())
}

func (c *compiler) operate(o relop.Op, xs ...operand) value {
	row := o.Row()
	set, result := kindOf(c, row, xs)
	if result != nil {
		return result
	}
	var nodes [2]plan.Node
	for i, x := range xs {
		kind := row.Operands[i]
		nodes[i] = c.node(x.value, kind == relop.Set || kind == relop.Alike && set, x.at)
	}
	return nodeValue{c.build.Apply(o, set, nodes[0], nodes[1])}
}

func (c *compiler) combine(row *relop.Row, x, y operand) value {
	return combine(0, row, c.elements(x.value, x.at), c.elements(y.value, y.at))
}

func (c *compiler) applied(e *syntax.App, in *env) value {
	arg := c.expr(e.Arg, in)
	switch f := c.expr(e.Fun, in).(type) {
	case *builtin:
		return c.builtin(f, arg, e.Arg.Span())
	case *closure:
		return c.expr(f.body, c.match(f.param, arg, f.env))
	}
	uncompiled(e.Fun.Span(), "this application is not compiled")
	return nil
}

func (c *compiler) matchSet(e *syntax.MatchSet, in *env) value {
	es := c.elements(c.expr(e.X, in), e.X.Span())
	if len(es) == 0 {
		return c.expr(e.Empty, in)
	}
	inner := bindName(e.Elem, es[0], in)
	return c.expr(e.NonEmpty, bindName(e.Rest, setOfValue(es[1:]).orEmpty(), inner))
}

// cond decides a condition that does not depend on the candidate.
func (c *compiler) cond(x syntax.Cond, in *env) bool {
	switch x := x.(type) {
	case *syntax.NotCond:
		return !c.cond(x.X, in)
	case *syntax.BoolCond:
		if l := c.cond(x.X, in); l != x.And {
			return l
		}
		return c.cond(x.Y, in)
	case *syntax.CompareCond:
		l, r := c.expr(x.X, in), c.expr(x.Y, in)
		if n, ok := l.(nodeValue); ok && x.Op != syntax.OpIn && n == r {
			return true
		}
		uncompiled(x.Span(), "a condition that depends on the execution is not compiled")
	}
	holds, known := c.model.decided(x)
	if !known {
		uncompiled(x.Span(), "this condition is not compiled")
	}
	return holds
}
