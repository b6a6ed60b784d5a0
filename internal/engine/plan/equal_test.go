package plan

import (
	"slices"
	"testing"
)

// TestEqual makes plans that differ in one thing each; only the first three do the same.
func TestEqual(t *testing.T) {
	type parts struct {
		input, check, flag, choice string
		of                         Vars
		test                       Test
		negated, undefined, swap   bool
		early                      bool // what nothing needs mentions another input first
		family                     Family
		rounds                     int
	}
	plan := func(change func(*parts)) *Plan {
		p := parts{input: "r", check: "c", flag: "f", choice: "co", rounds: 1}
		change(&p)
		b := NewBuilder()
		if p.early {
			b.Union(b.Input("t", false, 0), b.Input("s", false, 0))
		}
		r, s := b.Input(p.input, false, p.of), b.Input("s", false, 0)
		b.Seq(b.Complement(r), s) // which nothing needs
		co := b.Choose(p.choice, p.family, r, s)
		if p.swap {
			r, s = s, r
		}
		x, _ := b.Fixpoint([]bool{false}, func(x []Node) []Node {
			body := b.Union(b.Union(r, b.Input("t", false, 0)), b.Union(b.Seq(r, s), x[0]))
			for range p.rounds {
				body = b.Seq(body, co)
			}
			return []Node{body}
		})
		b.Check(p.check, p.test, p.negated, x[0])
		b.Report(p.flag, IsEmpty, true, b.Diff(r, s), p.undefined)
		return b.Plan()
	}
	changes := []func(*parts){
		func(*parts) {},
		func(*parts) {},
		func(p *parts) { p.early = true },
		func(p *parts) { p.input = "q" },
		func(p *parts) { p.of = VarOf(Rf) },
		func(p *parts) { p.check = "d" },
		func(p *parts) { p.test = Irreflexive },
		func(p *parts) { p.negated = true },
		func(p *parts) { p.flag = "g" },
		func(p *parts) { p.undefined = true },
		func(p *parts) { p.choice = "order" },
		func(p *parts) { p.family = PartialOrders },
		func(p *parts) { p.swap = true },
		func(p *parts) { p.rounds = 2 },
	}
	var plans []*Plan
	for _, change := range changes {
		plans = append(plans, plan(change))
	}
	plans[1].Pool.Put(new(int)) // what a run keeps does not count
	for i, p := range plans {
		first := i
		if i <= 2 {
			first = 0
		}
		if got := slices.IndexFunc(plans, p.Equal); got != first {
			t.Errorf("the first plan that equals plan %d is plan %d", i, got)
		}
	}
}
