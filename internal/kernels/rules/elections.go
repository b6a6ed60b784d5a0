package rules

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Elections tells that at most one thread finds a number that each thread that finds it replaces.
//
// It recognises atomics by which threads elect one of them: if (atomicExch(f, 1) == 0), if
// (atomicCAS(f, 0, tid + 1) == 0). Whatever memory holds at first, at most one thread finds 0, if
// each that finds it replaces it and no write ever writes it: atomics of one location have an order
// (PTX ISA, "Atomicity"), and the first that finds the number has replaced it for all that follow.
var Elections = &ask.Rule{Name: "elections", Late: true, Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	r := &elections{b: a.Terms()}
	for _, found := range a.Trace().Reads {
		if found.Swap == nil {
			continue
		}
		others := meanwhile(a.Trace(), found)
		for _, free := range r.free(found, others) {
			if !slices.ContainsFunc(others, func(x *trace.Access) bool { return !leaves(a, x, found.Size, free) }) {
				r.all = append(r.all, election{found, free})
			}
		}
	}
	if len(r.all) == 0 {
		return nil, true
	}
	return r, true
}}

type elections struct {
	b   *term.Builder
	all []election
}

// election is an atomic that replaces a number which no access to the array writes, so that at most
// one thread finds it.
type election struct {
	read trace.Read
	free *term.Term // the number
}

// free returns the numbers that an atomic may replace by others: its expected number, or, for an
// exchange, 0 and the expected numbers of the other atomics.
func (r *elections) free(read trace.Read, others []*trace.Access) (all []*term.Term) {
	if read.Swap.Finds != nil {
		return numbers(read.Swap.Finds)
	}
	all = numbers(r.b.Const(0, 8*read.Size))
	for _, x := range others {
		if x.Swap != nil && x.Size == read.Size && x.Swap.Finds != nil {
			all = append(all, numbers(x.Swap.Finds)...)
		}
	}
	slices.SortFunc(all, func(x, y *term.Term) int { return x.ID() - y.ID() })
	return slices.Compact(all)
}

// numbers returns a term, if it is a number.
func numbers(t *term.Term) []*term.Term {
	if t.Op() == term.Const {
		return []*term.Term{t}
	}
	return nil
}

// leaves reports whether an access to an array of elements of a size never writes a number.
func leaves(a *ask.Asker, x *trace.Access, size int, number *term.Term) bool {
	switch {
	case x.Kind == trace.Load:
		return true
	case x.Swap == nil || x.Size != size || x.Copy != nil || !a.Settled(): // guesses that are not proved are no reason
		return false
	}
	writes := a.Terms().Eq(x.Swap.Writes, number)
	return writes.False() || a.Never(&x.Point, writes)
}

// Relate adds that two threads do not find the same number free.
func (r *elections) Relate(c *ask.Conjunction, q *ask.Question) {
	if q.Thread.Self {
		return
	}
	b := r.b
	for _, x := range r.all {
		if !c.Mentions(x.read.Value) {
			continue
		}
		for _, y := range r.all {
			theirs := q.Thread.Term(y.read.Value)
			if x.read.Region != y.read.Region || x.free != y.free || !c.Mentions(theirs) || !sameTime(b, x.read, y.read, q.Thread) {
				continue
			}
			both := b.And(b.And(x.read.Guard, q.Thread.Term(y.read.Guard)), b.Eq(x.read.Offset, q.Thread.Term(y.read.Offset)))
			c.Add(b.Not(b.And(both, b.And(b.Eq(x.read.Value, x.free), b.Eq(theirs, y.free)))))
		}
	}
}
