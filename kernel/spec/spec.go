// Package spec is the language of contracts: what people promise and ask of kernels, beside a
// module or in its comments.
//
//	Read      the text of a sidecar
//	Comments  what comments of a module say: //@ requires n <= 64;
//	Bind      a Contract of a kernel: names bound to parameters, arrays, registers and instructions
//	Clause    a condition, and where it must hold
//	Node      an expression
//
//	kernel sort(s32 A[16]) {
//	  array s32 s[16];                                  // the type of a shared array, which PTX forgets
//	  requires 0 <= A[0];                               // of whoever launches the kernel
//	  loop at line 8 { invariant %r20 >= 2; }           // in each round
//	  barrier 1 ensures s[tid] >= 0;
//	  ensures forall i in 0 .. 15: A[i] <= A[i + 1];
//	}
//
// The grammar is grammar.go; its types are the syntax tree. Numbers are integers of 64 bits: what
// an array or a parameter holds is extended as its type says, so that nothing wraps but by a cast
// (u32(x + 1)).
package spec

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// Contract is what is promised and asked of a kernel.
type Contract struct {
	Clauses []*Clause
	Arrays  []*Array // that have a name in the contract
	Lemmas  []*Lemma
}

// Word says what a clause does.
type Word uint8

// The words that begin clauses.
const (
	Requires  Word = iota // holds before the kernel begins: whoever launches it promises so
	Ensures               // holds when the kernel has ended; of a barrier, what threads know after it
	Assume                // is taken for granted, and said with every verdict
	Assert                // holds at an instruction
	Invariant             // holds at the head of a loop in each round; at a barrier, of any two threads
)

var words = map[string]Word{
	"requires": Requires, "ensures": Ensures, "assume": Assume, "assert": Assert,
	"invariant": Invariant,
}

func (w Word) String() string {
	return [...]string{"requires", "ensures", "assume", "assert", "invariant"}[w]
}

// Where says what a clause is about.
type Where uint8

// What clauses are about.
const (
	Kernel  Where = iota
	Point         // an instruction
	Loop          // the loop that begins at an instruction
	Barrier       // the barrier that an instruction is
)

// Clause is a condition, and where it holds.
type Clause struct {
	At    src.Span
	Word  Word
	Where Where
	Instr *kernel.Instr // nil if it is about the kernel as a whole
	What  *Node         // a truth value
}

// Array is an array that a contract names: a parameter that points to it, or a variable.
type Array struct {
	At       src.Span
	Name     string
	Variable *kernel.Variable
	Pointer  bool       // the variable is a parameter that holds its address
	Type     arith.Type // of an element
	Size     *Node      // how many elements it has; nil if that is not said
}

// Bytes returns the size of an element.
func (a *Array) Bytes() int { return a.Type.Bits / 8 }

// Lemma is a claim about functions, for all values of its variables.
type Lemma struct {
	At    src.Span
	Vars  []*Bound
	Claim *Node
}

// Function is a function that nothing is known of but what lemmas say.
type Function struct {
	Name   string
	Type   arith.Type
	Params int
}

// Bound is a variable that a quantifier or a lemma binds.
type Bound struct{ Name string }

// Kind is what a node is.
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
	Cast                 // Args[0] in the bits of Type
	Call                 // Function of Args
	Old                  // Args[0] as it was before the kernel began
	All                  // for all Vars from Args[1] on and below Args[2], Args[0] holds
	Some                 // for some of them it does
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
	Vars     []*Bound // those of a quantifier; without bounds in Args, they are threads of the block
	Writes   bool
	Args     []*Node
}

// Threads reports whether the variables of a quantifier are threads.
func (n *Node) Threads() bool { return (n.Kind == All || n.Kind == Some) && len(n.Args) == 1 }

// Any reports whether a node, or one within it, is like that.
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

// types are the names of types: those of PTX, and those of C that are one word.
var types = map[string]arith.Type{
	"u8": {Bits: 8}, "u16": {Bits: 16}, "u32": arith.U32, "u64": arith.U64,
	"s8": {Signed: true, Bits: 8}, "s16": {Signed: true, Bits: 16}, "s32": arith.S32, "s64": arith.S64,
	"b8": {Bits: 8}, "b16": {Bits: 16}, "b32": arith.U32, "b64": arith.U64,
	"char": {Signed: true, Bits: 8}, "uchar": {Bits: 8}, "short": {Signed: true, Bits: 16}, "ushort": {Bits: 16},
	"int": arith.S32, "uint": arith.U32, "unsigned": arith.U32, "long": arith.S64, "ulong": arith.U64,
	"size_t": arith.U64,
}
