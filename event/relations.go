package event

import (
	"slices"

	"github.com/muster-gpu/muster/rel"
)

// What the definitions of names are made of.

func ordered(o Order) Members { return func(e *Event) bool { return e.Order == o } }

func scoped(s Scope) Members { return func(e *Event) bool { return e.Scope == s } }

func isKind(k Kind) Members { return func(e *Event) bool { return e.Kind == k } }

func isAtomic(e *Event) bool { return e.Atomic }

func ofAgent(e *Event) bool { return e.Agent != 0 }

func ofThread(e *Event) bool { return e.Agent == 0 }

func everyEvent(s *Structure) rel.Rel { return rel.Full(s.N()) }

func (s *Structure) where(p func(*Event) bool) rel.Set {
	return rel.SetOf(s.N(), func(e int) bool { return p(&s.Events[e]) })
}

// internal is the relation int.
func (s *Structure) internal() rel.Rel { return s.fixed("int", (*Structure).sameThread) }

// sameThread relates the events of one thread; initial writes count as one thread.
func (s *Structure) sameThread() rel.Rel {
	return s.alike(func(thread int) int { return thread + 1 })
}

// alike relates events whose threads are of the same kind, where kind numbers the kinds; of a negative one, an event is
// like none.
func (s *Structure) alike(kind func(thread int) int) rel.Rel {
	var few [64]int
	kinds := few[:0]
	for i := range s.Events {
		kinds = append(kinds, kind(s.Events[i].Thread))
	}
	return rel.Alike(kinds)
}

func (is Level) relation(s *Structure) rel.Rel {
	return s.alike(func(thread int) int {
		if thread == InitThread {
			return -1
		}
		return is(&s.Threads[thread])
	})
}

// fill puts the relation into empty rows.
func (is Level) fill(s *Structure, rows []uint64) {
	for a := range rows {
		t := s.Events[a].Thread
		if t == InitThread {
			continue
		}
		for b := range a {
			if u := s.Events[b].Thread; u == t || u != InitThread && is(&s.Threads[u]) == is(&s.Threads[t]) {
				rows[a], rows[b] = rows[a]|1<<b, rows[b]|1<<a
			}
		}
		rows[a] |= 1 << a
	}
}

// mutuallyInScope relates events with scopes, each of which includes the thread of the
// other (PTX ISA, "Morally Strong Operations").
func (s *Structure) mutuallyInScope() rel.Rel {
	return rel.Where(s.N(), func(a, b int) bool { return s.includes(a, b) && s.includes(b, a) })
}

// includes reports that the scope of event a includes the thread of event b.
func (s *Structure) includes(a, b ID) bool {
	t, u := s.Events[a].Thread, s.Events[b].Thread
	if t == InitThread || u == InitThread || s.Events[a].Kind == Barrier {
		return false
	}
	here, there := &s.Threads[t], &s.Threads[u]
	switch s.Events[a].Scope {
	case ScopeCTA:
		return here.CTA == there.CTA
	case ScopeCluster:
		return here.Cluster == there.Cluster
	case ScopeGPU:
		return here.Device == there.Device
	case ScopeSys:
		return true
	}
	return false
}

// RfRel is rf as a relation, from write to read.
func (x *Execution) RfRel() rel.Rel {
	r := rel.New(x.N())
	for read, write := range x.Rf {
		if write >= 0 {
			r.Add(write, read)
		}
	}
	return r
}

// FrRel is from-read: from a read to the writes that overwrite what it read,
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

func (x *Execution) sameLoc() rel.Rel { return rel.Alike(x.Loc) }

// sameVirtualAddress relates accesses of one location by names of the same virtual
// address. Initial writes go by the name of the location itself.
func (x *Execution) sameVirtualAddress() rel.Rel {
	if x.Via == nil {
		return x.sameLoc()
	}
	virtual := make([]Loc, x.N())
	for e, l := range x.Via {
		virtual[e] = NoLoc
		if l != NoLoc {
			virtual[e] = Virtual(x.Locs, l)
		}
	}
	return rel.Alike(virtual)
}

// sameValue relates accesses that read or write the same value.
func (x *Execution) sameValue() rel.Rel {
	return rel.Where(x.N(), func(a, b int) bool {
		return x.Events[a].IsMem() && x.Events[b].IsMem() && x.Val[a] == x.Val[b]
	})
}

// coherence is co.
func (x *Execution) coherence() rel.Rel { return x.Co }

// localPo is program order between accesses of one location.
func (x *Execution) localPo() rel.Rel { return x.Po.Inter(x.sameLoc()) }

// initialCo is what every coherence order contains: initial writes come first.
func (x *Execution) initialCo() rel.Rel {
	r := rel.New(x.N())
	for a, l := range x.Loc {
		if l == NoLoc || !x.Events[a].IsInit() {
			continue
		}
		for b, m := range x.Loc {
			if e := &x.Events[b]; m == l && e.Kind == Write && !e.IsInit() {
				r.Add(a, b)
			}
		}
	}
	return r
}

func (is Separation) relation(s *Structure) rel.Rel {
	fences := s.where(func(e *Event) bool { return e.Kind == Fence && is(e) })
	if fences.Empty() {
		return rel.New(s.N())
	}
	mem := s.where((*Event).IsMem)
	return s.Po.Restrict(mem, fences).Compose(s.Po.Restrict(fences, mem))
}

// fill puts the relation into empty rows.
func (is Separation) fill(s *Structure, rows []uint64) {
	po, mem := s.Po.Words(), uint64(0)
	for f := range s.Events {
		if s.Events[f].IsMem() {
			mem |= 1 << f
		}
	}
	for f := range s.Events {
		if e := &s.Events[f]; e.Kind != Fence || !is(e) {
			continue
		}
		for a, row := range po {
			if row>>f&1 != 0 && mem>>a&1 != 0 {
				rows[a] |= po[f] & mem
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

func inRegion(r Region) Events {
	return func(x *Execution) rel.Set {
		return rel.SetOf(x.N(), func(e int) bool { return x.Loc[e] != NoLoc && x.Locs[x.Loc[e]].Region == r })
	}
}
