package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// What contracts and annotations take for granted may hold of no launch, such as n < 0 and n > 5, or a block of 64 threads where
// there are 32. Then nothing goes wrong, whatever the kernel does, and that verifies nothing.

// vacuous has the kernel be undecided if no launch is left by what is taken for granted, or none in which there are two threads to ask about.
func (q *questions) vacuous() {
	given := q.trace.Given
	if len(given) == 0 || len(q.result.Alarms) > 0 {
		return
	}
	const help = "conditions that can hold together, of all threads of a launch of this size"
	if q.excludes(nil) {
		q.result.Open = append(q.result.Open, Reason{nil, "no thread of any launch is as the contract and annotations take for granted: that verifies nothing", help})
		return
	}
	for _, s := range q.seconds(true) {
		if q.excludes(s) && !q.excludes(nil, q.several(s)) {
			q.result.Open = append(q.result.Open, Reason{nil, "no two threads " + s.where() + " are as the contract and annotations take for granted: that verifies nothing of them", help})
		}
	}
}

// several is that a launch has more than one such thread: more than one in a block, or more than one block.
func (q *questions) several(s *second) *term.Term {
	sizes, one := q.trace.Shape.Threads, q.Bool(true)
	if s.far {
		sizes = q.trace.Shape.Blocks
	}
	for _, n := range sizes {
		one = q.And(one, q.Eq(n, q.Const(1, n.Width())))
	}
	return q.Not(one)
}

// where is of which threads it is one.
func (s *second) where() string {
	if s.far {
		return "of different blocks"
	}
	return "of one block"
}

// excludes reports that no thread, or no pair of threads, is as is taken for granted, where more holds.
func (q *questions) excludes(s *second, more ...*term.Term) bool {
	c := newConjunction(q.Builder)
	c.add(more...)
	if c.add(q.trace.Geometry...); s != nil {
		c.add(s.apart...)
	}
	for _, g := range q.trace.Given {
		holds := q.examples(g)
		if c.add(holds...); s != nil {
			for _, h := range holds {
				c.add(s.Term(h))
			}
		}
	}
	all := &symbolic.Point{Claims: len(q.trace.Claims)}
	x := &question{name: "vacuous", first: all, second: s}
	if s != nil {
		x.other = all
		q.define(c, s)
	}
	q.instantiate(c, x)
	return c.no || q.checkWithin(guessBudget, x, c.all).Result == sat.Unsat
}

// examples are what a claim says where its variables are 0, 1 or the most that they may be: what is instantiated further begins there.
func (q *questions) examples(claim symbolic.Claim) (all []*term.Term) {
	values := map[*term.Term][]*term.Term{}
	for _, v := range claim.Vars {
		_, most := v.Range()
		values[v] = []*term.Term{q.Const(0, v.Width()), q.Const(1, v.Width()), q.Const(most, v.Width())}
	}
	for _, is := range combinations(claim.Vars, values) {
		all = append(all, q.instance(claim, is))
	}
	return all
}
