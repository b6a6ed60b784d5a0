package arith

import "math"

// Float is a format of binary floating-point numbers (IEEE 754-2019, 3.4; PTX ISA, "Alternate
// Floating-Point Data Formats"). A number is kept as its bits, sign-extended as integers are.
type Float struct {
	Bits     int
	Fraction int // how many of the bits are the fraction
}

// The formats.
var (
	F16  = Float{16, 10}
	BF16 = Float{16, 7}
	F32  = Float{32, 23}
	F64  = Float{64, 52}
)

// bias returns the exponent of 1, as the bits have it.
func (f Float) bias() int { return 1<<(f.Bits-f.Fraction-2) - 1 }

// Decode returns the number that bits stand for.
func (f Float) Decode(v int64) float64 {
	if f == F64 {
		return math.Float64frombits(uint64(v))
	}
	exponent, fraction := int(v>>f.Fraction&int64(2*f.bias()+1)), v&(1<<f.Fraction-1)
	var x float64
	switch {
	case exponent == 2*f.bias()+1 && fraction > 0:
		return math.NaN()
	case exponent == 2*f.bias()+1:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(float64(fraction), 1-f.bias()-f.Fraction)
	default:
		x = math.Ldexp(float64(fraction+1<<f.Fraction), exponent-f.bias()-f.Fraction)
	}
	if v>>(f.Bits-1)&1 > 0 {
		return -x
	}
	return x
}

// Encode returns the bits of the nearest number, of the even one of two. What is not a number has
// all bits but the sign (PTX ISA, "cvt").
func (f Float) Encode(x float64) int64 {
	if f == F64 {
		return int64(math.Float64bits(x))
	}
	return Type{Bits: f.Bits}.Wrap(f.encode(x))
}

// encode returns the bits in a number that is not negative. A fraction that is rounded up to the
// next power of two carries into the exponent, and that of the largest number makes it infinite.
func (f Float) encode(x float64) int64 {
	sign := int64(0)
	if math.Signbit(x) {
		sign = 1 << (f.Bits - 1)
	}
	switch {
	case x != x:
		return 1<<(f.Bits-1) - 1
	case x == 0:
		return sign
	case math.Abs(x) >= math.Ldexp(1, f.bias()+1):
		return sign | int64(2*f.bias()+1)<<f.Fraction
	}
	_, exponent := math.Frexp(x)
	exponent = max(exponent-1, 1-f.bias())
	n := math.RoundToEven(math.Ldexp(math.Abs(x), f.Fraction-exponent))
	return sign | int64(n) + int64(exponent+f.bias()-1)<<f.Fraction
}

// add returns the sum of two numbers, rounded to the nearest. The sum of 64 bits is rounded twice,
// which makes no difference for formats of at most 24 significant bits (Figueroa, "When is double
// rounding innocuous?", 1995).
func (f Float) add(a, b int64) int64 { return f.Encode(f.Decode(a) + f.Decode(b)) }

// least returns the smaller number, or the only number of the two (PTX ISA, "min").
func (f Float) least(a, b int64) int64 { return f.choose(a, b, math.Min) }

// greatest returns the larger number, or the only number of the two (PTX ISA, "max").
func (f Float) greatest(a, b int64) int64 { return f.choose(a, b, math.Max) }

func (f Float) choose(a, b int64, of func(x, y float64) float64) int64 {
	x, y := f.Decode(a), f.Decode(b)
	switch {
	case x != x:
		x = y
	case y != y:
		y = x
	}
	return f.Encode(of(x, y))
}
