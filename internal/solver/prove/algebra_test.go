package prove_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestProducts compares questions about products with enumeration of all values: two positions of
// four unknowns each, in two bits, and a width. They are computed in enough bits for the products,
// or in fewer.
func TestProducts(t *testing.T) {
	results := map[sat.Result]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := prove.New()
		names := []string{"w", "x", "y", "x'", "y'"}
		bits := rapid.SampledFrom([]int{16, 3, 4, 6, 64}).Draw(rt, "bits")
		extended := rapid.SampledFrom([]func(*term.Term, int) *term.Term{p.ZExt, p.SExt})
		v := map[string]*term.Term{}
		for _, n := range names {
			v[n] = extended.Draw(rt, "extended")(p.Var(n, 2), bits)
		}
		pick := func(label string) *term.Term { return v[rapid.SampledFrom(names).Draw(rt, label)] }
		small := func(label string) *term.Term { return p.Const(uint64(rapid.IntRange(0, 3).Draw(rt, label)), bits) }
		shape := func() func(x, y *term.Term) *term.Term {
			w, by, step := v["w"], small("by"), small("step")
			return rapid.SampledFrom([]func(x, y *term.Term) *term.Term{
				func(x, y *term.Term) *term.Term { return p.Add(p.Mul(y, w), x) },
				func(x, y *term.Term) *term.Term { return p.Add(p.Mul(y, p.Add(w, by)), x) },
				func(_, y *term.Term) *term.Term { return p.Add(p.Mul(y, p.Sub(w, by)), p.Const(64, bits)) },
				func(x, y *term.Term) *term.Term { return p.Add(p.Mul(p.Mul(y, w), by), p.Mul(x, step)) },
				func(x, y *term.Term) *term.Term {
					return p.Add(p.Mul(p.UDiv(p.Add(x, p.Mul(y, p.Const(4, bits))), w), p.Const(3, bits)), y)
				},
				func(x, y *term.Term) *term.Term { return p.Add(p.Mul(p.URem(x, w), p.Add(y, by)), p.UDiv(x, w)) },
				func(x, y *term.Term) *term.Term { return p.Add(p.Mul(p.SDiv(y, w), by), p.SRem(x, w)) },
				func(x, y *term.Term) *term.Term { return p.Add(p.Shl(y, w), p.Mul(x, step)) },
				func(x, y *term.Term) *term.Term { return p.Mul(p.Mul(y, w), p.Ite(p.SLt(x, w), x, w)) },
			}).Draw(rt, "shape")
		}
		mine := shape()
		theirs := mine
		if rapid.Bool().Draw(rt, "another") {
			theirs = shape()
		}
		conditions := []*term.Term{p.Eq(mine(v["x"], v["y"]), theirs(v["x'"], v["y'"]))}
		for range rapid.IntRange(0, 4).Draw(rt, "comparisons") {
			less := rapid.SampledFrom([]func(x, y *term.Term) *term.Term{p.ULt, p.SLt, p.ULe, p.Ne}).Draw(rt,
				"relation")
			conditions = append(conditions, less(pick("less"), p.Add(pick("more"), small("by"))))
		}
		switch x, y := p.Ne(v["x"], v["x'"]), p.Ne(v["y"], v["y'"]); rapid.IntRange(0, 3).Draw(rt, "differ") {
		case 0:
			conditions = append(conditions, p.Or(x, y))
		case 1:
			conditions = append(conditions, y)
		case 2:
			conditions = append(conditions, p.Not(x), y)
		}
		answer := p.Check(0, conditions...)
		results[answer.Result]++
		want := sat.Unsat
		for n := range 1 << 10 {
			m := &term.Model{Vars: map[string]uint64{}}
			for i, name := range names {
				m.Vars[name] = uint64(n) >> (2 * i) & 3
			}
			if satisfies(m, conditions) {
				want = sat.Sat
			}
		}
		if answer.Result != want || want == sat.Sat && !satisfies(answer.Model, conditions) {
			rt.Fatalf("%v, want %v: %v", answer.Result, want, conditions)
		}
	})
	if results[sat.Sat] == 0 || results[sat.Unsat] == 0 {
		t.Errorf("%v: all of one kind", results)
	}
}

