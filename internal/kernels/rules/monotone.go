package rules

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Monotone tells that of two atomics that go one way, the later finds no less than the earlier has
// left.
//
// It recognises atomics that join something to what they find, by or, and, min or max: if
// (!(atomicOr(f, 1) & 1)), if (atomicMax(f, 3) < 3). Atomics of one place have an order (PTX ISA,
// "Atomicity"), and as long as each joins something in the same way, and nothing else writes there,
// what the place holds only grows in the order of the join.
var Monotone = &ask.Rule{Name: "monotone", Late: true, Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	r := &monotone{b: a.Terms()}
	for _, found := range a.Trace().Reads {
		otherwise := func(x *trace.Access) bool {
			return x.Kind != trace.Load && (x.Join == nil || x.Join.Op != found.Join.Op || x.Join.Type != found.Join.Type || x.Copy != nil)
		}
		if found.Join != nil && !slices.ContainsFunc(meanwhile(a.Trace(), found), otherwise) {
			r.all = append(r.all, found)
		}
	}
	if len(r.all) == 0 {
		return nil, true
	}
	return r, true
}}

type monotone struct {
	b   *term.Builder
	all []trace.Read // what such atomics find
}

// Relate adds that the later of two finds what the earlier has left, or more.
func (r *monotone) Relate(c *ask.Conjunction, q *ask.Question) {
	if q.Thread.Self {
		return
	}
	b := r.b
	for _, x := range r.all {
		if !c.Mentions(x.Value) {
			continue
		}
		for _, y := range r.all {
			theirs := q.Thread.Term(y.Value)
			if x.Region != y.Region || !c.Mentions(theirs) || !sameTime(b, x, y, q.Thread) {
				continue
			}
			after := func(later, earlier *term.Term) *term.Term {
				return b.Eq(b.Apply(x.Join.Op, x.Join.Type, later, earlier), later)
			}
			ordered := b.Or(after(theirs, x.Join.After(b, x.Value)), after(x.Value, q.Thread.Term(y.Join.After(b, y.Value))))
			both := b.And(b.And(x.Guard, q.Thread.Term(y.Guard)), b.Eq(x.Offset, q.Thread.Term(y.Offset)))
			c.Add(b.Implies(both, ordered))
		}
	}
}

// meanwhile returns the accesses to the array of an atomic that may happen between the same two
// barriers.
func meanwhile(tr *trace.Trace, r trace.Read) (all []*trace.Access) {
	epoch := epochOf(r.Epoch)
	for _, x := range tr.Accesses {
		when := epochOf(x.Epoch[trace.Block])
		if x.Region == r.Region && (x.Copy != nil || when == epoch || when == ever || epoch == ever || r.Region.Space != isa.Shared) {
			all = append(all, x)
		}
	}
	return all
}

// sameTime reports whether two reads of one array may be of the same memory, with nothing else done
// to it in between: in shared memory, of one block between the same two barriers.
func sameTime(b *term.Builder, x, y trace.Read, other *ask.Thread) bool {
	return x.Region.Space != isa.Shared || !other.OtherBlock && b.Eq(x.Epoch, other.Term(y.Epoch)).True()
}

// ever stands for an epoch that is not known.
const ever = 1 << 32

// epochOf returns an epoch as a number.
func epochOf(t *term.Term) uint64 {
	if n, ok := t.Value(); ok {
		return n
	}
	return ever
}
