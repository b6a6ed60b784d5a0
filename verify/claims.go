package verify

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// What is assumed for all values of variables is assumed for those that matter: where it speaks of a function,
// such as what an array holds at an offset, and the question does, too, the variables are what makes the two the
// same (Detlefs, Nelson, Saxe, "Simplify: a theorem prover for program checking", JACM 2005, Sec. 5: matching).

// The bounds of instances: what is left out is only not assumed.
const (
	instanceRounds = 2
	maxInstances   = 200 // of a claim, in a round
)

// instantiate adds to a question what claims say about the functions in it, for either thread.
func (q *questions) instantiate(c *conjunction, x *question) {
	claims := slices.Concat(q.trace.Frames, q.trace.Claims[:x.first.Claims])
	if x.second != nil {
		n := x.first.Claims
		if x.other != nil {
			n = x.other.Claims
		}
		for _, claim := range slices.Concat(q.trace.Frames, q.trace.Claims[:n]) {
			claims = append(claims, symbolic.Claim{Vars: claim.Vars, Holds: x.second.Term(claim.Holds)})
		}
	}
	if len(claims) == 0 {
		return
	}
	for range instanceRounds {
		before := len(c.all)
		apps := applications(c.all)
		for _, claim := range claims {
			q.instances(c, claim, apps)
		}
		if c.no || len(c.all) == before {
			return
		}
	}
}

// applications are the applications of functions in terms, by function.
func applications(all []*term.Term) map[string][]*term.Term {
	apps, seen := map[string][]*term.Term{}, map[*term.Term]bool{}
	for _, t := range all {
		visit(t, seen, func(v *term.Term) bool {
			if v.Op() == term.App {
				apps[v.Name()] = append(apps[v.Name()], v)
			}
			return false
		})
	}
	return apps
}

// instance is values of variables.
type instance map[*term.Term]*term.Term

// instances adds a claim for the values that its variables may have.
func (q *questions) instances(c *conjunction, claim symbolic.Claim, apps map[string][]*term.Term) {
	for _, is := range q.matches(claim, apps) {
		c.add(q.instance(claim, is))
	}
}

// instance is what a claim says of values of its variables.
func (q *questions) instance(claim symbolic.Claim, is instance) *term.Term {
	return q.Rename(func(v *term.Term) *term.Term {
		if t := is[v]; t != nil {
			return t
		}
		return v
	}).Term(claim.Holds)
}

// matches are the values of the variables with which a function is applied in a claim as in a question: all of them at once, if an
// application has all, else each with each.
func (q *questions) matches(claim symbolic.Claim, apps map[string][]*term.Term) (whole []instance) {
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
	each(claim.Holds, func(t *term.Term) {
		switch x := t.Args(); t.Op() {
		case term.App:
			for _, app := range apps[t.Name()] {
				add(q.match(claim.Vars, t.Args(), app.Args()))
			}
		case term.Eq:
			if _, number := x[1].Value(); number {
				add(q.match(claim.Vars, x[:1], x[1:]))
			}
			if _, number := x[0].Value(); number {
				add(q.match(claim.Vars, x[1:], x[:1]))
			}
		}
	})
	if len(whole) == 0 {
		whole = combinations(claim.Vars, parts)
	}
	return whole[:min(len(whole), maxInstances)]
}

// match is values of variables with which terms are others, as far as that can be seen.
func (q *questions) match(vars, terms, are []*term.Term) instance {
	is := instance{}
	for i, t := range terms {
		found := false
		for _, v := range vars {
			if value := q.Solve(t, v, are[i]); value != nil {
				if found = true; is[v] == nil {
					is[v] = value
				} else if q.Eq(is[v], value).False() {
					return nil
				}
			}
		}
		if !found && q.Eq(t, are[i]).False() {
			return nil
		}
	}
	return is
}

// combinations returns all values of each variable with all of the others, the last variable fastest: the first maxInstances of them.
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

// each calls do for a term and all within it, once.
func each(t *term.Term, do func(*term.Term)) {
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
