package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Expressions are bound from the outermost operator inwards. Errors are recorded, and the result is
// nil.

// condition binds an expression that must be a truth value.
func (b *binder) condition(e *expr) *Node { return b.typedAs(e, true) }

// number binds an expression that must be a number.
func (b *binder) number(e *expr) *Node { return b.typedAs(e, false) }

func (b *binder) typedAs(e *expr, truth bool) *Node {
	return b.want(b.expr(e), truth)
}

// want returns n if it is of the wanted sort, a truth value or a number; otherwise it reports an
// error.
func (b *binder) want(n *Node, truth bool) *Node {
	if n == nil || n.Bool == truth {
		return n
	}
	if truth {
		b.diags.Errorf(n.At, "expected a truth value, found a number").WithHint("compare it: … != 0")
	} else {
		b.diags.Errorf(n.At, "expected a number, found a truth value")
	}
	return nil
}

func (b *binder) node(t Tree, kind Kind, truth bool, args ...*Node) *Node {
	if slices.Contains(args, nil) {
		return nil
	}
	return &Node{At: t.at(b.text.src), Kind: kind, Bool: truth, Args: args}
}

func (b *binder) operate(t Tree, op arith.Op, truth bool, args ...*Node) *Node {
	n := b.node(t, Operate, truth, args...)
	if n != nil {
		n.Op = op
	}
	return n
}

func (b *binder) expr(e *expr) *Node {
	switch {
	case e.Quantified != nil:
		return b.quantified(e.Quantified)
	case e.Implied != nil:
		return b.node(e.Tree, Implies, true, b.want(b.or(e.Left), true), b.condition(e.Implied))
	case e.Then != nil:
		test, then, other := b.want(b.or(e.Left), true), b.expr(e.Then), b.expr(e.Else)
		if test == nil || then == nil || other == nil {
			return nil
		}
		return b.node(e.Tree, Choose, then.Bool, test, then, b.want(other, then.Bool))
	}
	return b.or(e.Left)
}

func (b *binder) quantified(q *quantified) *Node {
	kind := All
	if q.Word == "exists" {
		kind = Some
	}
	var vars []*Bound
	for _, name := range q.Names {
		vars = append(vars, &Bound{name})
	}
	var args []*Node
	b.within(vars, func() { args = append(args, b.condition(q.Body)) })
	if q.Low != nil {
		args = append(args, b.want(b.sum(q.Low), false), b.want(b.sum(q.High), false))
	}
	n := b.node(q.Tree, kind, true, args...)
	if n != nil {
		n.Vars = vars
	}
	return n
}

func (b *binder) or(e *or) *Node {
	n := b.and(e.List[0])
	for _, x := range e.List[1:] {
		n = b.operate(e.Tree, arith.Or, true, b.want(n, true), b.want(b.and(x), true))
	}
	return n
}

func (b *binder) and(e *and) *Node {
	n := b.comparison(e.List[0])
	for _, x := range e.List[1:] {
		n = b.operate(e.Tree, arith.And, true, b.want(n, true), b.want(b.comparison(x), true))
	}
	return n
}

// comparisons maps symbols to comparisons.
var comparisons = map[string]arith.Op{
	"==": arith.Eq, "!=": arith.Ne, "<": arith.Lt, "<=": arith.Le, ">": arith.Gt,
	">=": arith.Ge,
}

// comparison binds a chain of comparisons as the conjunction of its pairs.
func (b *binder) comparison(e *comparison) *Node {
	left := b.bits(e.First)
	if len(e.Rest) == 0 || left == nil {
		return left
	}
	var all *Node
	for _, c := range e.Rest {
		right := b.bits(c.X)
		if right == nil {
			return nil
		}
		truth := left.Bool && (c.Op == "==" || c.Op == "!=")
		one := b.operate(e.Tree, comparisons[c.Op], true, b.want(left, truth), b.want(right, truth))
		if all == nil {
			all = one
		} else {
			all = b.operate(e.Tree, arith.And, true, all, one)
		}
		left = right
	}
	return all
}

// operators maps symbols to arithmetic operators.
var operators = map[string]arith.Op{
	"&": arith.And, "|": arith.Or, "^": arith.Xor, "<<": arith.Shl, ">>": arith.Shr,
	"+": arith.Add, "-": arith.Sub, "*": arith.Mul, "/": arith.Div, "%": arith.Rem, "mod": arith.Rem,
}

func (b *binder) arithmetic(t Tree, op string, x, y *Node) *Node {
	return b.operate(t, operators[op], false, b.want(x, false), b.want(y, false))
}

