package frontend

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// GPUNames are the sets and relations that tell where threads and memory of litmus.GPU are, and
// which scope an event has. The names are those of the models of ASPLOS 2015, and of PTX.
var GPUNames = []event.Name{
	scope("CTA", "CLUSTER", "events of cta scope", event.ScopeCTA),
	scope("CLUSTER", "GPU", "events of cluster scope", event.ScopeCluster),
	scope("GPU", "SYS", "events of gpu scope", event.ScopeGPU),
	scope("SYS", "", "events of sys scope", event.ScopeSys),
	region("Global", "accesses of global memory", litmus.Global),
	region("Shared", "accesses of shared memory", litmus.Shared),
	together("warp", "", "events of threads in one warp", litmus.Warp),
	together("cta", "kernel", "events of threads in one CTA", litmus.CTA),
	together("kernel", "gl", "events of threads in one grid", litmus.Kernel),
	together("ker", "", "events of threads in one grid", litmus.Kernel),
	together("gl", "sys", "events of threads on one GPU", litmus.Device),
	placed("sys", "", "all events: those of one system", event.Fixed(allPairs)),
	together("scta", "scluster", "events of threads in one CTA", litmus.CTA),
	together("scluster", "sgpu", "events of threads in one cluster", litmus.Cluster),
	together("sgpu", "", "events of threads on one GPU", litmus.Device),
	placed("sr", "", "events whose scopes include each other's thread", event.Seated(mutuallyInScope)),
}

func scope(name, wider, meaning string, s event.Scope) event.Name {
	known := vocab.Name{Name: name, Set: true, Wider: wider, Meaning: meaning}
	return event.Name{Name: known, Is: event.Members(func(e *event.Event) bool { return e.Scope == s })}
}

func region(name, meaning string, r litmus.Region) event.Name {
	known := vocab.Name{Name: name, Set: true, Depends: vocab.Places, Regions: true, Meaning: meaning}
	return event.Name{Name: known, Is: event.InRegion(int(r))}
}

// together returns the relation of threads that share a place at a level.
func together(name, wider, meaning string, l litmus.Level) event.Name {
	return placed(name, wider, meaning, event.Together(int(l)))
}

func placed(name, wider, meaning string, is event.Definition) event.Name {
	return event.Name{Name: vocab.Name{Name: name, Wider: wider, Meaning: meaning, Restricts: true}, Is: is}
}

func allPairs(s *event.Structure, to rel.Rel) {
	all := rel.Span{End: s.N()}
	to.AddProduct(all, all)
}

// mutuallyInScope relates events whose scopes each include the thread of the other (PTX ISA,
// "Morally Strong Operations").
func mutuallyInScope(s *event.Structure, to rel.Rel) {
	for a := range s.Events {
		for b := range a + 1 {
			if includes(s, a, b) && includes(s, b, a) {
				to.Add(a, b)
				to.Add(b, a)
			}
		}
	}
}

// includes reports whether the scope of event a includes the thread of event b.
func includes(s *event.Structure, a, b event.ID) bool {
	t, u := s.Events[a].Thread, s.Events[b].Thread
	if t == event.InitThread || u == event.InitThread || s.Events[a].Kind == event.Barrier {
		return false
	}
	return InScope(s.Events[a].Scope, &s.Threads[t], &s.Threads[u])
}

// InScope reports whether a scope of one thread includes another: they share a place at the level
// of the scope.
func InScope(s event.Scope, one, other *event.Thread) bool {
	level, has := scopeLevels[s]
	return s == event.ScopeSys || has && one.At[level] == other.At[level]
}

// scopeLevels are the levels of those scopes that are narrower than the system and wider than a
// thread.
var scopeLevels = map[event.Scope]litmus.Level{
	event.ScopeCTA: litmus.CTA, event.ScopeCluster: litmus.Cluster, event.ScopeGPU: litmus.Device,
}
