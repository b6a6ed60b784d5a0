package term

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// part is an operand of a sum with its coefficient.
type part struct {
	t *Term
	c uint64
}

// linear is a sum under construction, modulo 2^width.
type linear struct {
	width int
	k     uint64
	parts []part
}

// add adds c * t.
func (l *linear) add(t *Term, c uint64) {
	switch t.op {
	case Const:
		l.k += c * t.k
	case Sum:
		l.k += c * t.k
		for i, a := range t.args {
			l.parts = append(l.parts, part{a, c * t.coefs[i]})
		}
	default:
		l.parts = append(l.parts, part{t, c})
	}
}

// normalize reduces the coefficients modulo 2^width and merges equal operands.
func (l *linear) normalize() {
	slices.SortStableFunc(l.parts, func(p, q part) int { return cmp.Compare(p.t.id, q.t.id) })
	merged := l.parts[:0]
	for _, p := range l.parts {
		if n := len(merged); n > 0 && merged[n-1].t == p.t {
			merged[n-1].c += p.c
		} else {
			merged = append(merged, p)
		}
	}
	l.parts = merged[:0]
	for _, p := range merged {
		if p.c &= Mask(l.width); p.c != 0 {
			l.parts = append(l.parts, p)
		}
	}
	l.k &= Mask(l.width)
}

// sum returns the term of a sum: a constant, a single operand, or a Sum.
func (b *Builder) sum(l *linear) *Term {
	l.normalize()
	b.remainders(l)
	switch {
	case len(l.parts) == 0:
		return b.Const(l.k, l.width)
	case len(l.parts) == 1 && l.parts[0].c == 1 && l.k == 0:
		return l.parts[0].t
	case l.width == 1: // modulo 2, a sum is an exclusive or
		x := b.Const(l.k, 1)
		for _, p := range l.parts {
			x = b.Xor(x, p.t)
		}
		return x
	}
	t := Term{op: Sum, width: l.width, k: l.k}
	for _, p := range l.parts {
		t.args, t.coefs = append(t.args, p.t), append(t.coefs, p.c)
	}
	return b.intern(t)
}

// Add returns x + y.
func (b *Builder) Add(x, y *Term) *Term {
	l := linear{width: x.width}
	l.add(x, 1)
	l.add(y, 1)
	return b.sum(&l)
}

// Sub returns x - y.
func (b *Builder) Sub(x, y *Term) *Term {
	l := linear{width: x.width}
	l.add(x, 1)
	l.add(y, Mask(x.width))
	return b.sum(&l)
}

// scale returns c * t.
func (b *Builder) scale(t *Term, c uint64) *Term {
	l := linear{width: t.width}
	l.add(t, c)
	return b.sum(&l)
}

// maxProducts bounds the products that distributing a product of sums makes.
const maxProducts = 16

// Mul returns x * y.
func (b *Builder) Mul(x, y *Term) *Term {
	switch {
	case x.op == Const:
		return b.scale(y, x.k)
	case y.op == Const:
		return b.scale(x, y.k)
	case x.width == 1:
		return b.And(x, y)
	case (x.op == Sum || y.op == Sum) && (len(x.args)+1)*(len(y.args)+1) <= maxProducts:
		return b.distribute(x, y)
	case x.id > y.id:
		x, y = y, x
	}
	return b.intern(Term{op: Mul, width: x.width, args: []*Term{x, y}})
}

// distribute returns x * y, where one of them is a sum, as the sum of products.
func (b *Builder) distribute(x, y *Term) *Term {
	var left, right linear
	left.add(x, 1)
	right.add(y, 1)
	l := linear{width: x.width, k: left.k * right.k}
	for _, p := range left.parts {
		l.add(p.t, p.c*right.k)
		for _, q := range right.parts {
			l.add(b.Mul(p.t, q.t), p.c*q.c)
		}
	}
	for _, q := range right.parts {
		l.add(q.t, q.c*left.k)
	}
	return b.sum(&l)
}

// span returns the range of a sum over the integers, with signed coefficients and without the
// constant, or false if it is too large.
func (l *linear) span() (lo, hi integer, ok bool) {
	for _, p := range l.parts {
		c := signed(p.c, l.width)
		least, most := product(c, p.t.lo), product(c, p.t.hi)
		if c < 0 {
			least, most = most, least
		}
		if least.large() || most.large() || lo.large() || hi.large() {
			return lo, hi, false
		}
		lo, hi = lo.plus(least), hi.plus(most)
	}
	return lo, hi, true
}

// linear returns the term as a sum.
func (t *Term) linear() linear {
	l := linear{width: t.width}
	l.add(t, 1)
	return l
}

// turns returns the multiple n of 2^width to add to the constant k, read as unsigned, for the sum
// to lie between 0 and 2^width-1 over the integers, or false if no n does.
func (l *linear) turns() (n integer, lo, hi integer, ok bool) {
	lo, hi, ok = l.span()
	if !ok {
		return n, lo, hi, false
	}
	k := integer{0, l.k}
	lo, hi = lo.plus(k), hi.plus(k)
	n = lo.shifted(-l.width).negated() // lo + n·2^width is in range
	by := n.shifted(l.width)
	lo, hi = lo.plus(by), hi.plus(by)
	return n, lo, hi, !integer{0, Mask(l.width)}.less(hi)
}

