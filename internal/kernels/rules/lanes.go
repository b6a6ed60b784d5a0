package rules

import (
	"fmt"
	"math/bits"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Lanes orders accesses of lanes of one warp.
//
// It recognises three ways in which these meet: barriers of a whole warp, counted as in Barriers;
// barriers of the lanes
// that a mask names (PTX ISA, "bar.warp.sync": memory accesses of the threads that participate are
// ordered), and what lanes exchange there; and, where threads are taken to run in lockstep, each
// access that both execute together (Bardsley and Donaldson, "Warps and Atomics", NFM 2014, Sec. 3:
// what the re-sync method clears sets after). An access of one thread and a later one of another
// are ordered if such a meeting is between them, at which both are. As there, two threads that take
// different branches meet at nothing in them.
//
// Its duties: the lanes that a mask names come to where it says so, and with the same mask. At the
// head of a loop that is cut, a lane is in any iteration, also in one to which it does not come: so
// it is asked first whether lanes that meet in a loop go round it together.
var Lanes = &ask.Rule{Name: "lanes", Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	r := &lanes{a: a, b: a.Terms(), trace: a.Trace()}
	if masksOrder(r.trace) || a.Config.Lockstep > 0 {
		r.order = make(map[*trace.Access]int, len(r.trace.Accesses))
		for i, x := range r.trace.Accesses {
			r.order[x] = i
		}
	}
	return r, true
}}

type lanes struct {
	a     *ask.Asker
	b     *term.Builder
	trace *trace.Trace
	order map[*trace.Access]int // which access it is; nil if lanes of a warp meet at barriers of the warp only
}

// maxMeetings bounds the accesses that are looked at for a meeting between two others, at either
// end. What is left out orders nothing.
const maxMeetings = 8

// warp is the number of lanes of a warp.
const warp = 32

// OrdersSome reports whether threads of a block can be ordered otherwise than by barriers of the
// block: those of a warp, or of some warps.
func OrdersSome(tr *trace.Trace, lockstep int) bool {
	if lockstep > 0 || len(tr.Arrivals) > 0 {
		return true
	}
	for _, b := range tr.Barriers {
		if b.Scope == trace.Warp {
			return true
		}
	}
	return masksOrder(tr)
}

// masksOrder reports whether some lanes of a warp are ordered by barriers whose mask names them.
func masksOrder(trace *trace.Trace) bool {
	for _, l := range trace.Convergences {
		if l.Orders {
			return true
		}
	}
	return false
}

// Placed reports whether it matters which access comes first.
func (r *lanes) Placed(*trace.Access) bool { return r.order != nil }

// Unordered returns the condition that two threads are of different warps, or have passed equally
// many barriers of the warp and have met at nothing in between.
func (r *lanes) Unordered(p ask.Pair) *term.Term {
	if p.Thread.OtherBlock {
		return r.b.Bool(true)
	}
	same := r.b.Eq(p.First.Epoch[trace.Warp], p.Theirs(p.Other.Epoch[trace.Warp]))
	return r.b.And(r.b.Or(same, r.b.Not(p.Thread.SameWarp())), r.unmet(p))
}

// unmet returns the condition that two threads at accesses, the first no later than the other, have
// not met in between.
func (r *lanes) unmet(p ask.Pair) *term.Term {
	b := r.b
	if r.order == nil {
		return b.Bool(true)
	}
	from, to := r.order[p.First], r.order[p.Other]
	met := b.Bool(false)
	rows := ByOthers(p.First) || ByOthers(p.Other) // other lanes touch them, which a mask need not name
	for _, l := range r.trace.Convergences {
		if l.Orders && !rows && from < l.Before && l.Before <= to {
			met = b.Or(met, p.Thread.BothAt(&l.Point, l.Rounds, b.And(p.Thread.SameWarp(), r.named(l, p.Thread))))
		}
	}
	if lockstep := r.a.Config.Lockstep; lockstep >= warp || lockstep > 0 && !rows {
		for i := from; i < to && !met.True(); i++ {
			if i >= from+maxMeetings && i < to-maxMeetings {
				i = to - maxMeetings
			}
			x := r.trace.Accesses[i]
			met = b.Or(met, p.Thread.BothAt(&x.Point, x.Rounds, r.inStep(p.Thread)))
		}
	}
	return b.Not(met)
}

