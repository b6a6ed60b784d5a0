package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
	"github.com/muster-gpu/muster/kernel"
)

// An atomic that adds a number to a counter returns another value each time, as long as nothing else
// writes to the counter and it does not overflow (Bardsley and Donaldson, "Warps and Atomics: Beyond
// Barrier Synchronization in the Verification of GPU Kernels", NFM 2014, Sec. 4.2). Two threads that
// count the same counter get different values; of different counters, nothing is known.

// counters are what the atomics return that only count: nothing but such accesses may happen to the
// array while they do.
func counters(trace *symbolic.Trace) (all []symbolic.Read) {
	for _, r := range trace.Reads {
		if r.Step == 0 {
			continue
		}
		epoch := epochOf(r.Epoch)
		alone := !slices.ContainsFunc(trace.Accesses, func(a *symbolic.Access) bool {
			when := epochOf(a.Epoch[symbolic.Block])
			other := a.Region == r.Region && (a.Kind != symbolic.Atomic || a.Step != r.Step)
			return other && (when == epoch || when == ever || epoch == ever || r.Region.Space != kernel.Shared)
		})
		if alone {
			all = append(all, r)
		}
	}
	return all
}

// counted adds that two threads do not get the same value of a counter.
func (q *questions) counted(c *conjunction, s *second) {
	var mine, theirs []symbolic.Read
	for _, r := range q.count {
		other := s.Term(r.Value)
		for _, t := range c.all {
			if mentions(t, func(v *term.Term) bool { return v == r.Value }) {
				mine = append(mine, r)
				break
			}
		}
		for _, t := range c.all {
			if mentions(t, func(v *term.Term) bool { return v == other }) {
				theirs = append(theirs, r)
				break
			}
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
			q.counting = true
			c.add(q.Or(q.Ne(x.Offset, s.Term(y.Offset)), q.Ne(x.Value, s.Term(y.Value))))
		}
	}
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
