package prove_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestSums checks by enumeration that the derived conditions follow from equations between sums.
func TestSums(t *testing.T) {
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := prove.New()
		names := []string{"x", "y", "x'", "y'"}
		v := map[string]*term.Term{}
		for _, n := range names {
			v[n] = p.ZExt(p.Var(n, 2), 16)
		}
		number := func(label string, hi int) *term.Term {
			return p.Const(uint64(rapid.IntRange(0, hi).Draw(rt, label)), 16)
		}
		sum := func(x, y *term.Term) *term.Term {
			return p.Add(p.Add(p.Mul(y, number("width", 9)), p.Mul(x, number("step", 3))), number("start", 5))
		}
		conditions := []*term.Term{p.Eq(sum(v["x"], v["y"]), sum(v["x'"], v["y'"]))}
		for range rapid.IntRange(0, 3).Draw(rt, "comparisons") {
			some := rapid.SampledFrom(names).Draw(rt, "less")
			conditions = append(conditions, p.ULt(p.Add(v[some], number("more", 2)), number("bound", 5)))
		}
		derived := p.Derive(conditions...)
		found += len(derived)
		for n := range 1 << 8 {
			m := &term.Model{Vars: map[string]uint64{}}
			for i, name := range names {
				m.Vars[name] = uint64(n) >> (2 * i) & 3
			}
			if satisfies(m, conditions) && !satisfies(m, derived) {
				rt.Fatalf("%v: %v does not follow from %v", m.Vars, derived, conditions)
			}
		}
	})
	if found == 0 {
		t.Error("nothing is derived")
	}
}

// TestGuardedRows asks about rows of an image with more threads than columns, where a condition
// excludes the threads beyond. With gates alone, it takes more than 20,000 conflicts to show that
// no two threads share a pixel.
func TestGuardedRows(t *testing.T) {
	p := prove.New()
	place := func(prime string) (x, y *term.Term) {
		at := func(axis string, blocks uint64) *term.Term {
			block := p.ZExt(p.UpTo("block."+axis+prime, blocks-1), 64)
			return p.Add(p.Mul(block, p.Const(16, 64)), p.ZExt(p.Var("thread."+axis+prime, 4), 64))
		}
		return at("x", 63), at("y", 44)
	}
	x, y := place("")
	x2, y2 := place("'")
	width, height := p.Const(1000, 64), p.Const(700, 64)
	pixel := func(x, y *term.Term) *term.Term { return p.Mul(p.Add(p.Mul(y, width), x), p.Const(16, 64)) }
	answer := p.Check(2000, p.ULt(x, width), p.ULt(x2, width), p.ULt(y, height), p.ULt(y2, height),
		p.Eq(pixel(x, y), pixel(x2, y2)), p.Or(p.Ne(x, x2), p.Ne(y, y2)))
	if answer.Result != sat.Unsat || p.Conflicts() > 1500 {
		t.Errorf("%v after %d conflicts", answer.Result, p.Conflicts())
	}
}

// TestSumsAtMost compares the intervals derived from bounded sums with enumeration.
func TestSumsAtMost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := prove.New()
		names := []string{"x", "y", "z"}
		width := rapid.SampledFrom([]int{5, 16}).Draw(rt, "width") // a sum of 5 bits may wrap around
		number := func(label string, hi int) *term.Term {
			return p.Const(uint64(rapid.IntRange(0, hi).Draw(rt, label)), width)
		}
		var conditions []*term.Term
		for range rapid.IntRange(1, 3).Draw(rt, "conditions") {
			sum := number("start", 5)
			for _, n := range names {
				sum = p.Add(sum, p.Mul(p.ZExt(p.Var(n, 3), width), number("step", 5)))
			}
			most := number("most", 30)
			conditions = append(conditions, p.ULe(sum, most))
			if rapid.Bool().Draw(rt, "no less") {
				conditions = append(conditions, p.ULe(most, sum))
			}
			if rapid.Bool().Draw(rt, "another") {
				some := p.Var(rapid.SampledFrom(names).Draw(rt, "differs"), 3)
				conditions = append(conditions, p.Ne(some, p.Const(rapid.Uint64Range(0, 7).Draw(rt, "from"), 3)))
			}
		}
		can := false
		for n := range 1 << 9 {
			m := &term.Model{Vars: map[string]uint64{}}
			for i, name := range names {
				m.Vars[name] = uint64(n) >> (3 * i) & 7
			}
			can = can || satisfies(m, conditions)
		}
		answer := p.Check(0, conditions...)
		if answer.Result == sat.Sat != can || can && !satisfies(answer.Model, conditions) {
			rt.Fatalf("%v: %v, want %v", conditions, answer.Result, can)
		}
	})
}

// TestUnequal excludes a number from an interval, at its ends and elsewhere: exactly the others are
// left.
func TestUnequal(t *testing.T) {
	const all = 8
	for n := range uint64(all * all * all) {
		lo, hi, not := n%all, n/all%all, n/all/all
		p := prove.New()
		x := p.Var("x", 3)
		number := func(n uint64) *term.Term { return p.Const(n, 3) }
		between := []*term.Term{p.ULe(number(lo), x), p.ULe(x, number(hi)), p.Ne(x, number(not))}
		for is := range uint64(all) {
			want := sat.Unsat
			if lo <= is && is <= hi && is != not {
				want = sat.Sat
			}
			also := p.Eq(p.Mul(p.ZExt(x, 8), p.ZExt(x, 8)), p.Const(is*is, 8))
			if answer := p.Check(0, append(between[:3:3], also)...); answer.Result != want {
				t.Errorf("%d <= x <= %d, x != %d, x*x = %d*%d: %v, want %v", lo, hi, not, is, is, answer.Result, want)
			}
		}
	}
}
