package term

import (
	"math/bits"
	"slices"
)

// Eq returns whether x and y are equal.
func (b *Builder) Eq(x, y *Term) *Term {
	d := linear{width: x.width}
	d.add(x, 1)
	d.add(y, Mask(x.width))
	return b.zero(&d)
}

// Ne returns whether x and y differ.
func (b *Builder) Ne(x, y *Term) *Term { return b.Not(b.Eq(x, y)) }

// zero returns the term d = 0 modulo 2^width.
func (b *Builder) zero(d *linear) *Term {
	d.normalize()
	switch {
	case len(d.parts) == 0:
		return b.Bool(d.k == 0)
	case d.width == 1:
		return b.Not(b.sum(d))
	}
	if decided := b.zeroInteger(d); decided != nil {
		return decided
	}
	shared := d.width
	for _, p := range d.parts {
		shared = min(shared, bits.TrailingZeros64(p.c))
	}
	switch {
	case shared > bits.TrailingZeros64(d.k):
		return b.Bool(false)
	case shared > 0:
		return b.zero(b.narrow(d, d.k>>shared, int64(1)<<shared, d.width-shared))
	case len(d.parts) == 1:
		p := d.parts[0]
		return b.is(p.t, -d.k*inverse(p.c)&Mask(d.width))
	}
	return b.balance(d)
}

// zeroInteger returns the equation d = 0 if its sum has at most one multiple of 2^width in its
// range. The equation then holds over the integers, and can be divided by the coefficients' common
// divisor and narrowed to the bits that the range needs. It returns nil otherwise, or if nothing
// gets simpler.
func (b *Builder) zeroInteger(d *linear) *Term {
	low, high, ok := d.span()
	if !ok {
		return nil
	}
	k := integer{0, d.k}
	target := high.plus(k).shifted(-d.width).shifted(d.width) // the last multiple that is not above the range
	k = k.plus(target.negated())
	low, high = low.plus(k), high.plus(k)
	switch {
	case !low.negative() && low != integer{}:
		return b.Bool(false)
	case !integer{0, Mask(d.width)}.negated().plus(integerOf(-1)).less(low):
		return nil // the previous multiple is in the range, too
	}
	constant, ok := k.int64()
	least, okLeast := low.int64()
	most, okMost := high.int64()
	if !ok || !okLeast || !okMost {
		return nil
	}
	g := d.gcd()
	if constant%g != 0 {
		return b.Bool(false)
	}
	width := max(1, bits.Len64(uint64(-(least / g))), bits.Len64(uint64(most/g)))
	if g == 1 && width >= d.width {
		return nil
	}
	return b.zero(b.narrow(d, uint64(constant/g), g, width))
}

// gcd returns the greatest common divisor of the coefficients, read as signed.
func (d *linear) gcd() int64 {
	g := int64(0)
	for _, p := range d.parts {
		a := signed(p.c, d.width)
		for a != 0 {
			g, a = a, g%a
		}
	}
	if g < 0 {
		return -g
	}
	return g
}

// narrow returns a sum with the constant k and the coefficients divided by g, in the low bits.
func (b *Builder) narrow(d *linear, k uint64, g int64, width int) *linear {
	n := &linear{width: width, k: k}
	for _, p := range d.parts {
		n.add(b.Extract(p.t, 0, width), uint64(signed(p.c, d.width)/g))
	}
	return n
}

// inverse returns the inverse of an odd number modulo 2^64, by Newton's iteration.
func inverse(c uint64) uint64 {
	x := c // correct to 3 bits
	for range 5 {
		x *= 2 - c*x
	}
	return x
}

// is returns the term t = v.
func (b *Builder) is(t *Term, v uint64) *Term {
	switch {
	case v < t.lo, v > t.hi, v&^t.ones != 0:
		return b.Bool(false)
	case t.op == ZExt:
		return b.is(t.args[0], v)
	case t.op == Sum, t.width == 1:
		return b.Eq(t, b.Const(v, t.width))
	case t.op == Ite && (t.args[1].op == Const || t.args[2].op == Const):
		return b.Ite(t.args[0], b.is(t.args[1], v), b.is(t.args[2], v))
	case t.op == Const:
		return b.Bool(t.k == v)
	}
	return b.intern(Term{op: Eq, width: 1, args: []*Term{t, b.Const(v, t.width)}})
}

