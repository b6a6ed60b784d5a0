package prove

import (
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Some conditions define a variable or give its interval. Substituting these in all other
// conditions decides many questions without gates, because terms simplify when they are rebuilt.

// definition is a variable and the term that replaces it.
type definition struct{ v, is *term.Term }

// rewritten is conditions after substituting definitions.
type rewritten struct {
	*Prover
	conditions []*term.Term   // current form; defining conditions have become true
	more       []*term.Term   // additional conditions that definitions require
	rounds     [][]definition // later rounds do not mention variables of earlier ones
}

// maxRounds bounds the rounds of substitution.
const maxRounds = 4

func (p *Prover) rewrite(conditions []*term.Term) *rewritten {
	r := &rewritten{Prover: p, conditions: append([]*term.Term(nil), conditions...)}
	for range maxRounds {
		if !r.round() {
			break
		}
	}
	return r
}

// round finds definitions and substitutes them; it returns false if it finds none. A definition
// does not mention variables that are defined in the same round.
func (r *rewritten) round() bool {
	var found []definition
	var says []int // indices of the defining conditions, which then hold
	defined, taken := map[*term.Term]*term.Term{}, map[*term.Term]bool{}
	take := func(d definition) bool {
		vars := variables(d.is)
		if defined[d.v] != nil || taken[d.v] || vars[d.v] || meet(vars, defined) {
			return false
		}
		found, defined[d.v] = append(found, d), d.is
		for v := range vars {
			taken[v] = true
		}
		return true
	}
	for i, c := range r.conditions {
		for _, d := range r.definitions(c) {
			if take(d) {
				says = append(says, i)
				break
			}
		}
	}
	r.bounded(func(d definition) { take(d) })
	if len(found) == 0 {
		return false
	}
	place := r.Rename(func(v *term.Term) *term.Term {
		if is := defined[v]; is != nil {
			return is
		}
		return v
	})
	for _, i := range says {
		r.conditions[i] = r.Bool(true)
	}
	for _, d := range found {
		if hi, ok := d.v.Bound(); ok {
			r.more = append(r.more, r.ULe(d.is, r.Const(hi, d.v.Width())))
		}
	}
	for _, list := range [][]*term.Term{r.conditions, r.more} {
		for i, c := range list {
			list[i] = place.Term(c)
		}
	}
	r.rounds = append(r.rounds, found)
	return true
}

// definitions returns the ways to read a condition as a definition.
func (r *rewritten) definitions(c *term.Term) (all []definition) {
	add := func(v, is *term.Term) { all = append(all, definition{v, is}) }
	not := r.Not(c)
	switch {
	case c.Op() == term.Var:
		add(c, r.Bool(true))
	case not.Op() == term.Var:
		add(not, r.Bool(false))
	case c.Op() == term.Eq:
		x, y := c.Args()[0], c.Args()[1]
		r.solved(x, y, add)
		r.solved(y, x, add)
	}
	return all
}

// solved solves x = y for variables that are x, or summands of x.
func (r *rewritten) solved(x, y *term.Term, add func(v, is *term.Term)) {
	if x.Op() == term.Var {
		add(x, y)
	}
	for i, v := range x.Args() {
		if x.Op() == term.Sum && v.Op() == term.Var && x.Coef(i) == 1 {
			add(v, r.Sub(y, r.Sub(x, v)))
		}
	}
}

// complete gives the substituted variables their values.
func (r *rewritten) complete(m *term.Model) {
	for i := len(r.rounds) - 1; i >= 0; i-- {
		for _, d := range r.rounds[i] {
			m.Vars[d.v.Name()] = m.Eval(d.is)
		}
	}
}

// variables returns the variables in a term.
func variables(t *term.Term) map[*term.Term]bool {
	vars, seen := map[*term.Term]bool{}, map[*term.Term]bool{}
	var visit func(t *term.Term)
	visit = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Op() == term.Var {
			vars[t] = true
		}
		for _, a := range t.Args() {
			visit(a)
		}
	}
	visit(t)
	return vars
}

// meet reports whether one of the variables is defined.
func meet(vars map[*term.Term]bool, defined map[*term.Term]*term.Term) bool {
	for v := range vars {
		if defined[v] != nil {
			return true
		}
	}
	return false
}
