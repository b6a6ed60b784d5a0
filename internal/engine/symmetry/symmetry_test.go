package symmetry_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
)

func always(int, int) bool { return true }

// at is a thread on a device and in a CTA.
func at(device, cta int) event.Thread { return event.Thread{At: []int{device, cta}} }

// TestClasses: threads may change places if every other thread shares the same levels with both,
// and if nothing that is asked tells them apart.
func TestClasses(t *testing.T) {
	shared := event.Location{Name: "s", Home: 1, HomeLevel: 1}
	for _, tt := range []struct {
		what    string
		threads []event.Thread
		locs    []event.Location
		same    func(t, u int) bool
		want    symmetry.Classes
	}{
		{"each in a CTA of its own", []event.Thread{at(0, 0), at(0, 1), at(0, 2)}, nil, always, symmetry.Classes{0, 0, 0}},
		{"two in one CTA", []event.Thread{at(0, 0), at(0, 1), at(0, 0)}, nil, always, symmetry.Classes{0, 1, 0}},
		{"two CTAs of two", []event.Thread{at(0, 0), at(0, 0), at(0, 1), at(0, 1)}, nil, always, symmetry.Classes{0, 0, 2, 2}},
		{"another device", []event.Thread{at(0, 0), at(0, 1), at(1, 2)}, nil, always, symmetry.Classes{0, 0, 2}},
		{"shared memory", []event.Thread{at(0, 0), at(0, 1), at(0, 0)}, []event.Location{shared}, always, symmetry.Classes{0, 1, 0}},
		{"the condition names one", []event.Thread{at(0, 0), at(0, 1), at(0, 2)}, nil, func(t, u int) bool { return t != 1 && u != 1 }, symmetry.Classes{0, 1, 0}},
	} {
		s := &event.Structure{Threads: tt.threads, Locs: tt.locs}
		if got := symmetry.Of(s, tt.same); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
}

// TestSeen: structures that differ by places of threads of a class come once.
func TestSeen(t *testing.T) {
	threads := []event.Thread{at(0, 0), at(0, 1), at(0, 2)}
	first := &event.Path{Events: []event.Event{{Kind: event.Read, Thread: 1}, {Kind: event.Write}}, Rmw: []event.Pair{{0, 1}}}
	alike := &event.Path{Events: []event.Event{{Kind: event.Read, Thread: 2}, {Kind: event.Write}}, Rmw: []event.Pair{{0, 1}}}
	other := &event.Path{Events: first.Events}
	seen := symmetry.NewSeen(symmetry.Classes{0, 0, 2})
	for _, tt := range []struct {
		paths []*event.Path
		again bool
	}{
		{[]*event.Path{first, other, other}, false},
		{[]*event.Path{other, alike, other}, true},
		{[]*event.Path{other, other, first}, false},
		{[]*event.Path{alike, other, other}, true},
		{[]*event.Path{first, alike, other}, false},
	} {
		if again := seen.Again(event.Join(nil, threads, tt.paths)); again != tt.again {
			t.Errorf("%v: %t", tt.paths, again)
		}
	}
	barrier := event.Join(nil, threads, []*event.Path{first, alike, other}).With("syncbar", []event.Pair{{0, 1}})
	if seen.Again(barrier) {
		t.Error("whom a thread meets depends on the paths of others")
	}
}
