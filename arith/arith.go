// Package arith is arithmetic on machine integers of up to 64 bits: what the instructions of a
// thread compute.
//
//	Op    an operation, as a code: compared, printed, and evaluated by one table
//	Type  how wide the operands are, and how their bits are read
//
// It knows no instruction set. An instruction is an operation at a type, or a few of them one
// within the other: cvt.u64.u32 is Wrap at .u64 of Extend at .u32.
//
// The same bits can be read as signed and as unsigned. Integers are kept sign-extended from
// the width of their type, so that one representation serves both; operations read them as
// their type says.
package arith

import "errors"

// Type is a type of integers.
type Type struct {
	Signed bool
	Bits   int // 1 for a truth value, else up to 64
}

// Some types.
var (
	Bool = Type{false, 1}
	U32  = Type{false, 32}
	S32  = Type{true, 32}
	U64  = Type{false, 64}
	S64  = Type{true, 64}
)

// Op is an operation.
type Op uint8

// The operations, with their operands a, b, c. Comparisons give 1 or 0.
const (
	Wrap   Op = iota // a in the range of the type; of a truth value, whether it is not 0
	Extend           // a in 64 bits, read as the type says
	Add              // a + b
	Sub              // a - b
	Mul              // a * b, the low half
	Div              // a / b, rounded towards 0
	Rem              // a - a/b*b
	And              // a & b
	Or               // a | b
	Xor              // a ^ b
	Shl              // a << b, 0 if b is at least the width
	Shr              // a >> b, filled with the sign of a signed type
	Min              // the smaller of a and b
	Max              // the larger of a and b
	Inc              // 0 if a >= b, else a + 1, read as unsigned
	Dec              // b if a = 0 or a > b, else a - 1, read as unsigned
	Eq               // a = b
	Ne               // a ≠ b
	Lt               // a < b
	Le               // a ≤ b
	Gt               // a > b
	Ge               // a ≥ b
	Select           // a if c is not 0, else b
	Index            // a, which must be at least 0 and less than b

	// The operations on floating-point numbers. The type has the bits of the format.
	AddF16
	AddBF16
	AddF32
	AddF64
	MinF16 // the smaller number; of a number and a NaN, the number
	MinBF16
	MaxF16
	MaxBF16

	ops // how many there are
)

// MaxOperands is how many operands an operation has at most.
const MaxOperands = 4

// Operands are the operands of an operation; those that it does not have are 0.
type Operands [MaxOperands]int64

// table says what each operation is called, how many operands it has, and what it means. The
// operands are in the range of the type; the result is brought into it.
var table = [ops]struct {
	name  string
	arity int
	value func(t Type, x Operands) int64
}{
	Wrap:   {"wrap", 1, func(_ Type, x Operands) int64 { return x[0] }},
	Extend: {"extend", 1, func(t Type, x Operands) int64 { return t.extend(x[0]) }},
	Add:    {"add", 2, func(_ Type, x Operands) int64 { return x[0] + x[1] }},
	Sub:    {"sub", 2, func(_ Type, x Operands) int64 { return x[0] - x[1] }},
	Mul:    {"mul", 2, func(_ Type, x Operands) int64 { return x[0] * x[1] }},
	Div:    {"div", 2, func(t Type, x Operands) int64 { q, _ := t.divide(x[0], x[1]); return q }},
	Rem:    {"rem", 2, func(t Type, x Operands) int64 { _, r := t.divide(x[0], x[1]); return r }},
	And:    {"and", 2, func(_ Type, x Operands) int64 { return x[0] & x[1] }},
	Or:     {"or", 2, func(_ Type, x Operands) int64 { return x[0] | x[1] }},
	Xor:    {"xor", 2, func(_ Type, x Operands) int64 { return x[0] ^ x[1] }},
	Shl:    {"shl", 2, func(t Type, x Operands) int64 { return x[0] << t.shift(x[1]) }},
	Shr:    {"shr", 2, func(t Type, x Operands) int64 { return t.shiftRight(x[0], t.shift(x[1])) }},
	Min:    {"min", 2, func(t Type, x Operands) int64 { return pick(t.Less(x[0], x[1]), x[0], x[1]) }},
	Max:    {"max", 2, func(t Type, x Operands) int64 { return pick(t.Less(x[0], x[1]), x[1], x[0]) }},
	Inc:    {"inc", 2, func(t Type, x Operands) int64 { return pick(t.unsigned().Less(x[0], x[1]), x[0]+1, 0) }},
	Dec: {"dec", 2, func(t Type, x Operands) int64 {
		return pick(x[0] == 0 || t.unsigned().Less(x[1], x[0]), x[1], x[0]-1)
	}},
	Eq:     {"eq", 2, func(_ Type, x Operands) int64 { return truth(x[0] == x[1]) }},
	Ne:     {"ne", 2, func(_ Type, x Operands) int64 { return truth(x[0] != x[1]) }},
	Lt:     {"lt", 2, func(t Type, x Operands) int64 { return truth(t.Less(x[0], x[1])) }},
	Le:     {"le", 2, func(t Type, x Operands) int64 { return truth(!t.Less(x[1], x[0])) }},
	Gt:     {"gt", 2, func(t Type, x Operands) int64 { return truth(t.Less(x[1], x[0])) }},
	Ge:     {"ge", 2, func(t Type, x Operands) int64 { return truth(!t.Less(x[0], x[1])) }},
	Select: {"select", 3, func(_ Type, x Operands) int64 { return pick(x[2] != 0, x[0], x[1]) }},
	Index:  {"index", 2, func(_ Type, x Operands) int64 { return x[0] }},

	AddF16:  {"add.f16", 2, func(_ Type, x Operands) int64 { return F16.add(x[0], x[1]) }},
	AddBF16: {"add.bf16", 2, func(_ Type, x Operands) int64 { return BF16.add(x[0], x[1]) }},
	AddF32:  {"add.f32", 2, func(_ Type, x Operands) int64 { return F32.add(x[0], x[1]) }},
	AddF64:  {"add.f64", 2, func(_ Type, x Operands) int64 { return F64.add(x[0], x[1]) }},
	MinF16:  {"min.f16", 2, func(_ Type, x Operands) int64 { return F16.least(x[0], x[1]) }},
	MinBF16: {"min.bf16", 2, func(_ Type, x Operands) int64 { return BF16.least(x[0], x[1]) }},
	MaxF16:  {"max.f16", 2, func(_ Type, x Operands) int64 { return F16.greatest(x[0], x[1]) }},
	MaxBF16: {"max.bf16", 2, func(_ Type, x Operands) int64 { return BF16.greatest(x[0], x[1]) }},
}

