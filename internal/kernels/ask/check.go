package ask

import (
	"fmt"
	"io"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// memo is what was learnt from questions.
type memo struct {
	unsatisfiable map[string]bool           // conditions, by keyOf
	relies        map[[2]*kernel.Instr]bool // questions about these are answered by what was assumed on the way
	done          map[[2]*kernel.Instr]bool // there is an alarm about these
	alarmed       map[topic]bool            // there is one for readers
	dumped        int                       // questions that were written
}

func newMemo() memo {
	return memo{
		unsatisfiable: map[string]bool{}, relies: map[[2]*kernel.Instr]bool{}, done: map[[2]*kernel.Instr]bool{}, alarmed: map[topic]bool{},
	}
}

// excludes reports that conditions are known not to hold together.
func (m *memo) excludes(conditions []*term.Term) bool { return m.unsatisfiable[keyOf(conditions)] }

// Ask asks a question, and notes an alarm if the answer is yes. What holds without what was assumed on the way, and whatever
// values are stored, is asked first: that is most of what holds, and takes less time. It is not where that did not suffice
// the last time for these instructions, and what was assumed did.
func (a *Asker) Ask(x *Question) {
	if len(a.memo.alarmed) > 0 && a.memo.alarmed[a.topic(x)] {
		return // in another iteration of a loop that is unrolled, or another copy of its body
	}
	c, ok := a.conditions(x)
	if !ok || a.memo.excludes(c.all) {
		a.found.Tally.Simple++
		return
	}
	core := c.all
	if x.Unless != nil {
		c.Add(x.Unless())
	}
	a.assume(c, x)
	a.refine(func(r Refines) { r.Bound(c) })
	c.propagate()
	answer, decided := a.answer(x, c, core)
	switch {
	case decided:
		return
	case answer.Result == sat.Unknown && a.Stopped(): // see Result.Ended
		a.stopped(x)
		return
	case answer.Result == sat.Unknown && x.tries.deferrable && !x.tries.deferred:
		x.tries.deferred = true
		a.sweep.deferred = append(a.sweep.deferred, x)
		return
	case answer.Result == sat.Unknown && x.tries.bare == sat.Unknown && a.check(x, core).Result == sat.Unsat:
		return
	}
	switch answer = a.sharpen(x, c, answer); answer.Result {
	case sat.Sat:
		a.alarm(x, c.all, answer.Model)
	case sat.Unknown:
		if !a.Stopped() {
			a.askExternal(x, c.all)
		}
	}
}

// answer tries the conditions without what was assumed, which are the first of all, and then all. It reports that the answer is no.
func (a *Asker) answer(x *Question, c *Conjunction, core []*term.Term) (answer prove.Answer, no bool) {
	try := firstTry(a.config.Budget)
	answer.Result = x.tries.bare
	if !x.tries.deferred {
		a.found.Tally.Questions++
	}
	if !x.tries.deferred && !a.memo.relies[x.places()] {
		answer = a.checkWithin(try, x, core)
		x.tries.bare = answer.Result
	}
	if answer.Result == sat.Unsat || c.unsatisfiable || a.memo.excludes(c.all) {
		return answer, true
	}
	if answer.Result != sat.Sat || x.tries.deferred || !holds(answer.Model, c.all) {
		if !x.tries.deferrable || x.tries.deferred {
			try = a.config.Budget
		}
		answer = a.checkWithin(try, x, c.all)
		a.memo.relies[x.places()] = answer.Result == sat.Unsat
	}
	return answer, answer.Result == sat.Unsat
}

// sharpen asks again with what was left out because it makes questions harder: what functions of bits are, that blocks are
// not too large, and that accesses are aligned.
func (a *Asker) sharpen(x *Question, c *Conjunction, answer prove.Answer) prove.Answer {
	defined := false
	a.refine(func(r Refines) { defined = r.Define(c) || defined })
	if defined {
		answer = a.check(x, c.all)
	}
	if answer.Result == sat.Sat && !a.fits(answer.Model) {
		answer = a.fitting(x, c)
	}
	if answer.Result == sat.Sat {
		answer = a.onMultiples(x, c, answer)
	}
	return answer
}

func (a *Asker) refine(do func(Refines)) {
	for _, r := range a.rules {
		if refines, ok := r.(Refines); ok {
			do(refines)
		}
	}
}

// firstTry is how many conflicts a question may meet before what was assumed is added to it: products are hard without the
// bounds that are among that.
func firstTry(budget int) int {
	if most := 2_000; budget == 0 || budget > most {
		return most
	}
	return budget
}

// holds reports that a model is one of all conditions.
func holds(m *term.Model, conditions []*term.Term) bool {
	return !slices.ContainsFunc(conditions, func(t *term.Term) bool { return m.Eval(t) == 0 })
}

// check asks the solver.
func (a *Asker) check(x *Question, conditions []*term.Term) prove.Answer {
	return a.checkWithin(a.config.Budget, x, conditions)
}

// checkWithin asks the solver, which gives up after a number of conflicts.
func (a *Asker) checkWithin(budget int, x *Question, conditions []*term.Term) prove.Answer {
	a.prover.Forget()
	answer := a.prover.Check(budget, conditions...)
	if answer.Result == sat.Unsat {
		a.memo.unsatisfiable[keyOf(conditions)] = true
	}
	if a.config.Dump != nil {
		a.memo.dumped++
		name := fmt.Sprintf("%04d-%s", a.memo.dumped, x.Name)
		err := a.config.Dump(name, func(w io.Writer) error {
			fmt.Fprintf(w, "(set-info :status %s)\n", answer.Result)
			return term.WriteSMTLIB(w, conditions...)
		})
		if err != nil {
			a.Open(x.First, "", "the question %s is not written: %v", name, err)
		}
	}
	return answer
}

// Check asks the solver whether conditions can hold together. No facts are added.
func (a *Asker) Check(budget int, conditions ...*term.Term) prove.Answer {
	return a.prover.Check(budget, conditions...)
}

// Possible asks whether what a question asks for can be, with a bound on the conflicts of the solver.
func (a *Asker) Possible(x *Question, budget int) (*term.Model, sat.Result) {
	c, ok := a.conditions(x)
	if !ok {
		return nil, sat.Unsat
	}
	a.assume(c, x)
	if c.unsatisfiable {
		return nil, sat.Unsat
	}
	answer := a.checkWithin(budget, x, c.all)
	return answer.Model, answer.Result
}

// PossibleAt asks whether something can be so where a thread comes to a point.
func (a *Asker) PossibleAt(at *symbolic.Point, what *term.Term) (*term.Model, sat.Result) {
	return a.Possible(&Question{Name: "guess", Kind: Assertion, First: at, More: []*term.Term{what}}, GuessBudget)
}

// Never reports that something is never so where a thread comes to a point.
func (a *Asker) Never(at *symbolic.Point, what *term.Term) bool {
	_, result := a.PossibleAt(at, what)
	return result == sat.Unsat
}

// stopped notes what was being asked when there was no more time.
func (a *Asker) stopped(x *Question) {
	source := a.config.Source
	where := source.Where(x.First.Instr)
	if x.Other != nil && x.Other.Instr != x.First.Instr {
		where += " and " + source.Where(x.Other.Instr)
	}
	a.found.Notes = append(a.found.Notes, fmt.Sprintf("when that was, the question was whether this can be %s: %s (%s); bounds for the sizes that are open make it easier",
		x.Kind.Sentence(), source.Text(x.First.Instr), where))
}

// askExternal has the other solver, if there is one, answer.
func (a *Asker) askExternal(x *Question, conditions []*term.Term) {
	if a.config.Solver == nil {
		a.Open(x.First, "--solver z3, or bounds for the sizes that are open", "whether this can be %s is not decided after %d conflicts", x.Kind.Sentence(), a.config.Budget)
		return
	}
	switch unsat, err := a.config.Solver(func(w io.Writer) error { return term.WriteSMTLIB(w, conditions...) }); {
	case err == nil && unsat:
		a.Rely(assume.Solver)
	case err == nil:
		a.Open(x.First, "", "the other solver says that this can be %s, but not how", x.Kind.Sentence())
	default:
		a.Open(x.First, "", "the other solver fails: %v", err)
	}
}

// conditions are what a question asks of its model, without the facts; false if simplification shows that there is none.
func (a *Asker) conditions(x *Question) (*Conjunction, bool) {
	c := newConjunction(a.prover.Builder)
	c.Add(x.More...)
	if x.Thread != nil {
		c.Add(x.Thread.apart...)
	} else {
		c.Add(a.trace.Geometry...)
	}
	c.Add(x.First.Guard)
	if x.Other != nil {
		there := x.Thread.Term(x.Other.Guard)
		if x.Missing { // and is not on its way there, in a loop that was left
			there = c.b.And(c.b.Not(there), c.b.Not(x.Thread.Term(a.trace.Lost)))
		}
		c.Add(there)
	}
	return c, !c.unsatisfiable
}

// assume adds the facts, each kind after those that may mention what it is about.
func (a *Asker) assume(c *Conjunction, x *Question) {
	c.Add(a.trace.Facts[:x.First.Facts]...)
	if x.Thread != nil {
		facts := x.First.Facts
		if x.Other != nil {
			facts = x.Other.Facts
		}
		for _, f := range a.trace.Facts[:facts] {
			c.Add(x.Thread.Term(f))
		}
		a.define(c, x.Thread)
		for _, r := range a.rules {
			if relates, ok := r.(Relates); ok {
				relates.Relate(c, x)
			}
		}
	}
	for _, r := range a.rules {
		if tells, ok := r.(Tells); ok {
			tells.Tell(c, x.Thread)
		}
	}
	a.instantiate(c, x)
}

// define says what the variables that stand for terms of the other thread are.
func (a *Asker) define(c *Conjunction, other *Thread) {
	if len(a.trace.Others) == 0 {
		return
	}
	seen := map[*term.Term]bool{}
	for i := 0; i < len(c.all); i++ {
		term.Visit(c.all[i], seen, func(v *term.Term) bool {
			if of, ok := a.trace.Others[v]; ok {
				c.Add(c.b.Eq(v, other.Term(of)))
			} else if of, ok := other.others[v]; ok {
				c.Add(c.b.Eq(v, of))
			}
			return false
		})
	}
}
