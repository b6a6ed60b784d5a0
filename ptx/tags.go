package ptx

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// The tags of PTX for events, and the sets and relations that models see of them.

// CacheOp is the cache operator of an access (PTX ISA, "Cache Operators").
type CacheOp uint8

// The cache operators.
const (
	CacheNone CacheOp = iota
	CacheCA           // at all levels, L1 included: the default of ld
	CacheCG           // at the global level, L2
	CacheCV           // don't cache, fetch again
	CacheWB           // write back: the default of st
	CacheWT           // write through
)

func (c CacheOp) String() string { return [...]string{"", "ca", "cg", "cv", "wb", "wt"}[c] }

// cacheOps are the cache operators by how they are written. .cs and .lu are those by default.
var cacheOps = map[string]CacheOp{"ca": CacheCA, "cg": CacheCG, "cv": CacheCV, "wb": CacheWB, "wt": CacheWT}

// The tags of events: the cache operator in three bits, the proxy in three more, and some marks.
const (
	cacheBits event.Tags = 7
	proxyBits event.Tags = 7 << proxyShift

	// cacheByDefault reports whether the program names no cache operator. The tag is then that of
	// the default operator, which has no meaning in shared memory.
	cacheByDefault event.Tags = 1 << 6
	mmio           event.Tags = 1 << 7
	noReturn       event.Tags = 1 << 8 // of a red, which returns nothing to the thread
	waiting        event.Tags = 1 << 9 // of a wait for asynchronous operations, which is no fence
	mbarrierTag    event.Tags = 1 << 10
	landing        event.Tags = 1 << 11 // of what tells an mbarrier that an asynchronous operation is complete
	initFence      event.Tags = 1 << 12 // of fence.mbarrier_init
	onlyGlobal     event.Tags = 1 << 13 // of a fence, the only memory that it is for
	onlyCTA        event.Tags = 1 << 14
	onlyCluster    event.Tags = 1 << 15
	restricted     event.Tags = 1 << 16 // of a fence that is about shared memory only
	tensorTag      event.Tags = 1 << 17 // of accesses of tensor memory, and fences for them
	packed         event.Tags = 1 << 18 // of an atomic of 16 of the 32 bits of a location

	proxyShift = 3
	mapShift   = 32 // of a fence for a tensor map, the number of the location, plus one
)

// aboutMap marks a fence as one for a tensor map.
func aboutMap(l event.Loc) event.Tags { return event.Tags(l+1) << mapShift }

func cacheTag(c CacheOp) event.Tags { return event.Tags(c) }

func proxyTag(p isa.Proxy) event.Tags { return event.Tags(p) << proxyShift }

// cacheOf returns the cache operator of an access.
func cacheOf(e *event.Event) CacheOp { return CacheOp(e.Tags & cacheBits) }

// ProxyOf returns the proxy of an access, or the kind of a proxy fence.
func ProxyOf(e *event.Event) isa.Proxy { return isa.Proxy(e.Tags & proxyBits >> proxyShift) }

// Returns reports whether an atomic returns the value that it read to the thread: red does not.
func Returns(e *event.Event) bool { return e.Tags&noReturn == 0 }

// isProxyFence reports whether e is a fence between proxies rather than between accesses: it has no
// order, or an order for some proxy.
func isProxyFence(e *event.Event) bool {
	return e.Kind == event.Fence && !isOrderingFence(e) && e.Tags&(waiting|initFence) == 0
}

// isOrderingFence reports whether e is a fence with an order, between accesses by any proxy.
func isOrderingFence(e *event.Event) bool {
	return e.Kind == event.Fence && e.Order != event.OrderNone && ProxyOf(e) == isa.ProxyGeneric
}

// names are the sets and relations of PTX that models see.
var names = []event.Name{
	set("MMIO", "accesses of memory-mapped I/O", func(e *event.Event) bool { return e.Tags&mmio != 0 }),
	set("RED", "the accesses of a red, which returns nothing", func(e *event.Event) bool { return !Returns(e) }),
	marked("MBAR", "accesses of mbarriers by the instructions for them", mbarrierTag),
	marked("LANDED", "accesses of mbarriers that tell that an asynchronous operation is complete", landing),
	marked("MBINIT", "fence.mbarrier_init, which publishes mbarriers that were initialised", initFence),
	marked("FGLOBAL", "fences for global memory only", onlyGlobal),
	marked("FCTA", "fences for the shared memory of their CTA only", onlyCTA),
	marked("FCLUSTER", "fences for the shared memory of their cluster only", onlyCluster),
	marked("RESTRICTED", "fences that are about shared memory only (.sync_restrict)", restricted),
	marked("PACKED", "atomics of one number of a packed type, which is half of a location", packed),
	marked("TENSOR", "accesses of tensor memory, and the fences for them (tcgen05)", tensorTag),
	{
		Name: vocab.Name{
			Name: "home", Depends: vocab.Places, Restricts: true, Regions: true,
			Meaning: "from an event to accesses of the shared memory of its CTA",
		},
		Is: event.Reach(atHome),
	},
	{
		Name: vocab.Name{Name: "about", Depends: vocab.Places, Restricts: true, Meaning: "from a fence to accesses of the tensor map that it names"},
		Is: event.Reach(func(s *event.Structure, l event.Loc) rel.Set {
			fences := rel.NewSet(s.N())
			for a := range s.Events { // asked for each time that an address becomes known
				if s.Events[a].Tags>>mapShift == event.Tags(l+1) {
					fences.Add(a)
				}
			}
			return fences
		}),
	},
	set("GEN", "accesses through the generic proxy, its proxy fences, and fences that are for no proxy", generic),
	set("SUR", "accesses through the surface proxy, and its fences", through(isa.ProxySurface)),
	set("TEX", "accesses through the texture proxy, and its fences", through(isa.ProxyTexture)),
	set("CON", "accesses through the constant proxy, and its fences", through(isa.ProxyConstant)),
	set("ASYNC", "accesses through the async proxy, and its fences", through(isa.ProxyAsync)),
	set("ALIAS", "fences for aliases", through(isa.ProxyAlias)),
	set("TMAP", "reads of tensor maps by copies, and the fences for them", through(isa.ProxyTensormap)),
	set("NC", "loads with .nc, through a proxy of their own", through(isa.ProxyReadOnly)),
	cached(CacheCA, "accesses with the cache operator .ca: all levels"),
	cached(CacheCG, "accesses with the cache operator .cg: the L2 cache only"),
	cached(CacheCV, "loads with the cache operator .cv: volatile"),
	cached(CacheWB, "stores with the cache operator .wb: write back"),
	cached(CacheWT, "stores with the cache operator .wt: write through"),
	fenceRel("membar.cta", "membar.gl", "fence.sc.cta", event.ScopeCTA, event.ScopeCluster),
	fenceRel("membar.gl", "membar.sys", "fence.sc.gpu", event.ScopeGPU),
	fenceRel("membar.sys", "", "fence.sc.sys", event.ScopeSys),
	fenceOrder("sync_fence", "the order of the fence.sc in each other's scope"),
	fenceOrder("fence-sc", "the order of the fence.sc that the model chooses"),
}

