package rules

import (
	"math"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Counters tells that an atomic that adds to a counter returns a different value each time.
//
// It recognises atomics that add a number to a counter to which nothing else writes. As long as the
// counter does not wrap around, each returns a different value (Bardsley and Donaldson, "Warps and
// Atomics: Beyond Barrier Synchronization in the Verification of GPU Kernels", NFM 2014, Sec. 4.2).
// Two threads that count the same counter get different values; nothing is known of different
// counters. (In Sec. 4.3, two threads never get the same value from any counters: that rules out
// executions that can happen.)
//
// An atomic that adds varying amounts hands out a range: as many values as it adds, from the one
// that it returns. Two threads get disjoint ranges as long as the sum of all amounts does not
// exceed the range of the counter, so no amount may be negative. That is a question. If it is not
// proved, the counter hands out nothing.
var Counters = &ask.Rule{Name: "counters", Twice: true, Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	r := &counters{a: a, b: a.Terms(), trace: a.Trace(), amounts: map[amount]bool{}}
	if early, ok := ask.Find[*counters](a); ok {
		r.counting = early.counting
	}
	r.all = r.recognise()
	return r, true
}}

type counters struct {
	a        *ask.Asker
	b        *term.Builder
	trace    *trace.Trace
	all      []trace.Read    // what atomics that only count return; those that hand out ranges have no step
	amounts  map[amount]bool // what is known of what atomics add
	third    []thirdValue    // what other threads have handed on of what they got: see third.go
	counting bool            // some fact relies on that counters do not come round
}

// amount is a question that was asked: whether an atomic adds a number at most.
type amount struct {
	by   *trace.Access
	most uint64
}

// Assumptions returns the assumption that counters do not come round, if it is not known how often
// they are counted.
func (r *counters) Assumptions() []string {
	if r.counting {
		return []string{assume.Counters.Of()}
	}
	return nil
}

// recognise returns the results of atomics that only count: no other accesses to the array may
// happen while they do.
func (r *counters) recognise() (all []trace.Read) {
	for _, read := range r.trace.Reads {
		if read.Amount == nil {
			continue
		}
		others := meanwhile(r.trace, read)
		if slices.ContainsFunc(others, func(x *trace.Access) bool { return x.Step != read.Step || read.Step == 0 }) {
			if read.Step = 0; slices.ContainsFunc(others, func(x *trace.Access) bool { return !r.grows(x, read.Size) }) {
				continue
			}
		} else if slices.ContainsFunc(others, func(x *trace.Access) bool { return x.Size != read.Size }) {
			continue
		}
		if r.turns(read) != comesRound {
			all = append(all, read)
		}
	}
	return all
}

// grows reports whether an access adds to a counter of a size in bytes, and never a negative
// number.
func (r *counters) grows(x *trace.Access, size int) bool {
	if x.Amount == nil || x.Size != size || x.Copy != nil || !r.a.Settled() { // guesses that are not proved are no reason
		return false
	}
	return r.adds(x, term.Mask(8*size-1))
}

// adds reports whether an atomic adds a number at most.
func (r *counters) adds(x *trace.Access, most uint64) bool {
	known, asked := r.amounts[amount{x, most}]
	if !asked {
		known = r.a.Never(&x.Point, r.b.ULt(r.b.Const(most, x.Amount.Width()), x.Amount))
		r.amounts[amount{x, most}] = known
	}
	return known
}

// turn says whether a counter returns to an earlier value.
type turn uint8

const (
	neverRound turn = iota
	maybeRound      // how often it is counted is not known
	comesRound
)

// turns returns whether a counter returns to an earlier value. A counter of n bits that counts by s
// takes 2^n divided by the largest power of two in s steps to do so, wherever it begins.
func (r *counters) turns(read trace.Read) turn {
	threads, blocks, known := r.crowd(read.Region)
	if !known {
		return maybeRound
	}
	if read.Step == 0 {
		return r.sums(read, term.Mask(8*read.Size)/threads/blocks)
	}
	period := uint64(math.MaxUint64)
	if n := 8*read.Size - bits.TrailingZeros64(read.Step); n < 64 {
		period = 1 << n
	}
	if r.calls(read.Region)*threads > period/blocks {
		return comesRound
	}
	return neverRound
}

// crowd returns how many threads of how many blocks can count in an array, if that is known and
// they execute each atomic once.
func (r *counters) crowd(region *trace.Region) (threads, blocks uint64, known bool) {
	c := &r.a.Config
	block, known := ask.Fixed(c.Block)
	grid, all := ask.Fixed(c.Grid)
	if region.Space == isa.Shared {
		grid, all = 1, true
	}
	return uint64(block), uint64(grid), known && all && !c.Loops.Cut && len(r.trace.Loose) == 0
}

// calls returns how often a thread can count in an array, at most.
func (r *counters) calls(region *trace.Region) (n uint64) {
	for _, x := range r.trace.Accesses {
		if x.Region == region {
			n++
		}
	}
	return n
}

