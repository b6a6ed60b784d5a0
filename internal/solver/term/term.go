// Package term has the terms of bit-vector logic (QF_UFBV of SMT-LIB), brought into a normal form
// as they are built.
//
//	Term      a value of 1 to 64 bits; shared, and equal to another only if it is the same pointer
//	Builder   makes terms; no two that look the same
//	Model     values of variables, under which a term has a value
//
// A truth value is a term of one bit. There are few operations, because the others are these:
// negation and subtraction are sums, a signed comparison is an unsigned one of both sides plus
// half the range, and so are the extension by the sign and the arithmetic shift. Then one
// set of rules simplifies them all (sum.go, compare.go):
//
//   - a sum is a linear form: a constant, and terms with coefficients;
//   - every term has an interval that it lies in, read as unsigned, and the bits that may be 1;
//   - a zero extension of a sum that does not wrap is the sum of the extensions;
//   - an equation is divided by what its coefficients share, and narrowed to the bits that the
//     range of its difference needs.
//
// Most questions about the indices of arrays are decided by that alone.
package term

import "math/bits"

// Op is what a term is made by.
type Op uint8

// The operations. Division by 0 gives what it gives in SMT-LIB: all ones, and the dividend as
// remainder. A shift by the width or more gives 0.
const (
	Const   Op = iota
	Var        // a variable, by its name
	App        // an uninterpreted function of its operands, by its name
	Sum        // a constant and operands with coefficients
	Mul        // of two operands that are no constants
	UDiv       // unsigned quotient
	URem       // unsigned remainder
	And        // bitwise
	Or         // bitwise
	Xor        // bitwise
	Shl        // by an operand that is no constant
	LShr       // by an operand that is no constant
	ZExt       // zero extension to the width
	Extract    // as many bits as the width, from the bit Low on
	Ite        // the second operand if the first holds, else the third
	Eq         // whether two operands are equal
	ULt        // whether the first operand is less, read as unsigned

	numOps
)

var opNames = [numOps]string{
	"const", "var", "app", "sum", "mul", "udiv", "urem", "and", "or", "xor", "shl", "lshr", "zext", "extract", "ite",
	"eq", "ult",
}

func (o Op) String() string { return opNames[o] }

// Term is a term. It is immutable.
type Term struct {
	op    Op
	width int
	id    int
	name  string   // of a Var or an App
	k     uint64   // the value of a Const, the constant of a Sum, the lowest bit of an Extract, the bound of a Var
	args  []*Term  // those of a Sum in the order of their ids
	coefs []uint64 // of a Sum, one for each operand, modulo 2^width
	lo    uint64   // no value is less, read as unsigned
	hi    uint64   // no value is greater
	ones  uint64   // the bits that may be 1
	exact bool     // a Sum, with signed coefficients, or a Mul does not wrap: it is that of the integers
}

// Op returns what the term is made by.
func (t *Term) Op() Op { return t.op }

// Width returns how many bits the term has.
func (t *Term) Width() int { return t.width }

// ID numbers the terms of a builder in the order in which they were made: operands come before
// what is made of them.
func (t *Term) ID() int { return t.id }

// Name returns the name of a Var or an App.
func (t *Term) Name() string { return t.name }

// Args returns the operands. The caller must not change them.
func (t *Term) Args() []*Term { return t.args }

// Coef returns the coefficient of an operand of a Sum.
func (t *Term) Coef(i int) uint64 { return t.coefs[i] }

// Constant returns the constant of a Sum, and the value of a Const.
func (t *Term) Constant() uint64 { return t.k }

// Low returns the lowest bit that an Extract takes.
func (t *Term) Low() int { return int(t.k) }

// Bound returns what a Var is at most; false if that is all that its bits can hold.
func (t *Term) Bound() (hi uint64, ok bool) { return t.k, t.op == Var && t.k > 0 }

// Range returns an interval that the term lies in, read as unsigned.
func (t *Term) Range() (lo, hi uint64) { return t.lo, t.hi }

// Ones returns the bits that may be 1.
func (t *Term) Ones() uint64 { return t.ones }

// Value returns the value of a constant.
func (t *Term) Value() (v uint64, ok bool) { return t.k, t.op == Const }

// True reports whether the term is the truth value 1.
func (t *Term) True() bool { return t.op == Const && t.width == 1 && t.k == 1 }

// False reports whether the term is the truth value 0.
func (t *Term) False() bool { return t.op == Const && t.width == 1 && t.k == 0 }

// Mask returns the largest value of so many bits.
func Mask(width int) uint64 { return ^uint64(0) >> (64 - width) }

// signed returns a value of so many bits, read as signed.
func signed(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }

// upTo returns all bits up to the highest of a value.
func upTo(v uint64) uint64 { return uint64(1)<<bits.Len64(v) - 1 }

// trailing returns how many of the lowest bits of the term are sure to be 0.
func (t *Term) trailing() int { return min(bits.TrailingZeros64(t.ones), t.width) }
