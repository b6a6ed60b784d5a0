package ptx

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// operation is an operation of atom and red.
type operation struct {
	types       string // in the manual's spelling; "" if the manual does not have it
	least, most int    // operands after the address
	returns     bool   // only atom has it
}

// operations are the operations of litmus tests and of the manual (PTX ISA, "atom", "red"). The
// manual has neither sub nor inc and dec without a bound, which are in Table 5 of the paper.
var operations = map[isa.Update]operation{
	isa.UpdateCas:  {types: "b16 b32 b64 b128", least: 2, most: 2, returns: true},
	isa.UpdateExch: {types: "b32 b64 b128", least: 1, most: 1, returns: true},
	isa.UpdateAnd:  {types: "b32 b64", least: 1, most: 1},
	isa.UpdateOr:   {types: "b32 b64", least: 1, most: 1},
	isa.UpdateXor:  {types: "b32 b64", least: 1, most: 1},
	isa.UpdateAdd:  {types: "u32 s32 u64 f32 f64 " + halfTypes, least: 1, most: 1},
	isa.UpdateSub:  {least: 1, most: 1},
	isa.UpdateMin:  {types: "u32 s32 u64 s64 " + halfTypes, least: 1, most: 1},
	isa.UpdateMax:  {types: "u32 s32 u64 s64 " + halfTypes, least: 1, most: 1},
	isa.UpdateInc:  {types: "u32", least: 0, most: 1},
	isa.UpdateDec:  {types: "u32", least: 0, most: 1},
}

// halfTypes are the types of two bytes a number.
const halfTypes = "f16 bf16 f16x2 bf16x2"

// redOrders are the orders of red: it returns nothing that could be acquired (PTX ISA, "red").
var redOrders = []event.Order{event.Relaxed, event.Release}

// manual reports whether in is in the manual's spelling rather than in that of litmus tests, which
// has a bare location and no type. Litmus tests also have more instructions.
func (in *Instr) manual() bool {
	return in.Op.Dialect != isa.Litmus2015 && (in.Op.Says(isa.TypeMod) || in.Addr != nil && !in.Addr.Bare)
}

// checkAtomic checks the requirements of the operation of an atomic.
func checkAtomic(in *Instr) *src.Diagnostic {
	name := in.Op.Update
	if name == isa.NoUpdate || in.Op.Class() == isa.ClassBarrier {
		return nil
	}
	op := operations[name]
	if in.manual() && op.most > 0 {
		op.least = op.most
	}
	switch n := len(in.Srcs) / max(1, in.Op.Vector); {
	case op.returns && in.Dst == nil:
		return src.Errorf(in.At, "%s has no operation .%s", in.name, name).WithHint("it returns nothing: use atom.%s", name)
	case n < op.least || n > op.most:
		return src.Errorf(in.At, "%s.%s takes %d %s after the address, not %d", in.name, name, op.most, plural("operand", op.most), n)
	case !in.manual():
		return nil
	}
	return in.checkListed(op)
}

// checkListed checks that the manual has an atomic.
func (in *Instr) checkListed(op operation) *src.Diagnostic {
	if in.Dst == nil && !slices.Contains(redOrders, in.Order()) {
		return src.Errorf(in.modifier(isa.OrderMod), "PTX has no red.%s", in.Order()).
			WithHint("it returns nothing that could be acquired: use atom.%s", in.Order())
	}
	at := in.modifier(isa.TypeMod)
	if op.types == "" {
		return src.Errorf(in.modifier(isa.AtomMod), "PTX has no %s.%s", in.name, in.Op.Update).
			WithHint("add the negative, or write it as litmus tests do, without type and brackets")
	}
	if at.Valid() && !slices.Contains(strings.Fields(op.types), at.Text()[1:]) {
		return src.Errorf(at, "PTX has no %s.%s%s", in.name, in.Op.Update, at.Text()).
			WithHint("%s.%s takes %s", in.name, in.Op.Update, dotted(op.types))
	}
	return nil
}

