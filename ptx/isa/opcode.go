package isa

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// Opcode is an opcode taken apart. A field that no modifier sets is zero; in litmus tests, Order
// and Scope then have their defaults.
type Opcode struct {
	Text    string // as written: "ld.global.u32"
	Code    Code
	Dialect Dialect // in which it was read
	Types   []Type  // as written: of cvt, the type of the result and that of the source

	// Of accesses, atomics, fences and barriers.
	Space    Space // also of cvta, isspacep and prefetch
	Order    Order
	Scope    Scope
	Volatile bool
	MMIO     bool
	Constant bool    // ld.nc: no thread writes what it loads
	Cache    string  // a cache operator: "cg"
	Vector   int     // the number of elements; 0 for a scalar
	Update   Update  // of atomics, redux and barriers that reduce
	Meeting  Meeting // also of what lanes of a warp do: Sync, if they wait for each other
	Warp     bool    // the barrier is one of a warp
	Policy   bool    // .L2::cache_hint: the last operand is a cache policy
	// ProxyFence reports whether the instruction is a fence between proxies, which Proxy then
	// names. For an access of a litmus test, Proxy is the proxy of the access.
	ProxyFence bool
	Proxy      Proxy

	// Of what computes.
	Half      Half
	Saturate  bool
	Relu      bool       // of min and max: a negative result is 0
	SetsCarry bool       // .cc: the last result is the carry
	Rounding  string     // "rn"
	Cmp       Comparison // of setp and set
	Combine   Update     // with a predicate: UpdateAnd, UpdateOr, UpdateXor; 0 if not
	Pair      bool       // of setp: it has a second destination p|q, which the caller sees
	Left      bool       // the direction of shf
	Clamp     bool       // of a count: larger ones are the largest
	Amount    bool       // bfind gives the shift that brings the bit to the top
	To        bool       // cvta.to: from a generic address
	Mode      string     // of prmt, shfl, vote, testp
	Table     uint8      // of lop3: the function of three bits. It is the last operand, which the caller takes

	// Form is the form of an instruction with a page of its own, or nil. Words are its suffixes by
	// the slots of the form.
	Form  *Form
	Words map[string]string

	row     *row // nil of an opcode with a form, or that was not decoded
	written []written
	have    Group // the groups of the modifiers
}

// written is a modifier where it is written, without its dot.
type written struct {
	start, end int
	group      Group
}

// ReadOnly reports whether an instruction loads memory that no thread may write while the kernel
// runs: such loads bypass cache coherence (PTX ISA, "ld.global.nc", "ldu").
func (o *Opcode) ReadOnly() bool { return o.Constant || o.Code == Ldu }

// Space is a state space (PTX ISA, "State Spaces").
type Space uint8

// The state spaces. Generic is the space of an access without a space.
const (
	Generic Space = iota
	Global
	Shared
	Local
	Const
	Param
	SharedCluster // the shared memory of any CTA of the cluster
)

// Order is the order of an access or a fence, as written (PTX ISA, "Operation Types").
type Order uint8

// The orders.
const (
	NoOrder Order = iota
	Weak
	Relaxed
	Acquire
	Release
	AcqRel
	SC
)

// Scope is a scope, as written (PTX ISA, "Scope").
type Scope uint8

// The scopes. .gl is the scope of the GPU.
const (
	NoScope Scope = iota
	ScopeCTA
	ScopeCluster
	ScopeGPU
	ScopeSys
)

// Update is the operation of an atomic (PTX ISA, "atom"), and of what reduces.
type Update uint8

// The operations. PTX has no UpdateSub; litmus tests do.
const (
	NoUpdate Update = iota
	UpdateCas
	UpdateExch
	UpdateAdd
	UpdateSub
	UpdateAnd
	UpdateOr
	UpdateXor
	UpdateMin
	UpdateMax
	UpdateInc
	UpdateDec
	UpdatePopc
)

