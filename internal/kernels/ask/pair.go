package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Pair is two accesses to one array, by the thread of the trace and by another. They race if
// nothing orders them (Together), they have a byte in common (overlap), and PTX does not call them
// morally strong (mayMeet).
type Pair struct {
	First, Other *trace.Access
	Thread       *Thread // that makes the other

	a *Asker
}

// Pair returns the pair of two accesses of two threads.
func (a *Asker) Pair(first, other *trace.Access, by *Thread) Pair {
	return Pair{first, other, by, a}
}

// Theirs returns a term of the trace for the other thread.
func (p Pair) Theirs(t *term.Term) *term.Term { return p.Thread.Term(t) }

// Together returns the condition that no rule orders the two accesses, and the note about them if
// they race.
func (p Pair) Together() (together *term.Term, what string) {
	for _, r := range p.a.rules.decides {
		if together, what, decides := r.Together(p); decides {
			return together, what
		}
	}
	b := p.a.Terms()
	together = b.Bool(true)
	for _, r := range p.a.rules.orders {
		if together = b.And(together, r.Unordered(p)); together.False() {
			break // so it is for most pairs of a loop with a barrier in it
		}
	}
	return together, ""
}

// apart returns the condition that the two threads do not share one action.
func (p Pair) apart() *term.Term {
	b := p.a.Terms()
	apart := b.Bool(true)
	for _, r := range p.a.rules.casts {
		apart = b.And(apart, r.Apart(p))
	}
	return apart
}

// inScope returns the condition that both accesses are strong, and the scope of each includes the
// thread of the other (PTX ISA, "Morally Strong Operations").
func (p Pair) inScope() *term.Term {
	b := p.a.Terms()
	switch narrow := min(p.First.Strong, p.Other.Strong); {
	case narrow == isa.NoScope, p.Thread.OtherBlock && narrow == isa.ScopeCTA:
		return b.Bool(false)
	case p.Thread.OtherBlock && narrow == isa.ScopeCluster:
		return p.sameCluster()
	}
	return b.Bool(true)
}

// sameCluster returns the condition that the blocks of the threads are in one cluster. If the
// kernel does not give the size of clusters, each block is a cluster of its own, as in a launch
// without clusters (CUDA C++ Programming Guide, "Thread Block Clusters").
func (p Pair) sameCluster() *term.Term {
	b := p.a.Terms()
	same := b.Bool(true)
	for _, id := range p.a.trace.Shape.Cluster {
		if id == nil {
			return b.Bool(false)
		}
		same = b.And(same, b.Eq(id, p.Theirs(id)))
	}
	return same
}

// strong returns the condition that two overlapping accesses are morally strong: each is in the
// scope of the other, and the memory operations that model them overlap completely or not at all.
// The latter holds if they have one size and their distance is a multiple of it.
func (p Pair) strong() *term.Term {
	b := p.a.Terms()
	strong := p.inScope()
	if p.First.Unit != p.Other.Unit || strong.False() {
		return b.Bool(false)
	}
	apart := b.Sub(p.First.Offset, p.Theirs(p.Other.Offset))
	return b.And(strong, b.Eq(b.And(apart, b.Const(uint64(p.First.Unit-1), 64)), b.Const(0, 64)))
}

// mayMeet returns the condition that two overlapping accesses do not race although no barrier
// orders them.
func (p Pair) mayMeet() *term.Term {
	if p.a.Config.BarriersOnly {
		return p.a.Terms().Bool(p.both(trace.Atomic))
	}
	return p.strong()
}

// both reports whether both accesses are of a kind.
func (p Pair) both(kind trace.Kind) bool { return p.First.Kind == kind && p.Other.Kind == kind }

// overlap returns the condition that the accesses touch a common byte.
func (p Pair) overlap() *term.Term {
	return Touching(p.a.Terms(), p.First, p.Other, p.Thread.Term)
}

// Touching returns the condition that two accesses to one array touch a common byte. other
// translates terms to the thread that makes the second access.
func Touching(b *term.Builder, first, second *trace.Access, other func(*term.Term) *term.Term) *term.Term {
	x, y := first.Offset, other(second.Offset)
	low := uint64(first.Size - 1)
	if first.Size == second.Size && first.Size&(first.Size-1) == 0 && x.Ones()&low == 0 && y.Ones()&low == 0 {
		return b.Eq(x, y)
	}
	distance := b.Add(b.Sub(x, y), b.Const(low, 64))
	return b.ULt(distance, b.Const(uint64(first.Size+second.Size-1), 64))
}

// differ returns the condition that two stores write different values.
func (p Pair) differ() *term.Term {
	b := p.a.Terms()
	if p.First.Size != p.Other.Size || len(p.First.Values) != len(p.Other.Values) {
		return b.Bool(true)
	}
	differ := b.Ne(p.First.Offset, p.Theirs(p.Other.Offset))
	for i, v := range p.First.Values {
		differ = b.Or(differ, b.Ne(v, p.Theirs(p.Other.Values[i])))
	}
	return differ
}

// Encounter reports whether the accesses may touch a byte in common with no barrier in between, as
// far as it is known.
func (p Pair) Encounter() bool {
	if p.Thread.OtherBlock && p.First.Region.Space == isa.Shared {
		return false
	}
	x := &Question{Name: "calm", Thread: p.Thread, First: &p.First.Point, Other: &p.Other.Point}
	together, _ := p.Together()
	if together.False() {
		return false
	}
	x.More = []*term.Term{together, p.overlap()}
	_, result := p.a.Possible(x, GuessBudget)
	return result != sat.Unsat
}
