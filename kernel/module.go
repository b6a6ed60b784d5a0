// Package kernel reads PTX modules as compilers emit them: nvcc, clang, triton (PTX ISA, "PTX
// Machine Model" to "Directives").
//
//	Module    the variables and functions of one text
//	Function  a kernel (.entry) or a function (.func): parameters, registers, instructions
//	Instr     an instruction: guard, opcode, operands, and its position
//	Operand   a register, a number, a variable, an address, a label …
//
// The reader handles syntax: it binds names to their declarations and labels to instructions. It
// accepts every opcode; clients interpret them. Nested blocks are flattened: a name that a block
// declares is bound to a variable or register of its own, so that blocks need not be kept.
package kernel

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Module is a PTX module.
type Module struct {
	*src.File
	Compiled    string   // source file that it was compiled from; "" if unknown
	Version     string   // of the PTX ISA: "8.3"
	Target      []string // the architecture and its modifiers: "sm_90a", "debug"
	AddressSize int      // 32 or 64
	Sources     map[int]string
	Vars        []*Variable
	Funcs       []*Function

	sorted []*Function     // Funcs by name
	taken  map[string]bool // functions and variables whose addresses instructions or initial values take
	reader *parser         // reader of a module whose bodies were dropped (Skim); else nil
}

// Func returns the function or kernel of that name, or nil.
func (m *Module) Func(name string) *Function {
	if named := m.Named(name); len(named) > 0 && named[0].Name == name {
		return named[0]
	}
	return nil
}

// Named returns the functions and kernels whose names have a prefix, sorted.
func (m *Module) Named(prefix string) []*Function {
	from, _ := slices.BinarySearchFunc(m.sorted, prefix, func(f *Function, name string) int {
		return strings.Compare(f.Name, name)
	})
	n := 0
	for from+n < len(m.sorted) && strings.HasPrefix(m.sorted[from+n].Name, prefix) {
		n++
	}
	return m.sorted[from : from+n]
}

// Linkage tells which other modules can refer to a name.
type Linkage uint8

// The linkages (PTX ISA, "Linking Directives").
const (
	Internal Linkage = iota
	Visible
	Extern
	Weak
	Common
)

// Variable is a variable in memory, or a parameter.
type Variable struct {
	At       src.Span
	Name     string
	Linkage  Linkage
	Space    isa.Space
	Align    int       // bytes; 0 if not given
	Vector   int       // 2 or 4 elements of Type each; 0 for a scalar
	Type     string    // "b8", "u64" …
	Dims     []int     // dimensions of an array; an empty pair of brackets is 0
	Init     []Init    // the given initial values; the rest is 0
	Pointer  bool      // .ptr: a parameter that holds an address
	Points   isa.Space // space that it points to, if given
	PtrAlign int       // alignment of the pointed-to memory
}

// Init is an initial value: a number, or the address of a name plus an offset.
type Init struct {
	Bits uint64
	Name string // "" for a number
}

// Register is a register. Registers of the same name in different blocks are distinct.
type Register struct {
	Name   string
	Type   string // "pred", "b32" …
	Vector int
	Index  int // index among the used registers of its function
}

// Function is a function or a kernel.
type Function struct {
	At        src.Span // position of its name
	Name      string
	Entry     bool // a kernel
	Linkage   Linkage
	Returns   []*Variable
	Params    []*Variable
	Launch    Launch
	Declared  bool // it has no body here
	Instrs    []*Instr
	Vars      []*Variable // variables of its blocks, including parameters of calls
	Registers []*Register // registers that are used
	Mentions  []string    // the functions that its instructions name, each once
	End       int         // offset of the end of its body in the text

	open     token  // opening brace of its body
	params   *scope // names that its head declares
	indirect bool   // it calls a function through a register
}

// Launch holds the performance directives about launching a kernel, 0 where absent (PTX ISA,
// "Performance-Tuning Directives").
type Launch struct {
	Required [3]int // .reqntid
	Most     [3]int // .maxntid
	Cluster  [3]int // .reqnctapercluster
}

// Place is a position in the source of the program (PTX ISA, ".loc").
type Place struct {
	File, Line, Column int
	Inlined            *Place // where the function at this position was inlined, or nil
}

// Instr is an instruction.
type Instr struct {
	At     src.Span // position of its opcode
	Labels []string
	Guard  *Register // nil if it always executes
	Unless bool      // the guard must not hold
	Opcode string    // as written: "ld.global.u32"
	Ops    []Operand
	Place  *Place // nil if the module gives none
}

// OperandKind is the kind of an operand.
type OperandKind uint8

// The kinds of operand.
const (
	Reg     OperandKind = iota // Register, or a component of a vector register
	Special                    // a special register, by Name: "%tid.x"
	Integer                    // Bits
	Float                      // Bits, of a constant of Size bits
	Address                    // [List[0] + Offset], or [Offset] alone
	Var                        // the address of Variable plus Offset
	Func                       // a function, by Name, or a call prototype
	Label                      // the instruction Target
	Table                      // the labels of a .branchtargets, List
	Vector                     // {List…}
	Tuple                      // (List…), of a call
	Sink                       // _, which discards a result
)

// Operand is an operand.
type Operand struct {
	At       src.Span
	Kind     OperandKind
	Register *Register
	Variable *Variable
	Name     string
	Bits     uint64
	Size     int    // in bits, of a Float: 32 or 64
	Offset   int64  // in bytes
	Negated  bool   // !p, or -x
	Target   int    // instruction of a Label
	Part     string // component of a vector register: "x", "y", "z", "w"
	List     []Operand
	Second   *Register // of a pair p|q: the second destination
}