// checkArithmetic checks what else the manual asks of arithmetic: the sign of numbers that are
// compared for more than equality, and which half of a product (PTX ISA, "setp", "mul").
func checkArithmetic(in *Instr) *src.Diagnostic {
	typ, cmp := in.modifier(isa.TypeMod), in.modifier(isa.CmpMod)
	switch {
	case cmp.Valid() && comparesUnsigned[cmp.Text()] && (!typ.Valid() || typ.Text()[1] != 'u'):
		return src.Errorf(cmp, "%s is about unsigned numbers", cmp.Text()).WithHint("give it a type: %s%s.u32", in.name, cmp.Text())
	case !in.manual():
		return nil
	case in.Op.TypeCount() == 2 && len(in.Op.Types) == 1:
		return src.Errorf(typ, "%s needs two types", in.name).WithHint("%s", twoTypes[in.Op.Code])
	case in.Op.Code == isa.Set && in.Type(0).Bits == 16:
		return src.Errorf(typ, "PTX has no %s", in.Opcode).WithHint("the result of comparing integers is .u32 or .s32")
	case (in.Op.Saturate && in.Op.Code != isa.Cvt || in.Op.Relu) && typ.Valid() && typ.Text() != ".s32":
		return src.Errorf(typ, "PTX has no %s", in.Opcode).WithHint("only .s32 has .sat and .relu")
	case in.Op.Saturate && in.Op.Takes(isa.HalfMod) && in.Op.Half != isa.High:
		return src.Errorf(in.modifier(isa.SatMod), "PTX has no %s", in.Opcode).WithHint("write %s.hi.sat.s32", in.name)
	case typ.Valid() && in.Op.Cmp >= isa.Lt && typ.Text()[1] == 'b':
		return src.Errorf(typ, "PTX has no setp.%s%s", in.Op.Cmp, typ.Text()).WithHint("say which numbers the bits are: .u32, .s32, .u64 or .s64")
	case in.Op.Takes(isa.HalfMod) && in.Op.Half == isa.NoHalf:
		return src.Errorf(typ, "PTX has no %s%s", in.name, typ.Text()).WithHint("write %s.lo%s", in.name, typ.Text())
	case in.Op.Half == isa.Wide && (in.Op.SetsCarry || in.Op.TakesCarry()):
		return src.Errorf(in.modifier(isa.HalfMod), "PTX has no %s", in.Opcode).WithHint("write .lo and .hi")
	case in.Op.SetsCarry && narrow(in.Type(0)):
		return src.Errorf(typ, "PTX has no %s", in.Opcode).WithHint("a carry comes from 32 or 64 bits")
	case in.Op.SetsCarry && in.Op.Saturate:
		return src.Errorf(in.modifier(isa.SatMod), "PTX has no %s", in.Opcode).WithHint("what is bounded has no carry")
	case in.Op.Half == isa.Wide && in.Type(0).Bits == 64:
		return src.Errorf(typ, "PTX has no %s.wide%s", in.name, typ.Text()).WithHint("a wide product has at most 64 bits")
	}
	return nil
}

// comparesUnsigned are the comparisons that only unsigned numbers have.
var comparesUnsigned = map[string]bool{".lo": true, ".ls": true, ".hi": true, ".hs": true}

// twoTypes are the meanings of the types of instructions with two types.
var twoTypes = map[isa.Code]string{
	isa.Cvt:  "first that of the result, then that of the source: cvt.u64.u32",
	isa.Set:  "first that of the result, then that of what is compared: set.lt.u32.s32",
	isa.Slct: "first that of the result, then that of the number whose sign decides: slct.u32.s32",
	isa.Dp4a: "those of the numbers in the first and in the second operand: dp4a.u32.u32",
	isa.Dp2a: "those of the numbers in the first and in the second operand: dp2a.lo.u32.u32",
}

// dotted lists modifiers as they are written.
func dotted(names string) string { return "." + strings.ReplaceAll(names, " ", " .") }

func plural(thing string, n int) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}
