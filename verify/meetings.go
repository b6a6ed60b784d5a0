package verify

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Threads that meet at barriers in a loop whose rounds are not known go round it together. That is asked here;
// then what the rounds of two threads have to do with each other may be taken for granted.

// meet is that threads of a scope meet: they are in the same rounds.
func (q *questions) meet(scope symbolic.Scope, rounds []*term.Term, s *second) (all []*term.Term) {
	if scope == symbolic.Warp {
		all = append(all, q.sameWarp(s))
	}
	for _, r := range rounds {
		all = append(all, q.Eq(r, s.Term(r)))
	}
	return all
}

// meetings asks whether, of two threads that meet in a loop, one can begin another round and one not.
func (q *questions) meetings() {
	for i, l := range q.trace.Meetings {
		again := l.Point
		again.Guard = l.Again
		for _, s := range q.seconds(l.Scope == symbolic.Grid) {
			if q.ended() {
				return
			}
			q.ask(&question{
				name: fmt.Sprintf("rounds-%d%s", i, s.suffix()), kind: Divergence, second: s, first: &again, other: &again, missing: true,
				warp: l.Scope == symbolic.Warp, more: append(q.meet(l.Scope, l.Rounds, s), s.Term(l.Guard)),
			})
		}
	}
}

// inStep adds what the state of a thread says of another that is one round ahead of it in a loop.
func (q *questions) inStep(c *conjunction, s *second) {
	for _, l := range q.trace.Meetings {
		n := len(l.Rounds) - 1
		mine := l.Rounds[n]
		theirs := s.Term(mine)
		if s.far && l.Scope != symbolic.Grid || mine == theirs {
			continue
		}
		if !c.speaks(mine.Args()[0]) && !c.speaks(theirs.Args()[0]) {
			continue
		}
		with := q.Bool(true)
		for _, t := range q.meet(l.Scope, l.Rounds[:n], s) {
			with = q.And(with, t)
		}
		one := q.Const(1, mine.Width())
		c.add(q.Implies(q.And(with, q.Eq(theirs, q.Add(mine, one))), l.Next))
		c.add(q.Implies(q.And(with, q.Eq(mine, q.Add(theirs, one))), s.Term(l.Next)))
		goesOn := q.Implies(l.Again, q.ULt(mine, l.Last))
		c.add(goesOn, s.Term(goesOn))
	}
}

// aligned is what follows from that two threads have passed equally many barriers, for loops whose rounds have different numbers of them:
// they are in one round, and have passed equally many in it, or one of them is past the last barrier of its round and the
// other not yet at the first of its own, a later one.
func (q *questions) aligned(a, b *symbolic.Access, s *second, scope symbolic.Scope) *term.Term {
	all := q.Bool(true)
	for _, l := range q.trace.Meetings {
		n := len(l.Rounds) - 1
		mine := l.Rounds[n]
		theirs := s.Term(mine)
		in := func(round *term.Term) func(*term.Term) bool {
			return func(v *term.Term) bool { return v == round.Args()[0] }
		}
		if l.Passed == nil || l.Scope < scope || !mentions(a.Epoch[scope], in(mine)) || !mentions(b.Epoch[scope], in(mine)) {
			continue
		}
		with := q.And(l.Guard, s.Term(l.Guard))
		for _, t := range q.meet(l.Scope, l.Rounds[:n], s) {
			with = q.And(with, t)
		}
		zero := q.Const(0, 64)
		begin, round := l.Passed.Of(a.Region, scope)
		passed := symbolic.Grown(q.Builder, a.Epoch[scope], begin)
		other := s.Term(symbolic.Grown(q.Builder, b.Epoch[scope], begin))
		before := q.And(q.ULt(mine, theirs), q.And(q.Eq(passed, round), q.Eq(other, zero)))
		after := q.And(q.ULt(theirs, mine), q.And(q.Eq(other, s.Term(round)), q.Eq(passed, zero)))
		same := q.And(q.Eq(mine, theirs), q.Eq(passed, other))
		all = q.And(all, q.Implies(with, q.Or(same, q.Or(before, after))))
	}
	return all
}
