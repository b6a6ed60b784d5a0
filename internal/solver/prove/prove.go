// Package prove decides whether terms can be jointly satisfied.
//
//	Prover  a builder of terms, and a solver with what it has learnt
//	Answer  whether conditions can hold together, and a model
//
// Building a term already simplifies it (package term), and conditions that give a variable's value
// or interval simplify the others. The rest becomes gates, which package sat decides. Gates and
// clauses are kept between questions.
package prove

import (
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Prover answers questions about the terms of one builder. It belongs to one goroutine.
type Prover struct {
	*term.Builder
	circuit
	apps []*term.Term // applications of functions with bits, operands first
}

// New returns a prover with a builder of its own.
func New() *Prover {
	p := &Prover{Builder: term.NewBuilder()}
	p.circuit.init()
	return p
}

// Until abandons questions once stop returns true: their answer is Unknown. Making terms then
// panics with term.ErrStopped.
func (p *Prover) Until(stop func() bool) { p.solver.Stop, p.Stop = stop, stop }

// Answer is the answer to a question.
type Answer struct {
	Result sat.Result
	Model  *term.Model // of Sat: values that satisfy all conditions
}

// Check asks whether conditions, terms of one bit, can hold together. It returns Unknown after
// budget conflicts (0 is no bound), if the question has too many gates, or when Until stops it.
func (p *Prover) Check(budget int, conditions ...*term.Term) (answer Answer) {
	defer func() {
		if r := recover(); r == term.ErrStopped { //nolint:errorlint // a panic's value
			answer = Answer{}
		} else if r != nil {
			panic(r)
		}
	}()
	return p.check(budget, conditions)
}

func (p *Prover) check(budget int, conditions []*term.Term) Answer {
	r := p.rewrite(conditions)
	left := append(r.conditions[:len(r.conditions):len(r.conditions)], r.more...)
	derived := p.derive(left, false)
	if len(derived) == 0 {
		answer := p.solve(firstTry(budget), r)
		if answer.Result != sat.Unknown || budget == firstTry(budget) || p.solver.Stopped() {
			return answer
		}
		budget = max(0, budget-firstTry(budget))
		if derived = p.derive(left, true); len(derived) == 0 {
			return p.solve(budget, r)
		}
	}
	all := p.rewrite(append(left, derived...))
	if p.solve(firstTry(budget), all.withoutProducts()).Result == sat.Unsat {
		return Answer{Result: sat.Unsat}
	}
	answer := p.solve(budget, all)
	if answer.Result == sat.Sat {
		r.complete(answer.Model)
	}
	return answer
}

// firstTry returns the conflicts after which algebra is tried on a question about sums: gates
// suffice for most of them.
func firstTry(budget int) int {
	if most := 1_000; budget == 0 || budget > most {
		return most
	}
	return budget
}

// solve asks the solver.
func (p *Prover) solve(budget int, r *rewritten) Answer {
	var assumptions []sat.Lit
	all := append(r.conditions, r.more...)
	for _, c := range all {
		switch {
		case c.False():
			return Answer{Result: sat.Unsat}
		case !c.True():
			assumptions = append(assumptions, p.bits(c)[0])
		}
	}
	result, m := p.search(budget, all, assumptions)
	if result == sat.Sat {
		r.complete(m)
	}
	return Answer{result, m}
}

// Conflicts returns the total number of conflicts of all questions.
func (p *Prover) Conflicts() int { return p.solver.Conflicts }

// Forget drops gates and clauses, but no terms. Those of earlier questions only slow down unrelated
// ones.
func (p *Prover) Forget() {
	p.apps = p.apps[:0]
	p.circuit.init()
}
