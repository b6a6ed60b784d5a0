package arith_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/muster-gpu/muster/arith"
)

// The operations are tested against the mathematics: operands are read as integers of a type, and
// the result is taken modulo 2ⁿ.

// meanings is what the operations of two operands do to the integers of a type of n bits; for inc
// and dec these are unsigned.
var meanings = map[arith.Op]func(n int, a, b *big.Int) *big.Int{
	arith.Add: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
	arith.Sub: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
	arith.Mul: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
	arith.Div: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) },
	arith.Rem: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Rem(a, b) },
	arith.And: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).And(a, b) },
	arith.Or:  func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) },
	arith.Xor: func(_ int, a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) },
	arith.Shl: func(n int, a, b *big.Int) *big.Int { return new(big.Int).Lsh(a, count(n, b)) },
	arith.Shr: func(n int, a, b *big.Int) *big.Int { return new(big.Int).Rsh(a, count(n, b)) },
	arith.Min: func(_ int, a, b *big.Int) *big.Int { return either(a.Cmp(b) < 0, a, b) },
	arith.Max: func(_ int, a, b *big.Int) *big.Int { return either(a.Cmp(b) > 0, a, b) },
	arith.Inc: func(_ int, a, b *big.Int) *big.Int {
		return either(a.Cmp(b) >= 0, new(big.Int), new(big.Int).Add(a, big.NewInt(1)))
	},
	arith.Dec: func(_ int, a, b *big.Int) *big.Int {
		return either(a.Sign() == 0 || a.Cmp(b) > 0, b, new(big.Int).Sub(a, big.NewInt(1)))
	},
	arith.Eq: func(_ int, a, b *big.Int) *big.Int { return truth(a.Cmp(b) == 0) },
	arith.Ne: func(_ int, a, b *big.Int) *big.Int { return truth(a.Cmp(b) != 0) },
	arith.Lt: func(_ int, a, b *big.Int) *big.Int { return truth(a.Cmp(b) < 0) },
	arith.Le: func(_ int, a, b *big.Int) *big.Int { return truth(a.Cmp(b) <= 0) },
	arith.Gt: func(_ int, a, b *big.Int) *big.Int { return truth(a.Cmp(b) > 0) },
	arith.Ge: func(_ int, a, b *big.Int) *big.Int { return truth(a.Cmp(b) >= 0) },
}

// count returns a shift count: an n-bit number. All counts ≥ n have the same effect.
func count(n int, b *big.Int) uint {
	b = read(arith.Type{Bits: n}, b)
	if b.Cmp(big.NewInt(int64(n))) > 0 {
		return uint(n)
	}
	return uint(b.Uint64())
}

func either(first bool, a, b *big.Int) *big.Int {
	if first {
		return a
	}
	return b
}

func truth(holds bool) *big.Int { return either(holds, big.NewInt(1), new(big.Int)) }

// read is the low bits of i as an integer of a type.
func read(t arith.Type, i *big.Int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	i = new(big.Int).Mod(i, m)
	if t.Signed && i.Bit(t.Bits-1) == 1 {
		i.Sub(i, m)
	}
	return i
}

// held is an integer of n bits as it is kept: sign-extended.
func held(n int, i *big.Int) int64 { return read(arith.Type{Signed: true, Bits: n}, i).Int64() }

// samples are integers at and around the limits of the types.
var samples = []int64{
	0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, -1, -2, -7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
	0x80000000, 0xffffffff, 0x100000000, -0x80000000, 0x7fffffffffffffff, -0x7fffffffffffffff, -0x8000000000000000,
}

// eachType calls f for the types of integers.
func eachType(f func(arith.Type)) {
	for _, n := range []int{8, 16, 32, 64} {
		f(arith.Type{Signed: false, Bits: n})
		f(arith.Type{Signed: true, Bits: n})
	}
}

func TestBinary(t *testing.T) {
	for op, meaning := range meanings {
		eachType(func(typ arith.Type) {
			as := typ
			if op == arith.Inc || op == arith.Dec {
				as.Signed = false
			}
			for _, a := range samples {
				for _, b := range samples {
					x, y := read(as, big.NewInt(a)), read(as, big.NewInt(b))
					got, err := arith.Compute(op, typ, arith.Operands{a, b})
					if (op == arith.Div || op == arith.Rem) && y.Sign() == 0 {
						if !errors.Is(err, arith.ErrZero) {
							t.Errorf("%v %v of %d and 0: %d, %v", op, typ, a, got, err)
						}
						continue
					}
					// +1: a truth value 1 stays 1
					want := held(op.Result(typ).Bits+1, meaning(typ.Bits, x, y))
					if !op.Compares() {
						want = held(typ.Bits, meaning(typ.Bits, x, y))
					}
					if err != nil || got != want {
						t.Errorf("%v %v of %d and %d is %d, %v, want %d", op, typ, a, b, got, err, want)
					}
				}
			}
		})
	}
}

func TestWrapAndExtend(t *testing.T) {
	eachType(func(typ arith.Type) {
		for _, a := range samples {
			if got, err := arith.Compute(arith.Wrap, typ, arith.Operands{a}); err != nil || got != held(typ.Bits, big.NewInt(a)) {
				t.Errorf("%d as %v is %d, %v", a, typ, got, err)
			}
			if got, err := arith.Compute(arith.Extend, typ, arith.Operands{a}); err != nil || got != held(64, read(typ, big.NewInt(a))) {
				t.Errorf("%d as %v, in 64 bits, is %d, %v", a, typ, got, err)
			}
		}
	})
	for _, a := range samples {
		if got, err := arith.Compute(arith.Wrap, arith.Bool, arith.Operands{a}); err != nil || got != truth(a != 0).Int64() {
			t.Errorf("the truth of %d is %d, %v", a, got, err)
		}
	}
}

// TestSelectAndIndex: the choice of select is a truth value of 64 bits, whatever its type; an index
// is itself, or an error.
func TestSelectAndIndex(t *testing.T) {
	for _, choice := range samples {
		want := int64(6)
		if choice != 0 {
			want = 5
		}
		if got, err := arith.Compute(arith.Select, arith.S32, arith.Operands{5, 6, choice}); err != nil || got != want {
			t.Errorf("select of 5, 6, %d is %d, %v", choice, got, err)
		}
	}
	for _, i := range []int64{-1, 0, 15, 16, 1 << 32} {
		got, err := arith.Compute(arith.Index, arith.S32, arith.Operands{i, 16})
		if within := int32(i) >= 0 && int32(i) < 16; within != (err == nil) || within && got != int64(int32(i)) {
			t.Errorf("index %d of 16: %d, %v", i, got, err)
		}
	}
}

// TestTable: every operation has a name of its own, a meaning and operands.
func TestTable(t *testing.T) {
	names := map[string]arith.Op{}
	for op := arith.Wrap; op.Known(); op++ {
		if other, twice := names[op.String()]; twice || op.String() == "" {
			t.Errorf("operations %d and %d are both called %q", op, other, op.String())
		}
		names[op.String()] = op
		if n := op.Arity(); n < 1 || n > arith.MaxOperands {
			t.Errorf("%v has %d operands", op, n)
		}
		if _, err := arith.Compute(op, arith.S32, arith.Operands{3, 5, 1}); err != nil {
			t.Errorf("%v of 3, 5, 1: %v", op, err)
		}
	}
	if len(names) < 24 {
		t.Errorf("only %d operations are known", len(names))
	}
}
