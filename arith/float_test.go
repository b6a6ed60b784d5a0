package arith_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/arith"
)

// TestFormats: each number of 16 bits is what it is made of, numbers between two are rounded to the
// nearer one, and those in the middle to the even one.
func TestFormats(t *testing.T) {
	for name, f := range map[string]arith.Float{"f16": arith.F16, "bf16": arith.BF16} {
		infinite := int64(1)<<15 - 1<<f.Fraction
		for bits := range infinite {
			x, next := f.Decode(bits), f.Decode(bits+1)
			if got := f.Encode(x); got != bits {
				t.Fatalf("%s: %#x is %g, and that %#x", name, bits, x, got)
			}
			if got := f.Encode(-x); got != bits|-1<<15 {
				t.Fatalf("%s: -%g is %#x", name, x, got)
			}
			if bits+1 == infinite {
				next = 2 * f.Decode(infinite-1<<f.Fraction) // what would come next
			}
			even := bits + bits&1
			for y, want := range map[float64]int64{x + (next-x)/4: bits, x + (next-x)/2: even, x + (next-x)*3/4: bits + 1} {
				if got := f.Encode(y); got != want {
					t.Fatalf("%s: %g, between %#x and the next, is %#x", name, y, bits, got)
				}
			}
		}
	}
	for _, c := range []struct {
		format arith.Float
		x      float64
		want   int64
	}{
		{arith.F16, 1, 0x3c00},
		{arith.F16, -2, -0x4000},
		{arith.F16, 65504, 0x7bff},
		{arith.F16, 1e9, 0x7c00},
		{arith.F16, math.Inf(-1), -0x400},
		{arith.BF16, 1, 0x3f80},
		{arith.BF16, 3.3895314e38, 0x7f7f},
		{arith.BF16, 3.4e38, 0x7f80},
		{arith.F32, 1.5, 0x3fc00000},
		{arith.F64, 1, 0x3ff0000000000000},
		{arith.F16, math.NaN(), 0x7fff},
		{arith.BF16, math.NaN(), 0x7fff},
		{arith.F32, math.NaN(), 0x7fffffff},
	} {
		if got := c.format.Encode(c.x); got != c.want {
			t.Errorf("%g is %#x, want %#x", c.x, got, c.want)
		}
		if x := c.format.Decode(c.format.Encode(math.NaN())); x == x {
			t.Errorf("NaN is %g", x)
		}
	}
}

// TestFormat32: the format of 32 bits is that of Go.
func TestFormat32(t *testing.T) {
	for range 100_000 {
		bits := rand.Uint32()
		x := math.Float32frombits(bits)
		if got := arith.F32.Decode(int64(int32(bits))); got != float64(x) && x == x {
			t.Fatalf("%#x is %g, want %g", bits, got, x)
		}
		y := float64(x) * (1 + rand.Float64())
		if got := arith.F32.Encode(y); y == y && uint32(got) != math.Float32bits(float32(y)) {
			t.Fatalf("%g is %#x, want %#x", y, uint32(got), math.Float32bits(float32(y)))
		}
	}
}

// TestFloatingOperations checks that sums are rounded, and that the minimum and the maximum of a
// number and a NaN are the number.
func TestFloatingOperations(t *testing.T) {
	for _, c := range []struct {
		op         arith.Op
		bits       int
		a, b, want int64
	}{
		{arith.AddF16, 16, 0x3c00, 0x3c00, 0x4000},
		{arith.AddF16, 16, 0x6800, 0x3c00, 0x6800}, // 2048 + 1: the even one
		{arith.AddBF16, 16, 0x3f80, 0x3f80, 0x4000},
		{arith.AddBF16, 16, 0x4380, 0x3f80, 0x4380}, // 256 + 1
		{arith.AddF32, 32, 0x3f800000, 0x40000000, 0x40400000},
		{arith.AddF64, 64, 0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000},
		{arith.MinF16, 16, 0x3c00, -0x4000, -0x4000},
		{arith.MaxF16, 16, 0x3c00, -0x4000, 0x3c00},
		{arith.MinF16, 16, 0x7fff, 0x3c00, 0x3c00},
		{arith.MaxBF16, 16, 0x3f80, 0x7fff, 0x3f80},
		{arith.MinBF16, 16, 0, -0x8000, -0x8000},
		{arith.MaxF16, 16, 0, -0x8000, 0},
	} {
		if got, err := arith.Compute(c.op, arith.Type{Bits: c.bits}, arith.Operands{c.a, c.b}); err != nil || got != c.want {
			t.Errorf("%v of %#x, %#x is %#x, %v; want %#x", c.op, c.a, c.b, got, err, c.want)
		}
	}
}
