// Package isa is the instruction set of PTX as data: what an opcode says, and what the instructions
// that compute do with their operands (PTX ISA, "Instruction Set").
//
//	Dialect  who writes the opcode: compilers, or litmus tests; Decode takes a dialect
//	Opcode   an opcode taken apart: Code, types, modifiers
//	Form     how an instruction is written that has a page of its own, such as cp.async.bulk
//	Code     which instruction it is, without its modifiers
//	Class    what kind of instruction that is: an access, a fence, a branch, arithmetic …
//	Effect   what is known of an instruction without a formula and a class of its own
//	Formula  what an instruction computes, as operations of arith one after the other
//	Domain   a kind of values that formulas can be applied to: numbers, expressions, terms
//	Machine  a thread that executes instructions; Execute says in which order it does what
//
// The instructions are the rows of two tables: table.go has those of the common pattern, pages.go
// those with a form. A stepper of PTX asks for the class of an instruction, never for its name.
// What an instruction computes is written once, here, independent of the kind of values: Apply
// computes it over any Domain. A stepper adds what happens in memory and between threads.
package isa

import "slices"

// Class is a kind of instruction.
type Class uint8

// The classes.
const (
	ClassAccess     Class = iota // loads and stores
	ClassAtomic                  // atom and red; the formula says what they write
	ClassFence                   // membar and fence
	ClassBarrier                 // bar and barrier
	ClassWarp                    // exchanges within a warp
	ClassBranch                  // bra and brx
	ClassCall                    // call
	ClassReturn                  // ret
	ClassExit                    // exit
	ClassTrap                    // trap and brkpt
	ClassArithmetic              // on integers and predicates; comparison and selection too
	ClassConvert                 // cvt between integers
	ClassMove                    // mov
	ClassAddress                 // cvta and isspacep, which look at the window of a state space
	ClassFloat                   // on floating-point numbers, in whole or in part
	ClassHint                    // what changes no value: prefetch, nanosleep …
	ClassOther                   // what has no meaning here: matrices, textures, asynchronous copies …

	numClasses
)

var classNames = [numClasses]string{
	"access", "atomic", "fence", "barrier", "warp", "branch", "call", "return", "exit", "trap",
	"arithmetic", "convert", "move", "address", "float", "hint", "other",
}

func (c Class) String() string { return classNames[c] }

// Code is an instruction without its modifiers.
type Code uint8

// The instructions that have a class of their own; others (Other) share codes named after their
// chapters in the manual.
const (
	None Code = iota

	Ld
	Ldu
	St
	Atom
	Red
	Membar
	Fence
	Bar
	Barrier
	Shfl
	Vote
	Match
	Redux
	Activemask
	Elect
	Bra
	Brx
	Call
	Ret
	Exit
	Trap
	Brkpt

	Mov
	Cvt
	Cvta
	Isspacep

	Add
	Addc
	Sub
	Subc
	Mul
	Mad
	Madc
	Mul24
	Mad24
	Dp4a
	Dp2a
	Div
	Rem
	Min
	Max
	Abs
	Neg
	Sad
	And
	Or
	Xor
	Not
	Cnot
	Lop3
	Shl
	Shr
	Shf
	Prmt
	Bfe
	Bfi
	Bfind
	Brev
	Clz
	Popc
	Fns
	Bmsk
	Szext
	Setp
	Set
	Selp
	Slct

	Fma
	Rcp
	Sqrt
	Rsqrt
	Sin
	Cos
	Lg2
	Ex2
	Tanh
	Testp
	Copysign

	Prefetch
	Prefetchu
	Applypriority
	Discard
	Nanosleep
	Pmevent

	Texture
	Surface
	Async
	Matrix
	Packed
	Stack
	Launch
	Cluster
	Createpolicy

	numCodes
)

// String returns the name of the instruction in PTX.
func (c Code) String() string { return c.row().names }

// Class returns the kind of instruction, whatever its types.
func (c Code) Class() Class { return c.row().class }

// row returns the first row of the instruction in the table, which says what it is and computes.
func (c Code) row() *row { return firstRows[c] }

var firstRows = func() (rows [numCodes]*row) {
	for i := range slices.Backward(table) {
		rows[table[i].code] = &table[i]
	}
	return rows
}()

// Names lists the instructions of modules, sorted.
func Names() []string { return Modules.Names() }