func (b *binder) bits(e *bits) *Node {
	n := b.shift(e.First)
	for i, x := range e.Rest {
		if i > 0 && x.Op != e.Rest[0].Op {
			b.wrong(e.Tree, "%s and %s without parentheses", e.Rest[0].Op,
				x.Op).WithHint("write the parentheses: languages differ in which binds more tightly")
		}
		n = b.arithmetic(e.Tree, x.Op, n, b.shift(x.X))
	}
	return n
}

func (b *binder) shift(e *shift) *Node {
	n := b.sum(e.First)
	for _, x := range e.Rest {
		n = b.arithmetic(e.Tree, x.Op, n, b.sum(x.X))
	}
	return n
}

func (b *binder) sum(e *sum) *Node {
	n := b.product(e.First)
	for _, x := range e.Rest {
		n = b.arithmetic(e.Tree, x.Op, n, b.product(x.X))
	}
	return n
}

func (b *binder) product(e *product) *Node {
	n := b.unary(e.First)
	for _, x := range e.Rest {
		n = b.arithmetic(e.Tree, x.Op, n, b.unary(x.X))
	}
	return n
}

func (b *binder) literal(t Tree, v int64) *Node {
	n := b.node(t, Number, false)
	n.Value = v
	return n
}

func (b *binder) unary(e *unary) *Node {
	switch e.Op {
	case "-":
		return b.arithmetic(e.Tree, "-", b.literal(e.Tree, 0), b.unary(e.X))
	case "~":
		return b.arithmetic(e.Tree, "^", b.literal(e.Tree, -1), b.unary(e.X))
	case "!":
		return b.node(e.Tree, Not, true, b.want(b.unary(e.X), true))
	}
	if e.Axis != "" {
		if e.Of.Name == "" || e.Of.Name != "" && specials[e.Of.Name] == "" {
			b.wrong(e.Tree, "only places of threads have parts: tid.x, ntid.y")
			return nil
		}
		return b.special(e.Tree, e.Of.Name, e.Axis)
	}
	return b.primary(e.Of)
}

// specials maps the names of coordinates and sizes, in PTX and in CUDA, to special registers.
var specials = map[string]string{
	"tid": "%tid", "ntid": "%ntid", "ctaid": "%ctaid", "nctaid": "%nctaid",
	"threadIdx": "%tid", "blockDim": "%ntid", "blockIdx": "%ctaid", "gridDim": "%nctaid",
}

func (b *binder) special(t Tree, name, axis string) *Node {
	if axis != "x" && axis != "y" && axis != "z" {
		b.wrong(t, "%s has the parts x, y and z", name)
		return nil
	}
	n := b.node(t, Special, false)
	n.Name = specials[name] + "." + axis
	return n
}

func (b *binder) primary(e *primary) *Node {
	switch {
	case e.Number != "":
		v, err := strconv.ParseUint(e.Number, 0, 64)
		if err != nil {
			b.wrong(e.Tree, "%s has more than 64 bits", e.Number)
			return nil
		}
		return b.literal(e.Tree, int64(v))
	case e.Register != "":
		return b.register(e)
	case e.Truth != "":
		n := b.node(e.Tree, Truth, true)
		if e.Truth == "true" {
			n.Value = 1
		}
		return n
	case e.Perm != nil:
		return b.perm(e.Perm)
	case e.Old != nil:
		if n := b.expr(e.Old); n != nil {
			return b.node(e.Tree, Old, n.Bool, n)
		}
		return nil
	case e.Cast != nil:
		n := b.node(e.Cast.Tree, Cast, false, b.number(e.Cast.X))
		if n != nil {
			n.Type = types[e.Cast.Type]
		}
		return n
	case e.Element != nil:
		return b.element(e.Element)
	case e.Call != nil:
		return b.call(e.Call)
	case e.Name != "":
		return b.name(e)
	}
	return b.expr(e.Grouped)
}

// register binds the name of a register. If two blocks of the kernel declare it, the name is
// ambiguous.
func (b *binder) register(e *primary) *Node {
	var names []string
	var found *kernel.Register
	for _, r := range b.kernel.Registers {
		names = append(names, r.Name)
		switch {
		case r.Name != e.Register:
		case found != nil:
			b.wrong(e.Tree, "several blocks of %s declare a register %s", b.kernel.Name,
				e.Register).WithHint("give them different names in the PTX")
			return nil
		default:
			found = r
		}
	}
	if found == nil {
		b.wrong(e.Tree, "%s has no register %s", b.kernel.Name, e.Register).
			WithHint("%s", nearest(e.Register, names, space))
		return nil
	}
	if !b.placed {
		b.wrong(e.Tree, "%s has a value where an instruction is, not for the kernel as a whole", e.Register).
			WithHint("say where: at line 12 assert …; loop 1 invariant …;")
		return nil
	}
	n := b.node(e.Tree, Register, found.Type == "pred")
	n.Register, n.Type = found, typeOf(found.Type)
	return n
}

