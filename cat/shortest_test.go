package cat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/src"
)

// costs is a relation: for each pair, the number of steps of the shortest explanation, or far if
// the pair is not in the relation. Explanations are compared with it.
type costs [fakeEvents][fakeEvents]int

const far = 1 << 20

func costsWhere(cost func(a, b int) int) costs {
	var c costs
	for a := range c {
		for b := range c {
			c[a][b] = min(cost(a, b), far)
		}
	}
	return c
}

// costsIf returns a relation with the given number of steps for the pairs that satisfy p.
func costsIf(steps int, p func(a, b int) bool) costs {
	return costsWhere(func(a, b int) int {
		if p(a, b) {
			return steps
		}
		return far
	})
}

func (c costs) union(d costs) costs {
	return costsWhere(func(a, b int) int { return min(c[a][b], d[a][b]) })
}

func (c costs) seq(d costs) costs {
	return costsWhere(func(a, b int) int {
		least := far
		for via := range c {
			least = min(least, c[a][via]+d[via][b])
		}
		return least
	})
}

func (c costs) plus() costs {
	for range c {
		c = c.union(c.seq(c))
	}
	return c
}

func (c costs) opt() costs { return c.union(costsIf(0, func(a, b int) bool { return a == b })) }

func (c costs) inverse() costs { return costsWhere(func(a, b int) int { return c[b][a] }) }

// within keeps the pairs that satisfy p.
func (c costs) within(p func(a, b int) bool) costs {
	return costsWhere(func(a, b int) int {
		if p(a, b) {
			return c[a][b]
		}
		return far
	})
}

func (c costs) least() int {
	least := far
	for _, row := range c {
		least = min(least, slices.Min(row[:]))
	}
	return least
}

// randomModel draws relations made of operators, names, functions and recursion.
type randomModel struct {
	fake
	t    *rapid.T
	lets strings.Builder
	n    int // of names defined

	recursive bool // a name is recursive
}

func newRandomModel(t *rapid.T) *randomModel {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	m := &randomModel{fake: fake{sets: map[string]string{"A": "0 1 2"}, rels: map[string]string{}}, t: t}
	for _, name := range []string{"r", "s", "q", "loc"} {
		for range 5 {
			m.rels[name] += fmt.Sprintf("%d%d ", random.IntN(fakeEvents), random.IntN(fakeEvents))
		}
	}
	return m
}

func not(p func(a, b int) bool) func(a, b int) bool {
	return func(a, b int) bool { return !p(a, b) }
}

func (m *randomModel) has(name string) func(a, b int) bool {
	r, _ := m.Rel(name)
	return r.Has
}

// leaf returns a base relation.
func (m *randomModel) leaf() (string, costs) {
	name := rapid.SampledFrom([]string{"r", "s", "q"}).Draw(m.t, "base")
	return name, costsIf(1, m.has(name))
}

// expr draws an expression and computes its costs.
func (m *randomModel) expr(depth int) (string, costs) {
	if depth == 0 {
		return m.leaf()
	}
	x, c := m.expr(depth - 1)
	y, d := m.expr(rapid.IntRange(0, depth-1).Draw(m.t, "depth"))
	constructs := []func() (string, costs){
		func() (string, costs) { return "(" + x + " | " + y + ")", c.union(d) },
		func() (string, costs) { return "(" + x + "; " + y + ")", c.seq(d) },
		func() (string, costs) { return "(" + x + ")+", c.plus() },
		func() (string, costs) { return "(" + x + ")*", c.plus().opt() },
		func() (string, costs) { return "(" + x + ")?", c.opt() },
		func() (string, costs) { return "(" + x + ")^-1", c.inverse() },
		func() (string, costs) { return "([A]; " + x + ")", c.within(func(a, _ int) bool { return a < 3 }) },
		func() (string, costs) { return "(loc & " + x + ")", c.within(m.has("loc")) },
		func() (string, costs) { return "(" + x + ` \ loc)`, c.within(not(m.has("loc"))) },
		func() (string, costs) { return m.define("let %s = %s", x), c },
		func() (string, costs) { return m.define("let %s(a) = a; %s", x) + "(" + y + ")", d.seq(c) },
		func() (string, costs) {
			return m.define("let %s = fun (a, _) -> %s; a", y) + "(" + x + ", 0)", d.seq(c)
		},
		func() (string, costs) {
			m.recursive = true
			return m.define("let rec %[1]s = %[2]s | (%[1]s; %[3]s)", x, y), c.seq(d.plus().opt())
		},
	}
	return rapid.SampledFrom(constructs).Draw(m.t, "construct")()
}

