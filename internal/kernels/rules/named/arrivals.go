// Package named orders accesses by barriers that wait for some of the threads of a block.
//
//	arrivals   the warps of a block at such barriers: arrivals.go, and in loops: pipeline.go
//	walk       the warps as they reach these barriers, with clocks: walk.go
//	course     what walks of few iterations show of all: course.go, and of two accesses: order.go
//
// It recognises bar.sync and bar.arrive with a number of threads. A barrier has a number, which may
// be computed from the place of a thread, and says how many threads it waits for (PTX ISA, "bar").
// Whole warps reach it, at one instruction or several, and bar.arrive does not wait. So what
// it orders is known where it is known of each warp to which of these barriers it comes, one after
// the other: the warps are walked along these. One schedule suffices (Sharma, Bauer, Aiken,
// "Verification of Producer-Consumer Synchronization in GPU Programs", PLDI 2015): see walk.
//
// Its duties are asked while it is recognised: that all lanes of a warp come, or none; that each
// barrier gets as many threads as it waits for, and none too early.
package named

import (
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Rule recognises such barriers.
var Rule = &ask.Rule{Name: "named", Late: true, Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	if len(a.Trace().Arrivals) == 0 {
		return nil, true
	}
	x := &arrivals{
		asker: a, b: a.Terms(), trace: a.Trace(), other: a.Threads().SameBlock, known: map[positionOf][]position{}, sure: map[*term.Term]bool{},
	}
	x.loops = pipelines{on: x, b: x.b}
	understood := x.meet()
	return &Instance{x}, understood
}}

// Instance is what the rule has recognised.
type Instance struct{ arrivals *arrivals }

// Mixed reports whether barriers of one number wait for all threads of the block, and for some.
func (i *Instance) Mixed() bool { return i.arrivals.mixed }

// Unordered returns the condition that such barriers do not order two accesses of threads of a
// block.
func (i *Instance) Unordered(p ask.Pair) *term.Term {
	if p.Thread.OtherBlock || i.arrivals.course == nil {
		return i.arrivals.b.Bool(true)
	}
	return i.arrivals.course.unordered(p)
}

// arrivals are the arrivals of the warps of a block at such barriers.
type arrivals struct {
	asker  *ask.Asker
	b      *term.Builder
	trace  *trace.Trace
	other  *ask.Thread         // another thread of the block
	placed map[*term.Term]bool // the variables for the place of a thread in its block
	places []*term.Renaming    // the threads of the block, each at its place
	lines  []line              // the sequence of each warp
	loops  pipelines
	mixed  bool                      // barriers of one number wait for all threads of the block, and for some
	course *course                   // nil if it is not known what they order
	known  map[positionOf][]position // memorized positions
	sure   map[*term.Term]bool       // memorized sureOf
}

// barrierID identifies a barrier by its number, and by the number of barriers of the block that
// have been passed before it.
type barrierID struct {
	number uint64
	epoch  *term.Term
}

// maxWarps bounds the warps of a block: sets of warps are numbers of 32 bits.
const maxWarps = 32

// warp is the number of lanes of a warp.
const warp = 32

// meet finds what the barriers order, and records what is wrong or unknown. It reports whether all
// is known.
func (a *arrivals) meet() bool {
	threads, fixed := ask.Fixed(a.asker.Config.Block)
	if !fixed {
		a.unknown(a.trace.Arrivals[0], "the size of the block (--block)", "which threads of a block of any size come to this barrier, which waits for some of them, is not known")
		return false
	}
	if a.other == nil {
		a.unknown(a.trace.Arrivals[0], "a block of more threads", "a barrier of some of the threads of a block of one thread is not modelled")
		return false
	}
	if threads > maxWarps*warp {
		a.unknown(a.trace.Arrivals[0], "a block that a GPU can run", "barriers of some of the threads of a block of more than %d are not modelled", maxWarps*warp)
		return false
	}
	if slices.ContainsFunc(a.trace.Accesses, func(x *trace.Access) bool { return x.Copy != nil }) {
		a.mixed = a.mixed || a.shared()
		a.unknown(a.trace.Arrivals[0], "", "when asynchronous copies end, as barriers of some of the threads of a block have it, is not modelled")
		return false
	}
	a.inPlaces(threads)
	return a.outside() && a.loops.find() && a.separate() && a.unmixed() && a.walked()
}

