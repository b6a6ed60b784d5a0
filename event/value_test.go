package event

import (
	"errors"
	"testing"
)

func TestResolve(t *testing.T) {
	// x, then a[3], whose elements are locations 1 to 3.
	locs := []Location{{Name: "x"}, {Name: "a[0]", Elems: 3}, {Name: "a[1]", Elems: 2}, {Name: "a[2]", Elems: 1}}
	tests := []struct {
		v    Value
		want Loc
		err  string
	}{
		{v: AddressOf(0), want: 0},
		{v: AddressOf(1), want: 1},
		{v: Value{Base: 1, Int: 4}, want: 2},
		{v: Value{Base: 1, Int: 8}, want: 3},
		{v: Value{Base: 2, Int: 4}, want: 3},
		{v: Value{Base: 0, Int: 4}, err: "the address x+4 is not that of a location of the test"},
		{v: Value{Base: 0, Int: -4}, err: "the address x-4 is not that of a location of the test"},
		{v: Value{Base: 1, Int: 2}, err: "the address a+2 is not that of a location of the test"},
		{v: Value{Base: 1, Int: 12}, err: "the address a+12 is not that of a location of the test"},
		{v: Value{Base: 1, Int: -1}, err: "the address a-1 is not that of a location of the test"},
		{v: Int(0), err: "0 is used as an address; only locations have addresses"},
		{v: Int(-8), err: "-8 is used as an address; only locations have addresses"},
	}
	for _, tt := range tests {
		got, err := Resolve(locs, tt.v)
		switch {
		case err == nil && (tt.err != "" || got != tt.want):
			t.Errorf("Resolve(%v) = %d, want %d, error %q", tt.v, got, tt.want, tt.err)
		case err != nil && err.Error() != tt.err:
			t.Errorf("Resolve(%v): %v, want %q", tt.v, err, tt.err)
		}
	}
}

func TestTruth(t *testing.T) {
	for v, want := range map[Value]bool{Int(0): false, Int(1): true, Int(-1): true, AddressOf(0): true, {Base: 0, Int: -4}: true} {
		if v.True() != want {
			t.Errorf("the truth of %v is %v", v, v.True())
		}
	}
}

var errOdd = errors.New("odd")

// half is half of an even number.
func half(args []Value) (Value, error) {
	if args[0].Int%2 != 0 {
		return Value{}, errOdd
	}
	return Int(args[0].Int / 2), nil
}

func sum(args []Value) (Value, error) { return Int(args[0].Int + args[1].Int), nil }

// reading gives every read the same value.
func reading(v Value) Env { return func(int) (Value, bool) { return v, true } }

func TestApply(t *testing.T) {
	x, err := Apply("half", half, integer(6))
	if x != integer(3) || err != nil {
		t.Errorf("half(6) = %v, %v, want the constant 3", x, err)
	}
	if _, err := Apply("half", half, integer(7)); err != errOdd {
		t.Errorf("half(7): %v, want %v", err, errOdd)
	}
	x, err = Apply("half", half, ReadOf(2))
	if err != nil || x.String() != "half(v2)" {
		t.Fatalf("half(v2) = %v, %v", x, err)
	}
	x, err = Apply("sum", sum, x, integer(10))
	if err != nil || x.String() != "sum(half(v2),10)" {
		t.Fatalf("sum(half(v2), 10) = %v, %v", x, err)
	}
	if v, err := x.Eval(reading(Int(8))); v != Int(14) || err != nil {
		t.Errorf("sum(half(8), 10) = %v, %v", v, err)
	}
	if _, err := x.Eval(reading(Int(9))); err != errOdd {
		t.Errorf("sum(half(9), 10): %v, want %v", err, errOdd)
	}
	if _, err := x.Eval(nothingKnown); err != ErrUnknown {
		t.Errorf("sum(half(?), 10): %v, want %v", err, ErrUnknown)
	}
}

// TestApplyBoundsExpressions doubles a value again and again: after n steps, the
// expression is a tree of 2ⁿ-1 operations.
func TestApplyBoundsExpressions(t *testing.T) {
	var x Expr = ReadOf(0)
	for step := 1; ; step++ {
		next, err := Apply("sum", sum, x, x)
		if err != nil {
			if step != 15 {
				t.Errorf("refused a tree of 2^%d-1 operations: %v", step, err)
			}
			return
		}
		if step == 15 {
			t.Fatal("accepted a tree of 2^15-1 operations")
		}
		x = next
	}
}

func TestExprStrings(t *testing.T) {
	for want, x := range map[string]Expr{"-3": integer(-3), "&1+0": at(1), "&0+4": Const{Base: 0, Int: 4}, "v12": ReadOf(12)} {
		if x.String() != want {
			t.Errorf("%v is printed %q, want %q", x, x, want)
		}
	}
}
