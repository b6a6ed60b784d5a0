package event

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	want := []string{"init", "init", "a", "f1", "b", "c", "d", "e", "f", "g", "h", "i"}
	if diff := cmp.Diff(want, sample().Names()); diff != "" {
		t.Error(diff)
	}
}

func TestNamesOfManyEvents(t *testing.T) {
	names := (&Structure{Events: make([]Event, 703)}).Names() // reads of thread 0
	for i, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if names[i] != want {
			t.Errorf("access %d is called %s, want %s", i, names[i], want)
		}
	}
}

func TestActionsAndLabels(t *testing.T) {
	x := sample()
	x.Locs[0].Name = "buf"
	x.Val[7] = AddressOf(1)
	x.Val[11] = Value{Base: 1, Int: 4}
	x.Events[6].Order, x.Events[6].Scope = Acquire, ScopeGPU
	tests := []struct {
		event         ID
		action, label string
	}{
		{0, "W[buf]=0", "W [buf]=0"},
		{2, "W[buf]=1", "W.weak [buf]=1"},
		{3, "membar.cta", "membar.cta"},
		{5, "R[y]=1", "R.volatile.relaxed.sys [y]=1"},
		{6, "R[buf]=0", "R.acquire.gpu [buf]=0"},
		{7, "W[buf]=y", "W.weak [buf]=y"},
		{8, "R[buf]=1", "R.atom.relaxed.gpu [buf]=1"},
		{11, "W[buf]=y+4", "W.weak [buf]=y+4"},
	}
	for _, tt := range tests {
		if got := x.Action(tt.event); got != tt.action {
			t.Errorf("Action(%d) = %s, want %s", tt.event, got, tt.action)
		}
		if got := x.Label(tt.event); got != tt.label {
			t.Errorf("Label(%d) = %s, want %s", tt.event, got, tt.label)
		}
	}
}

func TestFormatValue(t *testing.T) {
	s := sample().Structure
	for v, want := range map[Value]string{
		Int(0): "0", Int(-3): "-3", AddressOf(0): "x", AddressOf(1): "y", {Base: 0, Int: 8}: "x+8", {Base: 1, Int: -4}: "y-4",
	} {
		if got := s.FormatValue(v); got != want {
			t.Errorf("%v is printed %s, want %s", v, got, want)
		}
	}
}
