package event

import (
	"slices"

	"github.com/muster-gpu/muster/rel"
)

// What the definitions of names are made of.

func ordered(o Order) Members { return func(e *Event) bool { return e.Order == o } }

func isKind(k Kind) Members { return func(e *Event) bool { return e.Kind == k } }

func isAtomic(e *Event) bool { return e.Atomic }

func ofAgent(e *Event) bool { return e.Agent != 0 }

func ofThread(e *Event) bool { return e.Agent == 0 }

func noPairs(*Structure, rel.Rel) {}

func identity(s *Structure, to rel.Rel) {
	for e := range s.Events {
		to.Add(e, e)
	}
}

func (s *Structure) where(p func(*Event) bool) rel.Set {
	return rel.SetOf(s.N(), func(e int) bool { return p(&s.Events[e]) })
}

// internal returns the relation int.
func (s *Structure) internal() rel.Rel { return s.fixed("int", threads(sameThread)) }

// sameThread holds for a thread and itself, and for initial writes, as if they were of one thread.
func sameThread(_ *Structure, t, u int) bool { return t == u }

// threads returns a relation between events that depends only on their threads. Initial writes have
// the thread InitThread.
func threads(related func(s *Structure, t, u int) bool) Fixed {
	return func(s *Structure, to rel.Rel) {
		for t := InitThread; t < len(s.First); t++ {
			for u := InitThread; u < len(s.First); u++ {
				if related(s, t, u) {
					to.AddProduct(s.span(t), s.span(u))
				}
			}
		}
	}
}

// span returns the events of a thread.
func (s *Structure) span(thread int) rel.Span {
	of := rel.Span{End: s.N()}
	if thread != InitThread {
		of.First = s.First[thread]
	}
	if thread+1 < len(s.First) {
		of.End = s.First[thread+1]
	}
	return of
}

// Together relates events of threads that share a place at a level. Initial writes belong to no
// thread, and so to no place.
func Together(level int) Seated {
	return Seated(threads(func(s *Structure, t, u int) bool {
		return t != InitThread && u != InitThread && s.Threads[t].At[level] == s.Threads[u].At[level]
	}))
}

// RfRel returns rf as a relation, from write to read.
func (x *Execution) RfRel() rel.Rel {
	r := rel.New(x.N())
	for read, write := range x.Rf {
		if write >= 0 {
			r.Add(write, read)
		}
	}
	return r
}

// FrRel returns from-read: from a read to the writes that overwrite what it read,
// rf⁻¹;co.
func (x *Execution) FrRel() rel.Rel {
	r := rel.New(x.N())
	for read, write := range x.Rf {
		if write >= 0 {
			for over := range x.Co.Row(write).All() {
				r.Add(read, over)
			}
		}
	}
	return r
}

func (x *Execution) sameLoc(to rel.Rel) { to.AddAlike(x.Loc) }

// sameVirtualAddress relates accesses of one location by names of the same virtual
// address. Initial writes go by the name of the location itself.
func (x *Execution) sameVirtualAddress(to rel.Rel) {
	if x.Via == nil {
		x.sameLoc(to)
		return
	}
	virtual := make([]Loc, x.N())
	for e, l := range x.Via {
		virtual[e] = NoLoc
		if l != NoLoc {
			virtual[e] = Virtual(x.Locs, l)
		}
	}
	to.AddAlike(virtual)
}

// sameValue relates accesses that read or write the same value.
func (x *Execution) sameValue() rel.Rel {
	return rel.Where(x.N(), func(a, b int) bool {
		return x.Events[a].IsMem() && x.Events[b].IsMem() && x.Val[a] == x.Val[b]
	})
}

// coherence returns co.
func (x *Execution) coherence() rel.Rel { return x.Co }

// localPo returns program order between accesses of one location.
func (x *Execution) localPo() rel.Rel { return x.Po.Inter(x.pairs(x.sameLoc)) }

// initialCo adds the pairs that every coherence order contains: initial writes come first.
func (x *Execution) initialCo(to rel.Rel) {
	for a, l := range x.Loc {
		if l == NoLoc || !x.Events[a].IsInit() {
			continue
		}
		for b, m := range x.Loc {
			if e := &x.Events[b]; m == l && e.Kind == Write && !e.IsInit() {
				to.Add(a, b)
			}
		}
	}
}

// Separation relates the accesses of a thread that have a fence between them that satisfies is
// (ASPLOS 2015, Sec. 5.1.1).
func Separation(is Members) Fixed {
	return func(s *Structure, to rel.Rel) {
		for f := range s.Events {
			if e := &s.Events[f]; e.Kind == Fence && is(e) {
				s.separate(f, to)
			}
		}
	}
}

// separate relates the accesses before a fence to those after it.
func (s *Structure) separate(fence ID, to rel.Rel) {
	thread := s.span(s.Events[fence].Thread)
	for a := thread.First; a < fence; a++ {
		if !s.Events[a].IsMem() || !s.Po.Has(a, fence) {
			continue
		}
		for b := fence + 1; b < thread.End; b++ {
			if s.Events[b].IsMem() && s.Po.Has(fence, b) {
				to.Add(a, b)
			}
		}
	}
}

// Located returns the accesses of the location of that name.
func (x *Execution) Located(name string) (rel.Set, bool) {
	l := slices.IndexFunc(x.Locs, func(l Location) bool { return l.Name == name })
	if l < 0 {
		return rel.NewSet(x.N()), false
	}
	l = Physical(x.Locs, l)
	return rel.SetOf(x.N(), func(e int) bool { return x.Loc[e] == l }), true
}

func (x *Execution) finalWrites() rel.Set {
	return rel.SetOf(x.N(), func(e int) bool {
		return x.Events[e].Kind == Write && x.Co.Row(e).Empty()
	})
}

// InRegion returns the accesses of locations in a region.
func InRegion(r int) Events {
	return func(x *Execution) rel.Set {
		return rel.SetOf(x.N(), func(e int) bool { return x.Loc[e] != NoLoc && x.Locs[x.Loc[e]].Region == r })
	}
}
