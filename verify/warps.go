package verify

import (
	"fmt"
	"math/bits"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Within a warp, more than barriers of the block and of a whole warp orders accesses: a barrier of the lanes that its mask
// names, and, where threads are taken to run in lockstep, each access that both threads execute together (Bardsley and
// Donaldson, "Warps and Atomics", NFM 2014, Sec. 3: what the re-sync method clears sets after). An access of one thread and a
// later one of another are ordered if such a meeting is between them, at which both are. As there, two threads that take different
// branches meet at nothing in them.

// maxMeetings bounds the accesses that are looked at for a meeting between two others, at either end. What is left out orders nothing.
const maxMeetings = 8

// ordersSome reports that threads of a block can be ordered otherwise than by barriers of the block: those of a warp, or of some warps.
func ordersSome(trace *symbolic.Trace, c Config) bool {
	if c.Lockstep > 0 || len(trace.Arrivals) > 0 {
		return true
	}
	for _, b := range trace.Barriers {
		if b.Scope == symbolic.Warp {
			return true
		}
	}
	for _, l := range trace.Convergences {
		if l.Orders {
			return true
		}
	}
	return false
}

// orders numbers the accesses, if it matters which comes first.
func (q *questions) orders() {
	masked := false
	for _, l := range q.trace.Convergences {
		masked = masked || l.Orders
	}
	if !masked && q.config.Lockstep == 0 {
		return
	}
	q.order = make(map[*symbolic.Access]int, len(q.trace.Accesses))
	for i, a := range q.trace.Accesses {
		q.order[a] = i
	}
}

// unmet is whether two threads at accesses, the first of which comes no later, have met at nothing in between.
func (q *questions) unmet(a, b *symbolic.Access, s *second) *term.Term {
	if q.order == nil {
		return q.Bool(true)
	}
	from, to := q.order[a], q.order[b]
	met := q.Bool(false)
	rows := rowsOf(a) != alone || rowsOf(b) != alone // other lanes touch them, which a mask need not name
	for _, l := range q.trace.Convergences {
		if l.Orders && !rows && from < l.Before && l.Before <= to {
			met = q.Or(met, q.both(&l.Point, l.Rounds, s, q.And(q.sameWarp(s), q.named(l, s))))
		}
	}
	if q.config.Lockstep >= warp || q.config.Lockstep > 0 && !rows {
		for i := from; i < to && !met.True(); i++ {
			if i >= from+maxMeetings && i < to-maxMeetings {
				i = to - maxMeetings
			}
			c := q.trace.Accesses[i]
			met = q.Or(met, q.both(&c.Point, c.Rounds, s, q.inStepWith(s)))
		}
	}
	return q.Not(met)
}

// both is whether both threads come to a point, in the same rounds.
func (q *questions) both(p *symbolic.Point, rounds []*term.Term, s *second, when *term.Term) *term.Term {
	all := q.And(when, q.And(p.Guard, s.Term(p.Guard)))
	for _, r := range rounds {
		all = q.And(all, q.Eq(r, s.Term(r)))
	}
	return all
}

// sameWarp is whether the second thread is in the warp of the first.
func (q *questions) sameWarp(s *second) *term.Term {
	warp := q.LShr(q.trace.Shape.Linear, q.Const(5, 32))
	return q.Eq(warp, s.Term(warp))
}

// inStepWith is whether the second thread runs in lockstep with the first.
func (q *questions) inStepWith(s *second) *term.Term {
	group := q.LShr(q.trace.Shape.Linear, q.Const(uint64(bits.TrailingZeros(uint(q.config.Lockstep))), 32))
	return q.Eq(group, s.Term(group))
}

// lane is which of its warp a thread is.
func (q *questions) lane() *term.Term { return q.And(q.trace.Shape.Linear, q.Const(31, 32)) }

// named is whether the masks of both threads name both.
func (q *questions) named(l *symbolic.Convergence, s *second) *term.Term {
	names := func(mask, lane *term.Term) *term.Term { return symbolic.Names(q.Builder, mask, lane) }
	lane, other := q.lane(), s.Term(q.lane())
	return q.And(names(l.Mask, other), names(s.Term(l.Mask), lane))
}

// convergences asks whether lanes that a mask names come to where it says so, and with the same mask. One that does not come and
// has ended is none that is waited for; one that does anything afterwards is. At the head of a loop that is cut, a lane is in any round, also in one to which it does
// not come: so it is asked first whether lanes that meet in a loop go round it together.
func (q *questions) convergences() {
	if q.near == nil {
		return
	}
	s := q.near
	for i, l := range q.trace.Partings {
		again := l.Point
		again.Guard = l.Again
		q.ask(&question{
			name: fmt.Sprintf("parting-%d", i), kind: Divergence, second: s, first: &again, other: &again, missing: true, warp: true,
			more: append(q.meet(symbolic.Warp, l.Rounds, s), s.Term(l.Guard), q.anyNames(l.Masks, s)),
		})
	}
	for i, l := range q.trace.Convergences {
		names := symbolic.Names(q.Builder, l.Mask, s.Term(q.lane()))
		meet := append(q.meet(symbolic.Warp, l.Rounds, s), names)
		ask := func(x question, more *term.Term) {
			if q.ended() {
				return
			}
			x.name, x.kind, x.second, x.first, x.other = fmt.Sprintf("%s-%d", x.name, i), Divergence, s, &l.Point, &l.Point
			x.more = append([]*term.Term{more}, meet...)
			q.ask(&x)
		}
		ask(question{name: "mask", what: "the masks differ"}, q.Ne(l.Mask, s.Term(l.Mask)))
		before := len(q.result.Alarms)
		ask(question{name: "lanes", missing: true}, q.later(l, s))
		if len(q.result.Alarms) == before {
			ask(question{name: "lanes-ended", missing: true, warp: true}, q.Bool(true))
		}
	}
}

// anyNames is whether one of several masks of a thread may name another lane.
func (q *questions) anyNames(masks []*term.Term, s *second) *term.Term {
	names := q.Bool(false)
	for _, mask := range masks {
		if mask == nil { // it is another in each round
			return q.Bool(true)
		}
		names = q.Or(names, symbolic.Names(q.Builder, mask, s.Term(q.lane())))
	}
	return names
}

// later is whether the second thread does anything that comes after a meeting of lanes.
func (q *questions) later(l *symbolic.Convergence, s *second) *term.Term {
	does := q.Bool(false)
	for _, a := range q.trace.Accesses[l.Before:] {
		does = q.Or(does, s.Term(a.Guard))
	}
	for _, other := range q.trace.Convergences {
		if other.Before >= l.Before && other.Instr != l.Instr {
			does = q.Or(does, s.Term(other.Guard))
		}
	}
	return does
}
