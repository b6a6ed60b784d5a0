package isa_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// expressions are the values of litmus tests.
type expressions struct{}

func (expressions) Const(i int64, _ arith.Type) event.Expr { return event.Const(event.Int(i)) }

func (expressions) Apply(op arith.Op, t arith.Type, args ...event.Expr) (event.Expr, error) {
	return event.Apply(op, t, args...)
}

func (expressions) Opaque(*isa.Opcode, arith.Type, ...event.Expr) (event.Expr, error) {
	return nil, errOpaque
}

// terms are the values of the prover.
type terms struct{ *term.Builder }

func (d terms) Const(i int64, t arith.Type) *term.Term { return d.Builder.Const(uint64(i), t.Bits) }

func (d terms) Apply(op arith.Op, t arith.Type, args ...*term.Term) (*term.Term, error) {
	return d.Builder.Apply(op, t, args...), nil
}

func (d terms) Opaque(in *isa.Opcode, t arith.Type, args ...*term.Term) (*term.Term, error) {
	return d.App(in.Text, t.Bits, args...), nil
}

var errOpaque = errors.New("floating point")

// evaluate gives the results of a formula in each domain: as unsigned numbers of the bits of their
// types.
func evaluate(f *isa.Formula, sources []int64) (all map[string][]uint64, err error) {
	all = map[string][]uint64{}
	numbers, err := isa.Apply(isa.Integers{}, f, sources...)
	if err != nil {
		return nil, err
	}
	reads := make([]event.Expr, len(sources))
	variables := make([]*term.Term, len(sources))
	b := term.NewBuilder()
	model := &term.Model{Vars: map[string]uint64{}}
	for i, t := range f.Sources {
		reads[i] = event.ReadOf(i)
		variables[i] = b.Var(fmt.Sprint("x", i), t.Bits)
		model.Vars[variables[i].Name()] = uint64(sources[i]) & term.Mask(t.Bits)
	}
	expressions, err := isa.Apply(expressions{}, f, reads...)
	if err != nil {
		return nil, err
	}
	symbols, err := isa.Apply(terms{b}, f, variables...)
	if err != nil {
		return nil, err
	}
	for i, r := range f.Results {
		mask := term.Mask(r.Type.Bits)
		v, err := expressions[i].Eval(func(n int) (event.Value, bool) { return event.Int(sources[n]), true })
		if err != nil {
			return nil, err
		}
		all["integers"] = append(all["integers"], uint64(numbers[i])&mask)
		all["expressions"] = append(all["expressions"], uint64(v.Int)&mask)
		if symbols[i].Width() != r.Type.Bits {
			return nil, fmt.Errorf("the term has %d bits, not %d", symbols[i].Width(), r.Type.Bits)
		}
		all["terms"] = append(all["terms"], model.Eval(symbols[i])&mask)
	}
	return all, nil
}

// sample returns a number that may be at the end of a range, a small one, or any.
func sample(random *rand.Rand, t arith.Type) int64 {
	v := random.Int64()
	switch random.IntN(5) {
	case 0:
		v = int64(1)<<random.IntN(64) - random.Int64N(2)
	case 1:
		v = random.Int64N(70) - 3
	case 2:
		v >>= random.IntN(64)
	}
	return t.Wrap(v)
}

// TestMeanings compares every instruction that computes, in each domain, with its meaning in Go.
func TestMeanings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, text := range opcodes() {
		in, err := isa.Decode(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		in.Table = uint8(random.Uint32())
		in.Pair = in.Code == isa.Setp
		f, err := in.Formula()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for range 60 {
			compare(t, in, f, random)
		}
	}
}

func compare(t *testing.T, in *isa.Opcode, f *isa.Formula, random *rand.Rand) {
	t.Helper()
	var sources []int64
	var x []uint64
	for _, s := range f.Sources {
		v := sample(random, s)
		sources, x = append(sources, v), append(x, uint64(v)&term.Mask(s.Bits))
	}
	all, err := evaluate(f, sources)
	if (in.Code == isa.Div || in.Code == isa.Rem) && x[1] == 0 {
		if !errors.Is(err, arith.ErrZero) {
			t.Errorf("%s by 0: %v", in.Text, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", in.Text, err)
	}
	want := meaning(in, x)
	for i, w := range want {
		want[i] = w & term.Mask(f.Results[i].Type.Bits)
	}
	for domain, got := range all {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s of %x is %x as %s, want %x", in.Text, x, got, domain, want)
		}
	}
}

// TestParts takes values apart and puts them together again.
func TestParts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		text  string
		parts int
	}{{"mov.b64", 2}, {"mov.b64", 4}, {"mov.b32", 2}, {"mov.b32", 4}, {"mov.b16", 2}} {
		in, err := isa.Decode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		width := in.Type(0).Bits
		x := sample(random, in.Type(0).Int())
		var parts []int64
		for i := range c.parts {
			f := in.Part(i, c.parts)
			all, err := evaluate(f, []int64{x})
			want := uint64(x) >> (i * width / c.parts) & term.Mask(width/c.parts)
			if err != nil || all["terms"][0] != want || all["integers"][0] != want || all["expressions"][0] != want {
				t.Errorf("part %d of %d of %x: %x, %v, want %x", i, c.parts, x, all, err, want)
			}
			parts = append(parts, f.Results[0].Type.Wrap(int64(want)))
		}
		all, err := evaluate(in.Join(c.parts), parts)
		if want := uint64(x) & term.Mask(width); err != nil || all["terms"][0] != want || all["integers"][0] != want {
			t.Errorf("%x together: %x, %v, want %x", parts, all, err, want)
		}
	}
}
