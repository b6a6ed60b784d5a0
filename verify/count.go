package verify

import (
	"math"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// An atomic that adds a number to a counter returns another value each time, as long as nothing else
// writes to the counter and it does not come round (Bardsley and Donaldson, "Warps and Atomics: Beyond
// Barrier Synchronization in the Verification of GPU Kernels", NFM 2014, Sec. 4.2). Two threads that
// count the same counter get different values; of different counters, nothing is known. (As Sec. 4.3 has it, two
// threads never get the same value, of whichever counters: that rules out what can happen.)

// An atomic that adds what is not the same each time hands out a range: as many values as it adds, from the one that it returns. Two threads get
// ranges that have nothing in common, as long as no more is added in all than the counter can hold. So no amount may be negative: that is
// asked, and a counter of which it is not known hands out nothing.

// counters are what the atomics return that only count: nothing but such accesses may happen to the
// array while they do. Those that hand out ranges have no step.
func (q *questions) counters() (all []symbolic.Read) {
	for _, r := range q.trace.Reads {
		if r.Amount == nil {
			continue
		}
		others := q.meanwhile(r)
		if slices.ContainsFunc(others, func(a *symbolic.Access) bool { return a.Step != r.Step || r.Step == 0 }) {
			if r.Step = 0; slices.ContainsFunc(others, func(a *symbolic.Access) bool { return !q.grows(a, r.Size) }) {
				continue
			}
		} else if slices.ContainsFunc(others, func(a *symbolic.Access) bool { return a.Size != r.Size }) {
			continue
		}
		if q.turns(r) != comesRound {
			all = append(all, r)
		}
	}
	return all
}

// meanwhile are the accesses to the array of a counter that may happen while it counts.
func (q *questions) meanwhile(r symbolic.Read) (all []*symbolic.Access) {
	epoch := epochOf(r.Epoch)
	for _, a := range q.trace.Accesses {
		when := epochOf(a.Epoch[symbolic.Block])
		if a.Region == r.Region && (a.Copy != nil || when == epoch || when == ever || epoch == ever || r.Region.Space != isa.Shared) {
			all = append(all, a)
		}
	}
	return all
}

// grows reports that an access adds to a counter of so many bytes, and never a negative number.
func (q *questions) grows(a *symbolic.Access, size int) bool {
	if a.Amount == nil || a.Size != size || a.Copy != nil || !q.settled { // guesses that are not proved are no reason
		return false
	}
	return q.adds(a, term.Mask(8*size-1))
}

// amount is a question that was asked: whether an atomic adds so much at most.
type amount struct {
	by   *symbolic.Access
	most uint64
}

// adds reports that an atomic adds so much at most.
func (q *questions) adds(a *symbolic.Access, most uint64) bool {
	known, asked := q.amounts[amount{a, most}]
	if !asked {
		_, result := q.fails(&a.Point, q.ULt(q.Const(most, a.Amount.Width()), a.Amount))
		known = result == sat.Unsat
		q.amounts[amount{a, most}] = known
	}
	return known
}

// turn says whether a counter comes round to a value that it has had.
type turn uint8

const (
	neverRound turn = iota
	maybeRound      // how often it is counted is not known
	comesRound
)

// turns is whether a counter comes round. Counted by s in n bits, it takes 2^n divided by the largest power of two
// in s until it does, wherever it begins.
func (q *questions) turns(r symbolic.Read) turn {
	threads, blocks, known := q.crowd(r.Region)
	if !known {
		return maybeRound
	}
	if r.Step == 0 {
		return q.sums(r, term.Mask(8*r.Size)/threads/blocks)
	}
	period := uint64(math.MaxUint64)
	if n := 8*r.Size - bits.TrailingZeros64(r.Step); n < 64 {
		period = 1 << n
	}
	if q.calls(r.Region)*threads > period/blocks {
		return comesRound
	}
	return neverRound
}

// crowd is how many threads of how many blocks can count in an array, if that is known, and they execute each atomic once.
func (q *questions) crowd(r *symbolic.Region) (threads, blocks uint64, known bool) {
	block, known := q.config.Launch.Block.fixed()
	grid, all := q.config.Launch.Grid.fixed()
	if r.Space == isa.Shared {
		grid, all = 1, true
	}
	return uint64(block), uint64(grid), known && all && len(q.setup.cut) == 0 && len(q.trace.Loose) == 0
}

// calls is how often a thread can count in an array, at most.
func (q *questions) calls(r *symbolic.Region) (n uint64) {
	for _, a := range q.trace.Accesses {
		if a.Region == r {
			n++
		}
	}
	return n
}

// sums is whether a thread may add more to a counter than there is room for: each of its atomics an equal part.
func (q *questions) sums(r symbolic.Read, room uint64) turn {
	all := q.meanwhile(r)
	most := room / uint64(len(all))
	if slices.ContainsFunc(all, func(a *symbolic.Access) bool { return !q.adds(a, most) }) {
		return maybeRound
	}
	return neverRound
}

// taken is a value of a counter that a thread knows: its own, or what the leader of its warp, or the master of its block, has got for it.
type taken struct {
	symbolic.Read
	by *term.Term // the lane that is the leader of its warp and has got it; nil if it was another thread
}

// counted adds that two threads do not get the same value of a counter.
func (q *questions) counted(c *conjunction, x *question) {
	s := x.second
	mine, theirs := q.handed(c, x)
	for _, r := range q.count {
		if c.speaks(r.Value) {
			mine = append(mine, taken{Read: r})
		}
		if c.speaks(s.Term(r.Value)) {
			theirs = append(theirs, taken{Read: r})
		}
	}
	for _, x := range mine {
		for _, y := range theirs {
			if x.Region != y.Region || s.far && x.Region.Space == isa.Shared {
				continue
			}
			apart := s.Term(y.Epoch)
			if x.Region.Space == isa.Shared && !q.Eq(x.Epoch, apart).True() {
				continue
			}
			q.counting = q.counting || q.turns(x.Read) == maybeRound
			differ := q.Or(q.Ne(x.Offset, s.Term(y.Offset)), q.apart(x.Read, y.Read, s))
			if (x.by != nil || y.by != nil) && !s.far {
				differ = q.Or(q.once(x, y, s), differ)
			}
			c.add(differ)
		}
	}
}

// once is whether two values, of which leaders of warps have got one or both, may be one, of one lane in one round.
func (q *questions) once(x, y taken, s *second) *term.Term {
	lane := func(t taken) *term.Term {
		if t.by == nil {
			return q.lane() // what leaders of warps are asked of in one block, the thread itself has got else
		}
		return t.by
	}
	same := q.And(q.sameWarp(s), q.Eq(lane(x), s.Term(lane(y))))
	if x.Reads == y.Reads { // one atomic
		for i, r := range x.Rounds {
			same = q.And(same, q.Eq(r, s.Term(y.Rounds[i])))
		}
	}
	return same
}

// apart is what is known of two values of one counter, if both threads have counted it: an atomic whose pointer is chosen may have counted another.
func (q *questions) apart(x, y symbolic.Read, s *second) *term.Term {
	apart := q.steps
	if x.Step == 0 {
		apart = q.ranges
	}
	return q.Implies(q.And(x.Guard, s.Term(y.Guard)), apart(x, y, s))
}

// steps is whether two values of a counter are a number of steps from each other, and not none: so that threads which count
// by 4 have four elements each. Coming round leaves only what the steps share with the powers of two.
func (q *questions) steps(x, y symbolic.Read, s *second) *term.Term {
	theirs := s.Term(y.Value)
	some := q.Ne(x.Value, theirs)
	if y.Step != x.Step {
		return some
	}
	apart := q.Sub(x.Value, theirs)
	if far, ok := q.reach(x); ok { // no further than all together count, up or down
		some = q.And(some, q.ULe(q.Add(apart, q.Const(far, apart.Width())), q.Const(2*far, apart.Width())))
	}
	low := x.Step & -x.Step
	if low <= 1 {
		return some
	}
	return q.And(some, q.Eq(q.And(apart, q.Const(low-1, apart.Width())), q.Const(0, apart.Width())))
}

// reach is how far two values of a counter can be from each other, if each atomic is executed once: as far as all others but the last take it. False if that is not known,
// or says nothing of a counter of so many bits.
func (q *questions) reach(r symbolic.Read) (far uint64, ok bool) {
	threads, blocks, known := q.crowd(r.Region)
	step, half := min(r.Step, -r.Step&term.Mask(8*r.Size)), term.Mask(8*r.Size-1)
	if calls := q.calls(r.Region) * threads; known && blocks <= half/step/calls {
		return (calls*blocks - 1) * step, true
	}
	return 0, false
}

// ranges is whether two ranges that a counter has handed out are apart: of the two, one has come first, and what has been added from there on,
// the other included, is no more than the counter can hold.
func (q *questions) ranges(x, y symbolic.Read, s *second) *term.Term {
	theirs, amount := s.Term(y.Value), s.Term(y.Amount)
	follows := func(from, by, to, more *term.Term) *term.Term {
		between := q.Sub(to, from)
		return q.And(q.ULe(by, between), q.ULe(between, q.Add(between, more)))
	}
	return q.Or(follows(x.Value, x.Amount, theirs, amount), follows(theirs, amount, x.Value, x.Amount))
}

// ever stands for an epoch that is not known.
const ever = 1 << 32

// epochOf is an epoch as a number.
func epochOf(t *term.Term) uint64 {
	if n, ok := t.Value(); ok {
		return n
	}
	return ever
}
