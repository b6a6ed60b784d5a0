package gen

import (
	"context"
	"iter"
	"slices"
)

// Preset is a named set of cycles.
type Preset struct {
	Name  string
	Title string
	ISA   *ISA
	parts []part
	only  func(*Cycle) bool // filter; nil for all cycles
}

// part is a generator's parameters, as text.
type part struct {
	Words
	size, threads Range
	events        int
}

// Presets are the named sets.
var Presets = []*Preset{
	{
		Name: "asplos15",
		Title: "the vocabulary of the paper: .cg accesses, membar, dependencies, intra- and inter-CTA, global and " +
			"shared memory",
		ISA: GPUPTX,
		parts: []part{
			{ // coRR and its kin: one location
				Words: Words{Edges: "Rfe Fre Coe Pos** Membar.*s**", Levels: "cta gpu", Regions: "global shared"},
				size:  Range{2, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // two threads: mp lb sb s r 2+2w
				Words: Words{
					Edges:   "Rfe Fre Coe Pod** Membar.*d** DpAddr DpData DpCtrl",
					Levels:  "cta gpu",
					Regions: "global shared",
				},
				size: Range{4, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // three and four
				Words: Words{
					Edges:   "Rfe Fre Coe Pod** Membar.*d** DpAddr DpData DpCtrl",
					Levels:  "cta gpu",
					Regions: "global shared",
				},
				size: Range{5, 6}, threads: Range{3, 4}, events: 2,
			},
		},
	},
	{
		Name:  "ptx-core",
		Title: "PTX since 6.0: orders and scopes of accesses and fences, atomics, barriers, dependencies",
		ISA:   PTX,
		parts: []part{
			{ // one location
				Words: Words{Edges: "Rfe Fre Coe Pos**", Accesses: "weak relaxed.cta relaxed.gpu", Levels: "cta gpu"},
				size:  Range{2, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // release and acquire
				Words: Words{
					Edges:    "Rfe Fre Coe Pod**",
					Accesses: "weak relaxed.gpu acquire.gpu release.gpu",
					Levels:   "cta gpu sys",
				},
				size: Range{4, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // scopes of fences
				Words: Words{
					Edges: "Rfe Fre Coe Pod** Fence.sc.cta Fence.sc.gpu Fence.sc.sys " +
						"Fence.acq_rel.cta Fence.acq_rel.gpu Fence.acq_rel.sys",
					Accesses: "relaxed.sys", Levels: "cta gpu sys",
				},
				size: Range{4, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // atomics
				Words: Words{
					Edges: "Rfe Fre Coe Pod** Fence.sc.gpu Fence.acq_rel.gpu " +
						"Rmw.relaxed.gpu.exch Rmw.acq_rel.gpu.add Rmw.relaxed.gpu.cas",
					Accesses: "relaxed.gpu", Levels: "gpu",
				},
				size: Range{4, 6}, threads: Range{2, 3}, events: 2,
			},
			{ // barriers
				Words: Words{Edges: "Rfe Fre Coe Pod** Bar.sync", Levels: "cta", Regions: "global shared"},
				size:  Range{4, 6}, threads: Range{2, 3}, events: 2,
			},
			{ // three and four threads
				Words: Words{
					Edges:    "Rfe Fre Coe Pod** Fence.sc.gpu Fence.acq_rel.gpu DpAddr DpData DpCtrl",
					Accesses: "relaxed.gpu",
					Levels:   "gpu",
				},
				size: Range{5, 6}, threads: Range{3, 4}, events: 2,
			},
		},
	},
	{
		Name:  "async",
		Title: "asynchronous copies of PTX: waits, mbarriers, proxy fences, between threads of a CTA and of a cluster",
		ISA:   PTX,
		only:  (*Cycle).asynchronous,
		parts: []part{
			{ // one location: a source or a destination, and the other accesses
				Words: Words{
					Edges: "Rfe Fre Coe Rfi Fri Coi Pos** Wait*s** Fence.proxy.*s** Syncs** Mbars** *.syncs** " +
						"*.mbars** Sync.proxys** Mbar.proxys**",
					Accesses: copyAccesses, Levels: "cta",
				},
				size: Range{2, 2}, threads: Range{1, 2}, events: 2,
			},
			{ // other operations
				Words: Words{
					Edges: "Rfe Fre Coe Rfi Fri Coi Wait*s** Fence.proxy.asyncs** Proxy.syncs** Wait.syncs** " +
						"Mbars** Wait.mbars** Proxy.mbars**",
					Accesses: otherOperations, Levels: "cta",
				},
				size: Range{2, 2}, threads: Range{1, 2}, events: 2,
			},
			{ // the same with another access
				Words: Words{
					Edges:    "Rfe Fre Coe Pos** Waits** Fence.proxy.asyncs** Syncs** Mbars**",
					Accesses: copyAccesses, Levels: "cta",
				},
				size: Range{3, 3}, threads: Range{2, 2}, events: 2,
			},
			{ // a release publishes what was waited for
				Words: Words{
					Edges:    "Rfe Fre Coe Pod** Waitd**",
					Accesses: "release.cta acquire.cta cp.async bulk.load bulk.store", Levels: "cta",
				},
				size: Range{4, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // what is handed over besides
				Words: Words{Edges: "Rfe Fre Coe Pod** Syncd** Mbard**", Accesses: copyAccesses, Levels: "cta"},
				size:  Range{4, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // values that are copied
				Words: Words{
					Edges:    "Rfe Fre Coe Cp.async Bulk.load Bulk.store Syncd** Mbard** Proxy.mbard**",
					Accesses: "weak",
					Levels:   "cta",
				},
				size: Range{3, 4}, threads: Range{2, 3}, events: 2,
			},
			{ // another CTA of the cluster
				Words: Words{
					Edges: "Rfe Fre Coe Pod** Mbars**@cluster Mbard**@cluster Proxy.mbars**@cluster " +
						"Mbar.proxys**@cluster",
					Accesses: "weak st.async red.async bulk.load", Levels: "cluster",
				},
				size: Range{2, 4}, threads: Range{2, 2}, events: 2,
			},
			{ // several CTAs of the cluster
				Words: Words{
					Edges: "Rfe Fre Coe Multicast Multicast.twin Pod** Pos** Waitd** Waits** Mbars**@cluster " +
						"Proxy.mbars**@cluster Mbar.proxys**@cluster Mbard**@cluster",
					Accesses: "weak multicast", Levels: "cta cluster",
				},
				size: Range{2, 4}, threads: Range{2, 3}, events: 2,
			},
		},
	},
}

// copyAccesses are synchronous accesses and those of copies.
const copyAccesses = "weak cp.async bulk.load bulk.store"

const otherOperations = "weak red.async bulk.reduce tensor.load tensor.store wgmma"

// FindPreset returns the preset of a name, or nil.
func FindPreset(name string) *Preset {
	i := slices.IndexFunc(Presets, func(p *Preset) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return Presets[i]
}

// Cycles yields the cycles of the preset.
func (p *Preset) Cycles(ctx context.Context) iter.Seq[*Cycle] {
	return func(yield func(*Cycle) bool) {
		for _, part := range p.parts {
			for c := range part.generator(p).Cycles(ctx) {
				if (p.only == nil || p.only(c)) && !yield(c) {
					return
				}
			}
		}
	}
}

// generator parses the vocabulary of a part. It panics on an error, because presets are constants;
// a test parses all of them.
func (t part) generator(p *Preset) *Generator {
	g := &Generator{ISA: p.ISA, Size: t.size, Threads: t.threads, Events: t.events}
	if err := g.Add(t.Words); err != nil {
		panic(err)
	}
	return g
}
