package prove

import (
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// circuit encodes gates as clauses, each gate once.
type circuit struct {
	solver *sat.Solver
	yes    sat.Lit // the literal that always holds
	gates  gates
	known  map[*term.Term][]sat.Lit // bits of terms, the lowest first
	quotes map[[2]*term.Term]quotient
}

// gate is a gate, by its inputs, the smaller first.
type gate struct {
	xor  bool
	a, b sat.Lit
}

// quotient is the bits of a quotient and of its remainder.
type quotient struct{ q, r []sat.Lit }

func (c *circuit) init() {
	if c.solver == nil {
		c.solver = sat.New()
	}
	c.solver.Reset()
	c.gates.reset()
	c.known, c.quotes = map[*term.Term][]sat.Lit{}, map[[2]*term.Term]quotient{}
	c.yes = c.solver.NewVar()
	c.solver.Add(c.yes)
}

func (c *circuit) no() sat.Lit { return c.yes.Not() }

func (c *circuit) constant(v bool) sat.Lit {
	if v {
		return c.yes
	}
	return c.no()
}

// and returns the conjunction of two literals.
func (c *circuit) and(a, b sat.Lit) sat.Lit {
	switch {
	case a == c.no() || b == c.no() || a == b.Not():
		return c.no()
	case a == c.yes || a == b:
		return b
	case b == c.yes:
		return a
	}
	return c.gate(gate{false, min(a, b), max(a, b)})
}

func (c *circuit) or(a, b sat.Lit) sat.Lit { return c.and(a.Not(), b.Not()).Not() }

// xor returns the exclusive or of two literals.
func (c *circuit) xor(a, b sat.Lit) sat.Lit {
	switch {
	case a == c.no():
		return b
	case a == c.yes:
		return b.Not()
	case b == c.no():
		return a
	case b == c.yes:
		return a.Not()
	case a == b:
		return c.no()
	case a == b.Not():
		return c.yes
	}
	flip := a.Negated() != b.Negated() // a gate of positive inputs serves all signs
	a, b = a&^1, b&^1
	l := c.gate(gate{true, min(a, b), max(a, b)})
	if flip {
		return l.Not()
	}
	return l
}

func (c *circuit) gate(g gate) sat.Lit {
	l, known := c.gates.out(g, c.solver.NewVar)
	if known {
		return l
	}
	if g.xor {
		c.solver.Add(l.Not(), g.a, g.b)
		c.solver.Add(l.Not(), g.a.Not(), g.b.Not())
		c.solver.Add(l, g.a.Not(), g.b)
		c.solver.Add(l, g.a, g.b.Not())
	} else {
		c.solver.Add(l.Not(), g.a)
		c.solver.Add(l.Not(), g.b)
		c.solver.Add(l, g.a.Not(), g.b.Not())
	}
	return l
}

// choose returns a if the literal when holds, else b.
func (c *circuit) choose(when, a, b sat.Lit) sat.Lit {
	switch {
	case a == b:
		return a
	case when == c.yes:
		return a
	case when == c.no():
		return b
	}
	return c.or(c.and(when, a), c.and(when.Not(), b))
}

// fullAdder adds three bits.
func (c *circuit) fullAdder(a, b, carry sat.Lit) (sum, out sat.Lit) {
	half := c.xor(a, b)
	return c.xor(half, carry), c.or(c.and(a, b), c.and(half, carry))
}

// add returns a + b + carry, as wide as a; b may be shorter.
func (c *circuit) add(a, b []sat.Lit, carry sat.Lit) (sum []sat.Lit, out sat.Lit) {
	sum = make([]sat.Lit, len(a))
	for i := range a {
		other := c.no()
		if i < len(b) {
			other = b[i]
		}
		sum[i], carry = c.fullAdder(a[i], other, carry)
	}
	return sum, carry
}

// less returns a < b for operands of one width: no carry comes out of a - b.
func (c *circuit) less(a, b []sat.Lit) sat.Lit {
	_, carry := c.add(a, negated(b), c.yes)
	return carry.Not()
}

func (c *circuit) equal(a, b []sat.Lit) sat.Lit {
	all := c.yes
	for i := range a {
		all = c.and(all, c.xor(a[i], b[i]).Not())
	}
	return all
}

func negated(bits []sat.Lit) []sat.Lit {
	all := make([]sat.Lit, len(bits))
	for i, l := range bits {
		all[i] = l.Not()
	}
	return all
}

// shifted returns bits shifted up by n places, of the same width.
func (c *circuit) shifted(bits []sat.Lit, n int) []sat.Lit {
	all := make([]sat.Lit, len(bits))
	for i := range all {
		if all[i] = c.no(); i >= n {
			all[i] = bits[i-n]
		}
	}
	return all
}

// multiply returns a * b, as wide as a.
func (c *circuit) multiply(a, b []sat.Lit) []sat.Lit {
	sum := c.number(0, len(a))
	for i, bit := range b {
		if bit == c.no() || i >= len(a) {
			continue
		}
		part := c.shifted(a, i)
		for j := range part {
			part[j] = c.and(part[j], bit)
		}
		sum, _ = c.add(sum, part, c.no())
	}
	return sum
}

// number returns the bits of a constant.
func (c *circuit) number(v uint64, width int) []sat.Lit {
	bits := make([]sat.Lit, width)
	for i := range bits {
		bits[i] = c.constant(i < 64 && v>>i&1 == 1)
	}
	return bits
}

// unknown returns new unconstrained bits.
func (c *circuit) unknown(width int) []sat.Lit {
	bits := make([]sat.Lit, width)
	for i := range bits {
		bits[i] = c.solver.NewVar()
	}
	return bits
}