// updates are the operations that compute from two operands.
var updates = [UpdatePopc + 1]arith.Op{
	UpdateAdd: arith.Add, UpdateSub: arith.Sub, UpdateAnd: arith.And, UpdateOr: arith.Or, UpdateXor: arith.Xor,
	UpdateMin: arith.Min, UpdateMax: arith.Max, UpdateInc: arith.Inc, UpdateDec: arith.Dec,
}

// Op returns the operation of arithmetic that the old value and the operand go into. Cas, Exch and
// Popc have none.
func (u Update) Op() (op arith.Op, ok bool) { return updates[u], updates[u] != arith.Wrap }

// floatUpdates are the operations of floating-point atomics by their scalar type (PTX ISA, "atom").
var floatUpdates = map[Update]map[string]arith.Op{
	UpdateAdd: {"f16": arith.AddF16, "bf16": arith.AddBF16, "f32": arith.AddF32, "f64": arith.AddF64},
	UpdateMin: {"f16": arith.MinF16, "bf16": arith.MinBF16},
	UpdateMax: {"f16": arith.MaxF16, "bf16": arith.MaxBF16},
}

// ElementOp returns the operation that an atomic applies to each number of its type, and the type
// of that number. Its operands are the old number and the operand of the atomic. Cas, Exch and Popc
// have no such operation.
func (o *Opcode) ElementOp() (op arith.Op, t arith.Type, ok bool) {
	typ := o.Type(0)
	if typ.Kind != Floating {
		op, ok = o.Update.Op()
		return op, typ.Int(), ok
	}
	op, ok = floatUpdates[o.Update][strings.TrimSuffix(typ.name, "x2")]
	return op, arith.Type{Bits: 8 * o.Unit()}, ok
}

// Meeting is the operation of a thread at a barrier (PTX ISA, "bar", "barrier.cluster").
type Meeting uint8

// What threads do at barriers.
const (
	NoMeeting Meeting = iota
	Sync              // arrive and wait
	Arrive            // go on
	Reduce            // arrive, wait, and learn what holds of the predicates of all
	Wait              // for those who arrived
)

// Half is the half of a product that an instruction takes.
type Half uint8

// The halves. None is .lo, where an instruction can have one.
const (
	NoHalf Half = iota
	Low
	High
	Wide
)

// Comparison is the comparison of setp and set.
type Comparison uint8

// The comparisons. Those from Equ on are of floating-point numbers.
const (
	NoComparison Comparison = iota
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Equ // or one is not a number
	Neu
	Ltu
	Leu
	Gtu
	Geu
	Num // both are numbers
	NaN // one is not a number
)

// Proxy is the path by which an access reaches memory (PTX ISA, "Proxies").
type Proxy uint8

// The proxies.
const (
	ProxyGeneric Proxy = iota
	ProxySurface
	ProxyTexture
	ProxyConstant
	ProxyAsync
	ProxyAlias     // of fences only: between names of one location
	ProxyTensormap // by which tensor copies read their maps
	ProxyReadOnly  // of ld.global.nc
)

var proxyNames = [...]string{"generic", "surface", "texture", "constant", "async", "alias", "tensormap", "nc"}

func (p Proxy) String() string { return proxyNames[p] }

// Op returns the operation of arithmetic that compares integers.
func (c Comparison) Op() arith.Op {
	return [...]arith.Op{Eq: arith.Eq, Ne: arith.Ne, Lt: arith.Lt, Le: arith.Le, Gt: arith.Gt, Ge: arith.Ge}[c]
}

// Class returns the class of the instruction. An instruction that computes with floating-point
// numbers is of ClassFloat.
func (o *Opcode) Class() Class {
	class := o.Code.Class()
	if (class == ClassArithmetic || class == ClassConvert) && o.Code != Selp && o.floating() {
		return ClassFloat
	}
	return class
}

