package final

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
)

// TestPartlyKnown: a formula may hold, or fail, of values that are partly known if it does of some
// values that agree with them, as far as its atoms are independent; and what it can do neither it
// does of none.
func TestPartlyKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t, 3)
		known := Known(rapid.IntRange(0, 7).Draw(t, "known"))
		values := []event.Value{event.Int(0), event.Int(0), event.Int(0)}
		for i := range values {
			values[i] = event.Int(rapid.Int64Range(0, 1).Draw(t, "value"))
		}
		hold, fail := f.May(values, known)
		for others := range 8 {
			all := []event.Value{values[0], values[1], values[2]}
			for i := range all {
				if !known.Has(i) {
					all[i] = event.Int(int64(others >> i & 1))
				}
			}
			if is := Holds(f, all); is && !hold || !is && !fail {
				t.Fatalf("%v of %v is %v, but of %v with %b known it may hold: %v, fail: %v", f, all, is, values, known, hold, fail)
			}
		}
		if h, f := f.May(values, All); h == f {
			t.Fatal("nothing is open of values that are known")
		}
	})
}

// draw draws a formula about three values.
func draw(t *rapid.T, depth int) Formula {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 {
		kind = 4
	}
	switch kind {
	case 0:
		return Truth(rapid.Bool().Draw(t, "truth"))
	case 1:
		return Not{draw(t, depth-1)}
	case 2:
		return Any{draw(t, depth-1), draw(t, depth-1)}
	case 3:
		return Every{draw(t, depth-1), draw(t, depth-1)}
	}
	number := rapid.IntRange(0, 2)
	return Atom{number.Draw(t, "x"), number.Draw(t, "y"), func(v, w event.Value) bool { return v.Int <= w.Int }}
}

// TestManyObservables: of more than MostPartly, all are known or none.
func TestManyObservables(t *testing.T) {
	if Known(1<<MostPartly-1).Has(MostPartly) || !All.Has(MostPartly) || !All.Has(1000) || !Known(4).Has(2) || Known(4).Has(1) {
		t.Error("wrong")
	}
}
