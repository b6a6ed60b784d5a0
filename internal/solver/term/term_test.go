package term_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestIndices tests questions of the kind that kernels ask: each is decided without a solver. The
// threads are s and t of a block of 256, in a grid of 64 blocks.
func TestIndices(t *testing.T) {
	b := term.NewBuilder()
	c := func(v uint64) *term.Term { return b.Const(v, 32) }
	s, u := b.ZExt(b.Var("tid.s", 8), 32), b.ZExt(b.Var("tid.t", 8), 32)
	p, q := b.ZExt(b.Var("ctaid.s", 6), 32), b.ZExt(b.Var("ctaid.t", 6), 32)
	base, offset := b.Var("A", 64), b.Var("offset", 32)
	address := func(index *term.Term) *term.Term { // A + 4 * (s64) index
		return b.Add(base, b.Mul(b.SExt(index, 64), b.Const(4, 64)))
	}
	same := b.Eq(b.Var("tid.s", 8), b.Var("tid.t", 8))
	wide := b.Mul(b.ZExt(s, 64), b.Const(4, 64))
	for _, tt := range []struct {
		name      string
		got, want *term.Term
	}{
		{"A[tid] and A[tid]", b.Eq(address(s), address(u)), same},
		{"A[tid] and A[tid+256]", b.Eq(address(s), address(b.Add(u, c(256)))), b.Bool(false)},
		{"A[2*tid] and A[2*tid+1]", b.Eq(address(b.Mul(s, c(2))), address(b.Add(b.Mul(u, c(2)), c(1)))), b.Bool(false)},
		{"A[tid+offset] and A[tid+offset] in 32 bits", b.Eq(b.Add(s, offset), b.Add(u, offset)), same},
		{
			"A[ctaid*256+tid] of another block", b.And(
				b.Eq(b.UDiv(b.Add(b.Mul(p, c(256)), s), c(256)), b.UDiv(b.Add(b.Mul(q, c(256)), u), c(256))),
				b.Ne(p, q),
			), b.Bool(false),
		},
		{"the remainder of ctaid*256+tid", b.URem(b.Add(b.Mul(p, c(256)), s), c(256)), s},
		{"(ctaid*256+tid)/256", b.LShr(b.Add(b.Mul(p, c(256)), s), c(8)), p},
		{"the quotient by a number that is no power of two", b.UDiv(b.Add(b.Mul(p, c(300)), s), c(300)), p},
		{"tid*4 | 3 is a sum", b.Or(b.Mul(s, c(4)), c(3)), b.Add(b.Mul(s, c(4)), c(3))},
		{"tid < 256", b.ULt(s, c(256)), b.Bool(true)},
		{"tid < tid + 1", b.ULt(s, b.Add(s, c(1))), b.Bool(true)},
		{"4*tid < 4*tid + 4 in 64 bits", b.ULt(wide, b.Add(wide, b.Const(4, 64))), b.Bool(true)},
		{"tid is not negative", b.SLt(s, c(0)), b.Bool(false)},
		{"a sign extension of what is not negative", b.SExt(b.Add(s, c(5)), 64), b.ZExt(b.Add(s, c(5)), 64)},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	if wrapped := b.Eq(address(b.Add(s, offset)), address(u)); wrapped.False() || wrapped.True() {
		t.Errorf("A[tid+offset] and A[tid] meet: %v; it depends on offset", wrapped)
	}
}

// TestSharedOperands: a tower of choices that use the previous one twice takes linear space, as
// does a part of it.
func TestSharedOperands(t *testing.T) {
	b := term.NewBuilder()
	x := b.Var("x", 32)
	for i := range 64 {
		c := b.Extract(b.Var("c", 64), i, 1)
		x = b.Ite(c, b.Xor(x, b.Const(uint64(2*i+1), 32)), b.And(x, b.Const(0x55555555, 32)))
	}
	b.Extract(x, 4, 8)
	if n := b.Len(); n > 4000 {
		t.Errorf("%d terms", n)
	}
}