// TestFactorsThatMayBeZero: if a product is 0, either factor is.
func TestFactorsThatMayBeZero(t *testing.T) {
	p := prove.New()
	number := func(n uint64) *term.Term { return p.Const(n, 64) }
	wide := func(t *term.Term) *term.Term { return p.ZExt(t, 64) }
	x, y := p.Var("x", 6), p.Var("y", 6)
	// SExt(s) is s + 2^31 in more bits, less 2^31
	w, signed := p.Var("w", 16), p.Add(p.Var("s", 32), p.Const(1<<31, 32))
	for name, row := range map[string]struct {
		times func(x *term.Term) *term.Term
		zero  *term.Term
	}{
		"w": {func(x *term.Term) *term.Term { return p.Mul(x, wide(w)) }, p.Eq(w, p.Const(0, 16))},
		"w - 3": {
			func(x *term.Term) *term.Term { return p.Sub(p.Mul(x, wide(w)), p.Mul(x, number(3))) },
			p.Eq(w, p.Const(3, 16)),
		},
		"signed": {
			func(x *term.Term) *term.Term { return p.Sub(p.Mul(x, wide(signed)), p.Mul(x, number(1<<31))) },
			p.Eq(signed, p.Const(1<<31, 32)),
		},
		"4 * w": {
			func(x *term.Term) *term.Term { return p.Mul(p.Mul(x, wide(w)), number(4)) },
			p.Eq(w, p.Const(0, 16)),
		},
		"w * w": {func(x *term.Term) *term.Term { return p.Mul(p.Mul(x, wide(w)), wide(w)) }, p.Eq(w, p.Const(0, 16))},
	} {
		same := []*term.Term{p.Eq(row.times(wide(x)), row.times(wide(y))), p.Ne(x, y)}
		if answer := p.Check(1000, same...); answer.Result != sat.Sat || !satisfies(answer.Model, same) {
			t.Errorf("%s may be 0, but the answer is %v", name, answer.Result)
		}
		if answer := p.Check(1000, append(same, p.Not(row.zero))...); answer.Result != sat.Unsat {
			t.Errorf("%s is not 0, but the answer is %v", name, answer.Result)
		}
	}
}

func satisfies(m *term.Model, conditions []*term.Term) bool {
	for _, c := range conditions {
		if m.Eval(c) == 0 {
			return false
		}
	}
	return true
}

// TestWidths asks about positions in arrays of symbolic sizes. Each question takes few conflicts;
// with gates alone, a thousand times more at six bits.
func TestWidths(t *testing.T) {
	p := prove.New()
	size := func(name string) *term.Term { return p.Add(p.ZExt(p.UpTo(name, 1<<16-1), 64), p.Const(1, 64)) }
	w, h := size("w"), size("h")
	var less []*term.Term
	below := func(name string, limit *term.Term) *term.Term {
		v := p.ZExt(p.Var(name, 16), 64)
		less = append(less, p.ULt(v, limit))
		return v
	}
	mul, add, number := p.Mul, p.Add, func(n uint64) *term.Term { return p.Const(n, 64) }
	for name, place := range map[string]func(x, y, z *term.Term) *term.Term{
		"rows":   func(x, y, _ *term.Term) *term.Term { return add(mul(y, w), x) },
		"padded": func(x, y, _ *term.Term) *term.Term { return add(mul(y, add(w, number(1))), x) },
		"boxes":  func(x, y, z *term.Term) *term.Term { return add(mul(mul(z, w), h), add(mul(y, w), x)) },
		"bytes":  func(x, y, _ *term.Term) *term.Term { return add(mul(mul(y, w), number(4)), mul(x, number(4))) },
		"turned": func(x, y, _ *term.Term) *term.Term {
			i := add(mul(y, w), x)
			return add(mul(p.URem(i, w), h), p.UDiv(i, w))
		},
	} {
		less = nil
		x, y, z := below("x", w), below("y", h), p.ZExt(p.Var("z", 16), 64)
		x2, y2, z2 := below("x'", w), below("y'", h), p.ZExt(p.Var("z'", 16), 64)
		differ := p.Or(p.Ne(x, x2), p.Ne(y, y2))
		if name == "boxes" {
			differ = p.Or(differ, p.Ne(z, z2))
		}
		before := p.Conflicts()
		answer := p.Check(1000, append(less, p.Eq(place(x, y, z), place(x2, y2, z2)), differ)...)
		if n := p.Conflicts() - before; answer.Result != sat.Unsat || n > 100 {
			t.Errorf("%s: %v after %d conflicts", name, answer.Result, n)
		}
	}
}