// sums returns whether a thread may add more to a counter than its room, which is divided equally
// among its atomics.
func (r *counters) sums(read trace.Read, room uint64) turn {
	all := meanwhile(r.trace, read)
	most := room / uint64(len(all))
	if slices.ContainsFunc(all, func(x *trace.Access) bool { return !r.adds(x, most) }) {
		return maybeRound
	}
	return neverRound
}

// known is a value of a counter that a thread knows: its own, or one that a third thread has got
// for it.
type known struct {
	read trace.Read
	by   *term.Term // the lane that is the leader of its warp and has got it; nil if it was another thread
}

// Relate adds that two threads do not get the same value of a counter.
func (r *counters) Relate(c *ask.Conjunction, q *ask.Question) {
	other := q.Thread
	if other.Self {
		return
	}
	mine, theirs := r.handedOn(c, q)
	for _, read := range r.all {
		if c.Mentions(read.Value) {
			mine = append(mine, known{read: read})
		}
		if c.Mentions(other.Term(read.Value)) {
			theirs = append(theirs, known{read: read})
		}
	}
	for _, x := range mine {
		for _, y := range theirs {
			if x.read.Region != y.read.Region || other.OtherBlock && x.read.Region.Space == isa.Shared {
				continue
			}
			epoch := other.Term(y.read.Epoch)
			if x.read.Region.Space == isa.Shared && !r.b.Eq(x.read.Epoch, epoch).True() {
				continue
			}
			r.counting = r.counting || r.turns(x.read) == maybeRound
			differ := r.b.Or(r.b.Ne(x.read.Offset, other.Term(y.read.Offset)), r.apart(x.read, y.read, other))
			if (x.by != nil || y.by != nil) && !other.OtherBlock {
				differ = r.b.Or(r.once(x, y, other), differ)
			}
			c.Add(differ)
		}
	}
}

// once returns the condition under which two values may be one and the same: one lane of a warp got
// both, in the same iteration. At least one of them comes from the leader of a warp.
func (r *counters) once(x, y known, other *ask.Thread) *term.Term {
	lane := func(k known) *term.Term {
		if k.by == nil {
			return r.a.Lane() // a value without a leader counts as one that the thread got itself
		}
		return k.by
	}
	same := r.b.And(other.SameWarp(), r.b.Eq(lane(x), other.Term(lane(y))))
	if x.read.Reads == y.read.Reads { // one atomic
		for i, iteration := range x.read.Rounds {
			same = r.b.And(same, r.b.Eq(iteration, other.Term(y.read.Rounds[i])))
		}
	}
	return same
}

// apart returns a known fact about two values of one counter, if both threads have counted it: an
// atomic whose pointer is chosen may have counted another.
func (r *counters) apart(x, y trace.Read, other *ask.Thread) *term.Term {
	apart := r.steps
	if x.Step == 0 {
		apart = r.ranges
	}
	return r.b.Implies(r.b.And(x.Guard, other.Term(y.Guard)), apart(x, y, other))
}

// steps returns the condition that the distance of two values of a counter is a non-zero multiple
// of the step, so that threads which count by 4 have four elements each. If the counter wraps
// around, only the common factor of the step and the powers of two remains.
func (r *counters) steps(x, y trace.Read, other *ask.Thread) *term.Term {
	b := r.b
	theirs := other.Term(y.Value)
	some := b.Ne(x.Value, theirs)
	if y.Step != x.Step {
		return some
	}
	apart := b.Sub(x.Value, theirs)
	if far, ok := r.reach(x); ok { // no further than all together count, up or down
		some = b.And(some, b.ULe(b.Add(apart, b.Const(far, apart.Width())), b.Const(2*far, apart.Width())))
	}
	low := x.Step & -x.Step
	if low <= 1 {
		return some
	}
	return b.And(some, b.Eq(b.And(apart, b.Const(low-1, apart.Width())), b.Const(0, apart.Width())))
}

// reach returns how far two values of a counter can be from each other, if each atomic is executed
// once: as far as all others but the last take it. False if that is not known, or says nothing of a
// counter of its width.
func (r *counters) reach(read trace.Read) (far uint64, ok bool) {
	threads, blocks, known := r.crowd(read.Region)
	step, half := min(read.Step, -read.Step&term.Mask(8*read.Size)), term.Mask(8*read.Size-1)
	if calls := r.calls(read.Region) * threads; known && blocks <= half/step/calls {
		return (calls*blocks - 1) * step, true
	}
	return 0, false
}

// ranges returns the condition that two ranges of a counter are disjoint: one of them came first,
// and the sum of what was added from there on, including the other, is within the counter's range.
func (r *counters) ranges(x, y trace.Read, other *ask.Thread) *term.Term {
	b := r.b
	theirs, amount := other.Term(y.Value), other.Term(y.Amount)
	follows := func(from, by, to, more *term.Term) *term.Term {
		between := b.Sub(to, from)
		return b.And(b.ULe(by, between), b.ULe(between, b.Add(between, more)))
	}
	return b.Or(follows(x.Value, x.Amount, theirs, amount), follows(theirs, amount, x.Value, x.Amount))
}
