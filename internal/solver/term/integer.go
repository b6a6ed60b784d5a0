package term

import "math/bits"

// integer is a 128-bit integer in two's complement, for sums before they wrap.
type integer struct {
	hi int64
	lo uint64
}

func integerOf(v int64) integer { return integer{v >> 63, uint64(v)} }

func (a integer) plus(b integer) integer {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(uint64(a.hi), uint64(b.hi), carry)
	return integer{int64(hi), lo}
}

func (a integer) negated() integer {
	return integer{^a.hi, ^a.lo}.plus(integer{0, 1})
}

func (a integer) less(b integer) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a integer) negative() bool { return a.hi < 0 }

// product returns c * v.
func product(c int64, v uint64) integer {
	magnitude := uint64(c)
	if c < 0 {
		magnitude = -magnitude
	}
	hi, lo := bits.Mul64(magnitude, v)
	p := integer{int64(hi), lo}
	if c < 0 {
		p = p.negated()
	}
	return p
}

// large reports whether sums of a few such integers may overflow 128 bits.
func (a integer) large() bool { return a.hi > 1<<52 || a.hi < -1<<52 }

// shifted returns a * 2^n; for a negative n it is a / 2^-n rounded down.
func (a integer) shifted(n int) integer {
	switch {
	case n == 64:
		return integer{int64(a.lo), 0}
	case n > 0:
		return integer{a.hi<<n | int64(a.lo>>(64-n)), a.lo << n}
	case n == -64:
		return integer{a.hi >> 63, uint64(a.hi)}
	case n < 0:
		return integer{a.hi >> -n, a.lo>>-n | uint64(a.hi)<<(64+n)}
	}
	return a
}

// int64 returns a as an int64, if it is one.
func (a integer) int64() (v int64, ok bool) { return int64(a.lo), a.hi == int64(a.lo)>>63 }
