package clike

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// object is the meaning of an expression: a variable of the thread, an object in memory, or only a
// value.
type object struct {
	reg  Register // of a variable; else none
	addr Expr     // of an object in memory; else nil
	rest value    // of a value
	Type
}

func ofValue(v value) object { return object{reg: None, rest: v, Type: v.Type} }

// read returns the value of an object: of one in memory, what a load returns.
func (l *lowerer) read(at Place, o object) value {
	switch {
	case o.addr != nil:
		return l.unit(o.isObject(), func() value {
			dst := l.temporary(o.Type)
			l.emit(&Load{at, l.plainAccess(o.Type, "load"), dst, o.addr})
			return newValue(dst, valueType(o.Type))
		})
	case o.reg != None:
		return newValue(o.reg, valueType(o.Type))
	}
	return o.rest
}

// valueType returns the type of the value of an object.
func valueType(t Type) Type {
	if t.Pointers == 0 || t.isObject() {
		return Type{Int: t.Int, Pointers: t.Pointers, Spaces: t.Spaces * event.Tags(min(1, t.Pointers))}
	}
	return t
}

// plainAccess returns the access of an operator. It is sequentially consistent for a C++ atomic,
// and not atomic otherwise. A volatile access of CUDA is relaxed (PTX ISA, "ld.volatile").
func (l *lowerer) plainAccess(t Type, name string) Access {
	a := Access{Type: t.Holds(), Order: event.Weak, Scope: event.ScopeThread, Spaces: l.space(t), Volatile: t.Volatile, Name: name}
	switch {
	case t.isObject():
		a.Order, a.Scope = event.SC, t.Scope
	case t.Pointers > 0:
	case t.Volatile && l.dialect.relaxesVolatile:
		a.Order, a.Scope = event.Relaxed, event.ScopeSys
	}
	return a
}

// space returns where an object is: in global memory unless its type says otherwise.
func (l *lowerer) space(t Type) event.Tags {
	if t.Spaces == 0 {
		return inGlobal | l.dialect.tags
	}
	return t.Spaces | l.dialect.tags
}

// write stores a value in an object, and returns what that is then.
func (l *lowerer) write(at Place, o object, v value) value {
	v = l.convert(v, o.Type)
	switch {
	case o.addr != nil:
		l.unit(o.isObject(), func() value {
			l.emit(&Store{at, l.plainAccess(o.Type, "store"), o.addr, v.Expr})
			return v
		})
	case o.reg != None:
		l.set(at, o.reg, v.Expr)
		if looksAt(v.Expr, func(r Register) bool { return r == o.reg }) {
			v.Expr = o.reg
		}
	}
	return v
}

// assign writes as a side effect of an expression. If late is set, the value of the expression does
// not wait for the write.
func (l *lowerer) assign(at Place, o object, v value, late bool) value {
	v = l.write(at, o, v)
	if late && (o.reg != None || o.addr != nil && !o.isObject()) {
		l.pend()
	}
	return v
}

// list evaluates expressions one after the other, with a sequence point after each but the last
// (C11, 6.5.17p2).
func (l *lowerer) list(list *syntax.List) value {
	v := zero()
	for i, e := range list.Exprs {
		since := len(l.pending)
		if v = l.expression(e); i < len(list.Exprs)-1 {
			l.sequencePoint(since)
		}
	}
	return v
}

// expression evaluates an expression.
func (l *lowerer) expression(e *syntax.Expr) value {
	switch {
	case e.Then != nil:
		return l.conditional(e)
	case e.Op == "":
		return l.tree(e, e.Tree())
	}
	return l.assignment(e)
}

// scaled returns what a read-modify-write of an object computes with: an address counts in
// elements.
func (l *lowerer) scaled(v value, of Type) value {
	v, counts := l.convert(v, of), of.Pointers > 0 && v.Pointers == 0
	if counts {
		v.Expr = Operation{arith.Mul, arith.S64, []Expr{v.Expr, Constant(event.Int(event.ElemSize))}}
	}
	return v
}

