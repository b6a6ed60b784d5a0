package rel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/rel"
)

// relOf reads a relation over five events: "01 12" is {0→1 1→2}.
func relOf(text string) rel.Rel {
	r := rel.New(5)
	for _, p := range strings.Fields(text) {
		r.Add(int(p[0]-'0'), int(p[1]-'0'))
	}
	return r
}

// setOf reads a set of the same events: "013" is {0 1 3}.
func setOf(text string) rel.Set {
	s := rel.NewSet(5)
	for _, e := range text {
		s.Add(int(e - '0'))
	}
	return s
}

func TestRelByHand(t *testing.T) {
	abc, cab := relOf("01 12 23"), relOf("20 01 44")
	tests := []struct {
		name string
		got  fmt.Stringer
		want fmt.Stringer
	}{
		{"union", abc.Union(cab), relOf("01 12 20 23 44")},
		{"intersection", abc.Inter(cab), relOf("01")},
		{"difference", abc.Diff(cab), relOf("12 23")},
		{"composition", abc.Compose(cab), relOf("10")},
		{"composition, the other way", cab.Compose(abc), relOf("21 02")},
		{"complement", rel.Full(5).Diff(abc).Complement(), abc},
		{"inverse", abc.Inverse(), relOf("10 21 32")},
		{"transitive closure", abc.Plus(), relOf("01 02 03 12 13 23")},
		{"closure of a cycle", relOf("01 12 20").Plus(), relOf("00 01 02 10 11 12 20 21 22")},
		{"reflexive", abc.Opt(), relOf("00 01 11 12 22 23 33 44")},
		{"reflexive transitive closure", relOf("01 12").Star(), relOf("00 01 02 11 12 22 33 44")},
		{"domain", abc.Domain(), setOf("012")},
		{"range", abc.Range(), setOf("123")},
		{"restricted", abc.Restrict(setOf("01"), setOf("23")), relOf("12")},
		{"reduction of a chain", relOf("01 12 23 02 03 13").Reduction(), abc},
		{"reduction of a diamond", relOf("01 02 13 23 03").Reduction(), relOf("01 02 13 23")},
		{"identity", rel.Identity(setOf("024")), relOf("00 22 44")},
		{"product", rel.Product(setOf("01"), setOf("13")), relOf("01 03 11 13")},
		{"by predicate", rel.Where(5, func(a, b int) bool { return b == a+2 }), relOf("02 13 24")},
		{"of pairs", rel.Of(5, [2]int{0, 1}, [2]int{0, 1}, [2]int{4, 4}), relOf("01 44")},
		{"row", abc.Row(1), setOf("2")},
		{"sets: union", setOf("012").Union(setOf("24")), setOf("0124")},
		{"sets: intersection", setOf("012").Inter(setOf("24")), setOf("2")},
		{"sets: difference", setOf("012").Diff(setOf("24")), setOf("01")},
		{"sets: complement", setOf("13").Complement(), setOf("024")},
		{"sets: universe", rel.Universe(5), setOf("01234")},
		{"sets: by predicate", rel.SetOf(5, func(e int) bool { return e%2 == 1 }), setOf("13")},
	}
	for _, tt := range tests {
		if got, want := tt.got.String(), tt.want.String(); got != want {
			t.Errorf("%s: got %s, want %s", tt.name, got, want)
		}
	}
}

