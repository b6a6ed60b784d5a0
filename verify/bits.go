package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// maxCounts bounds the counts of ones that are compared with each other.
const maxCounts = 8

// subsets adds what is known of counts of bits without counting: some of the ones of a number are fewer than all of them.
func (q *questions) subsets(c *conjunction) {
	counts := applications(c.all)
	ones := counts[symbolic.Ones]
	for i, x := range ones[:min(len(ones), maxCounts)] {
		of := x.Args()[0]
		c.add(q.ULe(x, q.Const(32, 6)), q.Eq(q.Eq(x, q.Const(0, 6)), q.Eq(of, q.Const(0, 32))))
		for _, y := range ones[:i] {
			other := y.Args()[0]
			within := func(t, whole *term.Term) *term.Term { return q.Eq(q.And(t, q.Not(whole)), q.Const(0, 32)) }
			differ := q.Ne(of, other)
			c.add(q.Implies(q.And(differ, within(of, other)), q.ULt(x, y)), q.Implies(q.And(differ, within(other, of)), q.ULt(y, x)))
		}
	}
	for _, x := range counts[symbolic.Leading] {
		q.zeros(c, x, q.Sub(q.Const(31, 32), q.ZExt(x, 32)))
	}
	for _, x := range counts[symbolic.Trailing] {
		q.zeros(c, x, q.ZExt(x, 32))
	}
}

// zeros adds what is known of a count of zeros: where it ends is a one, unless all are zeros.
func (q *questions) zeros(c *conjunction, count, end *term.Term) {
	of := count.Args()[0]
	none := q.Eq(of, q.Const(0, 32))
	c.add(q.ULe(count, q.Const(32, 6)), q.Eq(q.Eq(count, q.Const(32, 6)), none), q.Or(none, symbolic.Names(q.Builder, of, end)))
}

// bitsCounted are the numbers whose ones are what a function counts.
var bitsCounted = map[string]func(q *questions, of *term.Term) *term.Term{
	symbolic.Ones: func(_ *questions, of *term.Term) *term.Term { return of },
	symbolic.Leading: func(q *questions, of *term.Term) *term.Term {
		for n := uint64(1); n < 32; n *= 2 {
			of = q.Or(of, q.LShr(of, q.Const(n, 32)))
		}
		return q.Not(of)
	},
	symbolic.Trailing: func(q *questions, of *term.Term) *term.Term { return q.And(q.Not(of), q.Sub(of, q.Const(1, 32))) },
}

// bits adds what counts of bits are; false if there are none.
func (q *questions) bits(c *conjunction) bool {
	some, counts := false, applications(c.all)
	for _, name := range []string{symbolic.Ones, symbolic.Leading, symbolic.Trailing} {
		for _, x := range counts[name] {
			some = true
			c.add(q.Eq(x, q.setBits(bitsCounted[name](q, x.Args()[0]))))
		}
	}
	return some
}

// setBits is how many bits of a number are set: those of pairs of bits, of pairs of these, and so on.
func (q *questions) setBits(t *term.Term) *term.Term {
	for i, every := range []uint64{0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff} {
		mask := q.Const(every, 32)
		t = q.Add(q.And(t, mask), q.And(q.LShr(t, q.Const(1<<i, 32)), mask))
	}
	return q.Extract(t, 0, 6)
}
