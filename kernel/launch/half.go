package launch

import "math"

// Numbers of 16 bits (IEEE 754, binary16): a sign, 5 bits of an exponent, 10 of a fraction.
const (
	halfFraction = 10
	halfBias     = 15
	halfInfinite = 31 << halfFraction
)

func fromHalf(bits uint16) float64 {
	exponent, fraction := int(bits>>halfFraction&31), int(bits&(1<<halfFraction-1))
	var x float64
	switch {
	case exponent == 31 && fraction > 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(float64(fraction), 1-halfBias-halfFraction)
	default:
		x = math.Ldexp(float64(fraction+1<<halfFraction), exponent-halfBias-halfFraction)
	}
	if bits>>15 > 0 {
		x = -x
	}
	return x
}

// toHalf rounds to the nearest, to the even one of two. A fraction that is rounded up to the next power of two carries into
// the exponent, and that of the largest number makes it infinite.
func toHalf(x float64) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 1 << 15
	}
	switch {
	case x == 0:
		return sign
	case x != x:
		return 0x7fff // PTX ISA, "cvt"
	case math.Abs(x) >= 1<<16:
		return sign | halfInfinite
	}
	_, exponent := math.Frexp(x)
	exponent = max(exponent-1, 1-halfBias)
	n := math.RoundToEven(math.Ldexp(math.Abs(x), halfFraction-exponent))
	return sign | uint16(int(n)+(exponent+halfBias-1)<<halfFraction)
}
