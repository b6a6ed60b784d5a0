package engine

import (
	"math"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/event"
)

// TestTable: states are found by their values, however many there are, and no others.
func TestTable(t *testing.T) {
	var states []*State
	var known Table
	values := func(i int) []event.Value {
		return []event.Value{{Base: event.NoLoc, Int: int64(i)}, {Base: event.Loc(i % 3), Int: math.MinInt64 + int64(i*i)}}
	}
	find := func(i int) *State { return known.Find(values(i)) }
	for i := range 1000 {
		if find(i) != nil {
			t.Fatalf("%v is found among %d others", values(i), i)
		}
		s, added := known.FindOrAdd(values(i))
		if !added {
			t.Fatalf("%v is not new", values(i))
		}
		states = append(states, s)
		for j := range i + 1 {
			if j%(1+i/16) == 0 && find(j) != states[j] {
				t.Fatalf("%v is not found among %d", values(j), i+1)
			}
		}
	}
	for i, s := range states {
		if got := s.Values(); !slices.Equal(got, values(i)) {
			t.Errorf("%v come back as %v", values(i), got)
		}
	}
}

// TestCompareStates: the first values that are told apart decide.
func TestCompareStates(t *testing.T) {
	of := func(numbers ...int64) *State {
		var values []event.Value
		for _, n := range numbers {
			values = append(values, event.Int(n))
		}
		return NewState(values, Exhibit{})
	}
	halves := func(v, w event.Value) int { return int(v.Int/2 - w.Int/2) }
	for _, tt := range []struct {
		s, t *State
		want int
	}{
		{of(4, 1), of(4, 1), 0},
		{of(4, 1), of(4, 9), -4},
		{of(4, 9), of(5, 1), 4},
		{of(6, 1), of(4, 9), 1},
		{of(), of(), 0},
	} {
		if got := tt.s.Compare(tt.t, halves); got != tt.want {
			t.Errorf("%v against %v: %d, want %d", tt.s.Values(), tt.t.Values(), got, tt.want)
		}
	}
}

// TestMerge: counts of one state add up, and its witness is that of the earlier structure.
func TestMerge(t *testing.T) {
	first, second := &Witness{}, &Witness{}
	answer := func(count, at int, w *Witness) *Answer {
		s := NewState([]event.Value{event.Int(1)}, Exhibit{w, at})
		s.Count = count
		return &Answer{States: []*State{s}, Raised: []bool{at == 0, false}, Race: Exhibit{w, at}}
	}
	for _, counted := range []bool{true, false} {
		all := Merge(counted, answer(3, 7, second), answer(Most-1, 0, first))
		if want := map[bool]int{true: Most, false: 3}[counted]; len(all.States) != 1 || all.States[0].Count != want {
			t.Errorf("counted %v: %d states, count %d, want one, counted %d", counted, len(all.States), all.States[0].Count, want)
		}
		if all.States[0].Evidence != first || all.Race.Evidence != first || all.Hang.Evidence != nil {
			t.Errorf("counted %v: exhibits are not those of the first structure", counted)
		}
		if !slices.Equal(all.Raised, []bool{true, false}) {
			t.Errorf("counted %v: raised %v", counted, all.Raised)
		}
	}
}

// TestAdd: sums of counts end at Most.
func TestAdd(t *testing.T) {
	for _, tt := range []struct{ a, b, want int }{{2, 3, 5}, {Most - 1, 1, Most}, {Most, 1, Most}, {Most, Most, Most}} {
		if got := Add(tt.a, tt.b); got != tt.want {
			t.Errorf("Add(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