// fetchOperators are the operators of atomic objects (C++, [atomics.types.int]).
var fetchOperators = map[string]arith.Op{"+": arith.Add, "-": arith.Sub, "&": arith.And, "|": arith.Or, "^": arith.Xor}

// update emits a read-modify-write of an object and returns what it read.
func (l *lowerer) update(at Place, o object, v value, op arith.Op, exchange bool, a Access) value {
	dst := l.temporary(o.Type)
	l.emit(&Update{at, a, dst, o.addr, v.Expr, op, exchange})
	return newValue(dst, valueType(o.Type))
}

// conditional lowers c ? x : y.
func (l *lowerer) conditional(e *syntax.Expr) value {
	since := len(l.pending)
	cond := l.tree(e, e.Tree())
	l.sequencePoint(since)
	if l.pure(func() { l.list(e.Then); l.expression(e.Else) }) {
		x, y := l.list(e.Then), l.expression(e.Else)
		t := l.commonType(x, y)
		x, y = l.convert(x, t), l.convert(y, t)
		return newValue(Operation{arith.Select, t.Holds(), []Expr{x.Expr, y.Expr, cond.Expr}}, t)
	}
	return l.choose(l.here(e), cond, func() value { return l.list(e.Then) }, func() value { return l.expression(e.Else) })
}

func (l *lowerer) commonType(x, y value) Type {
	switch {
	case x.Pointers > 0:
		return x.Type
	case y.Pointers > 0:
		return y.Type
	}
	return Type{Int: common(x.Int, y.Int)}
}

// choose evaluates one of two expressions.
func (l *lowerer) choose(at Place, cond value, then, otherwise func() value) value {
	b := &Branch{Place: at, Cond: cond.Expr}
	l.emit(b)
	x := then()
	dst := l.temporary(x.Type)
	l.set(at, dst, x.Expr)
	over := &Jump{Place: at}
	l.emit(over)
	b.Otherwise = l.pc()
	y := otherwise()
	l.set(at, dst, l.convert(y, x.Type).Expr)
	over.To = l.pc()
	return newValue(dst, x.Type)
}

// pure reports whether lower generates no instruction and no operation that may have no meaning. It
// undoes the effects of lower.
func (l *lowerer) pure(lower func()) bool {
	code, names, diags := len(l.thread.Code), len(l.thread.Names), len(l.diags)
	units, pending, divides := len(l.units), len(l.pending), l.divides
	l.divides = false
	lower()
	pure := len(l.thread.Code) == code && !l.divides
	l.divides = divides
	t := l.thread
	t.Code, t.Names, t.Types, t.Initial = t.Code[:code], t.Names[:names], t.Types[:names], t.Initial[:names]
	l.diags, l.units, l.pending = l.diags[:diags], l.units[:units], l.pending[:pending]
	return pure
}

// tree evaluates operands and binary operators.
func (l *lowerer) tree(at interface{ At(syntax.Source) src.Span }, t *syntax.Tree) value {
	switch t.Op {
	case "":
		return l.unary(t.Leaf)
	case "&&", "||":
		return l.shortCircuit(at, t)
	}
	from := l.mark()
	x := l.tree(at, t.X)
	mid := l.mark()
	y := l.tree(at, t.Y)
	here := l.here(at)
	x, y = l.orderValues(l.dialect.sequencing.binary(t.Op), here, x, y, from, mid)
	return l.compute(here, t.Op, x, y)
}

// shortCircuit lowers x && y or x || y: y is evaluated only if it matters. If that makes no
// difference, both are.
func (l *lowerer) shortCircuit(at interface{ At(syntax.Source) src.Span }, t *syntax.Tree) value {
	since := len(l.pending)
	x := l.truth(l.tree(at, t.X))
	l.sequencePoint(since)
	y := func() value { return l.truth(l.tree(at, t.Y)) }
	op := map[string]arith.Op{"&&": arith.And, "||": arith.Or}[t.Op]
	if l.pure(func() { y() }) {
		return newValue(Operation{op, arith.S32, []Expr{x.Expr, y().Expr}}, intType)
	}
	if t.Op == "&&" {
		return l.choose(l.here(at), x, y, zero)
	}
	return l.choose(l.here(at), x, func() value { return number(1, arith.S32) }, y)
}