// String is the name of the operation.
func (o Op) String() string { return table[o].name }

// Known reports that there is such an operation.
func (o Op) Known() bool { return o < ops }

// Arity is how many operands the operation has.
func (o Op) Arity() int { return table[o].arity }

// Compares reports that the result is a truth value, whatever the type of the operands.
func (o Op) Compares() bool { return Eq <= o && o <= Ge }

// Floating reports that the operands are floating-point numbers.
func (o Op) Floating() bool { return AddF16 <= o && o <= MaxBF16 }

// Total reports that the operation has a meaning on all integers (Compute).
func (o Op) Total() bool { return o != Div && o != Rem && o != Index }

// Result is the type of the result of the operation on operands of type t.
func (o Op) Result(t Type) Type {
	switch {
	case o.Compares():
		return Bool
	case o == Extend:
		return Type{t.Signed, 64}
	}
	return t
}

// The errors of Compute.
var (
	ErrZero  = errors.New("division by zero has no meaning")
	ErrIndex = errors.New("the index is out of range")
)

// Compute is the value of an operation on operands of type t, in the range of its result.
func Compute(o Op, t Type, x Operands) (int64, error) {
	for i := range o.Arity() {
		if o != Select || i < 2 { // the choice of Select is a truth value
			x[i] = t.Wrap(x[i])
		}
	}
	switch {
	case (o == Div || o == Rem) && x[1] == 0:
		return 0, ErrZero
	case o == Index && (x[0] < 0 || x[0] >= x[1]):
		return 0, ErrIndex
	}
	return o.Result(t).Wrap(table[o].value(t, x)), nil
}

// Wrap brings an integer into the range of t, sign-extended.
func (t Type) Wrap(a int64) int64 {
	if t.Bits == 1 {
		return truth(a != 0)
	}
	return a << (64 - t.Bits) >> (64 - t.Bits)
}

// Less compares as the type says. Sign-extension keeps the order of unsigned values.
func (t Type) Less(a, b int64) bool {
	if t.Signed {
		return a < b
	}
	return uint64(a) < uint64(b)
}

func (t Type) unsigned() Type { return Type{false, t.Bits} }

// natural is the number that the bits of an unsigned value stand for.
func (t Type) natural(a int64) uint64 { return uint64(a) << (64 - t.Bits) >> (64 - t.Bits) }

// extend is a value of type t in 64 bits.
func (t Type) extend(a int64) int64 {
	if t.Signed {
		return a
	}
	return int64(t.natural(a))
}

// shift is a shift count: one of more than the bits of the type is one of all of them
// (PTX ISA, "shl", "shr").
func (t Type) shift(b int64) uint64 { return min(t.natural(b), uint64(t.Bits)) }

func (t Type) shiftRight(a int64, count uint64) int64 {
	if t.Signed {
		return a >> count
	}
	return int64(t.natural(a) >> count)
}

// divide is quotient and remainder, rounded towards zero (PTX ISA, "div"). The divisor
// is not 0.
func (t Type) divide(a, b int64) (q, r int64) {
	if t.Signed {
		return a / b, a % b
	}
	return int64(t.natural(a) / t.natural(b)), int64(t.natural(a) % t.natural(b))
}

func pick(first bool, a, b int64) int64 {
	if first {
		return a
	}
	return b
}

func truth(holds bool) int64 { return pick(holds, 1, 0) }
