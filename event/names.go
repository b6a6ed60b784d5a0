package event

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/rel"
)

// setNames are the sets of events that every execution has, decided event by
// event. Those that need the witness are in witnessSets.
var setNames = map[string]func(*Event) bool{
	"M":   (*Event).IsMem,
	"R":   func(e *Event) bool { return e.Kind == Read },
	"W":   func(e *Event) bool { return e.Kind == Write },
	"F":   func(e *Event) bool { return e.Kind == Fence },
	"IW":  (*Event).IsInit,
	"A":   func(e *Event) bool { return e.Atomic },
	"RMW": func(e *Event) bool { return e.Atomic },
	"X":   func(e *Event) bool { return e.Atomic },
	"VOL": func(e *Event) bool { return e.Volatile },

	// Of scoped PTX.
	"B":       func(e *Event) bool { return e.Kind == Barrier },
	"MMIO":    func(e *Event) bool { return e.MMIO },
	"RED":     func(e *Event) bool { return e.NoReturn },
	"WEAK":    ordered(Weak),
	"RLX":     ordered(Relaxed),
	"ACQ":     ordered(Acquire),
	"REL":     ordered(Release),
	"ACQ_REL": ordered(AcqRel),
	"SC":      ordered(SC),
	"CTA":     scoped(ScopeCTA),
	"CLUSTER": scoped(ScopeCluster),
	"GPU":     scoped(ScopeGPU),
	"SYS":     scoped(ScopeSys),
	"GEN":     through(ProxyGeneric),
	"SUR":     through(ProxySurface),
	"TEX":     through(ProxyTexture),
	"CON":     through(ProxyConstant),
	"ASYNC":   through(ProxyAsync),
	"ALIAS":   through(ProxyAlias),
}

func ordered(o Order) func(*Event) bool { return func(e *Event) bool { return e.Order == o } }

func scoped(s Scope) func(*Event) bool { return func(e *Event) bool { return e.Scope == s } }

// through is the accesses made through a proxy, and the fences of its kind.
func through(p Proxy) func(*Event) bool {
	return func(e *Event) bool { return e.Proxy == p && !e.IsInit() && (e.IsMem() || e.IsProxyFence()) }
}

// cached is the accesses with a cache operator. Shared memory is not cached: there, an
// access has none unless the program names it.
func cached(c CacheOp) func(*Execution) rel.Set {
	return func(x *Execution) rel.Set {
		return rel.SetOf(x.N(), func(e int) bool {
			ev := &x.Events[e]
			return ev.Cache == c && !(ev.CacheByDefault && x.Loc[e] != NoLoc && x.Locs[x.Loc[e]].Region == Shared)
		})
	}
}

// witnessSets are the sets that depend on rf, co or the values.
var witnessSets = map[string]func(*Execution) rel.Set{
	"FW":     (*Execution).finalWrites,
	"CA":     cached(CacheCA),
	"CG":     cached(CacheCG),
	"CV":     cached(CacheCV),
	"WB":     cached(CacheWB),
	"WT":     cached(CacheWT),
	"Global": func(x *Execution) rel.Set { return x.inRegion(Global) },
	"Shared": func(x *Execution) rel.Set { return x.inRegion(Shared) },
}

// structureRels are the relations that the program fixes.
var structureRels = map[string]func(*Structure) rel.Rel{
	"id":     func(s *Structure) rel.Rel { return rel.Identity(rel.Universe(s.N())) },
	"po":     func(s *Structure) rel.Rel { return s.Po },
	"addr":   func(s *Structure) rel.Rel { return s.Addr },
	"data":   func(s *Structure) rel.Rel { return s.Data },
	"ctrl":   func(s *Structure) rel.Rel { return s.Ctrl },
	"rmw":    func(s *Structure) rel.Rel { return s.Rmw },
	"amo":    func(s *Structure) rel.Rel { return s.Rmw },          // one instruction does both
	"lxsx":   func(s *Structure) rel.Rel { return rel.New(s.N()) }, // GPUs have no exclusive pairs
	"int":    (*Structure).sameThread,
	"ext":    func(s *Structure) rel.Rel { return s.internal().Complement() },
	"warp":   sameLevel(func(t *Thread) int { return t.Warp }),
	"cta":    sameLevel(func(t *Thread) int { return t.CTA }),
	"kernel": sameLevel(func(t *Thread) int { return t.Kernel }),
	"ker":    sameLevel(func(t *Thread) int { return t.Kernel }),
	"gl":     sameLevel(func(t *Thread) int { return t.Device }),
	"sys":    func(s *Structure) rel.Rel { return rel.Full(s.N()) },

	// Of scoped PTX.
	"sr":       (*Structure).mutuallyInScope,
	"scta":     sameLevel(func(t *Thread) int { return t.CTA }),
	"scluster": sameLevel(func(t *Thread) int { return t.Cluster }),
	"sgpu":     sameLevel(func(t *Thread) int { return t.Device }),
}