// unknown records an obstacle.
func (a *arrivals) unknown(at *trace.Arrival, help, format string, args ...any) {
	a.asker.Open(&at.Point, help, format, args...)
}

// inPlaces creates the threads of a block: the trace with numbers for the place of each.
func (a *arrivals) inPlaces(threads int) {
	size := a.asker.Config.Block
	a.placed = trace.Variables(a.trace.Shape.Block[:]...)
	for _, t := range a.trace.Shape.Thread {
		for _, v := range t.Args() {
			a.placed[v] = true
		}
	}
	for n := range threads {
		place := map[*term.Term]*term.Term{}
		for i, at := range []int{n % size[0], n / size[0] % size[1], n / (size[0] * size[1])} {
			for _, v := range a.trace.Shape.Thread[i].Args() {
				place[v] = a.b.Const(uint64(at), v.Width())
			}
		}
		a.places = append(a.places, a.b.Rename(func(v *term.Term) *term.Term {
			if is := place[v]; is != nil {
				return is
			}
			return v
		}))
	}
}

// warps returns the number of warps of the block.
func (a *arrivals) warps() int { return (len(a.places) + warp - 1) / warp }

// lanes returns the threads of a warp.
func (a *arrivals) lanes(w int) []*term.Renaming {
	return a.places[w*warp : min(len(a.places), (w+1)*warp)]
}

// comes reports whether a warp reaches a barrier. All its lanes must, or none.
func (a *arrivals) comes(at *trace.Arrival, w int) (comes, ok bool) {
	if len(a.trace.Loose) > 0 {
		if ok = a.sureOf(at); !ok {
			a.unknown(at, "sizes for which loops end after a number of rounds that is known", "whether all rounds of a loop were executed, and which threads come to this barrier then, is not known")
		}
		return ok, ok
	}
	n := 0
	for _, lane := range a.lanes(w) {
		switch here := lane.Term(at.Guard); {
		case here.True():
			n++
		case !here.False():
			a.unknown(at, "a barrier to which threads come by their places alone", "whether a thread comes to this barrier, which waits for some threads of the block, depends on more than its place")
			return false, false
		}
	}
	if n > 0 && n < len(a.lanes(w)) {
		a.alarming(at, &ask.Question{Other: &at.Point, Missing: true, More: []*term.Term{a.other.SameWarp()}})
		return false, false
	}
	return n > 0, true
}

// sureOf reports whether each thread reaches a barrier, or is still in a loop that was left after
// some iterations, where only alarms are looked for.
func (a *arrivals) sureOf(at *trace.Arrival) bool {
	all, known := a.sure[at.Guard]
	if !known {
		all = a.asker.Check(ask.GuessBudget, a.b.Not(at.Guard), a.b.Not(a.trace.Lost)).Result == sat.Unsat
		a.sure[at.Guard] = all
	}
	return all
}

// arrives returns the barrier to which a warp comes.
func (a *arrivals) arrives(at *trace.Arrival, w int) (x arrived, ok bool) {
	lanes := a.lanes(w)
	number, epoch := lanes[0].Term(at.Number), lanes[0].Term(at.Epoch)
	count, known := lanes[0].Term(at.Count).Value()
	n, whole := number.Value()
	for _, lane := range lanes {
		if !whole || !known || count == 0 || lane.Term(at.Number) != number || lane.Term(at.Epoch) != epoch || lane.Term(at.Count) != lanes[0].Term(at.Count) {
			a.unknown(at, "a number that follows from which warp of its block a thread is in", "which barrier this is, or how many threads it waits for, is not known of each warp")
			return x, false
		}
	}
	return arrived{at, barrierID{n, epoch}, count}, true
}

