package sat_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/sat"
)

// problem is a set of clauses over variables 0 to n-1.
type problem struct {
	n       int
	clauses [][]sat.Lit
}

func random(r *rand.Rand, n, clauses int) *problem {
	p := &problem{n: n}
	for range clauses {
		p.clauses = append(p.clauses, p.clause(r, 1+r.IntN(3)+r.IntN(2)))
	}
	return p
}

func (p *problem) clause(r *rand.Rand, size int) []sat.Lit {
	var c []sat.Lit
	for range size {
		c = append(c, sat.Lit(r.IntN(2*p.n)))
	}
	return c
}

// holds reports whether values, one bit for each variable, satisfy all clauses.
func (p *problem) holds(values uint) bool {
	for _, c := range p.clauses {
		some := false
		for _, l := range c {
			some = some || values>>l.Var()&1 == 1 != l.Negated()
		}
		if !some {
			return false
		}
	}
	return true
}

// satisfiable reports whether some values satisfy all clauses, by enumeration.
func (p *problem) satisfiable() bool {
	for values := range uint(1) << p.n {
		if p.holds(values) {
			return true
		}
	}
	return false
}

func (p *problem) with(units []sat.Lit) *problem {
	q := &problem{p.n, p.clauses[:len(p.clauses):len(p.clauses)]}
	for _, l := range units {
		q.clauses = append(q.clauses, []sat.Lit{l})
	}
	return q
}

// TestAgainstAllValues adds clauses to a solver gradually and asks in between under random
// assumptions: answers agree with enumeration, models satisfy everything, and cores are
// contradictory.
func TestAgainstAllValues(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 3 + r.IntN(8)
		all := random(r, n, n+r.IntN(4*n))
		s := sat.New()
		for range n {
			s.NewVar()
		}
		sofar := &problem{n: n}
		for len(all.clauses) > 0 {
			some := 1 + r.IntN(len(all.clauses))
			for _, c := range all.clauses[:some] {
				s.Add(c...)
			}
			sofar.clauses, all.clauses = append(sofar.clauses, all.clauses[:some]...), all.clauses[some:]
			for range 4 {
				assumptions := all.clause(r, r.IntN(4))
				check(t, fmt.Sprint("seed ", seed), s, sofar, assumptions)
			}
		}
	}
}

func check(t *testing.T, name string, s *sat.Solver, p *problem, assumptions []sat.Lit) {
	t.Helper()
	want := sat.Unsat
	if p.with(assumptions).satisfiable() {
		want = sat.Sat
	}
	got := s.Solve(0, assumptions...)
	if got != want {
		t.Fatalf("%s: %v under %v is %v, want %v", name, p.clauses, assumptions, got, want)
	}
	if got == sat.Unsat {
		core := s.Core()
		if p.with(core).satisfiable() {
			t.Fatalf("%s: the core %v of %v is satisfiable", name, core, assumptions)
		}
		for _, l := range core {
			if !contains(assumptions, l) {
				t.Fatalf("%s: the core %v has what is not among %v", name, core, assumptions)
			}
		}
		return
	}
	values := uint(0)
	for v := range p.n {
		if s.Value(sat.Lit(2 * v)) {
			values |= 1 << v
		}
	}
	if !p.with(assumptions).holds(values) {
		t.Fatalf("%s: %b does not satisfy %v under %v", name, values, p.clauses, assumptions)
	}
}

func contains(lits []sat.Lit, l sat.Lit) bool {
	for _, m := range lits {
		if m == l {
			return true
		}
	}
	return false
}

// pigeons asks to put n+1 pigeons into n holes, at most one in each.
func pigeons(n int) *sat.Solver {
	s := sat.New()
	in := make([][]sat.Lit, n+1)
	for p := range in {
		for range n {
			in[p] = append(in[p], s.NewVar())
		}
		s.Add(in[p]...)
	}
	for hole := range n {
		for p := range in {
			for q := range p {
				s.Add(in[p][hole].Not(), in[q][hole].Not())
			}
		}
	}
	return s
}

// TestPigeons needs many conflicts, so that clauses are dropped and the search restarts.
func TestPigeons(t *testing.T) {
	s := pigeons(8)
	if got := s.Solve(0); got != sat.Unsat {
		t.Errorf("nine pigeons fit into eight holes: %v", got)
	}
	if s.Conflicts < 1000 {
		t.Errorf("%d conflicts: this is too easy to test anything", s.Conflicts)
	}
}

// TestBudget: a question that exceeds its budget is not answered, deterministically; learnt clauses
// are kept, so repeating the question makes progress.
func TestBudget(t *testing.T) {
	s, again := pigeons(7), pigeons(7)
	rounds := 0
	for got := sat.Unknown; got == sat.Unknown; rounds++ {
		before := s.Conflicts
		got = s.Solve(150)
		if same := again.Solve(150); same != got || again.Conflicts != s.Conflicts {
			t.Fatalf("%v after %d conflicts, then %v after %d", got, s.Conflicts, same, again.Conflicts)
		}
		if s.Conflicts-before > 150 {
			t.Fatalf("%d conflicts with a budget of 150", s.Conflicts-before)
		}
	}
	if rounds < 2 {
		t.Error("the budget was never too small")
	}
}

// TestReset: a solver after Reset behaves as a new one, with as many conflicts.
func TestReset(t *testing.T) {
	used := pigeons(6)
	for seed := range uint64(200) {
		used.Solve(40 * int(seed%3))
		used.Reset()
		r := rand.New(rand.NewPCG(seed, 1))
		n := 3 + r.IntN(8)
		fresh, p := sat.New(), random(r, n, 4*n)
		for range n {
			used.NewVar()
			fresh.NewVar()
		}
		for _, c := range p.clauses {
			used.Add(c...)
			fresh.Add(c...)
		}
		for range 3 {
			assumptions := p.clause(r, r.IntN(4))
			before := used.Conflicts
			check(t, fmt.Sprint("seed ", seed), used, p, assumptions)
			if check(t, fmt.Sprint("seed ", seed), fresh, p, assumptions); used.Conflicts-before != fresh.Conflicts {
				t.Fatalf("seed %d: %d conflicts after a reset, %d without", seed, used.Conflicts-before,
					fresh.Conflicts)
			}
			fresh.Conflicts = 0
		}
	}
}

func BenchmarkPigeons(b *testing.B) {
	for b.Loop() {
		pigeons(8).Solve(0)
	}
}
