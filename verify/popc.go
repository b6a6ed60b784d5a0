package verify

import (
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
)

// maxPopcs bounds the counts of bits that are compared with each other.
const maxPopcs = 8

// subsets adds what is known of counts of bits without counting: some of the bits of a number are fewer than all of them.
func (q *questions) subsets(c *conjunction) {
	all := applications(c.all)[symbolic.Popc]
	for i, x := range all[:min(len(all), maxPopcs)] {
		of := x.Args()[0]
		c.add(q.ULe(x, q.Const(32, 6)), q.Eq(q.Eq(x, q.Const(0, 6)), q.Eq(of, q.Const(0, 32))))
		for _, y := range all[:i] {
			other := y.Args()[0]
			within := func(t, whole *term.Term) *term.Term { return q.Eq(q.And(t, q.Not(whole)), q.Const(0, 32)) }
			differ := q.Ne(of, other)
			c.add(q.Implies(q.And(differ, within(of, other)), q.ULt(x, y)), q.Implies(q.And(differ, within(other, of)), q.ULt(y, x)))
		}
	}
}

// popcs adds what counts of bits are; false if there are none.
func (q *questions) popcs(c *conjunction) bool {
	all := applications(c.all)[symbolic.Popc]
	for _, x := range all {
		c.add(q.Eq(x, q.setBits(x.Args()[0])))
	}
	return len(all) > 0
}

// setBits is how many bits of a number are set: those of pairs of bits, of pairs of these, and so on.
func (q *questions) setBits(t *term.Term) *term.Term {
	for i, every := range []uint64{0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff} {
		mask := q.Const(every, 32)
		t = q.Add(q.And(t, mask), q.And(q.LShr(t, q.Const(1<<i, 32)), mask))
	}
	return q.Extract(t, 0, 6)
}
