// Package ptx gives PTX instructions their meaning: the cells of a litmus test
// become instructions, and each control path of a thread becomes events with
// dependencies (ASPLOS 2015, Sec. 2.3 and 5.1.2; PTX ISA, "Instruction Set").
//
//	Program  a test ready to be enumerated: parsed, resolved and checked
//	Instr    one instruction: opcode, modifiers, operands, guard
//	Mods     the dot-suffixes of an opcode
//	Type     a PTX type; 32-bit values are kept sign-extended
//
// Two dialects share all of this: GPU_PTX, the PTX of the paper, and PTX, with orders,
// scopes, proxies and barriers (since PTX ISA 6.0).
//
// Cell text → Instr (lex.go, parse.go, by the tables of dialects.go, opcodes.go, manual.go, forms.go and refused.go) → names
// resolved (resolve.go, special.go) and checked (checks.go, manual.go, barriers.go) → one event.Path per control path
// (unwind.go, steps.go, compute.go, barriers.go) → one event.Structure per choice of paths that
// agree on their barriers (program.go, meet.go).
package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Instr is an instruction of one thread.
type Instr struct {
	At       src.Span
	Opcode   string // as written: "ld.cg.s32"
	Op       isa.Opcode
	Guard    *Guard // nil if unconditional
	Mods     Mods
	Dst      *Operand  // nil if the instruction sets no register
	More     []Operand // of an instruction that sets several, the others
	Addr     *Operand  // nil if it accesses no memory
	Srcs     []Operand
	Vector   []Operand // of a vector access, the registers in braces
	Vote     *Operand  // the predicate of a barrier that reduces those of its threads
	Packs    bool      // mov makes one value of several, or takes a part of one
	Element  int       // of a scalar access that a vector access was taken apart into, its number
	Places   []Operand // of an instruction with a form, its addresses
	Target   *Operand  // of a branch
	TargetPC int       // index of the instruction that Target labels

	name    string   // without modifiers: "ld"
	typ     isa.Type // of an atomic, as it is written; the zero Type if it is not
	op      *opcode
	form    *form             // of an instruction that has several addresses or state spaces; else nil
	words   map[string]string // of that, the suffixes by the slots of the form
	formula *isa.Formula      // of what only computes
	plain   bool              // has no modifiers but types
	written []src.Span        // the modifiers

	inVector int64 // of an element of a vector, its distance from the first
}

// sets is the registers that the instruction sets.
func (in *Instr) sets() []Operand {
	if in.Dst == nil {
		return in.More
	}
	return append([]Operand{*in.Dst}, in.More...)
}

// modifier is where the last modifier of a class is written, with its dot; nowhere if there
// is none.
func (in *Instr) modifier(c class) (at src.Span) {
	for _, m := range in.written {
		if said, _ := in.op.modifier(m.Text()[1:]); said.class == c {
			at = m
		}
	}
	return at
}

// Guard is @p or @!p.
type Guard struct {
	Reg     Operand
	Negated bool
}

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operand. A name is resolved to a register or to a location.
const (
	Name OperandKind = iota
	Immediate
	Register
	Location
)

// Operand is a register, a constant, the address of a location, or a label. Within
// brackets, Offset is added to it.
type Operand struct {
	Kind   OperandKind
	Text   string // name of a register, location or label
	Int    int64  // of an Immediate
	Offset int64
	Bare   bool      // an address without brackets
	Not    bool      // of a predicate, with ! before it
	Role   string    // of an instruction with a form, which of its operands this is
	Loc    event.Loc // of a Location
	At     src.Span
}

// Mods are the modifiers of an opcode.
type Mods struct {
	Space    Space
	Cache    CacheOp
	Volatile bool
	MMIO     bool
	ReadOnly bool // ld.global.nc
	Order    event.Order
	Scope    event.Scope
	Types    []Type
	Vector   int  // how many elements; 0 for a scalar
	Policy   bool // the last operand is a cache policy

	ProxyFence bool
	Proxy      Proxy // of a proxy fence
}

// Space is a state space.
type Space uint8

// The state spaces; generic addressing finds the space from the address.
const (
	Generic Space = iota
	Global
	Shared
	Constant
	Param // of the kernel
	Local // to the thread
)

// Type is a type of PTX (PTX ISA, "Fundamental Types"): .s32 and kin, or .pred.
type Type = arith.Type

// Size is how many bits an access has of a location: those of its type, of which arithmetic may know less. Atomics of several numbers change 32 bits, or parts of them.
func (in *Instr) Size() int {
	if in.numbers() != nil {
		return wordBits
	}
	if at := in.modifier(typeMod); at.Valid() && at.Text() == ".b128" {
		return 128
	}
	return in.Type(0).Bits
}

// Type returns the i-th type of the instruction, .s32 if it is left out.
func (in *Instr) Type(i int) Type {
	if i < len(in.Mods.Types) {
		return in.Mods.Types[i]
	}
	return arith.S32
}

// Ends reports that the instruction ends the thread.
func (in *Instr) Ends() bool {
	class := in.Op.Class()
	return class == isa.ClassReturn || class == isa.ClassExit
}

// Proxy is the proxy of an access (PTX ISA, "Proxies").
func (in *Instr) Proxy() Proxy {
	if in.Mods.ReadOnly {
		return ProxyReadOnly
	}
	return in.op.proxy
}

// Sibling is the name of another instruction that accesses memory through the same proxy: of suatom,
// sust for isa.St. It is "" if there is none.
func (in *Instr) Sibling(code isa.Code) string {
	for name, op := range dialects()["PTX"].opcodes {
		if op.code == code && op.proxy == in.op.proxy {
			return name
		}
	}
	return ""
}
