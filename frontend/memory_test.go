package frontend_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
)

// memory has a scalar x, an array a of two elements, and y, which is another name of x.
func memory() *frontend.Memory {
	m := &frontend.Memory{}
	m.Add("x", litmus.Global, 1, false)
	m.Add("a", litmus.Shared, 2, true)
	y := m.Add("y", litmus.Global, 1, false)
	m.Locs[y].Alias = &event.Alias{Of: 0}
	return m
}

func TestMemory(t *testing.T) {
	m := memory()
	for name, want := range map[string][]event.Loc{
		"x": {0, event.NoLoc}, "a": {1, 2, event.NoLoc}, "y": {3, event.NoLoc}, "z": {event.NoLoc},
	} {
		for i, l := range want {
			if got, ok := m.Loc(name, i); got != l || ok != (l != event.NoLoc) {
				t.Errorf("%s[%d] is location %d, %v; want %d", name, i, got, ok, l)
			}
		}
	}
	if got := m.LocNames(); !slices.Equal(got, []string{"a", "x", "y"}) {
		t.Errorf("the locations are %q", got)
	}
	if m.Locs[2].Name != "a[1]" || m.Locs[1].Elems != 2 || m.Locs[2].Elems != 1 || m.Locs[2].Region != litmus.Shared {
		t.Errorf("the elements of a are %+v", m.Locs[1:3])
	}
}

func TestObservable(t *testing.T) {
	m := memory()
	for _, tt := range []struct {
		ref litmus.Ref
		reg event.Reg
		loc event.Loc
	}{
		{litmus.Ref{Thread: 1, Name: "r0"}, event.Reg{Thread: 1, Name: "r0"}, event.NoLoc},
		{litmus.Ref{Thread: -1, Name: "a", Array: true, Index: 1}, event.Reg{}, 2},
		{litmus.Ref{Thread: -1, Name: "y"}, event.Reg{}, 0},
	} {
		if reg, loc := m.Observable(tt.ref); reg != tt.reg || loc != tt.loc {
			t.Errorf("%v is %v, %d; want %v, %d", tt.ref, reg, loc, tt.reg, tt.loc)
		}
	}
}

// TestValues: values of the text and of executions are translated both ways.
func TestValues(t *testing.T) {
	m := memory()
	for _, v := range []litmus.Value{{Int: -3}, {Loc: "x"}, {Loc: "a", Int: 4}} {
		inside, ok := m.FromText(v)
		if back := m.Value(inside); !ok || back != v {
			t.Errorf("%v comes back as %v, %v", v, back, ok)
		}
	}
	if _, ok := m.FromText(litmus.Value{Loc: "z"}); ok {
		t.Error("the address of a location that there is not has a value")
	}
}
