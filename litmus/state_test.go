package litmus

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestValueString(t *testing.T) {
	tests := map[string]Value{
		"0":                    {},
		"5":                    {Int: 5},
		"-9223372036854775808": {Int: math.MinInt64},
		"x":                    {Loc: "x"},
		"x+4":                  {Loc: "x", Int: 4},
		"x-8":                  {Loc: "x", Int: -8},
	}
	for want, v := range tests {
		if v.String() != want {
			t.Errorf("got %s, want %s", v, want)
		}
		if back, ok := ParseValue(want); back != v || !ok {
			t.Errorf("%s is read back as %#v, %t", want, back, ok)
		}
	}
}

func TestObservables(t *testing.T) {
	test := parse(t, `PTX x
{ a[11]; }
P2 | P0 ;
(cta P0 P2)
locations [x; y10; 0:r10; a[10]; P2:r1;]
filter (0:r9=1 => y9=0:r10)
exists (0:r2=[x] /\ ~(a[2]=&unseen) /\ 0:s1=2)`)
	obs := test.Observables()
	var got []string
	for _, r := range obs {
		got = append(got, r.String())
	}
	want := []string{"0:r2", "0:r9", "0:r10", "0:s1", "2:r1", "a[2]", "a[10]", "[x]", "[y9]", "[y10]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	state := make(State, len(obs))
	for i := range state {
		state[i].Int = int64(i)
	}
	state[5] = *address("x", 4)
	const line = "0:r2=0; 0:r9=1; 0:r10=2; 0:s1=3; 2:r1=4; a[2]=x+4; a[10]=6; [x]=7; [y9]=8; [y10]=9;"
	if got := state.Format(obs); got != line {
		t.Errorf("the state is %s, want %s", got, line)
	}
	if got := state.Outcome(Names(obs)).String(); got != line {
		t.Errorf("the outcome is %s, want %s", got, line)
	}
	if got := (State{}).Format(nil); got != "" {
		t.Errorf("the empty state is %q", got)
	}
}

func TestCompareStates(t *testing.T) {
	sorted := []State{
		{*integer(-3), *integer(1)},
		{*integer(2), *address("x", 0)},
		{*integer(10), *integer(0)},
		{*integer(10), *integer(9)},
		{*integer(10), *address("x", -4)},
		{*integer(10), *address("x", 8)},
		{*integer(10), *address("x10", 0)},
		{*address("a", 0), *integer(0)},
	}
	for i, s := range sorted {
		for j, u := range sorted {
			if got, want := CompareStates(s, u), max(-1, min(1, i-j)); got != want {
				t.Errorf("%v and %v compare as %d, want %d", s, u, got, want)
			}
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	sorted := []string{"", "R", "r", "r1", "r02", "r2", "r2a", "r2b1", "r10", "r99999999999999999999", "r100000000000000000000", "ra"}
	shuffled := slices.Clone(sorted)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, CompareNatural)
	if diff := cmp.Diff(sorted, shuffled); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestNaturalOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab0-2]{0,5}`)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if CompareNatural(a, b) != -CompareNatural(b, a) {
			t.Fatal("not antisymmetric")
		}
		if (CompareNatural(a, b) == 0) != (a == b) {
			t.Fatal("only equal names are equal")
		}
		if CompareNatural(a, b) <= 0 && CompareNatural(b, c) <= 0 && CompareNatural(a, c) > 0 {
			t.Fatal("not transitive")
		}
	})
}
