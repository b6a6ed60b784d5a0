package term

import "math/bits"

// Compilers divide by a constant by multiplying with its reciprocal: x / 3 is x * 0xaaaaaaab >> 33,
// and x % 3 is x - x/3*3. Both are recognised, so that their bounds are known.

// leastReciprocal is the least factor that is taken for a reciprocal.
const leastReciprocal = 1 << 16

// quotient returns t >> low as y/d, where t = y*M is a sum whose coefficients share the factor M,
// or nil if the two differ for some value of y. With e = M*d - 2^low, y*M / 2^low is
// y/d + y*e / (d * 2^low). The fraction of y/d is at most (d-1)/d, so both round down to the same
// integer if y*e < 2^low (Granlund and Montgomery, "Division by invariant integers using
// multiplication", PLDI 1994).
func (b *Builder) quotient(t *Term, low int) *Term {
	factor := t.k
	for _, c := range t.coefs {
		factor = gcd(factor, c)
	}
	if factor < leastReciprocal || low >= 63 || factor >= 1<<low {
		return nil
	}
	l := linear{width: t.width, k: t.k / factor}
	for i, a := range t.args {
		l.add(a, t.coefs[i]/factor)
	}
	y, d := b.sum(&l), (1<<low-1)/factor+1
	_, most := y.Range()
	wraps, product := bits.Mul64(most, factor)
	far, excess := bits.Mul64(most, factor*d-1<<low)
	if wraps != 0 || product > Mask(t.width) || far != 0 || excess >= 1<<low {
		return nil
	}
	if t.width == 64 && most>>32 == 0 && d>>32 == 0 {
		return b.ZExt(b.UDiv(b.Extract(y, 0, 32), b.Const(d, 32)), 64)
	}
	return b.UDiv(y, b.Const(d, t.width))
}

func gcd(x, y uint64) uint64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// remainders replaces y and a quotient y/d in a sum by the remainder, where that is shorter: k*y -
// k*d*(y/d) is k times y%d.
func (b *Builder) remainders(l *linear) {
	for _, p := range l.parts {
		if p.t.op != UDiv {
			continue
		}
		d, ok := p.t.args[1].Value()
		minus := -p.c & Mask(l.width)
		if !ok || d == 0 || minus%d != 0 {
			continue
		}
		k := minus / d
		made := linear{width: l.width, k: l.k, parts: append([]part(nil), l.parts...)}
		made.add(p.t, k*d)
		made.add(p.t.args[0], -k)
		made.add(b.URem(p.t.args[0], p.t.args[1]), k)
		if made.normalize(); len(made.parts) < len(l.parts) {
			*l = made
			return
		}
	}
}
