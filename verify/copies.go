package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
)

// An asynchronous copy of a block is made by its threads, each of which does any part of it until it has waited for it: see
// RATIONALE.md, "What does verify take an asynchronous copy of OpenCL to be?".

// copies leaves open what is not asked about asynchronous copies: whether the one thread of a block disturbs its own.
func (q *questions) copies() {
	i := slices.IndexFunc(q.trace.Accesses, func(a *symbolic.Access) bool { return a.Copy != nil })
	switch {
	case i < 0:
	case q.near == nil:
		q.open(&q.trace.Accesses[i].Point, "a block of more threads", "an asynchronous copy by a block of one thread is not modelled")
	case slices.Contains(q.config.Launch.Block[:], Any):
		q.result.Assumptions = append(q.result.Assumptions, "a block that copies asynchronously has more than one thread")
	}
}

// inFlight is whether an access, or an asynchronous copy that has not ended, is in one barrier interval with another.
func (q *questions) inFlight(a, b *symbolic.Access, s *second) *term.Term {
	scope := symbolic.Block
	if s.far {
		scope = symbolic.Grid
	}
	last := func(a *symbolic.Access) *term.Term {
		if a.Copy != nil {
			return a.Copy.Lands[scope]
		}
		return a.Epoch[scope]
	}
	return q.And(q.ULe(a.Epoch[scope], s.Term(last(b))), q.ULe(s.Term(b.Epoch[scope]), last(a)))
}
