package rules

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Barriers orders accesses by the barriers of a block and of a grid.
//
// It recognises the barriers that all threads of a block or grid pass (bar.sync, barrier.sync, grid
// barriers). An epoch is how many of them a thread has passed. Two accesses can happen at the same
// time only if the epochs of their threads are equal: a barrier synchronises all that is before it
// with all that is behind it (PTX ISA, "bar": "barrier{.cta}.sync … all prior memory accesses
// requested by this thread are performed relative to all threads participating in the barrier").
// Equations, not ¬< ∧ ¬>: the solver solves them.
//
// The order holds only if all threads reach each barrier, which is its duty. In a loop that is
// cut, threads that meet go round together: that no thread begins an iteration that another does
// not is a duty, too, and then what the iterations of two threads have to do with each other is a
// fact (Betts et al., "GPUVerify", OOPSLA 2012, Sec. 3: barrier divergence).
var Barriers = &ask.Rule{Name: "barriers", Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	return &barriers{a, a.Terms(), a.Trace()}, true
}}

type barriers struct {
	a     *ask.Asker
	b     *term.Builder
	trace *trace.Trace
}

// Unordered returns the condition that both threads have passed equally many barriers.
func (r *barriers) Unordered(p ask.Pair) *term.Term {
	scope := trace.Block
	if p.Thread.OtherBlock {
		scope = trace.Grid
	}
	same := r.b.Eq(p.First.Epoch[scope], p.Theirs(p.Other.Epoch[scope]))
	if same.False() {
		return same // so it is for most pairs of a loop with a barrier in it
	}
	return r.b.And(same, r.aligned(p, scope))
}

// Duties asks whether a thread can reach a barrier that another thread of its block or grid does
// not reach, and whether one of two threads that meet in a loop can begin another iteration without
// the other.
func (r *barriers) Duties() {
	for i, at := range r.trace.Barriers {
		for _, other := range r.a.Others(at.Scope == trace.Grid) {
			if r.a.Ended() {
				return
			}
			r.comes(fmt.Sprintf("divergence-%d%s", i, other.Suffix()), at, other)
		}
	}
	for i, l := range r.trace.Meetings {
		again := l.Point
		again.Guard = l.Again
		for _, other := range r.a.Others(l.Scope == trace.Grid) {
			if r.a.Ended() {
				return
			}
			r.a.Ask(&ask.Question{
				Name: fmt.Sprintf("rounds-%d%s", i, other.Suffix()), Kind: ask.Divergence, Thread: other, First: &again, Other: &again, Missing: true,
				Warp: l.Scope == trace.Warp, More: append(r.meet(l.Scope, l.Rounds, other), other.Term(l.Guard)),
			})
		}
	}
}

// comes asks whether another thread reaches a barrier, and one of the same number.
func (r *barriers) comes(name string, at *trace.Barrier, other *ask.Thread) {
	r.a.Ask(&ask.Question{
		Name: name, Kind: ask.Divergence, Thread: other, First: &at.Point, Other: &at.Point, Missing: true,
		Warp: at.Scope == trace.Warp, More: r.meet(at.Scope, at.Rounds, other),
	})
	if at.Number != nil && other.Term(at.Number) != at.Number {
		r.a.Ask(&ask.Question{
			Name: name + "-number", Kind: ask.Divergence, What: "the numbers of the barriers differ", Thread: other,
			First: &at.Point, Other: &at.Point, More: append(r.meet(at.Scope, at.Rounds, other), r.b.Ne(at.Number, other.Term(at.Number))),
		})
	}
}

// meet returns the condition that threads of a scope are in the same iterations.
func (r *barriers) meet(scope trace.Scope, iterations []*term.Term, other *ask.Thread) []*term.Term {
	return other.Meets(scope == trace.Warp, iterations)
}

// Relate adds the facts about another thread that is one iteration ahead in a loop.
func (r *barriers) Relate(c *ask.Conjunction, x *ask.Question) {
	b, other := r.b, x.Thread
	for _, l := range r.trace.Meetings {
		n := len(l.Rounds) - 1
		mine := l.Rounds[n]
		theirs := other.Term(mine)
		if other.OtherBlock && l.Scope != trace.Grid || mine == theirs {
			continue
		}
		if !c.Mentions(mine.Args()[0]) && !c.Mentions(theirs.Args()[0]) {
			continue
		}
		with := b.Bool(true)
		for _, t := range r.meet(l.Scope, l.Rounds[:n], other) {
			with = b.And(with, t)
		}
		one := b.Const(1, mine.Width())
		c.Add(b.Implies(b.And(with, b.Eq(theirs, b.Add(mine, one))), l.Next))
		c.Add(b.Implies(b.And(with, b.Eq(mine, b.Add(theirs, one))), other.Term(l.Next)))
		goesOn := b.Implies(l.Again, b.ULt(mine, l.Last))
		c.Add(goesOn, other.Term(goesOn))
	}
}

// aligned returns a consequence of two threads having passed equally many barriers, for loops whose
// iterations have different numbers of them. Either they are in one iteration and have passed
// equally many barriers in it, or one is past the last barrier of its iteration and the other is
// before the first barrier of a later one.
func (r *barriers) aligned(p ask.Pair, scope trace.Scope) *term.Term {
	b := r.b
	all := b.Bool(true)
	for _, l := range r.trace.Meetings {
		n := len(l.Rounds) - 1
		mine := l.Rounds[n]
		theirs := p.Theirs(mine)
		counted := func(epoch *term.Term) bool {
			return term.Mentions(epoch, func(v *term.Term) bool { return v == mine.Args()[0] })
		}
		if l.Passed == nil || l.Scope < scope || !counted(p.First.Epoch[scope]) || !counted(p.Other.Epoch[scope]) {
			continue
		}
		with := b.And(l.Guard, p.Theirs(l.Guard))
		for _, t := range r.meet(l.Scope, l.Rounds[:n], p.Thread) {
			with = b.And(with, t)
		}
		zero := b.Const(0, 64)
		begin, round := l.Passed.Of(p.First.Region, scope)
		passed := trace.Grown(b, p.First.Epoch[scope], begin)
		other := p.Theirs(trace.Grown(b, p.Other.Epoch[scope], begin))
		before := b.And(b.ULt(mine, theirs), b.And(b.Eq(passed, round), b.Eq(other, zero)))
		after := b.And(b.ULt(theirs, mine), b.And(b.Eq(other, p.Theirs(round)), b.Eq(passed, zero)))
		same := b.And(b.Eq(mine, theirs), b.Eq(passed, other))
		all = b.And(all, b.Implies(with, b.Or(same, b.Or(before, after))))
	}
	return all
}
