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

// settle finds out which guesses about loops are true: the largest set of them that hold where their loops begin,
// and after a round if the whole set held before it (Houdini: Flanagan and Leino, "Houdini, an annotation assistant
// for ESC/Java", FME 2001). A guess that is dropped is no fact any more, and others may have been proved from it: so
// all are asked about again until none is dropped.
func (q *questions) settle() {
	if q.settled {
		return
	}
	q.settled = true
	for before := -1; q.alive() != before && q.ctx.Err() == nil; {
		before = q.alive()
		for _, group := range q.guessed() {
			q.drop(group, func(c *symbolic.Inductive) *symbolic.Check { return &c.Entry })
			q.drop(group, func(c *symbolic.Inductive) *symbolic.Check { return &c.Step })
		}
	}
	q.result.Stats.Invariants += q.alive()
}

// alive returns how many guesses are left.
func (q *questions) alive() (n int) {
	for _, group := range q.guessed() {
		n += len(group)
	}
	return n
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

// drop drops the guesses of a group whose duty need not hold.
func (q *questions) drop(group []*symbolic.Inductive, duty func(*symbolic.Inductive) *symbolic.Check) {
	for {
		group = slices.DeleteFunc(slices.Clone(group), func(c *symbolic.Inductive) bool { return !c.Alive || duty(c).Holds.True() })
		if len(group) == 0 {
			return
		}
		if q.exhausted() {
			for _, c := range group {
				q.giveUp(c)
			}
			return
		}
		fails := q.Bool(false)
		for _, c := range group {
			fails = q.Or(fails, q.Not(duty(c).Holds))
		}
		switch model, result := q.fails(&duty(group[0]).Point, fails); result {
		case sat.Unsat:
			return
		case sat.Sat:
			for _, c := range group {
				if model.Eval(duty(c).Holds) == 0 {
					q.giveUp(c)
				}
			}
		default:
			q.each(group, duty)
			return
		}
	}
}

// each drops the guesses whose duty is not proved, one by one: each may be easy to prove where all together are not.
func (q *questions) each(group []*symbolic.Inductive, duty func(*symbolic.Inductive) *symbolic.Check) {
	for _, c := range group {
		d := duty(c)
		if !q.exhausted() {
			if _, result := q.fails(&d.Point, q.Not(d.Holds)); result == sat.Unsat {
				continue
			}
		}
		q.giveUp(c)
	}
}

// exhausted reports that k-induction has taken as much as it may: questions about several rounds are large.
func (q *questions) exhausted() bool { return q.setup.inductionDepth > 0 && q.Conflicts() > pastBudget }

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
