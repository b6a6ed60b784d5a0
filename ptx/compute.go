package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// compile completes Op with what operands and defaults say, and finds the formula of an instruction
// that only computes.
func (in *Instr) compile() {
	if in.Op.Code == isa.Lop3 {
		last := len(in.Srcs) - 1
		in.Op.Table, in.Srcs = uint8(in.Srcs[last].Int), in.Srcs[:last]
	}
	if in.Op.SetsCarry {
		in.More = []Operand{{Text: carry, At: in.At}}
	}
	if in.Op.TakesCarry() {
		in.Srcs = append(in.Srcs, Operand{Text: carry, At: in.At})
	}
	typed := in.Op
	typed.Types = make([]isa.Type, in.Op.TypeCount())
	for i := range typed.Types {
		typed.Types[i] = isa.TypeOf(in.Type(i))
	}
	op := &typed
	if in.Packs && in.Vector == nil {
		in.formula = op.Join(len(in.Srcs))
		return
	}
	switch {
	case op.Code == isa.Ld && in.Addr == nil:
		op.Code = isa.Mov // in the spelling of litmus tests
	case op.Code == isa.Bra && op.Cmp != isa.NoComparison:
		op.Code, op.Types = isa.Setp, []isa.Type{isa.TypeOf(arith.S32)}
	}
	switch op.Class() {
	case isa.ClassArithmetic, isa.ClassConvert, isa.ClassMove, isa.ClassAddress:
		in.formula, _ = op.Formula() // checkArithmetic reports what has none
	}
}

// carry is the register of the carry, CC.CF, which no instruction names (PTX ISA,
// "Extended-Precision Integer Arithmetic Instructions"). Its name contains a space, so no register
// of a test can have it.
const carry = "the carry"

// Class returns the kind of instruction.
func (in *Instr) Class() isa.Class {
	if in.Op.Code == isa.Ld && in.formula != nil {
		return isa.ClassMove
	}
	return in.Op.Class()
}

// Formula returns the formula by which the instruction computes, or nil if it does something else.
func (in *Instr) Formula() *isa.Formula { return in.formula }

// expressions is the domain of formulas that are computed on a path, at an instruction.
type expressions struct {
	*walk
	in *Instr
}

// Const returns an integer.
func (expressions) Const(i int64, _ Type) event.Expr { return event.Const(event.Int(i)) }

// Apply computes an operation.
func (x expressions) Apply(op arith.Op, t Type, args ...event.Expr) (event.Expr, error) {
	return x.apply(x.in, op, t, args...)
}

// Opaque is not called: floating-point numbers are bits here.
func (x expressions) Opaque(*isa.Opcode, Type, ...event.Expr) (event.Expr, error) {
	return nil, src.Errorf(x.in.At, "muster does not simulate floating-point arithmetic")
}

// apply computes an operation of the instruction in; an error points at it.
func (w *walk) apply(in *Instr, op arith.Op, t Type, args ...event.Expr) (event.Expr, error) {
	x, err := event.Apply(op, t, args...)
	if err != nil {
		return nil, src.Errorf(in.At, "%v", err)
	}
	w.Note(x, false)
	return x, nil
}

// result returns the type of what an instruction gives its destination.
func (in *Instr) result() Type {
	if in.formula != nil {
		return in.formula.Results[0].Type
	}
	return in.Type(0)
}

// narrow reports whether a type has fewer bits than most registers.
func narrow(t Type) bool { return 1 < t.Bits && t.Bits < 32 }

// whole returns a value of type t as a register holds it: a narrow one fills the register, with
// zeros or with its sign (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
func (w *walk) whole(in *Instr, t Type, x event.Expr) (event.Expr, error) {
	if narrow(t) {
		return w.apply(in, arith.Extend, t, x)
	}
	return w.apply(in, arith.Wrap, t, x)
}

// stored returns a value as memory holds it: narrow values are unsigned, whatever type reads them.
func (w *walk) stored(in *Instr, x event.Expr) (event.Expr, error) {
	return w.whole(in, unsigned(in.Type(0)), x)
}

// unsigned returns a type whose bits are read without a sign.
func unsigned(t Type) Type { return Type{Bits: t.Bits} }