// truth returns 1 if a value is not 0, and 0 otherwise.
func (l *lowerer) truth(v value) value {
	if o, ok := v.Expr.(Operation); ok && o.Op.Compares() {
		return v
	}
	return newValue(Operation{arith.Ne, v.Holds(), []Expr{v.Expr, Constant(event.Int(0))}}, intType)
}

// operators are the binary operators.
var operators = map[string]arith.Op{
	"*": arith.Mul, "/": arith.Div, "%": arith.Rem, "+": arith.Add, "-": arith.Sub, "<<": arith.Shl, ">>": arith.Shr,
	"<": arith.Lt, "<=": arith.Le, ">": arith.Gt, ">=": arith.Ge, "==": arith.Eq, "!=": arith.Ne,
	"&": arith.And, "^": arith.Xor, "|": arith.Or, "min": arith.Min, "max": arith.Max,
}

// compute lowers x op y, in the type that C gives it.
func (l *lowerer) compute(at Place, op string, x, y value) value {
	code := operators[op]
	if x.wrong || y.wrong {
		return mistake()
	}
	if x.Pointers > 0 || y.Pointers > 0 {
		return l.computeAddress(at, code, x, y)
	}
	t := Type{Int: common(x.Int, y.Int)}
	if code == arith.Shl || code == arith.Shr {
		t.Int = promoted(x.Int)
	}
	l.divides = l.divides || code == arith.Div || code == arith.Rem
	x, y = l.convert(x, t), l.convert(y, t)
	result := t
	if code.Compares() {
		result = intType
	}
	return newValue(Operation{code, t.Int, []Expr{x.Expr, y.Expr}}, result)
}

// computeAddress lowers arithmetic with addresses, in elements.
func (l *lowerer) computeAddress(at Place, code arith.Op, x, y value) value {
	elements := func(v value) Expr {
		v = l.convert(v, Type{Int: arith.S64})
		return Operation{arith.Mul, arith.S64, []Expr{v.Expr, Constant(event.Int(event.ElemSize))}}
	}
	switch {
	case code.Compares():
		return newValue(Operation{code, arith.U64, []Expr{x.Expr, y.Expr}}, intType)
	case x.Pointers > 0 && y.Pointers > 0 && code == arith.Sub:
		bytes := Operation{code, arith.S64, []Expr{x.Expr, y.Expr}}
		return newValue(Operation{arith.Div, arith.S64, []Expr{bytes, Constant(event.Int(event.ElemSize))}}, Type{Int: arith.S64})
	case x.Pointers > 0 && y.Pointers == 0 && (code == arith.Add || code == arith.Sub):
		return newValue(Operation{code, arith.U64, []Expr{x.Expr, elements(y)}}, x.Type)
	case y.Pointers > 0 && x.Pointers == 0 && code == arith.Add:
		return newValue(Operation{code, arith.U64, []Expr{y.Expr, elements(x)}}, y.Type)
	}
	l.diags.Errorf(l.thread.span(at), "this operator has no meaning for addresses").
		WithHint("addresses can be compared, and have integers added; * reads what is there")
	return mistake()
}

// convert returns a value as one of type t (C11, 6.3.1.3).
func (l *lowerer) convert(v value, t Type) value {
	from, to := v.Holds(), t.Holds()
	x := v.Expr
	switch {
	case v.Pointers > 0 || t.Pointers > 0 || x == nil:
	case to.Bits == 1:
		x = l.truth(v).Expr
	case to.Bits > from.Bits && !from.Signed && from.Bits > 1:
		x = Operation{arith.Extend, from, []Expr{x}}
		if to.Bits < 64 {
			x = Operation{arith.Wrap, to, []Expr{x}}
		}
	case to.Bits < from.Bits:
		x = Operation{arith.Wrap, to, []Expr{x}}
	}
	t.Reference = false
	return value{x, valueType(t), v.local, v.wrong}
}