// define adds a definition, whose first operand is the name that it returns.
func (m *randomModel) define(format string, operands ...any) string {
	m.n++
	name := fmt.Sprintf("n%d", m.n)
	fmt.Fprintf(&m.lets, format+"\n", append([]any{name}, operands...)...)
	return name
}

// TestExplanationsAreShortest compares, for random models and executions, verdicts and the lengths
// of explanations with the costs, and each step with its base relation. An explanation of a
// recursion follows the first rounds, where a later round may be shorter.
func TestExplanationsAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newRandomModel(t)
		x, c := m.expr(rapid.SampledFrom([]int{3, 4, 2, 1, 0}).Draw(t, "depth"))
		loop := func(a, b int) bool { return a == b }
		checks := []struct {
			test  string
			costs costs // of the offending pairs
			cycle bool
		}{
			{"acyclic", c.plus().within(loop), true},
			{"irreflexive", c.within(loop), true},
			{"empty", c, false},
		}
		for _, check := range checks {
			text := fmt.Sprintf("%s%s %s as c", &m.lets, check.test, x)
			want := check.costs.least()
			v := m.violation(text)
			if (v == nil) != (want == far) {
				t.Fatalf("the violation is %v, want one of %d steps:\n%s", v, want, text)
			}
			if v == nil {
				continue
			}
			m.follow(v, text)
			if got := len(v.Steps); got != want && (got < want || !m.recursive) {
				t.Fatalf("got %s, want %d steps:\n%s", stepsOf(*v), want, text)
			}
			if (len(v.Events) > 0) != (len(v.Steps) == 0) {
				t.Fatalf("got %d steps and the events %v:\n%s", len(v.Steps), v.Events, text)
			}
			if len(v.Steps) == 0 {
				continue
			}
			from, to := v.Steps[0].From, v.Steps[len(v.Steps)-1].To
			if check.costs[from][to] == far || check.cycle && !v.Cycle() {
				t.Fatalf("got %s, which does not explain a violation:\n%s", stepsOf(*v), text)
			}
		}
	})
}

// violation returns the only violation of a model with one check, or nil.
func (m *randomModel) violation(text string) *cat.Violation {
	model, err := cat.Load(src.NewFile("test.cat", text), cat.Config{Find: noInclude})
	if err == nil {
		_, err = model.Check(m.vocabulary())
	}
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	v, err := verdict(model, m)
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	vs, err := model.Violations(m, nil)
	if err != nil || v.Allowed() != (len(vs) == 0) || len(vs) > 1 {
		m.t.Fatalf("the verdict is %+v, the violations are %v, error %v", v, vs, err)
	}
	if len(vs) == 0 {
		return nil
	}
	return &vs[0]
}

// follow demands that each step is in its base relation and starts where the previous step ended.
func (m *randomModel) follow(v *cat.Violation, text string) {
	for i, s := range v.Steps {
		from, to := s.From, s.To
		if s.Inverse {
			from, to = to, from
		}
		if _, ok := m.rels[s.Label]; !ok || !m.has(s.Label)(from, to) || i > 0 && v.Steps[i-1].To != s.From {
			m.t.Fatalf("step %d of %s does not exist:\n%s", i, stepsOf(*v), text)
		}
	}
}
