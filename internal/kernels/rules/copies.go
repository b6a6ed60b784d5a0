package rules

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Copies decides pairs with an asynchronous copy, which happens at some time until it has been
// waited for.
//
// It recognises cp.async, of a thread (PTX ISA, "cp.async"), and async_work_group_copy, of a block.
// A copy by a block is made by its threads, and each may do any part of it: see
// docs/design/verify.md. Two accesses can happen at the same time if neither begins after the other
// has ended: a copy ends in the epoch in which its thread has waited for it (Landing), any other
// access where it begins. A copy of a thread is in the thread's own way, too, until then.
var Copies = &ask.Rule{Name: "copies", Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	return &copies{a, a.Terms(), a.Trace().Accesses}, true
}}

type copies struct {
	a        *ask.Asker
	b        *term.Builder
	accesses []*trace.Access
}

// Placed reports whether an access is a copy: when it ends depends on what follows it.
func (r *copies) Placed(x *trace.Access) bool { return x.Copy != nil }

// Together returns the condition that an access, or an asynchronous copy that has not ended, is in
// one barrier interval with another.
func (r *copies) Together(p ask.Pair) (_ *term.Term, what string, decides bool) {
	if p.First.Copy == nil && p.Other.Copy == nil {
		return nil, "", false
	}
	within := func(scope trace.Scope) *term.Term {
		return r.b.And(r.b.ULe(p.First.Epoch[scope], p.Theirs(last(p.Other, scope))), r.b.ULe(p.Theirs(p.Other.Epoch[scope]), last(p.First, scope)))
	}
	if p.Thread.OtherBlock {
		return within(trace.Grid), "", true
	}
	together := within(trace.Block)
	if !together.False() {
		together = r.b.And(together, r.b.Or(within(trace.Warp), r.b.Not(p.Thread.SameWarp())))
	}
	return together, "", true
}

// last returns the epoch in which an access, or a copy, ends.
func last(x *trace.Access, scope trace.Scope) *term.Term {
	if x.Copy != nil {
		return x.Copy.Lands[scope]
	}
	return x.Epoch[scope]
}

// Actors returns none.
func (r *copies) Actors(_, _ *trace.Access) []*ask.Thread { return nil }

// Apart returns the condition that two threads at one copy by a block have different elements: each
// element has one thread.
func (r *copies) Apart(p ask.Pair) *term.Term {
	if p.First != p.Other || p.Thread.OtherBlock || p.First.Copy == nil || p.First.Copy.Element == nil {
		return r.b.Bool(true)
	}
	return r.b.Ne(p.First.Copy.Element, p.Theirs(p.First.Copy.Element))
}

// Races asks about copies and accesses of one thread. It leaves open whether the one thread of a
// block disturbs a copy of its block.
func (r *copies) Races() {
	i := slices.IndexFunc(r.accesses, func(x *trace.Access) bool { return x.Copy != nil && !x.Copy.Own })
	switch {
	case i < 0:
	case r.a.Threads().SameBlock == nil:
		r.a.Open(&r.accesses[i].Point, "a block of more threads", "an asynchronous copy by a block of one thread is not modelled")
	case slices.Contains(r.a.Config.Block[:], -1):
		r.a.Assume(assume.Several.Of())
	}
	for i, copied := range r.accesses {
		if r.a.Ended() {
			return
		}
		if copied.Copy != nil && copied.Copy.Own {
			r.own(copied, i+1)
		}
	}
}

// own asks whether a thread is in the way of a copy of its own: it accesses what is copied, or
// copies there again, before it has waited for the copy. The accesses behind the copy begin at an
// index.
func (r *copies) own(copied *trace.Access, begin int) {
	for n, x := range r.accesses[begin:] {
		flies := r.b.And(copied.Guard, r.b.Not(copied.Copy.Landed(r.b, begin+n)))
		if flies.False() || r.a.Ended() {
			return
		}
		if x.Region != copied.Region || x.Kind == trace.Load && copied.Kind == trace.Load || r.a.AlarmedAbout(copied.Instr, x.Instr) {
			continue
		}
		itself := func(t *term.Term) *term.Term { return t }
		r.a.Ask(&ask.Question{
			Name: ask.PairName("own-copy", copied, x), Kind: ask.Race, What: "the thread has not waited for its copy",
			First: &x.Point, Own: true, Accesses: [2]*trace.Access{x, copied}, More: []*term.Term{flies, ask.Touching(r.b, x, copied, itself)},
		})
	}
}
