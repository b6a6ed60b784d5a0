package prove

import (
	"fmt"
	"hash/fnv"

	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// search asks the solver for values under which applications of functions are consistent. The
// solver treats applications as variables, so it may give two applications of one function with
// equal operands different values. Two ways to construct functions are then tried: the value of the
// first application, and values unrelated to the solver's, which often suffice if a question only
// asks that values differ. If neither satisfies the conditions, the solver is given the congruence
// axiom for each such pair (Ackermann): most pairs need none.
func (p *Prover) search(budget int, conditions []*term.Term, assumptions []sat.Lit) (sat.Result, *term.Model) {
	last := p.solver.Conflicts + budget
	for {
		result := p.solver.Solve(budget, assumptions...)
		if result != sat.Sat {
			return result, nil
		}
		m, wrong := p.model(p.found)
		if len(wrong) == 0 || holds(m, conditions) {
			return result, m
		}
		if m, _ := p.model(scattered); holds(m, conditions) {
			return result, m
		}
		for _, pair := range wrong {
			p.agree(pair[0], pair[1])
		}
		if budget > 0 {
			budget = max(1, last-p.solver.Conflicts)
		}
	}
}

// holds reports whether conditions hold under a model.
func holds(m *term.Model, conditions []*term.Term) bool {
	eval := m.Evaluator()
	for _, c := range conditions {
		if eval(c) == 0 {
			return false
		}
	}
	return true
}

// model returns the values that the solver found for variables, 0 for those that it has not seen.
// The value of a function for some operands is given by value for the first application with these
// operands, else 0. wrong are the pairs of applications with equal operands and different values.
func (p *Prover) model(value func(t *term.Term, operands string) uint64) (m *term.Model, wrong [][2]*term.Term) {
	values := map[string]uint64{}
	key := func(name string, args []uint64) string { return fmt.Sprint(name, args) }
	m = &term.Model{
		Vars: map[string]uint64{},
		App:  func(name string, args []uint64) uint64 { return values[key(name, args)] },
	}
	for t, bits := range p.known {
		if t.Op() == term.Var {
			m.Vars[t.Name()] = p.value(bits)
		}
	}
	first := map[string]*term.Term{}
	eval := m.Evaluator()
	for _, t := range p.apps {
		args := make([]uint64, len(t.Args()))
		for i, a := range t.Args() {
			args[i] = eval(a)
		}
		k := key(t.Name(), args)
		if other := first[k]; other == nil {
			first[k], values[k] = t, value(t, k)
		} else if p.found(t, k) != p.found(other, k) {
			wrong = append(wrong, [2]*term.Term{t, other})
		}
	}
	return m, wrong
}

// found returns the value that the solver found for an application.
func (p *Prover) found(t *term.Term, _ string) uint64 { return p.value(p.known[t]) }

// scattered returns a value that depends on the operands and probably differs between them.
func scattered(t *term.Term, operands string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(operands))
	v := h.Sum64() & term.Mask(t.Width())
	if hi, ok := t.Bound(); ok && v > hi {
		v %= hi + 1
	}
	return v & t.Ones()
}

// agree adds the congruence axiom for two applications of a function.
func (p *Prover) agree(s, t *term.Term) {
	equal := p.Bool(true)
	for i, a := range s.Args() {
		equal = p.And(equal, p.Eq(a, t.Args()[i]))
	}
	p.solver.Add(p.bits(equal)[0].Not(), p.equal(p.known[s], p.known[t]))
}

// value returns the number in bits, the lowest first.
func (p *Prover) value(bits []sat.Lit) (v uint64) {
	for i, l := range bits {
		if p.solver.Value(l) {
			v |= 1 << i
		}
	}
	return v
}