// witnessRels are the relations that depend on rf, co or the values.
var witnessRels = map[string]func(*Execution) rel.Rel{
	"rf":     (*Execution).RfRel,
	"co":     func(x *Execution) rel.Rel { return x.Co },
	"fr":     (*Execution).FrRel,
	"rfe":    func(x *Execution) rel.Rel { return x.RfRel().Diff(x.internal()) },
	"rfi":    func(x *Execution) rel.Rel { return x.RfRel().Inter(x.internal()) },
	"coe":    func(x *Execution) rel.Rel { return x.Co.Diff(x.internal()) },
	"coi":    func(x *Execution) rel.Rel { return x.Co.Inter(x.internal()) },
	"fre":    func(x *Execution) rel.Rel { return x.FrRel().Diff(x.internal()) },
	"fri":    func(x *Execution) rel.Rel { return x.FrRel().Inter(x.internal()) },
	"loc":    (*Execution).sameLoc,
	"po-loc": func(x *Execution) rel.Rel { return x.Po.Inter(x.sameLoc()) },
	"co0":    (*Execution).initialCo,
	"vloc":   (*Execution).sameVirtualAddress,

	"same-value": (*Execution).sameValue,
}

// SetNames lists the sets that every execution defines, sorted.
func SetNames() []string { return sortedKeys(setNames, witnessSets) }

// RelNames lists the relations that every execution defines, sorted.
func RelNames() []string { return sortedKeys(structureRels, witnessRels) }

func sortedKeys[A, B any](a map[string]A, b map[string]B) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return names
}

// Dynamic reports whether the set or relation of that name depends on rf, co or the
// values, rather than on the program alone.
func Dynamic(name string) bool {
	return witnessSets[name] != nil || witnessRels[name] != nil
}

// Placed reports whether the set or relation of that name depends on the locations of
// accesses, and on nothing else that the program leaves open.
func Placed(name string) bool {
	switch name {
	case "loc", "co0", "vloc":
		return true
	}
	return witnessSets[name] != nil && Derived[name] == ""
}

// Derived defines names by others, as expressions of .cat.
var Derived = map[string]string{
	"fr":     "rf^-1; co",
	"rfe":    `rf \ int`,
	"rfi":    "rf & int",
	"coe":    `co \ int`,
	"coi":    "co & int",
	"fre":    `(rf^-1; co) \ int`,
	"fri":    "(rf^-1; co) & int",
	"po-loc": "po & loc",
	"FW":     `W \ domain(co)`,
}

// Set returns the set of that name, one of SetNames.
func (x *Execution) Set(name string) (rel.Set, bool) {
	if p, ok := setNames[name]; ok {
		return x.where(p), true
	}
	if f, ok := witnessSets[name]; ok {
		return f(x), true
	}
	return rel.Set{}, false
}

// Rel returns the relation of that name: one of RelNames, or one that the
// instruction set added.
func (x *Execution) Rel(name string) (rel.Rel, bool) {
	if f, ok := structureRels[name]; ok {
		return x.fixed(name, f), true
	}
	if f, ok := witnessRels[name]; ok {
		return f(x), true
	}
	r, ok := x.Rels[name]
	return r, ok
}

// fixed computes a relation of the structure once for all its executions.
func (s *Structure) fixed(name string, f func(*Structure) rel.Rel) rel.Rel {
	r, ok := s.computed[name]
	if !ok {
		if s.computed == nil {
			s.computed = map[string]rel.Rel{}
		}
		r = f(s)
		s.computed[name] = r
	}
	return r
}

func (s *Structure) where(p func(*Event) bool) rel.Set {
	return rel.SetOf(s.N(), func(e int) bool { return p(&s.Events[e]) })
}

// internal is the relation int.
func (s *Structure) internal() rel.Rel { return s.fixed("int", (*Structure).sameThread) }

// sameThread relates the events of one thread; initial writes count as one thread.
func (s *Structure) sameThread() rel.Rel {
	return rel.Where(s.N(), func(a, b int) bool { return s.Events[a].Thread == s.Events[b].Thread })
}

// sameLevel relates events of threads that share a level of the hierarchy. Initial
// writes belong to no thread, so to no level.
func sameLevel(level func(*Thread) int) func(*Structure) rel.Rel {
	return func(s *Structure) rel.Rel {
		return rel.Where(s.N(), func(a, b int) bool {
			t, u := s.Events[a].Thread, s.Events[b].Thread
			return t != InitThread && u != InitThread && level(&s.Threads[t]) == level(&s.Threads[u])
		})
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

// initialCo is what every coherence order contains: initial writes come first.
func (x *Execution) initialCo() rel.Rel {
	writes := x.where(setNames["W"])
	inits := x.where((*Event).IsInit)
	return x.sameLoc().Restrict(inits, writes.Diff(inits))
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

func (x *Execution) inRegion(r Region) rel.Set {
	return rel.SetOf(x.N(), func(e int) bool { return x.Loc[e] != NoLoc && x.Locs[x.Loc[e]].Region == r })
}