// separate reports whether barriers of one number that are taken to be different have a barrier of
// the block in between.
func (a *arrivals) separate() bool {
	epochs := map[uint64][]*term.Term{}
	for _, l := range a.lines {
		for _, x := range l.all() {
			if slices.Contains(epochs[x.id.number], x.id.epoch) {
				continue
			}
			for _, other := range epochs[x.id.number] {
				if !a.distinct(x, other) {
					a.unknown(x.at, "", "whether a barrier of the block is between two times that threads come to barrier %d is not known", x.id.number)
					return false
				}
			}
			epochs[x.id.number] = append(epochs[x.id.number], x.id.epoch)
		}
	}
	return true
}

// distinct reports whether the number of barriers of the block passed at an arrival is never equal
// to another.
func (a *arrivals) distinct(x arrived, other *term.Term) bool {
	same := a.b.Eq(x.id.epoch, other)
	if same.False() || a.asker.Check(ask.GuessBudget, same).Result == sat.Unsat {
		return true
	}
	if term.Mentions(same, func(v *term.Term) bool { return a.asker.Vars().Private(v) }) {
		return false // the other thread has its own
	}
	return a.asker.Never(&x.at.Point, same)
}

// unmixed reports whether no number is also that of a barrier of all threads of the block.
func (a *arrivals) unmixed() bool {
	for _, l := range a.lines {
		for _, x := range l.all() {
			for _, b := range a.trace.Barriers {
				if b.Scope != trace.Warp && !a.b.Eq(a.numberOf(b), a.b.Const(x.id.number, 32)).False() {
					a.mixed = true
					a.unknown(x.at, "a number of its own for each barrier", "barrier %d waits for some threads of the block, and for all elsewhere", x.id.number)
					return false
				}
			}
		}
	}
	return true
}

// shared reports whether an arrival and a barrier of the block may have one number. The threads
// that miss the barrier may then be those that arrive.
func (a *arrivals) shared() bool {
	return slices.ContainsFunc(a.trace.Arrivals, func(x *trace.Arrival) bool {
		return slices.ContainsFunc(a.trace.Barriers, func(b *trace.Barrier) bool {
			return b.Scope != trace.Warp && !a.b.Eq(a.numberOf(b), x.Number).False()
		})
	})
}

// numberOf returns the number of a barrier of the block: 0 for those of libraries.
func (a *arrivals) numberOf(b *trace.Barrier) *term.Term {
	if b.Number == nil {
		return a.b.Const(0, 32)
	}
	return b.Number
}

// alarmAt records an alarm about a thread of warp w at a barrier, and a thread of another warp.
func (a *arrivals) alarmAt(at *trace.Arrival, w int, what string, there *trace.Arrival, others []int) {
	x := &ask.Question{What: what, More: []*term.Term{a.in(1<<w, a.warp())}}
	if there != nil {
		x.Other = &there.Point
	}
	for _, o := range others {
		x.More = append(x.More, a.other.Term(a.in(1<<o, a.warp())))
	}
	a.alarming(at, x)
}

// alarming asks a question whose answer is known to be yes, for the threads that show it.
func (a *arrivals) alarming(at *trace.Arrival, x *ask.Question) {
	x.Name, x.Kind, x.First, x.Thread = "arrival", ask.Divergence, &at.Point, a.other
	before := len(a.asker.Found().Findings)
	if a.asker.Ask(x); len(a.asker.Found().Findings) == before {
		a.unknown(at, "", "threads may wait at this barrier for others that do not come, or come too often")
	}
}

// warp is which warp of its block a thread is in.
func (a *arrivals) warp() *term.Term { return a.b.LShr(a.trace.Shape.Linear, a.b.Const(5, 32)) }

// in returns the condition that a warp is in a set.
func (a *arrivals) in(set uint32, w *term.Term) *term.Term {
	low, n := bits.TrailingZeros32(set), bits.OnesCount32(set)
	switch {
	case n >= a.warps():
		return a.b.Bool(true)
	case bits.LeadingZeros32(set)+low+n == 32:
		return a.b.And(a.b.ULe(a.b.Const(uint64(low), 32), w), a.b.ULt(w, a.b.Const(uint64(low+n), 32)))
	}
	return trace.Names(a.b, a.b.Const(uint64(set), 32), w)
}
