package clike

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestSigned: a comparison of what is unsigned says the same in signed comparisons.
func TestSigned(t *testing.T) {
	const text = "C signed\n{}\nP0 (int* x) { unsigned a = 0; unsigned b = 0; unsigned long c = 0; int d = 0; unsigned long e = 0; }\nexists (0:a=0 /\\ 0:b=0 /\\ 0:c=0 /\\ 0:d=0 /\\ 0:e=0)\n"
	test, err := litmus.Parse(src.NewFile("signed", text), Frontend().Formats)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Lower(test)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		number := func(bits int, label string) int64 {
			n := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3)).Draw(t, label)
			return arith.Type{Signed: true, Bits: bits}.Wrap(n)
		}
		values := map[string]int64{"a": number(32, "a"), "b": number(32, "b"), "c": number(64, "c"), "d": number(32, "d"), "e": number(64, "e")}
		get := func(r litmus.Ref) litmus.Value { return litmus.Value{Int: values[r.Name]} }
		ref := func(name string) litmus.Operand { return litmus.Operand{Ref: &litmus.Ref{Name: name}} }
		constant := func(n int64) litmus.Operand { return litmus.Operand{Const: litmus.Value{Int: n}} }
		op := rapid.SampledFrom([]litmus.Comparison{
			litmus.Equal, litmus.NotEqual, litmus.Less, litmus.LessEqual, litmus.Greater, litmus.GreaterEqual,
		}).Draw(t, "comparison")
		// In the order of unsigned integers: what has its highest bit set comes last.
		ordered := func(n int64) litmus.Value { return litmus.Value{Int: n ^ -1<<63} }
		check := func(x, y litmus.Operand, m, n int64) {
			prop := litmus.Atom{Op: op, X: x, Y: y}
			if got, want := p.Normalize(prop).Eval(get), op.Holds(ordered(m), ordered(n)); got != want {
				t.Fatalf("%s, which is %s, of %v is %v, want %v", prop, p.Normalize(prop), values, got, want)
			}
		}
		check(ref("a"), ref("b"), values["a"], values["b"])
		check(ref("a"), ref("d"), values["a"], values["d"])
		check(ref("c"), ref("e"), values["c"], values["e"])
		k := number(32, "constant")
		check(ref("a"), constant(k), values["a"], k)
		check(constant(int64(uint32(k))), ref("a"), k, values["a"])
		k = number(64, "wide constant")
		check(ref("c"), constant(k), values["c"], k)
	})
}
