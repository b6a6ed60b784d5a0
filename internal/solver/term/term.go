// Package term implements terms of bit-vector logic (QF_UFBV of SMT-LIB), which are normalised as
// they are built.
//
//	Term      a value of 1 to 64 bits; terms are shared, and equal terms are the same pointer
//	Builder   makes terms
//	Model     values of variables and functions, under which a term has a value
//
// A truth value is a term of one bit. There are few operations, because others reduce to them:
// negation and subtraction are sums; a signed comparison is an unsigned one of both sides plus half
// the range, and sign extension and arithmetic shift are similar. So one set of rules simplifies
// everything (sum.go, compare.go):
//
//   - a sum is a linear form: a constant, and terms with coefficients;
//   - every term has an interval, read as unsigned, and a mask of the bits that may be 1;
//   - a zero extension of a sum that does not wrap is the sum of the extensions;
//   - an equation is divided by the common divisor of its coefficients, and narrowed to the bits
//     that the range of its difference needs.
//
// These rules alone decide most questions about array indices.
package term

import "math/bits"

// Op is the operation of a term.
type Op uint8

// The operations. Division by 0 is as in SMT-LIB: the quotient is all ones, the remainder the
// dividend. A shift by the width or more gives 0.
const (
	Const   Op = iota
	Var        // a variable, by name
	App        // an application of an uninterpreted function, by name
	Sum        // a constant and operands with coefficients
	Mul        // of two operands that are not constant
	UDiv       // unsigned quotient
	URem       // unsigned remainder
	And        // bitwise
	Or         // bitwise
	Xor        // bitwise
	Shl        // by an operand that is not constant
	LShr       // by an operand that is not constant
	ZExt       // zero extension to the width
	Extract    // width bits, from bit Low up
	Ite        // the second operand if the first is 1, else the third
	Eq         // 1 if the operands are equal
	ULt        // 1 if the first operand is less, read as unsigned

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
	k     uint64   // value of a Const, constant of a Sum, lowest bit of an Extract, bound of a Var
	args  []*Term  // those of a Sum are in the order of their ids
	coefs []uint64 // of a Sum, for each operand, modulo 2^width
	lo    uint64   // least value, read as unsigned
	hi    uint64   // greatest value, read as unsigned
	ones  uint64   // the bits that may be 1
	exact bool     // a Sum, with signed coefficients, or a Mul equals its value over the integers
}

// Op returns the operation of the term.
func (t *Term) Op() Op { return t.op }

// Width returns the number of bits of the term.
func (t *Term) Width() int { return t.width }

// ID numbers the terms of a builder in the order of their creation, operands first.
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

// Bound returns the bound of a Var, or false if its width alone bounds it.
func (t *Term) Bound() (hi uint64, ok bool) { return t.k, t.op == Var && t.k > 0 }

// Range returns an interval that contains the term's value, read as unsigned.
func (t *Term) Range() (lo, hi uint64) { return t.lo, t.hi }

// Ones returns the mask of the bits that may be 1.
func (t *Term) Ones() uint64 { return t.ones }

// Value returns the value of a constant.
func (t *Term) Value() (v uint64, ok bool) { return t.k, t.op == Const }

// True reports whether the term is the truth value 1.
func (t *Term) True() bool { return t.op == Const && t.width == 1 && t.k == 1 }

// False reports whether the term is the truth value 0.
func (t *Term) False() bool { return t.op == Const && t.width == 1 && t.k == 0 }

// Mask returns the largest number of width bits.
func Mask(width int) uint64 { return ^uint64(0) >> (64 - width) }

// signed returns a number of width bits, read as signed.
func signed(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }

// upTo returns the mask of all bits up to the highest one of a value.
func upTo(v uint64) uint64 { return uint64(1)<<bits.Len64(v) - 1 }

// trailing returns the number of lowest bits that are certainly 0.
func (t *Term) trailing() int { return min(bits.TrailingZeros64(t.ones), t.width) }
