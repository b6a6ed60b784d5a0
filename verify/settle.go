package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// guessBudget is how many conflicts the solver may meet for a question about guesses.
const guessBudget = 2_000

// pastBudget is how many conflicts it may meet for all questions of an execution about guesses that are to be proved by k-induction.
const pastBudget = 5_000

// settle finds out which guesses about loops are true: the most that hold where the loops begin, and after a
// round if all of them held before it (Houdini: Flanagan and Leino, "Houdini, an annotation assistant for
// ESC/Java", FME 2001). The others are facts no more.
func (q *questions) settle() {
	if q.settled {
		return
	}
	q.settled = true
	for again := true; again && q.ctx.Err() == nil; {
		again = false
		for _, group := range q.guessed() {
			entry := q.drop(group, func(c *symbolic.Inductive) *symbolic.Check { return &c.Entry })
			step := q.drop(group, func(c *symbolic.Inductive) *symbolic.Check { return &c.Step })
			again = again || entry || step
		}
	}
	for _, group := range q.guessed() {
		q.result.Stats.Invariants += len(group)
	}
}

// guessed are the guesses that are left, those about one execution of a loop together.
func (q *questions) guessed() (groups [][]*symbolic.Inductive) {
	last := -1
	for _, c := range q.trace.Inductive {
		switch {
		case c.Family == "" || !c.Alive:
		case c.Entry.Facts == last:
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
		default:
			groups, last = append(groups, []*symbolic.Inductive{c}), c.Entry.Facts
		}
	}
	return groups
}

// drop drops the guesses whose duty need not hold, and reports that there are some.
func (q *questions) drop(group []*symbolic.Inductive, duty func(*symbolic.Inductive) *symbolic.Check) (dropped bool) {
	for {
		group = slices.DeleteFunc(slices.Clone(group), func(c *symbolic.Inductive) bool { return !c.Alive || duty(c).Holds.True() })
		if len(group) == 0 {
			return dropped
		}
		if q.exhausted() {
			for _, c := range group {
				q.giveUp(c)
			}
			return true
		}
		fails := q.Bool(false)
		for _, c := range group {
			fails = q.Or(fails, q.Not(duty(c).Holds))
		}
		switch model, result := q.fails(&duty(group[0]).Point, fails); {
		case result == sat.Unsat:
			return dropped
		case result == sat.Sat:
			for _, c := range group {
				if model.Eval(duty(c).Holds) == 0 {
					q.giveUp(c)
				}
			}
		default:
			return q.each(group, duty) || dropped
		}
		dropped = true
	}
}

// each drops guesses one by one: those of which it is not known that they hold. It reports that there are some: each may be
// easy to prove where all together are not.
func (q *questions) each(group []*symbolic.Inductive, duty func(*symbolic.Inductive) *symbolic.Check) (dropped bool) {
	for _, c := range group {
		d := duty(c)
		if !q.exhausted() {
			if _, result := q.fails(&d.Point, q.Not(d.Holds)); result == sat.Unsat {
				continue
			}
		}
		q.giveUp(c)
		dropped = true
	}
	return dropped
}

// exhausted reports that k-induction has taken as much as it may: questions about several rounds are large.
func (q *questions) exhausted() bool { return q.past > 0 && q.Conflicts() > pastBudget }

// giveUp has a claim hold no more.
func (q *questions) giveUp(c *symbolic.Inductive) {
	q.trace.Drop(c, q.Bool(true))
}

// fails asks whether something can be so where a thread comes to a point.
func (q *questions) fails(at *symbolic.Point, what *term.Term) (*term.Model, sat.Result) {
	return q.possible(&question{name: "guess", kind: Assertion, first: at, more: []*term.Term{what}}, guessBudget)
}

// possible asks whether what a question asks for can be, with so many conflicts of the solver at most.
func (q *questions) possible(x *question, budget int) (*term.Model, sat.Result) {
	c, ok := q.conditions(x)
	if !ok {
		return nil, sat.Unsat
	}
	q.assume(c, x)
	if c.no {
		return nil, sat.Unsat
	}
	answer := q.checkWithin(budget, x, c.all)
	return answer.Model, answer.Result
}
