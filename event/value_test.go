package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
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
		{v: Value{Base: 0, Int: 4}, err: "the address x+4 is not that of a location of the test: x is no array; an array is declared in the initial state, x[4]"},
		{v: Value{Base: 0, Int: -4}, err: "the address x-4 is not that of a location of the test"},
		{v: Value{Base: 1, Int: 2}, err: "the address a+2 is not that of a location of the test"},
		{v: Value{Base: 1, Int: 12}, err: "the address a+12 is not that of a location of the test"},
		{v: Value{Base: 1, Int: -1}, err: "the address a-1 is not that of a location of the test"},
		{v: Int(0), err: "0 is used as an address; only locations have addresses"},
		{v: Value{Base: Opaque, Int: 8}, err: "what is opaque is used as an address"},
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

// reading gives every read the same value.
func reading(v Value) Env { return func(int) (Value, bool) { return v, true } }

func TestApply(t *testing.T) {
	x, err := Apply(arith.Div, arith.U64, integer(6), integer(2))
	if x != integer(3) || err != nil {
		t.Errorf("6/2 = %v, %v, want the constant 3", x, err)
	}
	var wrong *Meaningless
	if _, err := Apply(arith.Div, arith.U64, integer(7), integer(0)); !errors.As(err, &wrong) || wrong.Why.Error() != "div by zero has no meaning" {
		t.Errorf("7/0: %v, want an error", err)
	}
	quotient, err := Apply(arith.Div, arith.U64, integer(6), ReadOf(2))
	if err != nil || quotient.String() != "div(6,v2)" {
		t.Fatalf("6/v2 = %v, %v", quotient, err)
	}
	x, err = Apply(arith.Add, arith.U64, quotient, integer(10))
	if err != nil || x.String() != "add(div(6,v2),10)" {
		t.Fatalf("6/v2 + 10 = %v, %v", x, err)
	}
	if v, err := x.Eval(reading(Int(3))); v != Int(12) || err != nil {
		t.Errorf("6/3 + 10 = %v, %v", v, err)
	}
	if _, err := x.Eval(reading(Int(0))); !errors.As(err, &wrong) || wrong.X != quotient {
		t.Errorf("6/0 + 10: %v, want an error about the division", err)
	}
	if _, err := x.Eval(nothingKnown); err != ErrUnknown {
		t.Errorf("6/? + 10: %v, want %v", err, ErrUnknown)
	}
}

// TestExprsAreEqualByStructure: what is computed twice in the same way is the same expression, and
// a key of maps.
func TestExprsAreEqualByStructure(t *testing.T) {
	sum := func(typ arith.Type, n int) Expr {
		x, err := Apply(arith.Add, typ, ReadOf(n), integer(1))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	seen := map[Expr]bool{sum(arith.S32, 1): true}
	if !seen[sum(arith.S32, 1)] {
		t.Error("the same sum is another expression")
	}
	if seen[sum(arith.S32, 2)] || seen[sum(arith.U64, 1)] {
		t.Error("sums of other values or types are the same expression")
	}
}

// TestWrappingWhatFits: wrapping adds nothing to what is in range already.
func TestWrappingWhatFits(t *testing.T) {
	sum, err := Apply(arith.Add, arith.S32, ReadOf(0), ReadOf(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		x    Expr
		typ  arith.Type
		want string
	}{
		{ReadOf(0), arith.S32, "wrap(v0)"},
		{ReadOf(0), arith.U64, "v0"},
		{sum, arith.S32, "add(v0,v1)"},
		{sum, arith.U64, "add(v0,v1)"},
		{sum, arith.Bool, "wrap(add(v0,v1))"},
	} {
		if x, err := Apply(arith.Wrap, tt.typ, tt.x); err != nil || x.String() != tt.want {
			t.Errorf("%v in %d bits is %v, %v, want %s", tt.x, tt.typ.Bits, x, err, tt.want)
		}
	}
}

// TestApplyBoundsExpressions doubles a value again and again: after n steps, the
// expression is a tree of 2ⁿ-1 operations.
func TestApplyBoundsExpressions(t *testing.T) {
	var x Expr = ReadOf(0)
	for step := 1; ; step++ {
		next, err := Apply(arith.Add, arith.U64, x, x)
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

// half is a function that is not arithmetic.
type half struct{}

func (half) Apply(args [2]Value) (Value, error) {
	if !args[0].IsOpaque() {
		return Value{}, errors.New("no object")
	}
	return Int(args[0].Int / 2), nil
}

func (half) String() string { return "half" }

// TestCall: functions of front ends are computed as soon as their operands are known, and may have
// no meaning.
func TestCall(t *testing.T) {
	x, err := ApplyFunction(half{}, ReadOf(3))
	if err != nil {
		t.Fatal(err)
	}
	var reads []int
	EachRead(x, func(n int) { reads = append(reads, n) })
	if x.String() != "half(v3)" || !slices.Equal(reads, []int{3}) {
		t.Errorf("%v of %v", x, reads)
	}
	for _, c := range []struct {
		v    Value
		want string
	}{{Value{Opaque, 8}, "4"}, {Int(8), "no object"}} {
		v, err := x.Eval(func(int) (Value, bool) { return c.v, true })
		got := fmt.Sprint(v.Int)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("of %v: %s, want %s", c.v, got, c.want)
		}
	}
	if y, _ := ApplyFunction(half{}, ReadOf(3)); x != y {
		t.Error("calls of the same function of the same values differ")
	}
	if y, err := ApplyFunction(half{}, Const(Value{Opaque, 8})); err != nil || y != Expr(Const(Int(4))) {
		t.Errorf("of a constant: %v, %v", y, err)
	}
}

// TestOpaque: the states of objects can be moved, and nothing else.
func TestOpaque(t *testing.T) {
	state := Const(Value{Opaque, 8})
	if x, err := Apply(arith.Wrap, arith.U64, state); err != nil || x != Expr(state) {
		t.Errorf("moved: %v, %v", x, err)
	}
	if _, err := Apply(arith.Add, arith.U64, state, integer(1)); err == nil || !strings.Contains(err.Error(), "opaque") {
		t.Errorf("added to: %v", err)
	}
}

// TestBaseOf: what an expression is an offset from is known where nothing else than an offset can
// be added.
func TestBaseOf(t *testing.T) {
	read, address, four := ReadOf(0), Const(AddressOf(3)), Const(Int(4))
	apply := func(code arith.Op, args ...Expr) Expr {
		x, err := Apply(code, arith.S64, args...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	scaled := apply(arith.Mul, read, four)
	for _, tt := range []struct {
		x    Expr
		want Loc
		ok   bool
	}{
		{address, 3, true},
		{four, NoLoc, false},
		{read, NoLoc, false},
		{apply(arith.Add, address, scaled), 3, true},
		{apply(arith.Add, scaled, address), 3, true},
		{apply(arith.Sub, address, read), NoLoc, false}, // of two addresses it is an integer
		{apply(arith.Sub, scaled, address), NoLoc, false},
		{apply(arith.Add, read, scaled), NoLoc, false},
	} {
		if l, ok := BaseOf(tt.x); ok != tt.ok || ok && l != tt.want {
			t.Errorf("%v: %d, %t", tt.x, l, ok)
		}
	}
}
