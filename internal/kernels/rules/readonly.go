package rules

import (
	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// ReadOnly decides pairs with a load past the caches that are kept coherent.
//
// It recognises ld.global.nc, which __ldg is, and ldu. What they load must be read-only as long as
// the kernel runs (CUDA C++ Programming Guide, "Read-Only Data Cache Load Function"): a proxy of
// its own, which neither barriers nor fences order, not even with what the thread itself has
// written. So a write to it is a race whenever it happens, also by the thread itself.
var ReadOnly = &ask.Rule{Name: "readonly", Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	return &readOnly{a}, true
}}

type readOnly struct{ a *ask.Asker }

// isReadOnly reports whether one of two accesses takes the other not to be there.
func isReadOnly(first, other *trace.Access) bool { return first.ReadOnly || other.ReadOnly }

// Together returns true for each such pair.
func (r *readOnly) Together(p ask.Pair) (_ *term.Term, what string, decides bool) {
	if !isReadOnly(p.First, p.Other) {
		return nil, "", false
	}
	return r.a.Terms().Bool(true), "what the read takes to be read-only while the kernel runs is written: no barrier and no fence orders that", true
}

// Actors returns the thread itself, too: in any iterations of loops that are cut.
func (r *readOnly) Actors(first, other *trace.Access) []*ask.Thread {
	switch {
	case !isReadOnly(first, other):
		return nil
	case len(first.Rounds)+len(other.Rounds) > 0:
		return []*ask.Thread{r.a.Threads().SameThread}
	}
	return []*ask.Thread{r.a.Threads().SameIteration}
}

// Apart returns true.
func (r *readOnly) Apart(ask.Pair) *term.Term { return r.a.Terms().Bool(true) }