// constant returns the constant of an exact sum over the integers.
func (l *linear) constant() (k integer) {
	n, _, _, _ := l.turns()
	return integer{0, l.k}.plus(n.shifted(l.width))
}

// extendSum returns an exact sum in more bits, the sum of its extended operands.
func (b *Builder) extendSum(t *Term, width int) *Term {
	from := t.linear()
	l := linear{width: width, k: from.constant().lo}
	for _, p := range from.parts {
		l.add(b.ZExt(p.t, width), uint64(signed(p.c, t.width)))
	}
	return b.sum(&l)
}

// truncateSum returns the low bits of a sum, the sum of the low bits of its operands.
func (b *Builder) truncateSum(t *Term, width int) *Term {
	l := linear{width: width, k: t.k}
	for i, a := range t.args {
		l.add(b.Extract(a, 0, width), t.coefs[i])
	}
	return b.sum(&l)
}

// shiftSum returns an exact sum shifted right, as a sum, or nil.
func (b *Builder) shiftSum(t *Term, n int) *Term {
	q, _ := b.divideSum(t, 1<<n)
	return q
}

// divideSum divides a sum that does not wrap by d: the operands with coefficients divisible by d
// form the quotient if the rest lies between 0 and d-1. It returns nil otherwise.
func (b *Builder) divideSum(t *Term, d uint64) (quotient, remainder *Term) {
	from := t.linear()
	constant, small := from.constant().int64()
	if t.op == Sum && !t.exact || !small || int64(d) <= 0 {
		return nil, nil
	}
	floor, rest := divide(constant, int64(d))
	q := linear{width: t.width, k: uint64(floor)}
	r := linear{width: t.width, k: uint64(rest)}
	for _, p := range from.parts {
		if c := signed(p.c, t.width); c%int64(d) == 0 {
			q.add(p.t, uint64(c/int64(d)))
		} else {
			r.add(p.t, p.c)
		}
	}
	lo, hi, ok := r.span()
	lo, hi = lo.plus(integerOf(rest)), hi.plus(integerOf(rest))
	if !ok || lo.negative() || !hi.less(integer{0, d}) {
		return nil, nil
	}
	return b.sum(&q), b.sum(&r)
}

// divide returns the floored quotient and the remainder by a positive divisor.
func divide(a, d int64) (quotient, remainder int64) {
	quotient, remainder = a/d, a%d
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+d
	}
	return quotient, remainder
}

// UDiv returns the unsigned quotient of x and y.
func (b *Builder) UDiv(x, y *Term) *Term {
	if d, ok := y.Value(); ok {
		switch {
		case d == 0:
			return b.Const(Mask(x.width), x.width)
		case d&(d-1) == 0:
			return b.LShr(x, b.Const(uint64(bits.TrailingZeros64(d)), x.width))
		case x.op == Const:
			return b.Const(x.k/d, x.width)
		case x.hi < d:
			return b.Const(0, x.width)
		}
		if q, _ := b.divideSum(x, d); q != nil {
			return q
		}
	}
	return b.intern(Term{op: UDiv, width: x.width, args: []*Term{x, y}})
}

// URem returns the unsigned remainder of x and y.
func (b *Builder) URem(x, y *Term) *Term {
	if d, ok := y.Value(); ok {
		switch {
		case d == 0:
			return x
		case d&(d-1) == 0:
			return b.And(x, b.Const(d-1, x.width))
		case x.op == Const:
			return b.Const(x.k%d, x.width)
		case x.hi < d:
			return x
		}
		if q, r := b.divideSum(x, d); q != nil {
			return r
		}
	}
	return b.intern(Term{op: URem, width: x.width, args: []*Term{x, y}})
}

// SDiv returns the quotient of x and y read as signed, rounded towards 0.
func (b *Builder) SDiv(x, y *Term) *Term {
	opposite := b.Xor(b.sign(x), b.sign(y))
	q := b.UDiv(b.abs(x), b.abs(y))
	return b.Ite(opposite, b.Sub(b.Const(0, x.width), q), q)
}

// SRem returns the remainder of SDiv, with the sign of x.
func (b *Builder) SRem(x, y *Term) *Term {
	r := b.URem(b.abs(x), b.abs(y))
	return b.Ite(b.sign(x), b.Sub(b.Const(0, x.width), r), r)
}

func (b *Builder) sign(x *Term) *Term { return b.Extract(x, x.width-1, 1) }

func (b *Builder) abs(x *Term) *Term {
	return b.Ite(b.sign(x), b.Sub(b.Const(0, x.width), x), x)
}

// Exact returns the constant of a Sum (0 for a Mul) if the term equals the sum or product of its
// operands over the integers, with coefficients read as signed. It returns false if the term may
// wrap.
func (t *Term) Exact() (number *big.Int, ok bool) {
	switch {
	case t.op != Sum && t.op != Mul || !t.exact:
		return nil, false
	case t.op == Mul:
		return new(big.Int), true
	}
	l := t.linear()
	k := l.constant()
	number = new(big.Int).Lsh(big.NewInt(k.hi), 64)
	return number.Add(number, new(big.Int).SetUint64(k.lo)), true
}

// Signed returns the coefficient of an operand of a Sum, read as signed.
func (t *Term) Signed(i int) int64 { return signed(t.coefs[i], t.width) }
