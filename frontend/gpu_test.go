package frontend_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
)

// execution is one of threads at some places, each with some events. Event 0 is an initial write.
func execution(names []event.Name, places []litmus.Place, paths ...[]event.Event) *event.Execution {
	threads, all := make([]event.Thread, len(places)), make([]*event.Path, len(places))
	for i, at := range places {
		threads[i].At, all[i] = at, &event.Path{Events: paths[i]}
	}
	s := event.Join([]event.Location{{Name: "x", Init: event.Int(0)}}, threads, all)
	s.Vocabulary = event.NewVocabulary(names, nil, nil)
	return &event.Execution{Structure: s}
}

// classes reads an equivalence by its classes: "0,1 2,3,4".
func classes(n int, text string) rel.Rel {
	r := rel.New(n)
	for _, class := range strings.Fields(text) {
		members := rel.NewSet(n)
		for _, word := range strings.Split(class, ",") {
			var e int
			if _, err := fmt.Sscan(word, &e); err != nil {
				panic(err)
			}
			members.Add(e)
		}
		r = r.Union(rel.Product(members, members))
	}
	return r
}

// write is a plain write of x.
var write = event.Event{Kind: event.Write, Addr: event.Const(event.AddressOf(0)), Data: event.Const(event.Int(1))}

// TestScopes puts three threads of one event each, events 1 to 3, in different places. Event 0 is
// the initial write: in no scope but sys.
func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		what   string
		places []litmus.Place // device, kernel, cluster, CTA, warp
		want   map[string]string
	}{
		{
			"one warp",
			[]litmus.Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}},
			map[string]string{"warp": "1,2,3", "cta": "1,2,3", "kernel": "1,2,3", "gl": "1,2,3", "scluster": "1,2,3"},
		},
		{
			"two warps of a CTA, and another CTA",
			[]litmus.Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 1, 1, 2}},
			map[string]string{"warp": "1 2 3", "cta": "1,2 3", "kernel": "1,2,3", "gl": "1,2,3", "scluster": "1,2 3"},
		},
		{
			"two CTAs of a cluster, the first and the last thread in one",
			[]litmus.Place{{0, 0, 0, 0, 0}, {0, 0, 0, 1, 1}, {0, 0, 0, 0, 0}},
			map[string]string{"warp": "1,3 2", "cta": "1,3 2", "kernel": "1,2,3", "gl": "1,2,3", "scluster": "1,2,3"},
		},
		{
			"two kernels on one device",
			[]litmus.Place{{0, 0, 0, 0, 0}, {0, 1, 1, 1, 1}, {0, 1, 2, 2, 2}},
			map[string]string{"warp": "1 2 3", "cta": "1 2 3", "kernel": "1 2,3", "gl": "1,2,3", "scluster": "1 2 3"},
		},
		{
			"two devices",
			[]litmus.Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {1, 1, 1, 1, 2}},
			map[string]string{"warp": "1 2 3", "cta": "1,2 3", "kernel": "1,2 3", "gl": "1,2 3", "scluster": "1,2 3"},
		},
	} {
		access := []event.Event{write}
		x := execution(frontend.GPUNames, tt.places, access, access, access)
		for name, same := range map[string]string{"ker": "kernel", "scta": "cta", "sgpu": "gl"} {
			tt.want[name] = tt.want[same]
		}
		tt.want["sys"] = "0,1,2,3"
		for name, want := range tt.want {
			if got, known := x.Rel(name); !known || !got.Equal(classes(4, want)) {
				t.Errorf("%s: %s = %v, want the classes %s", tt.what, name, got, want)
			}
		}
	}
}

// TestScopedSets has an event of each scope. Barriers and accesses without a scope are in none.
func TestScopedSets(t *testing.T) {
	scoped := func(s event.Scope) event.Event { e := write; e.Scope = s; return e }
	x := execution(frontend.GPUNames, []litmus.Place{{0, 0, 0, 0, 0}}, []event.Event{ // from 1 on
		write, scoped(event.ScopeCluster), scoped(event.ScopeGPU), scoped(event.ScopeSys),
		{Kind: event.Fence, Scope: event.ScopeCTA},
		{Kind: event.Barrier, Scope: event.ScopeCTA},
	})
	for name, want := range map[string][]int{"CTA": {5, 6}, "CLUSTER": {2}, "GPU": {3}, "SYS": {4}} {
		if got, known := x.Set(name); !known || !got.Equal(rel.NewSet(x.N(), want...)) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if sr, _ := x.Rel("sr"); !sr.Equal(classes(x.N(), "2,3,4,5")) {
		t.Errorf("sr = %v", sr)
	}
}

// TestMutuallyInScope: events are in each other's scope if both scopes reach that far.
func TestMutuallyInScope(t *testing.T) {
	scoped := func(s event.Scope) []event.Event { e := write; e.Scope = s; return []event.Event{e} }
	x := execution(frontend.GPUNames, []litmus.Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 1, 1, 2}, {1, 1, 2, 2, 3}},
		scoped(event.ScopeCTA), scoped(event.ScopeGPU), scoped(event.ScopeGPU), scoped(event.ScopeSys))
	if sr, _ := x.Rel("sr"); !sr.Equal(classes(x.N(), "1,2 2,3 4")) {
		t.Errorf("sr = %v", sr)
	}
}

// TestRegionNames: each location is in one region.
func TestRegionNames(t *testing.T) {
	x := execution(frontend.GPUNames, []litmus.Place{{0, 0, 0, 0, 0}}, []event.Event{write})
	x.Loc = []event.Loc{0, 0}
	for region, want := range []string{"Global", "Shared"} {
		x.Locs[0].Region = region
		for _, name := range []string{"Global", "Shared"} {
			if got, known := x.Set(name); !known || got.Empty() != (name != want) {
				t.Errorf("%s = %v in %s memory", name, got, want)
			}
		}
	}
}

// TestPlaceNames: a machine of one's own has relations and sets by the names of its levels and
// regions.
func TestPlaceNames(t *testing.T) {
	m := &litmus.Machine{
		Levels:  []litmus.LevelInfo{{Name: "node"}, {Name: "core"}},
		Regions: []litmus.RegionInfo{{Name: "global"}, {Name: "local"}},
	}
	x := execution(frontend.PlaceNames(m), []litmus.Place{{0, 0}, {0, 1}, {1, 2}}, []event.Event{write}, []event.Event{write}, []event.Event{write})
	for name, want := range map[string]string{"node": "1,2 3", "core": "1 2 3"} {
		if got, known := x.Rel(name); !known || !got.Equal(classes(4, want)) {
			t.Errorf("%s = %v, want the classes %s", name, got, want)
		}
	}
	if v := x.Vocab(); v.Get("node").Wider != "" || v.Get("core").Wider != "node" || v.Find("Local") == nil || v.Find("cta") != nil {
		t.Errorf("the vocabulary is %+v", v.Names())
	}
	for _, n := range append(frontend.PlaceNames(m), frontend.GPUNames...) {
		if err := n.Validate(); err != nil {
			t.Error(err)
		}
	}
}