// balance returns the equation of a sum and 0 with its negative parts on the right, so that it is
// the same equation whichever side it came from.
func (b *Builder) balance(d *linear) *Term {
	flip := signed(d.parts[0].c, d.width) < 0
	left, right := linear{width: d.width}, linear{width: d.width}
	for _, p := range d.parts {
		if (signed(p.c, d.width) < 0) == flip {
			left.add(p.t, side(p.c, flip))
		} else {
			right.add(p.t, side(p.c, !flip))
		}
	}
	if (signed(d.k, d.width) < 0) == flip {
		left.k = side(d.k, flip)
	} else {
		right.k = side(d.k, !flip)
	}
	return b.intern(Term{op: Eq, width: 1, args: []*Term{b.sum(&left), b.sum(&right)}})
}

// side returns a coefficient as it appears on its side of the equation.
func side(c uint64, negative bool) uint64 {
	if negative {
		return -c
	}
	return c
}

// ULt returns whether x is less than y, read as unsigned.
func (b *Builder) ULt(x, y *Term) *Term {
	switch {
	case x == y, x.lo >= y.hi:
		return b.Bool(false)
	case x.hi < y.lo:
		return b.Bool(true)
	case x.lo == x.hi && x.lo == y.lo: // y is at least x
		return b.Not(b.is(y, x.lo))
	case y.lo == y.hi && x.hi == y.lo: // x is at most y
		return b.Not(b.is(x, y.lo))
	case y.lo == y.hi && y.lo == x.lo+1:
		return b.is(x, x.lo)
	case x.op == ZExt && y.op == ZExt && x.args[0].width == y.args[0].width:
		return b.ULt(x.args[0], y.args[0])
	}
	if lo, hi, ok := difference(x, y); ok {
		switch {
		case hi.negative():
			return b.Bool(true)
		case !lo.negative():
			return b.Bool(false)
		}
	}
	return b.intern(Term{op: ULt, width: 1, args: []*Term{x, y}})
}

// difference returns the range of x - y over the integers, after cancelling common operands.
func difference(x, y *Term) (lo, hi integer, ok bool) {
	d := linear{width: x.width}
	constant := integer{}
	for _, side := range []struct {
		t *Term
		c int64
	}{{x, 1}, {y, -1}} {
		if side.t.op != Sum || !side.t.exact {
			d.parts = append(d.parts, part{side.t, uint64(side.c)})
			continue
		}
		l := side.t.linear()
		k := l.constant()
		if side.c < 0 {
			k = k.negated()
		}
		constant = constant.plus(k)
		for _, p := range l.parts {
			d.parts = append(d.parts, part{p.t, uint64(side.c * signed(p.c, x.width))})
		}
	}
	if d.overflows() {
		return lo, hi, false
	}
	d.normalize()
	lo, hi, ok = d.span()
	return lo.plus(constant), hi.plus(constant), ok
}

// overflows reports whether the sum of coefficients of equal operands may overflow.
func (d *linear) overflows() bool {
	if d.width < 3 {
		return true
	}
	quarter := int64(1) << (d.width - 2)
	return slices.ContainsFunc(d.parts, func(p part) bool {
		return int64(p.c) >= quarter || int64(p.c) <= -quarter
	})
}

// ULe returns whether x is at most y, read as unsigned.
func (b *Builder) ULe(x, y *Term) *Term { return b.Not(b.ULt(y, x)) }

// SLt returns whether x is less than y, read as signed.
func (b *Builder) SLt(x, y *Term) *Term {
	half := b.Const(uint64(1)<<(x.width-1), x.width)
	return b.ULt(b.Add(x, half), b.Add(y, half))
}

// SLe returns whether x is at most y, read as signed.
func (b *Builder) SLe(x, y *Term) *Term { return b.Not(b.SLt(y, x)) }
