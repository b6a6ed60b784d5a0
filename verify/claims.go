package verify

import (
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
)

// What is assumed for all values of variables is assumed for those that matter: where it speaks of a function,
// such as what an array holds at an offset, and the question does, too, the variables are what makes the two the
// same (Detlefs, Nelson, Saxe, "Simplify: a theorem prover for program checking", JACM 2005, Sec. 5: matching).

// The bounds of instances: what is left out is only not assumed.
const (
	instanceRounds = 3
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

// instances adds a claim for all combinations of the values that its variables may have.
func (q *questions) instances(c *conjunction, claim symbolic.Claim, apps map[string][]*term.Term) {
	values := make([][]*term.Term, len(claim.Vars))
	n := 1
	for i, v := range claim.Vars {
		values[i] = q.matches(claim.Holds, v, apps)
		n = min(n*len(values[i]), maxInstances)
	}
	for i := range n {
		is := map[*term.Term]*term.Term{}
		rest := i
		for j, v := range claim.Vars {
			is[v] = values[j][rest%len(values[j])]
			rest /= len(values[j])
		}
		c.add(q.Rename(func(v *term.Term) *term.Term {
			if t := is[v]; t != nil {
				return t
			}
			return v
		}).Term(claim.Holds))
	}
}

// matches are the values of a variable with which a function in a term is applied as in a question, or with which two sides
// of an equation in it are the same.
func (q *questions) matches(holds, v *term.Term, apps map[string][]*term.Term) (values []*term.Term) {
	known := map[*term.Term]bool{}
	add := func(operand, is *term.Term) {
		if value := q.solve(operand, v, is); value != nil && !known[value] {
			known[value] = true
			values = append(values, value)
		}
	}
	each(holds, func(t *term.Term) {
		x := t.Args()
		switch t.Op() {
		case term.App:
			for i := range x {
				for _, app := range apps[t.Name()] {
					add(x[i], app.Args()[i])
				}
			}
		case term.Eq:
			if _, number := x[1].Value(); number {
				add(x[0], x[1])
			}
			if _, number := x[0].Value(); number {
				add(x[1], x[0])
			}
		}
	})
	return values
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

// solve is the value of a variable with which an operand is another, if the operand is a sum with it, times a power of
// two; nil if it is not.
func (q *questions) solve(operand, v, is *term.Term) *term.Term {
	one := func(t *term.Term) bool { return t == v || t.Op() == term.ZExt && t.Args()[0] == v }
	if one(operand) {
		return q.Extract(is, 0, v.Width())
	}
	for i, a := range operand.Args() {
		by, rest := uint64(0), operand
		if operand.Op() == term.Sum && one(a) {
			by = operand.Coef(i)
			rest = q.Sub(operand, q.Mul(a, q.Const(by, a.Width())))
		}
		if bits.OnesCount64(by) == 1 && !mentions(rest, func(t *term.Term) bool { return t == v }) {
			shift := q.Const(uint64(bits.TrailingZeros64(by)), a.Width())
			return q.Extract(q.LShr(q.Sub(is, rest), shift), 0, v.Width())
		}
	}
	return nil
}
