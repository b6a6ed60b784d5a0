package clike

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// What models see of tests in C has the names of herd's and Dartagnan's models.

// The tags of events: the address spaces of accesses and of the flags of fences, and the dialect.
const (
	inGlobal event.Tags = 1 << iota
	inLocal
	inOpenCL
	inCUDA
	inVariable // an access of a variable of a thread, which is no event for models
)

func tagged(t event.Tags) event.Members { return func(e *event.Event) bool { return e.Tags&t != 0 } }

// plain reports whether an access is not atomic. Initialization is not, even of an atomic object
// (C11, 7.17.2).
func plain(e *event.Event) bool { return e.IsMem() && (e.Order == event.Weak || e.IsInit()) }

func atomic(e *event.Event) bool { return e.IsMem() && e.Order > event.Weak }

// isFence reports whether an event is a fence. A barrier of OpenCL is two fences: one on entry, and
// one on exit (OpenCL C, 6.13.8). CUDA leaves open what __syncthreads orders besides the threads
// that meet, so it is no fence.
func isFence(e *event.Event) bool {
	return e.Kind == event.Fence && e.Tags&inVariable == 0 || e.Kind == event.Barrier && e.Tags&inOpenCL != 0
}

func scoped(s event.Scope) event.Members {
	return func(e *event.Event) bool { return e.Scope == s }
}

// reads reports whether an event is in the set R of herd's models of C, which includes the writes
// of read-modify-writes: they are R & W.
func reads(e *event.Event) bool { return e.Kind == event.Read || e.Kind == event.Write && e.Atomic }

func nothing(*event.Event) bool { return false }

// names are the sets and relations of tests in C.
var names = []event.Name{
	set("A", "the accesses of atomics", atomic),
	set("F", "fences", isFence),
	set("R", "reads, and the writes of read-modify-writes, which for herd are one event of both kinds", reads),
	set("NA", "accesses that are not atomic, initial writes included", plain),
	set("NAL", "accesses that are not atomic, initial writes included", plain),
	set("atomicloc", "accesses of atomics", atomic),
	set("nonatomicloc", "accesses that are not atomic, initial writes included", plain),
	{Name: vocab.Name{Name: "lo", Meaning: "the order of the operations of a lock, of which there are none"}, Is: event.Fixed(func(*event.Structure, rel.Rel) {})},
	set("I", "initial writes", (*event.Event).IsInit),
	set("WI", "events of work-item scope", scoped(event.ScopeThread)),
	set("WG", "events of work-group scope", scoped(event.ScopeCTA)),
	set("DV", "events of device scope", scoped(event.ScopeGPU)),
	set("ALL", "events of the scope of all devices", scoped(event.ScopeSys)),
	set("GLOBAL", "accesses of global memory, and fences with its flag", tagged(inGlobal)),
	set("LOCAL", "accesses of local memory, and fences with its flag", tagged(inLocal)),
	set("EF", "arrivals at barriers", barrierEvent(event.Release)),
	set("XF", "departures from barriers", barrierEvent(event.Acquire)),
	set("CON", "consume accesses, of which there are none: consume is acquire", nothing),
	set("LK", "operations of locks, of which there are none", nothing),
	set("UL", "operations of locks, of which there are none", nothing),
	set("LS", "operations of locks, of which there are none", nothing),
	{Name: vocab.Name{
		Name: unsequencedRel, Meaning: "accesses in one expression that nothing sequences, unless their addresses differ for sure; one of them a write",
		Pair: "nothing sequences %s and %s",
	}, Is: event.Added{}},
	set("VARIABLE", "unsequenced accesses of a variable of a thread, which are events for no other purpose", tagged(inVariable)),
	same("swg", "events of threads in one work-group", litmus.CTA),
	same("sdv", "events of threads on one device", litmus.Device),
}

func barrierEvent(o event.Order) event.Members {
	return func(e *event.Event) bool { return e.Kind == event.Barrier && e.Order == o }
}

func set(name, meaning string, is event.Members) event.Name {
	return event.Name{Name: vocab.Name{Name: name, Set: true, Meaning: meaning}, Is: is}
}

// same relates events of threads that share a place at a level. Initial writes belong to none.
func same(name, meaning string, level litmus.Level) event.Name {
	return event.Name{
		Name: vocab.Name{Name: name, Meaning: meaning, Restricts: true},
		Is:   event.Together(int(level)),
	}
}

// scopeWords are the scopes in the words of OpenCL C and of CUDA C++.
var scopeWords = map[event.Tags]map[event.Scope]string{
	inOpenCL: {event.ScopeThread: "work_item", event.ScopeCTA: "work_group", event.ScopeGPU: "device", event.ScopeSys: "all_devices"},
	inCUDA: {
		event.ScopeThread: "thread", event.ScopeCTA: "block", event.ScopeCluster: "cluster", event.ScopeGPU: "device", event.ScopeSys: "system",
	},
}

// label returns what labels of accesses say: order and scope of atomics, as in ".acquire.device".
func label(e *event.Event) string {
	if !atomic(e) {
		return ""
	}
	label := "." + e.Order.String()
	if e.Volatile {
		label = ".volatile"
	}
	if word := scopeWords[e.Tags&(inOpenCL|inCUDA)][e.Scope]; word != "" {
		label += "." + word
	}
	return label
}
