// Package ptx gives PTX instructions their meaning: the cells of a litmus test
// become instructions, and each control path of a thread becomes events with
// dependencies (ASPLOS 2015, Sec. 2.3 and 5.1.2; PTX ISA, "Instruction Set").
//
//	Program  a test ready to be enumerated: parsed, resolved and checked
//	Instr    one instruction: opcode, modifiers, operands, guard
//	Type     a PTX type; 32-bit values are kept sign-extended
//
// Two dialects share all of this: GPU_PTX, the PTX of the paper, and PTX, with orders,
// scopes, proxies and barriers (since PTX ISA 6.0).
//
// Cell text → Instr (lex.go, parse.go, by the table of isa, forms.go, manual.go and refused.go) →
// names resolved (resolve.go, special.go) and checked (checks.go, manual.go, barriers.go) → one
// event.Path per control path (walk.go, steps.go, compute.go, barriers.go) → one event.Structure
// per choice of paths that agree on their barriers (packages path and barrier).
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
	Opcode   string     // as written: "ld.cg.s32"
	Op       isa.Opcode // taken apart
	Guard    *Guard     // nil if unconditional
	Dst      *Operand   // nil if the instruction sets no register
	More     []Operand  // of an instruction that sets several, the others
	Addr     *Operand   // nil if it accesses no memory
	Srcs     []Operand
	Vector   []Operand // of a vector access, the registers in braces
	Vote     *Operand  // the predicate of a barrier that reduces those of its threads
	Packs    bool      // mov makes one value of several, or takes a part of one
	Element  int       // of a scalar access that a vector access was taken apart into, its number
	Places   []Operand // of an instruction with a form, its addresses
	Target   *Operand  // of a branch
	TargetPC int       // index of the instruction that Target labels

	name    string       // without modifiers: "ld"
	page    page         // of an instruction with a form
	formula *isa.Formula // of what only computes

	inVector int64 // of an element of a vector, its distance from the first
}

// sets returns the registers that the instruction sets.
func (in *Instr) sets() []Operand {
	if in.Dst == nil {
		return in.More
	}
	return append([]Operand{*in.Dst}, in.More...)
}

// modifier returns the span of the last modifier of a group, with its dot, or the zero span.
func (in *Instr) modifier(g isa.Group) src.Span {
	start, end, ok := in.Op.Where(g)
	if !ok {
		return src.Span{}
	}
	return in.At.Sub(start-1, end)
}

// Order returns the order of an access or a fence: the one that it names, or that it has by
// default.
func (in *Instr) Order() event.Order { return event.Order(in.Op.Order) }

// Scope returns the scope of an access or a fence: the one that it names, or that it has by
// default.
func (in *Instr) Scope() event.Scope { return scopes[in.Op.Scope] }

// scopes are the scopes of events. Orders have the same numbers in both packages.
var scopes = [...]event.Scope{
	isa.ScopeCTA: event.ScopeCTA, isa.ScopeCluster: event.ScopeCluster, isa.ScopeGPU: event.ScopeGPU, isa.ScopeSys: event.ScopeSys,
}

// Cache returns the cache operator of an access.
func (in *Instr) Cache() CacheOp { return cacheOps[in.Op.Cache] }

// Guard is @p or @!p.
type Guard struct {
	Reg     Operand
	Negated bool
}

// OperandKind is the kind of an operand.
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

// Type is a type of PTX (PTX ISA, "Fundamental Types"): .s32 and kin, or .pred.
type Type = arith.Type

// Size returns the number of bits that an access has: the size of its type, which may exceed the 64
// bits of arithmetic. Atomics of several numbers access 32 bits, or parts of them.
func (in *Instr) Size() int {
	if in.numbers() != nil {
		return wordBits
	}
	if in.Op.Says(isa.TypeMod) {
		return in.Op.Type(0).Bits
	}
	return in.Type(0).Bits
}

// Type returns the i-th type of the instruction, or .s32 if it is left out. Types of 128 bits keep
// their low 64: no instruction sets the others.
func (in *Instr) Type(i int) Type {
	if i >= len(in.Op.Types) {
		return arith.S32
	}
	t := in.Op.Types[i].Int()
	t.Bits = min(t.Bits, 64)
	return t
}

// Ends reports whether the instruction ends the thread.
func (in *Instr) Ends() bool {
	class := in.Op.Class()
	return class == isa.ClassReturn || class == isa.ClassExit
}

// Proxy returns the proxy of an access (PTX ISA, "Proxies"). For anything else, fences included, it
// returns ProxyGeneric.
func (in *Instr) Proxy() isa.Proxy {
	switch {
	case in.Op.Constant:
		return isa.ProxyReadOnly
	case in.Op.ProxyFence:
		return isa.ProxyGeneric
	}
	return in.Op.Proxy
}

// Sibling returns the name of the instruction with the given code that accesses memory through the
// same proxy, or "". From suatom, isa.St leads to sust.
func (in *Instr) Sibling(code isa.Code) string { return isa.Through(code, in.Op.Proxy) }
