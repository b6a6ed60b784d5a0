package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
)

// Memory is the locations of a program by the names that the test gives them. The elements of an
// array are neighbours. Programs embed it.
type Memory struct {
	Locs  []event.Location
	first map[string]event.Loc
}

// Add adds a location, or the elements of an array, with initial value 0, and returns the first.
func (m *Memory) Add(name string, region litmus.Region, elems int, array bool) event.Loc {
	if m.first == nil {
		m.first = map[string]event.Loc{}
	}
	first := len(m.Locs)
	m.first[name] = first
	for i := range elems {
		l := event.Location{Name: name, Region: int(region), Init: event.Int(0)}
		if array {
			l.Name, l.Elems = fmt.Sprintf("%s[%d]", name, i), elems-i
		}
		m.Locs = append(m.Locs, l)
	}
	return first
}

// Named finds a location, or the first element of an array, by name.
func (m *Memory) Named(name string) (event.Loc, bool) {
	l, ok := m.first[name]
	return l, ok
}

// LocNames lists the names of locations and arrays, sorted.
func (m *Memory) LocNames() []string { return slices.Sorted(maps.Keys(m.first)) }

// Loc finds a location, or an element of an array.
func (m *Memory) Loc(name string, index int) (event.Loc, bool) {
	l, ok := m.first[name]
	if !ok || index < 0 || index >= max(1, m.Locs[l].Elems) {
		return event.NoLoc, false
	}
	return l + index, true
}

// Init gives the declared locations of a test their initial values. It calls undefined for a
// location whose initial value is the address of an unknown location.
func (m *Memory) Init(t *litmus.Test, undefined func(*litmus.Location)) {
	for _, l := range t.Locations {
		first := m.first[l.Name.Text]
		for i := range max(1, l.Size) {
			v, ok := m.FromText(l.Elem(i))
			if !ok {
				undefined(l)
			}
			m.Locs[first+i].Init = v
		}
	}
}

// Observable returns the register or the physical location that a reference in the test's text
// denotes; for a location, the register has no name.
func (m *Memory) Observable(r litmus.Ref) (event.Reg, event.Loc) {
	if r.Thread >= 0 {
		return event.Reg{Thread: r.Thread, Name: r.Name}, event.NoLoc
	}
	l, _ := m.Loc(r.Name, r.Index)
	return event.Reg{}, event.Physical(m.Locs, l)
}

// FromText translates a value of the test's text. It returns false if the value is the address of
// an unknown location.
func (m *Memory) FromText(v litmus.Value) (event.Value, bool) {
	if v.Loc == "" {
		return event.Int(v.Int), true
	}
	l, ok := m.first[v.Loc]
	return event.Value{Base: l, Int: v.Int}, ok
}

// Value returns a value of an execution in the notation of the test's text. The address of the
// first element of an array is the address of the array: &a.
func (m *Memory) Value(v event.Value) litmus.Value {
	if !v.IsAddress() {
		return litmus.Value{Int: v.Int}
	}
	name, _, _ := strings.Cut(m.Locs[v.Base].Name, "[")
	return litmus.Value{Loc: name, Int: v.Int}
}

// Normalize returns a proposition with its constants in the form of values. beside returns the form
// of a constant that is compared with a register or location.
func Normalize(p litmus.Prop, beside func(litmus.Ref, litmus.Value) litmus.Value) litmus.Prop {
	return litmus.MapAtoms(p, func(a litmus.Atom) litmus.Prop {
		if a.X.Ref != nil && a.Y.Ref == nil {
			a.Y.Const = beside(*a.X.Ref, a.Y.Const)
		}
		if a.Y.Ref != nil && a.X.Ref == nil {
			a.X.Const = beside(*a.Y.Ref, a.X.Const)
		}
		return a
	})
}
