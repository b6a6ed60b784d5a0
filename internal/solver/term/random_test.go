package term_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// pair is a term and its expected value: a function of the variables that evaluates the operations
// without simplification.
type pair struct {
	t    *term.Term
	want func(vars []uint64) uint64
}

// maker draws random terms over a few variables.
type maker struct {
	*term.Builder
	*rand.Rand
	vars []pair
	made []pair
}

func newMaker(seed uint64) *maker {
	m := &maker{Builder: term.NewBuilder(), Rand: rand.New(rand.NewPCG(seed, 0))}
	for i, width := range []int{1, 3, 4, 5, 8} {
		m.vars = append(m.vars,
			pair{m.Var(fmt.Sprintf("v%d", i), width), func(vars []uint64) uint64 { return vars[i] }})
	}
	m.vars = append(m.vars, pair{m.UpTo("v5", 5), func(vars []uint64) uint64 { return vars[5] }})
	m.made = append(m.made, m.vars...)
	return m
}

// pick returns an existing term of the width, or a constant.
func (m *maker) pick(width int) pair {
	start := m.IntN(len(m.made))
	for i := range m.made {
		if p := m.made[(start+i)%len(m.made)]; p.t.Width() == width && m.IntN(5) > 0 {
			return p
		}
	}
	c := m.Uint64() & term.Mask(width)
	if m.IntN(2) == 0 {
		c = uint64(m.IntN(9)) & term.Mask(width)
	}
	return pair{m.Const(c, width), func([]uint64) uint64 { return c }}
}

// binaries are the operations on two terms of one width, and their meaning.
var binaries = []struct {
	name  string
	make  func(b *term.Builder, x, y *term.Term) *term.Term
	value func(n int, x, y uint64) uint64
}{
	{"add", (*term.Builder).Add, func(_ int, x, y uint64) uint64 { return x + y }},
	{"sub", (*term.Builder).Sub, func(_ int, x, y uint64) uint64 { return x - y }},
	{"mul", (*term.Builder).Mul, func(_ int, x, y uint64) uint64 { return x * y }},
	{"udiv", (*term.Builder).UDiv, udiv},
	{"urem", (*term.Builder).URem, urem},
	{"sdiv", (*term.Builder).SDiv, func(n int, x, y uint64) uint64 {
		q := udiv(n, magnitude(n, x), magnitude(n, y))
		if (sext(n, x) < 0) != (sext(n, y) < 0) {
			return -q
		}
		return q
	}},
	{"srem", (*term.Builder).SRem, func(n int, x, y uint64) uint64 {
		r := urem(n, magnitude(n, x), magnitude(n, y))
		if sext(n, x) < 0 {
			return -r
		}
		return r
	}},
	{"and", (*term.Builder).And, func(_ int, x, y uint64) uint64 { return x & y }},
	{"or", (*term.Builder).Or, func(_ int, x, y uint64) uint64 { return x | y }},
	{"xor", (*term.Builder).Xor, func(_ int, x, y uint64) uint64 { return x ^ y }},
	{"shl", (*term.Builder).Shl, func(n int, x, y uint64) uint64 { return pickIf(y < uint64(n), x<<(y&63), 0) }},
	{"lshr", (*term.Builder).LShr, func(n int, x, y uint64) uint64 { return pickIf(y < uint64(n), x>>(y&63), 0) }},
	{"ashr", (*term.Builder).AShr, func(n int, x, y uint64) uint64 { return uint64(sext(n, x) >> min(y, 63)) }},
	{"eq", (*term.Builder).Eq, func(_ int, x, y uint64) uint64 { return truth(x == y) }},
	{"ult", (*term.Builder).ULt, func(_ int, x, y uint64) uint64 { return truth(x < y) }},
	{"ule", (*term.Builder).ULe, func(_ int, x, y uint64) uint64 { return truth(x <= y) }},
	{"slt", (*term.Builder).SLt, func(n int, x, y uint64) uint64 { return truth(sext(n, x) < sext(n, y)) }},
	{"sle", (*term.Builder).SLe, func(n int, x, y uint64) uint64 { return truth(sext(n, x) <= sext(n, y)) }},
}

func udiv(n int, x, y uint64) uint64 {
	if y == 0 {
		return term.Mask(n)
	}
	return x / y
}