// inStep returns the condition that the other thread runs in lockstep with the first.
func (r *lanes) inStep(other *ask.Thread) *term.Term {
	group := r.b.LShr(r.trace.Shape.Linear, r.b.Const(uint64(bits.TrailingZeros(uint(r.a.Config.Lockstep))), 32))
	return r.b.Eq(group, other.Term(group))
}

// named returns the condition that the masks of both threads name both.
func (r *lanes) named(l *trace.Convergence, other *ask.Thread) *term.Term {
	names := func(mask, lane *term.Term) *term.Term { return trace.Names(r.b, mask, lane) }
	lane, theirs := r.a.Lane(), other.Term(r.a.Lane())
	return r.b.And(names(l.Mask, theirs), names(other.Term(l.Mask), lane))
}

// Duties asks whether the lanes that a mask names reach the instruction with the same mask. A lane
// that has ended without reaching it is not waited for; a lane that does anything afterwards is.
func (r *lanes) Duties() {
	other := r.a.Threads().SameBlock
	if other == nil {
		return
	}
	for i, l := range r.trace.Partings {
		again := l.Point
		again.Guard = l.Again
		r.a.Ask(&ask.Question{
			Name: fmt.Sprintf("parting-%d", i), Kind: ask.Divergence, Thread: other, First: &again, Other: &again, Missing: true, Warp: true,
			More: append(other.Meets(true, l.Rounds), other.Term(l.Guard), r.anyNames(l.Masks, other)),
		})
	}
	for i, l := range r.trace.Convergences {
		names := trace.Names(r.b, l.Mask, other.Term(r.a.Lane()))
		meet := append(other.Meets(true, l.Rounds), names)
		askThat := func(x ask.Question, more *term.Term) {
			if r.a.Ended() {
				return
			}
			x.Name, x.Kind, x.Thread, x.First, x.Other = fmt.Sprintf("%s-%d", x.Name, i), ask.Divergence, other, &l.Point, &l.Point
			x.More = append([]*term.Term{more}, meet...)
			r.a.Ask(&x)
		}
		askThat(ask.Question{Name: "mask", What: "the masks differ"}, r.b.Ne(l.Mask, other.Term(l.Mask)))
		before := len(r.a.Found().Findings)
		askThat(ask.Question{Name: "lanes", Missing: true}, r.later(l, other))
		if len(r.a.Found().Findings) == before {
			askThat(ask.Question{Name: "lanes-ended", Missing: true, Warp: true}, r.b.Bool(true))
		}
	}
}

// anyNames returns the condition that one of several masks of a thread names another lane.
func (r *lanes) anyNames(masks []*term.Term, other *ask.Thread) *term.Term {
	names := r.b.Bool(false)
	for _, mask := range masks {
		if mask == nil { // it is another in each iteration
			return r.b.Bool(true)
		}
		names = r.b.Or(names, trace.Names(r.b, mask, other.Term(r.a.Lane())))
	}
	return names
}

// later returns the condition that the other thread does anything after a meeting of lanes.
func (r *lanes) later(l *trace.Convergence, other *ask.Thread) *term.Term {
	does := r.b.Bool(false)
	for _, x := range r.trace.Accesses[l.Before:] {
		does = r.b.Or(does, other.Term(x.Guard))
	}
	for _, m := range r.trace.Convergences {
		if m.Before >= l.Before && m.Instr != l.Instr {
			does = r.b.Or(does, other.Term(m.Guard))
		}
	}
	return does
}