// floating reports whether one of the types is a floating-point type.
func (o *Opcode) floating() bool {
	for _, t := range o.Types {
		if t.Kind == Floating {
			return true
		}
	}
	return false
}

// Type returns the i-th type, or .b32.
func (o *Opcode) Type(i int) Type {
	if i < len(o.Types) {
		return o.Types[i]
	}
	return types["b32"]
}

// Unit returns the size, in bytes, of one memory operation of an access or an atomic. The model has
// one operation for each element of a vector, and for each number of a packed type (PTX ISA,
// "Memory Consistency Model", "Vector Data-types", "Packed Data-types").
func (o *Opcode) Unit() int {
	t := o.Type(0)
	return max(1, t.Bits/8/t.Elements())
}

// Bytes returns the size of an access or an atomic in bytes, with all elements of a vector.
func (o *Opcode) Bytes() int { return max(1, o.Type(0).Bits/8) * max(1, o.Vector) }

// HasResult reports whether the instruction writes its first operand, which is one or several
// registers.
func (o *Opcode) HasResult() bool {
	switch o.Class() {
	case ClassFence, ClassHint, ClassBranch, ClassCall, ClassReturn, ClassExit, ClassTrap:
		return false
	case ClassBarrier:
		return o.Meeting == Reduce
	}
	return o.Code != St && o.Code != Red
}

// TakesCarry reports whether the last source is the carry, which is not an operand in the text.
func (o *Opcode) TakesCarry() bool { return o.Code == Addc || o.Code == Subc || o.Code == Madc }

// Says reports whether a modifier of some groups is written.
func (o *Opcode) Says(g Group) bool { return o.have&g != 0 }

// Writes reports whether a modifier is written.
func (o *Opcode) Writes(modifier string) bool {
	return slices.ContainsFunc(o.written, func(w written) bool { return o.Text[w.start:w.end] == modifier })
}

// SaysOnly reports whether no modifier is written but types, hints, and those of some groups.
func (o *Opcode) SaysOnly(g Group) bool { return o.have&^(g|TypeMod|hintMod) == 0 }

// Where returns the place of the last modifier of a group in Text, without its dot, and reports
// whether there is one.
func (o *Opcode) Where(g Group) (start, end int, ok bool) {
	for _, s := range o.written {
		if s.group&g != 0 {
			start, end, ok = s.start, s.end, true
		}
	}
	return start, end, ok
}

// Takes reports whether a litmus test may give the instruction modifiers of a group.
func (o *Opcode) Takes(g Group) bool { return o.row != nil && o.row.takes&g != 0 }

// TypeCount returns the number of types that the instruction has in a litmus test.
func (o *Opcode) TypeCount() int {
	if !o.Takes(TypeMod) {
		return 0
	}
	return o.row.typeCount()
}

// Operands returns the operands of the instruction in litmus tests, one letter each: d is a
// destination, s a source, i a constant, a an address, m an address or a value to move, l a label.
// A ? follows an optional operand.
func (o *Opcode) Operands() string {
	if o.row == nil {
		return ""
	}
	return o.row.operands
}

// DefaultCache returns the cache operator of an access of a litmus test that names none, or "" if
// the access has no cache operator.
func (o *Opcode) DefaultCache() string {
	if o.row.takes&cacheMod != 0 {
		for name := range words(o.row.only) {
			return name
		}
	}
	return ""
}

var (
	updateNames     = [...]string{"", "cas", "exch", "add", "sub", "and", "or", "xor", "min", "max", "inc", "dec", "popc"}
	meetingNames    = [...]string{"", "sync", "arrive", "red", "wait"}
	halfNames       = [...]string{"", "lo", "hi", "wide"}
	comparisonNames = [...]string{
		"", "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
	}
)

func (u Update) String() string     { return updateNames[u] }
func (m Meeting) String() string    { return meetingNames[m] }
func (h Half) String() string       { return halfNames[h] }
func (c Comparison) String() string { return comparisonNames[c] }