func urem(_ int, x, y uint64) uint64 {
	if y == 0 {
		return x
	}
	return x % y
}

func sext(n int, x uint64) int64 { return int64(x<<(64-n)) >> (64 - n) }

func magnitude(n int, x uint64) uint64 {
	if sext(n, x) < 0 {
		return -x & term.Mask(n)
	}
	return x
}

func pickIf(first bool, x, y uint64) uint64 {
	if first {
		return x
	}
	return y
}

func truth(holds bool) uint64 { return pickIf(holds, 1, 0) }

// step makes one more term.
func (m *maker) step() {
	width := []int{1, 2, 3, 4, 5, 8, 12, 32, 64}[m.IntN(9)]
	x := m.pick(width)
	var p pair
	switch m.IntN(6) {
	case 0:
		wider := width + m.IntN(65-width)
		if m.IntN(2) == 0 {
			p = pair{m.ZExt(x.t, wider), x.want}
		} else {
			p = pair{m.SExt(x.t, wider), func(v []uint64) uint64 { return uint64(sext(width, x.want(v))) }}
		}
	case 1:
		low := m.IntN(width)
		p = pair{m.Extract(x.t, low, 1+m.IntN(width-low)), func(v []uint64) uint64 { return x.want(v) >> low }}
	case 2:
		c, y := m.pick(1), m.pick(width)
		p = pair{m.Ite(c.t, x.t, y.t), func(v []uint64) uint64 { return pickIf(c.want(v) != 0, x.want(v), y.want(v)) }}
	case 3:
		p = pair{m.Not(x.t), func(v []uint64) uint64 { return ^x.want(v) }}
	default:
		op, y := binaries[m.IntN(len(binaries))], m.pick(width)
		p = pair{op.make(m.Builder, x.t, y.t), func(v []uint64) uint64 { return op.value(width, x.want(v), y.want(v)) }}
	}
	want, n := p.want, p.t.Width()
	p.want = func(v []uint64) uint64 { return want(v) & term.Mask(n) }
	m.made = append(m.made, p)
}

// values returns random values of the variables.
func (m *maker) values() ([]uint64, *term.Model) {
	values := make([]uint64, len(m.vars))
	model := &term.Model{Vars: map[string]uint64{}}
	for i, v := range m.vars {
		values[i] = m.Uint64() & term.Mask(v.t.Width())
		if hi, ok := v.t.Bound(); ok {
			values[i] %= hi + 1
		}
		model.Vars[v.t.Name()] = values[i]
	}
	return values, model
}

// TestTermsMeanWhatWasAsked: random terms have the values of the requested operations, however they
// were simplified, and lie in their ranges.
func TestTermsMeanWhatWasAsked(t *testing.T) {
	for seed := range uint64(5000) {
		m := newMaker(seed)
		for range 14 {
			m.step()
		}
		for range 20 {
			values, model := m.values()
			for i, p := range m.made {
				got, want := model.Eval(p.t), p.want(values)
				lo, hi := p.t.Range()
				if got != want || got < lo || got > hi {
					t.Fatalf("seed %d, term %d, with %v: %v of %d bits is %d in %d..%d, want %d", seed, i, values, p.t,
						p.t.Width(), got, lo, hi, want)
				}
			}
		}
	}
}

// TestRename: a renamed term has the value of the original under the values of the new variables.
func TestRename(t *testing.T) {
	for seed := range uint64(500) {
		m := newMaker(seed)
		for range 14 {
			m.step()
		}
		r := m.Rename(func(v *term.Term) *term.Term {
			if v.Name() == "v1" {
				return v
			}
			if hi, ok := v.Bound(); ok {
				return m.UpTo(v.Name()+"'", hi)
			}
			return m.Var(v.Name()+"'", v.Width())
		})
		for range 5 {
			_, model := m.values()
			_, renamed := m.values()
			for name, value := range renamed.Vars {
				if name != "v1" {
					model.Vars[name+"'"] = value
				}
			}
			renamed.Vars["v1"] = model.Vars["v1"]
			for i, p := range m.made {
				if got, want := model.Eval(r.Term(p.t)), renamed.Eval(p.t); got != want {
					t.Fatalf("seed %d, term %d: %v renamed is %d, want %d", seed, i, p.t, got, want)
				}
			}
		}
	}
}
