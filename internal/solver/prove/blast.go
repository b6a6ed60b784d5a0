package prove

import (
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// maxGates bounds the gates of a question: larger questions are hopeless for the solver, and a gate
// takes some 800 bytes.
const maxGates = 1_000_000

// bits returns the bits of a term, the lowest first.
func (p *Prover) bits(t *term.Term) []sat.Lit {
	if bits, ok := p.known[t]; ok {
		return bits
	}
	args := make([][]sat.Lit, len(t.Args()))
	for i, a := range t.Args() {
		args[i] = p.bits(a)
	}
	if p.gates.used > maxGates || p.solver.Stopped() {
		panic(term.ErrStopped) // between gates, so each gate is complete
	}
	bits := p.masked(p.blast(t, args), t.Ones())
	p.known[t] = bits
	if t.Op() == term.App {
		p.apps = append(p.apps, t)
	}
	if hi, ok := t.Bound(); ok {
		p.solver.Add(p.less(p.number(hi, t.Width()), bits).Not())
	}
	return bits
}

// masked replaces the bits that are known to be 0 by constants.
func (p *Prover) masked(bits []sat.Lit, ones uint64) []sat.Lit {
	all := make([]sat.Lit, len(bits))
	for i, l := range bits {
		if all[i] = l; ones>>i&1 == 0 {
			all[i] = p.no()
		}
	}
	return all
}

// blast returns the bits of a term, given those of its operands.
func (p *Prover) blast(t *term.Term, x [][]sat.Lit) []sat.Lit {
	switch t.Op() {
	case term.Const:
		return p.number(t.Constant(), t.Width())
	case term.Var, term.App:
		return p.unknown(t.Width())
	case term.Sum:
		return p.sum(t, x)
	case term.Mul:
		return p.multiply(x[0], x[1])
	case term.UDiv:
		return p.divide(t, x).q
	case term.URem:
		return p.divide(t, x).r
	case term.And:
		return bitwise(p.and, x)
	case term.Or:
		return bitwise(p.or, x)
	case term.Xor:
		return bitwise(p.xor, x)
	case term.Shl:
		return reversed(p.shiftRight(reversed(x[0]), x[1]))
	case term.LShr:
		return p.shiftRight(x[0], x[1])
	case term.ZExt:
		return append(x[0][:len(x[0]):len(x[0])], p.number(0, t.Width()-len(x[0]))...)
	case term.Extract:
		return x[0][t.Low() : t.Low()+t.Width()]
	case term.Ite:
		bits := make([]sat.Lit, t.Width())
		for i := range bits {
			bits[i] = p.choose(x[0][0], x[1][i], x[2][i])
		}
		return bits
	case term.Eq:
		return []sat.Lit{p.equal(x[0], x[1])}
	case term.ULt:
		return []sat.Lit{p.less(x[0], x[1])}
	}
	panic("prove: no gates for " + t.Op().String())
}

func bitwise(gate func(a, b sat.Lit) sat.Lit, x [][]sat.Lit) []sat.Lit {
	bits := make([]sat.Lit, len(x[0]))
	for i := range bits {
		bits[i] = gate(x[0][i], x[1][i])
	}
	return bits
}

func reversed(bits []sat.Lit) []sat.Lit {
	all := make([]sat.Lit, len(bits))
	for i, l := range bits {
		all[len(bits)-1-i] = l
	}
	return all
}

// sum adds up a sum. Coefficients are decomposed into few signed powers of two, their non-adjacent
// form (Reitwiesner, 1960).
func (p *Prover) sum(t *term.Term, x [][]sat.Lit) []sat.Lit {
	total := p.number(t.Constant(), t.Width())
	for i, bits := range x {
		c := t.Coef(i)
		for n := 0; n < t.Width() && c != 0; n++ {
			switch digit := c & 3; {
			case digit == 1 || digit == 3 && n == t.Width()-1:
				total, _ = p.add(total, p.shifted(bits, n), p.no())
				c--
			case digit == 3:
				total, _ = p.add(total, negated(p.shifted(bits, n)), p.yes)
				c++
			}
			c >>= 1
		}
	}
	return total
}

// divide returns the quotient and remainder of a division term: the numbers that multiplied and
// added give the dividend, in twice the bits so that nothing wraps. Division by 0 gives all ones
// and the dividend.
func (p *Prover) divide(t *term.Term, x [][]sat.Lit) quotient {
	key := [2]*term.Term{t.Args()[0], t.Args()[1]}
	if known, ok := p.quotes[key]; ok {
		return known
	}
	n := t.Width()
	q, r := p.unknown(n), p.unknown(n)
	wide := func(bits []sat.Lit) []sat.Lit { return append(bits[:n:n], p.number(0, n)...) }
	total, _ := p.add(p.multiply(wide(x[1]), q), wide(r), p.no())
	zero := p.equal(x[1], p.number(0, n))
	regular := p.and(p.equal(total, wide(x[0])), p.less(r, x[1]))
	byZero := p.and(p.equal(q, p.number(term.Mask(n), n)), p.equal(r, x[0]))
	p.solver.Add(p.choose(zero, byZero, regular))
	p.quotes[key] = quotient{q, r}
	return p.quotes[key]
}

// shiftRight shifts by a variable amount: bit i of the amount shifts by 2^i.
func (p *Prover) shiftRight(bits, by []sat.Lit) []sat.Lit {
	for i, bit := range by {
		next := make([]sat.Lit, len(bits))
		for j := range bits {
			from := p.no()
			if i < 7 && j+1<<i < len(bits) {
				from = bits[j+1<<i]
			}
			next[j] = p.choose(bit, from, bits[j])
		}
		bits = next
	}
	return bits
}