// alone is the vocabulary of programs that are read without other front ends.
var alone = event.NewVocabulary(slices.Concat(frontend.GPUNames, names), nil, label)

func set(name, meaning string, is event.Members) event.Name {
	return event.Name{Name: vocab.Name{Name: name, Set: true, Meaning: meaning}, Is: is}
}

// marked returns the events with a tag.
func marked(name, meaning string, tag event.Tags) event.Name {
	return set(name, meaning, func(e *event.Event) bool { return e.Tags&tag != 0 })
}

// atHome returns the events of threads of the CTA in whose shared memory a location is.
func atHome(s *event.Structure, l event.Loc) rel.Set {
	home := s.Locs[l].Home
	if home == 0 { // asked for each time that an address becomes known
		return rel.NewSet(s.N())
	}
	return rel.SetOf(s.N(), func(a int) bool {
		t := s.Events[a].Thread
		return t != event.InitThread && s.Threads[t].At[litmus.CTA]+1 == home
	})
}

// generic reports whether e is an access or a fence of the generic proxy. Fences without a proxy
// count: in Dartagnan's models they are morally strong with each other as operations of one proxy.
func generic(e *event.Event) bool { return through(isa.ProxyGeneric)(e) || isOrderingFence(e) }

// through returns the accesses made through a proxy, and the fences of its kind.
func through(p isa.Proxy) event.Members {
	return func(e *event.Event) bool {
		return ProxyOf(e) == p && !e.IsInit() && (e.IsMem() || isProxyFence(e))
	}
}

// cached returns the accesses with a cache operator. Shared memory is not cached: there, an
// access has none unless the program names it.
func cached(c CacheOp, meaning string) event.Name {
	known := vocab.Name{Name: strings.ToUpper(c.String()), Set: true, Depends: vocab.Places, Meaning: meaning}
	return event.Name{Name: known, Is: event.Events(func(x *event.Execution) rel.Set {
		return rel.SetOf(x.N(), func(e int) bool {
			ev := &x.Events[e]
			isShared := x.Loc[e] != event.NoLoc && x.Locs[x.Loc[e]].Region == litmus.Shared
			return cacheOf(ev) == c && !(ev.Tags&cacheByDefault != 0 && isShared)
		})
	})}
}

// fenceRel returns a fence relation of GPU_PTX for fence.sc at the given scopes: membar is a
// fence.sc (PTX ISA, "membar"). There is no membar of a cluster; a fence.sc.cluster is at least a
// membar.cta.
func fenceRel(name, wider, is string, scopes ...event.Scope) event.Name {
	known := vocab.Name{
		Name: name, Family: vocab.Fence, Wider: wider, Pair: name + " separates %s from %s",
		Meaning: "accesses of a thread with a " + name + " between them, which a " + is + " is too",
	}
	return event.Name{Name: known, Is: event.Separation(func(e *event.Event) bool {
		return e.Order == event.SC && slices.Contains(scopes, e.Scope)
	})}
}

// fenceOrder returns the name by which models choose an order of sequentially consistent fences.
func fenceOrder(name, meaning string) event.Name {
	const before = "%s is before %s in the order of the fence.sc"
	return event.Name{Name: vocab.Name{Name: name, Family: vocab.Sync, Meaning: meaning, Pair: before, Chosen: true}}
}

// label returns the annotations of an access, with a dot before each: W.cg [x]=1.
func label(e *event.Event) string {
	var b strings.Builder
	add := func(s string) {
		if s != "" {
			b.WriteString("." + s)
		}
	}
	if p := ProxyOf(e); p != isa.ProxyGeneric {
		add(p.String())
	}
	isMMIO := e.Tags&mmio != 0
	switch {
	case e.Volatile:
		add("volatile")
	case isMMIO:
		add("mmio")
	}
	if e.Atomic {
		add("atom")
	}
	// Order and scope that differ from the default.
	implied := e.Volatile || isMMIO || e.Order == event.Weak || e.Atomic && e.Order == event.Relaxed && e.Scope == event.ScopeGPU
	if !implied {
		add(e.Order.String())
		add(e.Scope.String())
	}
	if e.Tags&cacheByDefault == 0 {
		add(cacheOf(e).String())
	}
	return b.String()
}
