package toptx

import (
	"fmt"
	"strconv"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/event"
)

// opcodes are the instructions that compute, with %s for their types.
var opcodes = map[arith.Op]struct {
	opcode string
	bits   bool // they read no sign, and are of type .b32 or .b64
}{
	arith.Add: {"add", false}, arith.Sub: {"sub", false}, arith.Mul: {"mul.lo", false}, arith.Div: {"div", false}, arith.Rem: {"rem", false},
	arith.And: {"and", true}, arith.Or: {"or", true}, arith.Xor: {"xor", true}, arith.Shl: {"shl", true}, arith.Shr: {"shr", false},
	arith.Min: {"min", false}, arith.Max: {"max", false},
}

// opposite is the comparison that holds if another does not.
var opposite = map[arith.Op]arith.Op{
	arith.Eq: arith.Ne, arith.Ne: arith.Eq, arith.Lt: arith.Ge, arith.Ge: arith.Lt, arith.Le: arith.Gt, arith.Gt: arith.Le,
}

// inRegister returns the type in which a register of PTX holds a value.
func inRegister(t arith.Type) arith.Type {
	if t.Bits < 32 {
		return arith.S32
	}
	return t
}

// signed returns the modifier for a type. It is empty for .s32, the default in tests.
func signed(t arith.Type) string {
	t = inRegister(t)
	if t == arith.S32 {
		return ""
	}
	return "." + typeName(t)
}

// typeName returns a type as modifiers name it.
func typeName(t arith.Type) string {
	if t.Signed {
		return fmt.Sprintf("s%d", t.Bits)
	}
	return fmt.Sprintf("u%d", t.Bits)
}

// unsigned returns the modifier for a type, where its sign makes no difference.
func unsigned(t arith.Type) string {
	if inRegister(t).Bits == 32 {
		return ""
	}
	return ".b64"
}

// holds returns the type of what a register holds.
func (c *column) holds(r clike.Register) arith.Type {
	if t := c.Types[r]; !t.Reference {
		return inRegister(t.Holds())
	}
	return arith.U64 // the address of the object that it stands for
}

// typeOf returns the type of an expression.
func (c *column) typeOf(x clike.Expr) arith.Type {
	switch x := x.(type) {
	case clike.Register:
		return c.holds(x)
	case clike.Operation:
		switch {
		case x.Op.Compares():
			return arith.S32
		case x.Op == arith.Extend:
			return arith.S64
		}
		return inRegister(x.Type)
	}
	return arith.S32
}

// value returns an expression as an operand: a constant, a location, or a register that holds it.
func (c *column) value(x clike.Expr) string {
	if v, ok := c.constant(x); ok {
		return c.constantValue(v)
	}
	if r, ok := x.(clike.Register); ok {
		return c.name(r)
	}
	to := c.scratch()
	c.compute(to, x.(clike.Operation))
	return to
}

// constantValue returns a constant as an operand.
func (c *column) constantValue(v event.Value) string {
	if !v.IsAddress() {
		return strconv.FormatInt(v.Int, 10)
	}
	at := c.Value(event.AddressOf(v.Base))
	offset := v.Int + at.Int
	if offset == 0 {
		return at.Loc
	}
	to := c.scratch()
	c.row("mov.u64 %s, %s", to, at.Loc)
	c.row("add.u64 %s, %s, %d", to, to, offset)
	return to
}

// assign sets a variable. It does nothing if the variable is replaced by a constant, or if an
// earlier instruction has set the variable directly.
func (c *column) assign(in *clike.Assign) {
	if _, constant := c.constant(in.Dst); constant {
		return
	}
	if t, ok := in.X.(clike.Register); ok {
		if to, ok := c.direct[t]; ok && to == in.Dst {
			return
		}
	}
	_, constant := c.constant(in.X)
	if o, ok := in.X.(clike.Operation); ok && !constant {
		c.compute(c.name(in.Dst), o)
		return
	}
	x := c.value(in.X)
	c.row("mov%s %s, %s", signed(c.holds(in.Dst)), c.name(in.Dst), x)
}

// compute writes the instructions of an operation. The last instruction sets a register.
func (c *column) compute(to string, o clike.Operation) {
	switch {
	case o.Op.Compares():
		p := c.condition(o, false)
		c.row("selp %s, 1, 0, %s", to, p)
		return
	case o.Op == arith.Select:
		x, y := c.value(o.Args[0]), c.value(o.Args[1])
		c.row("selp%s %s, %s, %s, %s", unsigned(o.Type), to, x, y, c.condition(o.Args[2], false))
		return
	case o.Op == arith.Wrap, o.Op == arith.Extend:
		c.convert(to, o)
		return
	}
	op, known := opcodes[o.Op]
	if !known {
		c.refuse(c.at, "the operation "+o.Op.String(), "")
		return
	}
	suffix := signed(o.Type)
	if op.bits {
		suffix = fmt.Sprintf(".b%d", inRegister(o.Type).Bits)
	}
	x, y := c.value(o.Args[0]), c.value(o.Args[1])
	c.row("%s%s %s, %s, %s", op.opcode, suffix, to, x, y)
}

// convert writes a conversion between integers.
func (c *column) convert(to string, o clike.Operation) {
	x := o.Args[0]
	as, of := o.Type, c.typeOf(x)
	if o.Op == arith.Extend {
		as, of = arith.Type{Bits: 64}, o.Type
	}
	c.row("cvt.%s.%s %s, %s", typeName(as), typeName(of), to, c.value(x))
}

// condition writes the test of a condition into a predicate register, or of its opposite.
func (c *column) condition(x clike.Expr, not bool) string {
	op, args, t := arith.Ne, []clike.Expr{x, clike.Constant(event.Int(0))}, c.typeOf(x)
	if o, ok := x.(clike.Operation); ok && o.Op.Compares() {
		op, args, t = o.Op, o.Args, o.Type
	}
	if not {
		op = opposite[op]
	}
	a, b := c.value(args[0]), c.value(args[1])
	p := c.predicate()
	c.row("setp.%s%s %s, %s, %s", op, signed(t), p, a, b)
	return p
}
