package verify

import (
	"math"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
	"github.com/muster-gpu/muster/kernel"
)

// An atomic that adds a number to a counter returns another value each time, as long as nothing else
// writes to the counter and it does not come round (Bardsley and Donaldson, "Warps and Atomics: Beyond
// Barrier Synchronization in the Verification of GPU Kernels", NFM 2014, Sec. 4.2). Two threads that
// count the same counter get different values; of different counters, nothing is known. (As Sec. 4.3 has it, two
// threads never get the same value, of whichever counters: that rules out what can happen.)

// counters are what the atomics return that only count: nothing but such accesses may happen to the
// array while they do.
func (q *questions) counters() (all []symbolic.Read) {
	trace := q.trace
	for _, r := range trace.Reads {
		if r.Step == 0 || q.turns(r) == comesRound {
			continue
		}
		epoch := epochOf(r.Epoch)
		alone := !slices.ContainsFunc(trace.Accesses, func(a *symbolic.Access) bool {
			when := epochOf(a.Epoch[symbolic.Block])
			other := a.Region == r.Region && (a.Kind != symbolic.Atomic || a.Step != r.Step || a.Size != r.Size)
			return other && (a.Copy != nil || when == epoch || when == ever || epoch == ever || r.Region.Space != kernel.Shared)
		})
		if alone {
			all = append(all, r)
		}
	}
	return all
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
	threads, known := q.config.Launch.Block.fixed()
	blocks, all := q.config.Launch.Grid.fixed()
	if r.Region.Space == kernel.Shared {
		blocks, all = 1, true
	}
	if !known || !all || len(q.cut) > 0 || len(q.trace.Loose) > 0 {
		return maybeRound
	}
	calls := uint64(0)
	for _, a := range q.trace.Accesses {
		if a.Region == r.Region {
			calls++
		}
	}
	period := uint64(math.MaxUint64)
	if n := 8*r.Size - bits.TrailingZeros64(r.Step); n < 64 {
		period = 1 << n
	}
	if calls*uint64(threads) > period/uint64(blocks) {
		return comesRound
	}
	return neverRound
}

// counted adds that two threads do not get the same value of a counter.
func (q *questions) counted(c *conjunction, s *second) {
	mine, theirs := q.handed(c, s)
	for _, r := range q.count {
		if c.speaks(r.Value) {
			mine = append(mine, r)
		}
		if c.speaks(s.Term(r.Value)) {
			theirs = append(theirs, r)
		}
	}
	for _, x := range mine {
		for _, y := range theirs {
			if x.Region != y.Region || s.far && x.Region.Space == kernel.Shared {
				continue
			}
			apart := s.Term(y.Epoch)
			if x.Region.Space == kernel.Shared && !q.Eq(x.Epoch, apart).True() {
				continue
			}
			q.counting = q.counting || q.turns(x) == maybeRound
			c.add(q.Or(q.Ne(x.Offset, s.Term(y.Offset)), q.steps(x, y, s)))
		}
	}
}

// steps is whether two values of a counter are a number of steps from each other, and not none: so that threads which count
// by 4 have four elements each. Coming round leaves only what the steps share with the powers of two.
func (q *questions) steps(x, y symbolic.Read, s *second) *term.Term {
	theirs := s.Term(y.Value)
	some := q.Ne(x.Value, theirs)
	low := x.Step & -x.Step
	if low <= 1 || y.Step != x.Step {
		return some
	}
	apart := q.Sub(x.Value, theirs)
	return q.And(some, q.Eq(q.And(apart, q.Const(low-1, apart.Width())), q.Const(0, apart.Width())))
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
