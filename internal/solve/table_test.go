package solve

import (
	"math"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/event"
)

// TestTable: states are found by their values, however many there are, and no others.
func TestTable(t *testing.T) {
	var states []*State
	var known table
	var s supply
	values := func(i int) []event.Value {
		return []event.Value{{Base: event.NoLoc, Int: int64(i)}, {Base: event.Loc(i % 3), Int: math.MinInt64 + int64(i*i)}}
	}
	find := func(i int) *State { return known.find(states, appendKey(nil, values(i))) }
	for i := range 1000 {
		if find(i) != nil {
			t.Fatalf("%v is found among %d others", values(i), i)
		}
		states = append(states, &State{key: s.keep(appendKey(nil, values(i)))})
		known.add(states)
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
		return &State{key: appendKey(nil, values)}
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

// TestWords: words come back, one after the other, whatever bytes they have.
func TestWords(t *testing.T) {
	words := []uint64{0, 1, 1 << 63, math.MaxUint64, 0xff00ff, 0x0100000000000080}
	var packed []byte
	for _, w := range words {
		packed = appendWord(packed, w)
	}
	for _, want := range words {
		var got uint64
		if got, packed = cutWord(packed); got != want {
			t.Errorf("%#x comes back as %#x", want, got)
		}
	}
	if len(packed) > 0 {
		t.Errorf("%d bytes are left over", len(packed))
	}
}
