package isa

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
)

// Integers is the domain of concrete integers, kept as arith keeps them: sign-extended.
type Integers struct{}

// Const returns the integer itself.
func (Integers) Const(i int64, _ arith.Type) int64 { return i }

// Apply computes.
func (Integers) Apply(op arith.Op, t arith.Type, args ...int64) (int64, error) {
	var x arith.Operands
	copy(x[:], args)
	return arith.Compute(op, t, x)
}

// Opaque returns an error: floating-point numbers are for a domain that embeds this one.
func (Integers) Opaque(in *Opcode, _ arith.Type, _ ...int64) (int64, error) {
	return 0, fmt.Errorf("%s computes with floating-point numbers", in.Text)
}