// typeOf returns a type of PTX. A type without a sign is signed if it has 32 bits, as int is.
func typeOf(name string) arith.Type {
	switch {
	case name == "pred":
		return arith.Bool
	case name == "b32":
		return arith.S32
	}
	if t, ok := types[name]; ok {
		return t
	}
	bits, _ := strconv.Atoi(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))
	return arith.Type{Bits: bits}
}

// name binds a variable, a coordinate of the thread, or a parameter.
func (b *binder) name(e *primary) *Node {
	for _, v := range slices.Backward(b.bound) {
		if v.Name == e.Name {
			n := b.node(e.Tree, Variable, false)
			n.Bound = v
			return n
		}
	}
	v := b.names[e.Name]
	if v == nil {
		if i := slices.IndexFunc(b.kernel.Params, func(p *kernel.Variable) bool { return p.Name == e.Name }); i >= 0 {
			v = b.kernel.Params[i]
		}
	}
	switch {
	case v != nil && v.Size() <= 8:
		n := b.node(e.Tree, Param, false)
		n.Variable, n.Type = v, b.typed[v]
		if n.Type.Bits != 8*v.Size() { // a pointer, or a parameter without a type here
			n.Type = typeOf(v.Type)
		}
		return n
	case specials[e.Name] != "":
		return b.special(e.Tree, e.Name, "x")
	case isa.Constants[e.Name] != 0:
		return b.literal(e.Tree, int64(isa.Constants[e.Name]))
	}
	b.unknown(e.Tree, e.Name)
	return nil
}

// unknown reports an undefined name, with similar names.
func (b *binder) unknown(t Tree, name string) {
	all := []string{"tid", "ntid", "ctaid", "nctaid"}
	for n := range b.names {
		all = append(all, n)
	}
	for _, v := range b.kernel.Params {
		all = append(all, v.Name)
	}
	for _, a := range b.contract.Arrays {
		all = append(all, a.Name)
	}
	for _, v := range b.bound {
		all = append(all, v.Name)
	}
	b.wrong(t, "nothing is called %s", name).WithHint("%s", nearest(name, all, ""))
}

func (b *binder) element(e *element) *Node {
	var array *Array
	for _, a := range b.contract.Arrays {
		if a.Name == e.Name {
			array = a
		}
	}
	if array == nil {
		if v := b.variable(e.Name); v != nil {
			b.wrong(e.Tree, "what %s is an array of is not said", e.Name).
				WithHint("begin with kernel %s(…, s32 %s[], …) for a parameter, or array s32 %s[]; for a variable",
					b.kernel.Name, e.Name, e.Name)
		} else {
			b.unknown(e.Tree, e.Name)
		}
		return nil
	}
	n := b.node(e.Tree, Element, false, b.number(e.Index))
	if n != nil {
		n.Array, n.Type = array, array.Type
	}
	return n
}

// rights are the words for permissions.
var rights = map[string]bool{"w": true, "rw": true, "write": true, "r": false, "rd": false, "read": false}

func (b *binder) perm(e *perm) *Node {
	writes, ok := rights[e.Right]
	if percent, err := strconv.Atoi(e.Right); err == nil && 0 < percent && percent <= 100 {
		writes, ok = percent == 100, true
	}
	if !ok {
		b.wrong(e.Tree, "%s is no permission: r reads, w writes and reads", e.Right)
		return nil
	}
	n := b.node(e.Tree, Perm, true, b.element(e.Of))
	if n != nil {
		n.Writes = writes
	}
	return n
}

func (b *binder) call(e *call) *Node {
	f := b.functions[e.Name]
	if f == nil {
		var names []string
		for n := range b.functions {
			names = append(names, n)
		}
		b.wrong(e.Tree, "no function is called %s", e.Name).WithHint("%s",
			nearest(e.Name, names, "function u32 "+e.Name+"(u32 n); declares one"))
		return nil
	}
	if len(e.Args) != f.Params {
		b.wrong(e.Tree, "%s has %d parameters", f.Name, f.Params)
		return nil
	}
	var args []*Node
	for _, a := range e.Args {
		args = append(args, b.number(a))
	}
	n := b.node(e.Tree, Call, false, args...)
	if n != nil {
		n.Function, n.Type = f, f.Type
	}
	return n
}