// rvalue checks that a value can become one of type t.
func (l *lowerer) rvalue(n interface{ At(syntax.Source) src.Span }, v value, t Type) value {
	c, isConstant := v.Expr.(Constant)
	null := isConstant && event.Value(c) == event.Int(0)
	if v.wrong {
		return v
	}
	if v.local != None {
		l.errorf(n, "this is the address of a variable of the thread").
			WithHint("only compare_exchange takes one; what threads share are parameters")
	} else if t.Pointers > 0 && v.Pointers == 0 && !null && t.Int.Bits != 0 && v.Int.Bits < 64 {
		l.errorf(n, "this is an integer, and an address belongs here")
	}
	return v
}

func (l *lowerer) unary(u *syntax.Unary) value {
	switch {
	case u.Cast != nil:
		return l.cast(u.Cast.Type, l.unary(u.Cast.X))
	case u.Op == "&":
		return l.addressOf(u)
	case u.Op == "++" || u.Op == "--":
		o, ok := l.object(u.X)
		if !ok {
			return mistake()
		}
		return l.change(l.here(u), o, u.Op[:1], number(1, arith.S32), false)
	case u.Op == "" || u.Op == "*":
		o, ok := l.object(u)
		if !ok {
			return mistake()
		}
		return l.read(l.here(u), o)
	}
	v := l.unary(u.X)
	t := Type{Int: promoted(v.Int)}
	switch v = l.promote(v, t); u.Op {
	case "-":
		return newValue(Operation{arith.Sub, t.Int, []Expr{Constant(event.Int(0)), v.Expr}}, t)
	case "~":
		return newValue(Operation{arith.Xor, t.Int, []Expr{v.Expr, Constant(event.Int(-1))}}, t)
	case "!":
		return newValue(Operation{arith.Eq, v.Holds(), []Expr{v.Expr, Constant(event.Int(0))}}, intType)
	}
	return v
}

// promote returns a value as operand of a unary operator.
func (l *lowerer) promote(v value, t Type) value {
	if v.Pointers > 0 {
		return v
	}
	return l.convert(v, t)
}

// cast lowers (type) v.
func (l *lowerer) cast(t *syntax.Type, v value) value {
	to := l.resolveType(t)
	if to.Pointers > 0 && to.Spaces == 0 {
		to.Spaces = v.Spaces
	}
	return l.convert(v, to)
}

// addressOf lowers &x.
func (l *lowerer) addressOf(u *syntax.Unary) value {
	o, ok := l.object(u.X)
	switch {
	case !ok:
	case o.addr != nil:
		return newValue(o.addr, o.pointer())
	case o.reg != None:
		return value{o.reg, o.pointer(), o.reg, false}
	default:
		l.errorf(u, "this has no address")
	}
	return mistake()
}

// lvalue returns the object that an expression stands for.
func (l *lowerer) lvalue(e *syntax.Expr) (object, bool) {
	if u := e.Unary(); u != nil {
		return l.object(u)
	}
	return ofValue(l.expression(e)), true
}

// object returns what a unary expression stands for.
func (l *lowerer) object(u *syntax.Unary) (object, bool) {
	switch {
	case u.Op == "*":
		return l.dereference(u, l.unary(u.X))
	case u.Postfix != nil:
		return l.postfix(u.Postfix)
	}
	return ofValue(l.unary(u)), true
}

// dereference is *v.
func (l *lowerer) dereference(n interface{ At(syntax.Source) src.Span }, v value) (object, bool) {
	switch {
	case v.wrong:
		return object{}, false
	case v.local != None:
		return object{reg: v.local, Type: v.pointee()}, true
	case v.Pointers == 0:
		l.errorf(n, "this is no address, so * has no meaning").WithHint("parameters of threads are pointers: int* x")
		return object{}, false
	}
	return object{reg: None, addr: v.Expr, Type: v.pointee()}, true
}
