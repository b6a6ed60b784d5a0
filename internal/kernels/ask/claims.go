package ask

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// A claim holds for all values of its variables. It is instantiated for the values that matter:
// where claim and question mention the same function, such as what an array holds at an offset,
// matching their arguments gives the values (Detlefs, Nelson, Saxe, "Simplify: a theorem prover for
// program checking", JACM 2005, Sec. 5).

// The bounds of instances. What is left out is not assumed.
const (
	instanceRounds = 2
	maxInstances   = 200 // of a claim, in a round
)

// instantiate adds instances of claims, for either thread.
func (q *inquiry) instantiate() {
	claims := slices.Concat(q.a.trace.Frames, q.a.claims, q.a.trace.Claims[:q.x.First.Claims])
	if q.x.Thread != nil {
		n := q.x.First.Claims
		if q.x.Other != nil {
			n = q.x.Other.Claims
		}
		for _, claim := range slices.Concat(q.a.trace.Frames, q.a.claims, q.a.trace.Claims[:n]) {
			claims = append(claims, trace.Claim{Vars: claim.Vars, Holds: q.x.Thread.Term(claim.Holds)})
		}
	}
	if len(claims) == 0 {
		return
	}
	m := matcher{q.a.prover.Builder}
	for range instanceRounds {
		before := len(q.c.all)
		apps := q.c.Applications()
		for _, claim := range claims {
			m.instances(q.c, claim, apps)
		}
		if q.c.unsatisfiable || len(q.c.all) == before {
			return
		}
	}
}

// matcher finds values of the variables of claims.
type matcher struct{ b *term.Builder }

// instance is values of variables.
type instance map[*term.Term]*term.Term

// instances adds the instances of a claim.
func (m matcher) instances(c *Conjunction, claim trace.Claim, apps map[string][]*term.Term) {
	for _, is := range m.matches(claim, apps) {
		c.Add(m.instance(claim, is))
	}
}

// instance returns a claim for values of its variables.
func (m matcher) instance(claim trace.Claim, is instance) *term.Term {
	return m.b.Rename(func(v *term.Term) *term.Term {
		if t := is[v]; t != nil {
			return t
		}
		return v
	}).Term(claim.Holds)
}

// matches returns the values of all variables that an application determines; if none determines
// all, each value of each variable with each of the others.
func (m matcher) matches(claim trace.Claim, apps map[string][]*term.Term) (whole []instance) {
	parts := map[*term.Term][]*term.Term{}
	known := map[string]bool{}
	add := func(is instance) {
		key := ""
		for _, v := range claim.Vars {
			if is[v] != nil && !slices.Contains(parts[v], is[v]) {
				parts[v] = append(parts[v], is[v])
			}
			if is[v] != nil {
				key = fmt.Sprintf("%s %d", key, is[v].ID())
			}
		}
		if len(is) == len(claim.Vars) && !known[key] {
			known[key] = true
			whole = append(whole, is)
		}
	}
	eachTerm(claim.Holds, func(t *term.Term) {
		switch x := t.Args(); t.Op() {
		case term.App:
			for _, app := range apps[t.Name()] {
				add(m.match(claim.Vars, t.Args(), app.Args()))
			}
		case term.Eq:
			if _, number := x[1].Value(); number {
				add(m.match(claim.Vars, x[:1], x[1:]))
			}
			if _, number := x[0].Value(); number {
				add(m.match(claim.Vars, x[1:], x[:1]))
			}
		}
	})
	if len(whole) == 0 {
		whole = combinations(claim.Vars, parts)
	}
	return whole[:min(len(whole), maxInstances)]
}

// match returns values of variables with which terms are equal to others, as far as that can be
// seen.
func (m matcher) match(vars, terms, are []*term.Term) instance {
	is := instance{}
	for i, t := range terms {
		found := false
		for _, v := range vars {
			if value := m.b.Solve(t, v, are[i]); value != nil {
				if found = true; is[v] == nil {
					is[v] = value
				} else if m.b.Eq(is[v], value).False() {
					return nil
				}
			}
		}
		if !found && m.b.Eq(t, are[i]).False() {
			return nil
		}
	}
	return is
}

// combinations returns all combinations of values of the variables, the last variable fastest, but
// at most maxInstances.
func combinations(vars []*term.Term, values map[*term.Term][]*term.Term) (all []instance) {
	n := 1
	for _, v := range vars {
		n = min(n*len(values[v]), maxInstances)
	}
	for i := range n {
		is := make(instance, len(vars))
		for _, v := range slices.Backward(vars) {
			is[v] = values[v][i%len(values[v])]
			i /= len(values[v])
		}
		all = append(all, is)
	}
	return all
}

// eachTerm calls do for a term and all within it, once.
func eachTerm(t *term.Term, do func(*term.Term)) {
	seen := map[*term.Term]bool{}
	var visit func(t *term.Term)
	visit = func(t *term.Term) {
		if !seen[t] {
			seen[t] = true
			do(t)
			for _, a := range t.Args() {
				visit(a)
			}
		}
	}
	visit(t)
}
