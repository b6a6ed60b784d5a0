package ptx

import (
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/rel"
)

// tagged returns an execution of one thread with an access to x, which is global, or y, which is
// shared, for each of some tags; then the fences.
func tagged(accesses []event.Event, fences ...event.Event) *event.Execution {
	locs := []event.Location{{Name: "x", Region: litmus.Global}, {Name: "y", Region: litmus.Shared}}
	for i := range accesses {
		accesses[i].Data = event.ReadOf(i)
	}
	path := &event.Path{Events: append(accesses, fences...)}
	x := &event.Execution{Structure: event.Join(locs, make([]event.Thread, 1), []*event.Path{path})}
	x.Vocabulary = alone
	x.Loc = make([]event.Loc, x.N())
	for e := range x.Events {
		x.Loc[e] = event.NoLoc
		if c, ok := x.Events[e].Addr.(event.Const); ok {
			x.Loc[e] = c.Base
		}
	}
	x.Val = make([]event.Value, x.N())
	return x
}

func access(l event.Loc, tags event.Tags) event.Event {
	return event.Event{Kind: event.Read, Addr: event.Const(event.AddressOf(l)), Tags: tags}
}

// TestTags: each set has the events with its tag.
func TestTags(t *testing.T) {
	x := tagged([]event.Event{ // from 2 on, behind the initial writes
		access(0, cacheTag(CacheCA)|cacheByDefault),
		access(1, cacheTag(CacheCA)|cacheByDefault),
		access(1, cacheTag(CacheCA)),
		access(0, cacheTag(CacheCG)|mmio),
		access(0, cacheTag(CacheCV)|noReturn),
		access(0, cacheTag(CacheWB)|proxyTag(isa.ProxySurface)),
		access(0, cacheTag(CacheWT)|proxyTag(isa.ProxyTexture)),
		access(0, proxyTag(isa.ProxyConstant)),
	},
		event.Event{Kind: event.Fence, Order: event.SC},
		event.Event{Kind: event.Fence, Tags: proxyTag(isa.ProxyAlias)},
		event.Event{Kind: event.Fence, Tags: proxyTag(isa.ProxyAsync)},
		event.Event{Kind: event.Fence},
	)
	for name, want := range map[string][]int{
		"CA": {2, 4}, "CG": {5}, "CV": {6}, "WB": {7}, "WT": {8}, "MMIO": {5}, "RED": {6},
		"GEN": {2, 3, 4, 5, 6, 10, 13}, "SUR": {7}, "TEX": {8}, "CON": {9}, "ALIAS": {11}, "ASYNC": {12},
	} {
		if got, ok := x.Set(name); !ok || !got.Equal(rel.NewSet(x.N(), want...)) {
			t.Errorf("%s = %v, %v, want %v", name, got, ok, want)
		}
	}
}

// TestLabels: a label says what is not the default.
func TestLabels(t *testing.T) {
	tests := []struct {
		e    event.Event
		want string
	}{
		{event.Event{Order: event.Weak, Tags: cacheTag(CacheCA) | cacheByDefault}, ""},
		{event.Event{Order: event.Weak, Tags: cacheTag(CacheWT)}, ".wt"},
		{event.Event{Order: event.Relaxed, Scope: event.ScopeSys, Volatile: true}, ".volatile"},
		{event.Event{Order: event.Relaxed, Scope: event.ScopeSys, Tags: mmio}, ".mmio"},
		{event.Event{Order: event.Relaxed, Scope: event.ScopeGPU, Atomic: true}, ".atom"},
		{event.Event{Order: event.Acquire, Scope: event.ScopeGPU, Tags: cacheTag(CacheCA)}, ".acquire.gpu.ca"},
		{event.Event{Order: event.Acquire, Scope: event.ScopeCTA, Atomic: true, Tags: proxyTag(isa.ProxySurface)}, ".surface.atom.acquire.cta"},
	}
	for _, tt := range tests {
		if got := label(&tt.e); got != tt.want {
			t.Errorf("label %q, want %q", got, tt.want)
		}
	}
}
