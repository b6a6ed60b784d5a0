// Package spec is the language of contracts: preconditions, postconditions, invariants and
// assertions of kernels, beside a module or in its comments.
//
//	Read      the text of a sidecar
//	Comments  the contracts in comments of a module: //@ requires n <= 64;
//	Bind      the Contract of a kernel: names bound to parameters, arrays, registers, instructions
//	Clause    a condition, and where it must hold
//	Node      an expression
//
//	kernel sort(s32 A[16]) {
//	  array s32 s[16];                                  // type of a shared array (PTX has none)
//	  requires 0 <= A[0];                               // the caller's obligation
//	  loop at line 8 { invariant %r20 >= 2; }           // in each iteration
//	  barrier 1 ensures s[tid] >= 0;
//	  ensures forall i in 0 .. 15: A[i] <= A[i + 1];
//	}
//
// The grammar is in grammar.go; its types are the syntax tree. Numbers are 64-bit integers: the
// contents of arrays and parameters are extended by their types, so only a cast (u32(x + 1))
// truncates.
package spec

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// Contract is the clauses, arrays and lemmas for a kernel.
type Contract struct {
	Clauses []*Clause
	Arrays  []*Array // arrays with a name in the contract
	Lemmas  []*Lemma
}

// Word is the kind of a clause.
type Word uint8

// The words that begin clauses.
const (
	Requires  Word = iota // must hold before the kernel begins
	Ensures               // holds when the kernel has ended, or, of a barrier, what threads know after it
	Assume                // is assumed without proof, and listed with every verdict
	Assert                // holds at an instruction
	Invariant             // holds at the head of a loop in each iteration, or, at a barrier, of any two threads
)

var words = map[string]Word{
	"requires": Requires, "ensures": Ensures, "assume": Assume, "assert": Assert,
	"invariant": Invariant,
}

func (w Word) String() string {
	return [...]string{"requires", "ensures", "assume", "assert", "invariant"}[w]
}

// Where is the kind of place that a clause is about.
type Where uint8

// The kinds of places.
const (
	Kernel  Where = iota
	Point         // an instruction
	Loop          // the loop that begins at an instruction
	Barrier       // the barrier instruction
)

// Clause is a condition and the place where it holds.
type Clause struct {
	At    src.Span
	Word  Word
	Where Where
	Instr *kernel.Instr // nil if it is about the whole kernel
	What  *Node         // a truth value
}

// Array is an array that a contract names: the target of a pointer parameter, or a variable.
type Array struct {
	At       src.Span
	Name     string
	Variable *kernel.Variable
	Pointer  bool       // the variable is a parameter that points to the array
	Type     arith.Type // element type
	Size     *Node      // number of elements; nil if not given
}

// Bytes returns the size of an element.
func (a *Array) Bytes() int { return a.Type.Bits / 8 }

// Lemma is an assumed claim about functions, for all values of its variables.
type Lemma struct {
	At    src.Span
	Vars  []*Bound
	Claim *Node
}

// Function is an uninterpreted function, which only lemmas constrain.
type Function struct {
	Name   string
	Type   arith.Type
	Params int
}

// Bound is a variable that a quantifier or a lemma binds.
type Bound struct{ Name string }

// Kind is the kind of a node.
type Kind uint8

// The kinds of node.
const (
	Number   Kind = iota // Value
	Truth                // Value is 0 or 1
	Special              // a special register, by Name: "%tid.x"
	Param                // a parameter of the kernel that is a number: Variable, read as Type
	Register             // a register: Register, read as Type
	Variable             // a Bound
	Element              // of an Array, at Args[0]
	Operate              // Op on Args
	Not                  // the negation of Args[0]
	Implies              // Args[1] holds if Args[0] does
	Choose               // Args[1] if Args[0] holds, else Args[2]
	Cast                 // Args[0] converted to Type
	Call                 // Function of Args
	Old                  // value of Args[0] before the kernel began
	All                  // Args[0] holds for all Vars from Args[1] on and below Args[2]
	Some                 // Args[0] holds for some of them
	Perm                 // permission for Args[0], an element; Writes or not
)

// Node is an expression: a number, or, if Bool is set, a truth value.
type Node struct {
	At       src.Span
	Kind     Kind
	Bool     bool
	Op       arith.Op
	Type     arith.Type
	Value    int64
	Name     string
	Variable *kernel.Variable
	Register *kernel.Register
	Array    *Array
	Function *Function
	Bound    *Bound
	Vars     []*Bound // of a quantifier; threads of the block if Args has no bounds
	Writes   bool
	Args     []*Node
}

// Threads reports whether a quantifier ranges over threads.
func (n *Node) Threads() bool { return (n.Kind == All || n.Kind == Some) && len(n.Args) == 1 }

// Any reports whether is holds of a node or of one within it.
func (n *Node) Any(is func(*Node) bool) bool {
	if is(n) {
		return true
	}
	for _, a := range n.Args {
		if a.Any(is) {
			return true
		}
	}
	return false
}

// types are the type names: those of PTX, and the one-word types of C.
var types = map[string]arith.Type{
	"u8": {Bits: 8}, "u16": {Bits: 16}, "u32": arith.U32, "u64": arith.U64,
	"s8": {Signed: true, Bits: 8}, "s16": {Signed: true, Bits: 16}, "s32": arith.S32, "s64": arith.S64,
	"b8": {Bits: 8}, "b16": {Bits: 16}, "b32": arith.U32, "b64": arith.U64,
	"char": {Signed: true, Bits: 8}, "uchar": {Bits: 8}, "short": {Signed: true, Bits: 16}, "ushort": {Bits: 16},
	"int": arith.S32, "uint": arith.U32, "unsigned": arith.U32, "long": arith.S64, "ulong": arith.U64,
	"size_t": arith.U64,
}
