package launch

import (
	"math"
	"testing"
)

// TestHalf: each number of 16 bits is what it is made of, numbers between two are rounded to the nearer one, and those in the
// middle to the even one.
func TestHalf(t *testing.T) {
	for bits := range uint16(halfInfinite) {
		x, next := fromHalf(bits), fromHalf(bits+1)
		if got := toHalf(x); got != bits {
			t.Fatalf("%#x is %g, and that %#x", bits, x, got)
		}
		if got := toHalf(-x); got != bits|1<<15 {
			t.Fatalf("-%g is %#x", x, got)
		}
		if bits+1 == halfInfinite {
			next = 1 << 16
		}
		even := bits + bits&1
		for y, want := range map[float64]uint16{(x*3 + next) / 4: bits, (x + next) / 2: even, (x + 3*next) / 4: bits + 1} {
			if got := toHalf(y); got != want {
				t.Fatalf("%g, between %#x and the next, is %#x", y, bits, got)
			}
		}
	}
	for x, want := range map[float64]uint16{1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 1e9: 0x7c00, math.Inf(-1): 0xfc00} {
		if got := toHalf(x); got != want {
			t.Errorf("%g is %#x, want %#x", x, got, want)
		}
	}
	if x := fromHalf(toHalf(math.NaN())); x == x {
		t.Errorf("NaN is %g", x)
	}
}
