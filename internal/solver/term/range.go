package term

import "math/bits"

// bound computes the interval and the possible bits of a new term.
func (t *Term) bound() {
	all := Mask(t.width)
	t.lo, t.hi, t.ones = 0, all, all
	switch t.op {
	case Const:
		t.lo, t.hi, t.ones = t.k, t.k, t.k
	case Var:
		if hi, ok := t.Bound(); ok {
			t.hi = hi
		}
	case Sum:
		t.boundSum()
	case Mul:
		x, y := t.args[0], t.args[1]
		if over, most := bits.Mul64(x.hi, y.hi); over == 0 && most <= all {
			t.lo, t.hi, t.exact = x.lo*y.lo, most, true
		}
		t.ones = all << min(x.trailing()+y.trailing(), t.width) & all
	case UDiv:
		if y := t.args[1]; y.lo > 0 {
			t.lo, t.hi = t.args[0].lo/y.hi, t.args[0].hi/y.lo
		}
	case URem:
		if y := t.args[1]; y.lo > 0 {
			t.hi = min(t.args[0].hi, y.hi-1)
		} else {
			t.hi = max(t.args[0].hi, y.hi)
		}
	case And:
		t.ones = t.args[0].ones & t.args[1].ones
		t.hi = min(t.args[0].hi, t.args[1].hi)
	case Or:
		t.ones = t.args[0].ones | t.args[1].ones
		t.lo = max(t.args[0].lo, t.args[1].lo)
	case Xor:
		t.ones = t.args[0].ones | t.args[1].ones
	case LShr:
		t.hi = t.args[0].hi
	case ZExt:
		t.lo, t.hi, t.ones = t.args[0].lo, t.args[0].hi, t.args[0].ones
	case Extract:
		x := t.args[0]
		t.ones = x.ones >> t.k & all
		if x.hi>>t.k <= all {
			t.lo, t.hi = x.lo>>t.k, x.hi>>t.k
		}
	case Ite:
		x, y := t.args[1], t.args[2]
		t.lo, t.hi, t.ones = min(x.lo, y.lo), max(x.hi, y.hi), x.ones|y.ones
	}
	t.ones &= upTo(t.hi)
	t.hi = min(t.hi, t.ones)
}

func (t *Term) boundSum() {
	l := linear{width: t.width, k: t.k}
	low := bits.TrailingZeros64(t.k)
	for i, a := range t.args {
		l.parts = append(l.parts, part{a, t.coefs[i]})
		low = min(low, bits.TrailingZeros64(t.coefs[i])+a.trailing())
	}
	t.ones = Mask(t.width) << min(low, t.width) & Mask(t.width)
	if _, lo, hi, exact := l.turns(); exact {
		t.lo, t.hi, t.exact = lo.lo, hi.lo, true
	}
}
