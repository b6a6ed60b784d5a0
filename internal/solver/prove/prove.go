// Package prove answers questions about terms: can these truth values hold together?
//
//	Prover  a builder of terms, and what has been learnt about them
//	Answer  whether they can, and with which values
//
// Building a term already simplifies it (package term), and what conditions say of a variable, its
// value or its interval, simplifies the others; what is left is made of gates and decided by
// package sat. Gates and clauses stay from question to question.
package prove

import (
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Prover answers questions about the terms of one builder. It belongs to one goroutine.
type Prover struct {
	*term.Builder
	circuit
	apps []*term.Term // applications of functions that have bits, each after those in its operands
}

// New returns a prover with a builder of its own.
func New() *Prover {
	p := &Prover{Builder: term.NewBuilder()}
	p.circuit.init()
	return p
}

// Until has questions be given up once stop says so: their answer is Unknown. To make terms then
// panics with term.ErrStopped.
func (p *Prover) Until(stop func() bool) { p.solver.Stop, p.Stop = stop, stop }

// Answer is the answer to a question.
type Answer struct {
	Result sat.Result
	Model  *term.Model // of Sat: values under which all conditions hold
}

// Check asks whether conditions, terms of one bit, can hold together. It gives up after so many
// conflicts; 0 is no bound. It gives up, too, if the question has too many gates, or Until has it
// stop.
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

// firstTry returns how many conflicts a question about sums may meet before algebra is tried, too:
// gates know enough of most of them.
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

// Conflicts returns how many conflicts all questions together have met.
func (p *Prover) Conflicts() int { return p.solver.Conflicts }

// Forget drops gates and clauses, not terms. What earlier questions were about only hinders one
// that is about something else.
func (p *Prover) Forget() {
	p.apps = p.apps[:0]
	p.circuit.init()
}
