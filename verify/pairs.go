package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Two accesses of two threads: whether they may happen together, and what they touch.

// together is whether no barrier keeps two accesses apart.
func (q *questions) together(a, b *symbolic.Access, s *second) *term.Term {
	switch {
	case readOnly(a, b):
		return q.Bool(true)
	case a.Copy != nil || b.Copy != nil:
		return q.inFlight(a, b, s)
	}
	same := func(scope symbolic.Scope) *term.Term { return q.Eq(a.Epoch[scope], s.Term(b.Epoch[scope])) }
	if s.far {
		return q.And(same(symbolic.Grid), q.aligned(a, b, s, symbolic.Grid))
	}
	block := same(symbolic.Block)
	if block.False() {
		return block // so it is for most pairs of a loop with a barrier in it
	}
	block = q.And(block, q.aligned(a, b, s, symbolic.Block))
	if block = q.And(block, q.unordered(a, b, s)); block.False() {
		return block
	}
	return q.And(block, q.And(q.Or(same(symbolic.Warp), q.Not(q.sameWarp(s))), q.unmet(a, b, s)))
}

// inScope returns whether both accesses are strong, and the scope of each includes the
// thread of the other (PTX ISA, "Morally Strong Operations").
func (q *questions) inScope(a, b *symbolic.Access, s *second) *term.Term {
	switch narrow := min(a.Strong, b.Strong); {
	case narrow == isa.NoScope, s.far && narrow == isa.ScopeCTA:
		return q.Bool(false)
	case s.far && narrow == isa.ScopeCluster:
		return q.sameCluster(s)
	}
	return q.Bool(true)
}

// sameCluster returns whether the blocks of two threads are of one cluster. Where the kernel does
// not say how large clusters are, each block is one of its own, as in a launch that does not say so
// either (CUDA C++ Programming Guide, "Thread Block Clusters").
func (q *questions) sameCluster(s *second) *term.Term {
	same := q.Bool(true)
	for _, id := range q.trace.Shape.Cluster {
		if id == nil {
			return q.Bool(false)
		}
		same = q.And(same, q.Eq(id, s.Term(id)))
	}
	return same
}

// strong returns whether two accesses that have a byte in common are morally strong: each is in the
// scope of the other, and the memory operations that they are modelled as overlap completely or not
// at all, which they do if they are of one size and a multiple of it apart.
func (q *questions) strong(a, b *symbolic.Access, s *second) *term.Term {
	strong := q.inScope(a, b, s)
	if a.Unit != b.Unit || strong.False() {
		return q.Bool(false)
	}
	apart := q.Sub(a.Offset, s.Term(b.Offset))
	return q.And(strong, q.Eq(q.And(apart, q.Const(uint64(a.Unit-1), 64)), q.Const(0, 64)))
}

// mayMeet returns whether two accesses that have a byte in common do not race, though no barrier
// orders them.
func (q *questions) mayMeet(a, b *symbolic.Access, s *second) *term.Term {
	if q.config.BarriersOnly {
		return q.Bool(a.Kind == symbolic.Atomic && b.Kind == symbolic.Atomic)
	}
	return q.strong(a, b, s)
}

// overlap is whether two accesses to one array touch a byte in common.
func (q *questions) overlap(a, b *symbolic.Access, s *second) *term.Term {
	return q.touching(a, b, s.Term)
}

// touching is overlap, where another thread is that of the second access, or the same.
func (q *questions) touching(a, b *symbolic.Access, other func(*term.Term) *term.Term) *term.Term {
	x, y := a.Offset, other(b.Offset)
	low := uint64(a.Size - 1)
	if a.Size == b.Size && a.Size&(a.Size-1) == 0 && x.Ones()&low == 0 && y.Ones()&low == 0 {
		return q.Eq(x, y)
	}
	distance := q.Add(q.Sub(x, y), q.Const(low, 64))
	return q.ULt(distance, q.Const(uint64(a.Size+b.Size-1), 64))
}

// differ is whether two stores do not write the same.
func (q *questions) differ(a, b *symbolic.Access, s *second) *term.Term {
	if a.Size != b.Size || len(a.Values) != len(b.Values) {
		return q.Bool(true)
	}
	differ := q.Ne(a.Offset, s.Term(b.Offset))
	for i, v := range a.Values {
		differ = q.Or(differ, q.Ne(v, s.Term(b.Values[i])))
	}
	return differ
}
