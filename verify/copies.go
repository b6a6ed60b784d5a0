package verify

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// An asynchronous copy of a block is made by its threads, each of which does any part of it until it has waited for it: see
// RATIONALE.md, "What does verify take an asynchronous copy of OpenCL to be?". One of a thread, cp.async, is in the thread's
// own way, too, until then.

// copies leaves open what is not asked about asynchronous copies of a block: whether the one thread of a block disturbs its own.
func (q *questions) copies() {
	i := slices.IndexFunc(q.trace.Accesses, func(a *symbolic.Access) bool { return a.Copy != nil && !a.Copy.Own })
	switch {
	case i < 0:
	case q.near == nil:
		q.open(&q.trace.Accesses[i].Point, "a block of more threads", "an asynchronous copy by a block of one thread is not modelled")
	case slices.Contains(q.config.Launch.Block[:], Any):
		q.result.Assumptions = append(q.result.Assumptions, assume.Several.Of())
	}
}

// inFlight is whether an access, or an asynchronous copy that has not ended, is in one barrier interval with another.
func (q *questions) inFlight(a, b *symbolic.Access, s *second) *term.Term {
	last := func(a *symbolic.Access, scope symbolic.Scope) *term.Term {
		if a.Copy != nil {
			return a.Copy.Lands[scope]
		}
		return a.Epoch[scope]
	}
	within := func(scope symbolic.Scope) *term.Term {
		return q.And(q.ULe(a.Epoch[scope], s.Term(last(b, scope))), q.ULe(s.Term(b.Epoch[scope]), last(a, scope)))
	}
	if s.far {
		return within(symbolic.Grid)
	}
	block := within(symbolic.Block)
	if block.False() {
		return block
	}
	return q.And(block, q.Or(within(symbolic.Warp), q.Not(q.sameWarp(s))))
}

// ownCopies asks whether a thread is in the way of a copy of its own: it accesses what is copied, or copies there again,
// before it has waited for the copy.
func (q *questions) ownCopies() {
	for i, copied := range q.trace.Accesses {
		if copied.Copy == nil || !copied.Copy.Own {
			continue
		}
		for n, a := range q.trace.Accesses[i+1:] {
			flies := q.And(copied.Guard, q.Not(copied.Copy.Landed(q.Builder, i+1+n)))
			if flies.False() || q.ended() {
				break
			}
			if a.Region != copied.Region || a.Kind == symbolic.Load && copied.Kind == symbolic.Load || q.done[[2]*kernel.Instr{copied.Instr, a.Instr}] {
				continue
			}
			q.ask(&question{
				name: fmt.Sprintf("own-copy-%d-%d", copied.Instr.At.Pos().Line, a.Instr.At.Pos().Line), kind: Race, what: "the thread has not waited for its copy",
				first: &a.Point, own: copied, accesses: [2]*symbolic.Access{a, copied}, more: []*term.Term{flies, q.touching(a, copied, func(t *term.Term) *term.Term { return t })},
			})
		}
	}
}
