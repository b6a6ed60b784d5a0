package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Contracts and annotations may assume conditions that hold in no launch, such as n < 0 and n > 5,
// or a block of 64 threads where there are 32. Then nothing can go wrong, whatever the kernel does,
// and a verdict would be meaningless.

// Vacuous records an obstacle if the assumptions exclude every launch, or every launch with two
// threads to ask about.
func (a *Asker) Vacuous() {
	if len(a.trace.Given) == 0 || len(a.found.Findings) > 0 {
		return
	}
	const help = "conditions that can hold together, of all threads of a launch of this size"
	v := vacuity{a}
	if v.excludes(nil) {
		a.found.Obstacles = append(a.found.Obstacles, Obstacle{nil, "no thread of any launch is as the contract and annotations take for granted: that verifies nothing", help})
		return
	}
	for _, other := range a.Others(true) {
		if v.excludes(other) && !v.excludes(nil, v.several(other)) {
			a.found.Obstacles = append(a.found.Obstacles, Obstacle{nil, "no two threads " + other.where() + " are as the contract and annotations take for granted: that verifies nothing of them", help})
		}
	}
}

// vacuity asks whether assumptions exclude launches.
type vacuity struct{ a *Asker }

// several returns the condition that a launch has several such threads: a block of several, or
// several blocks.
func (v vacuity) several(other *Thread) *term.Term {
	sizes, one := v.a.trace.Shape.Threads, v.a.prover.Bool(true)
	if other.OtherBlock {
		sizes = v.a.trace.Shape.Blocks
	}
	for _, n := range sizes {
		one = v.a.prover.And(one, v.a.prover.Eq(n, v.a.prover.Const(1, n.Width())))
	}
	return v.a.prover.Not(one)
}

// where names the kind of thread.
func (other *Thread) where() string {
	if other.OtherBlock {
		return "of different blocks"
	}
	return "of one block"
}

// excludes reports whether no thread, or no pair of threads, satisfies the assumptions and more.
func (v vacuity) excludes(other *Thread, more ...*term.Term) bool {
	c := newConjunction(v.a.prover.Builder)
	c.Add(more...)
	if c.Add(v.a.trace.Geometry...); other != nil {
		c.Add(other.apart...)
	}
	for _, g := range v.a.trace.Given {
		holds := v.examples(g)
		if c.Add(holds...); other != nil {
			for _, h := range holds {
				c.Add(other.Term(h))
			}
		}
	}
	all := &trace.Point{Claims: len(v.a.trace.Claims)}
	x := &Question{Name: "vacuous", First: all, Thread: other}
	if other != nil {
		x.Other = all
	}
	q := &inquiry{v.a, x, c}
	if other != nil {
		q.define()
	}
	q.instantiate()
	return c.unsatisfiable || q.checkWithin(GuessBudget, c.all).Result == sat.Unsat
}

// examples returns instances of a claim at 0, 1 and the largest values, from which others are
// found.
func (v vacuity) examples(claim trace.Claim) (all []*term.Term) {
	values := map[*term.Term][]*term.Term{}
	for _, x := range claim.Vars {
		_, most := x.Range()
		values[x] = []*term.Term{v.a.prover.Const(0, x.Width()), v.a.prover.Const(1, x.Width()), v.a.prover.Const(most, x.Width())}
	}
	m := matcher{v.a.prover.Builder}
	for _, is := range combinations(claim.Vars, values) {
		all = append(all, m.instance(claim, is))
	}
	return all
}