func TestQuestions(t *testing.T) {
	tests := []struct {
		name      string
		got, want bool
	}{
		{"a chain is acyclic", relOf("01 12").Acyclic(), true},
		{"a cycle is not", relOf("01 12 20").Acyclic(), false},
		{"a loop is not", relOf("01 33").Acyclic(), false},
		{"nothing is acyclic", relOf("").Acyclic(), true},
		{"a cycle is irreflexive", relOf("01 10").Irreflexive(), true},
		{"a loop is not irreflexive", relOf("01 44").Irreflexive(), false},
		{"a chain is not transitive", relOf("01 12").Transitive(), false},
		{"with the short cut it is", relOf("01 12 02").Transitive(), true},
		{"two ways without the loops are not transitive", relOf("01 10").Transitive(), false},
		{"a loop is transitive", relOf("00").Transitive(), true},
		{"part", relOf("01").SubsetOf(relOf("01 12")), true},
		{"not part", relOf("01 21").SubsetOf(relOf("01 12")), false},
		{"equal", relOf("01 12").Equal(relOf("12 01")), true},
		{"not equal", relOf("01").Equal(relOf("10")), false},
		{"of different universes", rel.New(3).Equal(rel.New(4)), false},
		{"sets: part", setOf("1").SubsetOf(setOf("12")), true},
		{"sets: not part", setOf("13").SubsetOf(setOf("12")), false},
		{"sets: equal", setOf("21").Equal(setOf("12")), true},
		{"sets: not equal", setOf("1").Equal(setOf("2")), false},
		{"sets: of different universes", rel.NewSet(3).Equal(rel.NewSet(4)), false},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %v", tt.name, tt.got)
		}
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		x    fmt.Stringer
		want string
	}{
		{relOf(""), "{}"},
		{relOf("12"), "{1→2}"},
		{relOf("40 12 11"), "{1→1 1→2 4→0}"},
		{setOf(""), "{}"},
		{setOf("3"), "{3}"},
		{setOf("310"), "{0 1 3}"},
		{rel.NewSet(130, 129, 64), "{64 129}"},
	}
	for _, tt := range tests {
		if got := tt.x.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestZeroValues(t *testing.T) {
	var r rel.Rel
	var s rel.Set
	tests := []struct {
		name string
		got  fmt.Stringer
	}{
		{"relation", r},
		{"union", r.Union(r)},
		{"composition", r.Compose(rel.New(0))},
		{"closure", r.Star()},
		{"complement", r.Complement()},
		{"inverse", r.Inverse()},
		{"reduction", r.Reduction()},
		{"product", rel.Product(s, s)},
		{"full", rel.Full(0)},
		{"domain", r.Domain()},
		{"range", r.Range()},
		{"set", s},
		{"universe", rel.Universe(0)},
		{"complement of a set", s.Complement()},
	}
	for _, tt := range tests {
		if got := tt.got.String(); got != "{}" {
			t.Errorf("%s over no events is %s", tt.name, got)
		}
	}
	if !r.Equal(rel.New(0)) || !s.Equal(rel.NewSet(0)) || !r.Acyclic() || r.ShortestCycle(rel.Unit) != nil {
		t.Error("the zero values are not empty")
	}
}

// TestInPlace checks that Add and Remove change one element, and no copy.
func TestInPlace(t *testing.T) {
	r := relOf("01 12")
	clone, union, closure := r.Clone(), r.Union(relOf("")), r.Plus()
	r.Add(3, 4)
	r.Add(3, 4)
	r.Remove(0, 1)
	r.Remove(4, 4)
	s := setOf("01")
	set, both := s.Clone(), s.Union(setOf(""))
	s.Add(4)
	s.Remove(0)
	s.Remove(3)
	tests := []struct {
		name      string
		got, want fmt.Stringer
	}{
		{"relation", r, relOf("12 34")},
		{"clone", clone, relOf("01 12")},
		{"union", union, relOf("01 12")},
		{"closure", closure, relOf("01 02 12")},
		{"set", s, setOf("14")},
		{"clone of a set", set, setOf("01")},
		{"union of sets", both, setOf("01")},
	}
	for _, tt := range tests {
		if tt.got.String() != tt.want.String() {
			t.Errorf("%s is %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

// TestSeveral: relations that share an allocation are independent.
func TestSeveral(t *testing.T) {
	for _, n := range []int{1, 3, 64, 65, 130} {
		all := rel.Several(3, n)
		all[1].Add(n-1, 0)
		for i, r := range all {
			if want := rel.New(n); i != 1 && !r.Equal(want) || i == 1 && !r.Equal(rel.Of(n, [2]int{n - 1, 0})) {
				t.Errorf("relation %d over %d events is %v", i, n, r)
			}
		}
	}
}

func TestIterationStops(t *testing.T) {
	var seen []int
	for e := range rel.Universe(130).All() {
		if e == 70 {
			break
		}
		seen = append(seen, e)
	}
	if diff := cmp.Diff(events(70), seen); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	n := 0
	for a, b := range rel.Full(70).Pairs() {
		if a == 1 && b == 65 {
			break
		}
		n++
	}
	if n != 70+65 {
		t.Errorf("Pairs went on to pair %d, want %d", n, 70+65)
	}
}

func TestUniversesMustAgree(t *testing.T) {
	r, s := rel.New(3), rel.New(70)
	a, b := rel.NewSet(3), rel.NewSet(70)
	tests := map[string]func(){
		"union":            func() { r.Union(s) },
		"intersection":     func() { s.Inter(r) },
		"difference":       func() { r.Diff(s) },
		"composition":      func() { r.Compose(s) },
		"part":             func() { r.SubsetOf(s) },
		"product":          func() { rel.Product(a, b) },
		"sets: union":      func() { a.Union(b) },
		"sets: difference": func() { b.Diff(a) },
		"sets: part":       func() { a.SubsetOf(b) },
	}
	for name, op := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, "operands over") {
					t.Errorf("recovered %s", r)
				}
			}()
			op()
		})
	}
}
