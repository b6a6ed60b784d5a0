package ask

import (
	"fmt"
	"io"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// memo is what was learnt from earlier questions.
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

// excludes reports whether conditions are known not to hold together.
func (m *memo) excludes(conditions []*term.Term) bool { return m.unsatisfiable[keyOf(conditions)] }

// Ask asks a question, and records an alarm if the answer is yes. It first tries to prove a no
// without the assumptions made on the way, and for any stored values: that suffices for most
// questions, and takes less time. It skips this step if it failed the last time for these
// instructions, and the assumptions sufficed.
func (a *Asker) Ask(x *Question) {
	if len(a.memo.alarmed) > 0 && a.memo.alarmed[topicOf(x, a.Config.Source)] {
		return // in another iteration of a loop that is unrolled, or another copy of its body
	}
	q, ok := a.inquire(x)
	if !ok || a.memo.excludes(q.c.all) {
		a.found.Tally.Simple++
		return
	}
	core := q.c.all
	if x.Unless != nil {
		q.c.Add(x.Unless())
	}
	q.assume()
	for _, r := range a.rules.refines {
		r.Bound(q.c)
	}
	q.c.propagate()
	answer, decided := q.answer(core)
	switch {
	case decided:
		return
	case answer.Result == sat.Unknown && a.Config.Stop(): // see Result.Ended
		q.stopped()
		return
	case answer.Result == sat.Unknown && x.tries.deferrable && !x.tries.deferred:
		x.tries.deferred = true
		a.sweep.deferred = append(a.sweep.deferred, x)
		return
	case answer.Result == sat.Unknown && x.tries.bare == sat.Unknown && q.check(core).Result == sat.Unsat:
		return
	}
	switch answer = q.sharpen(answer); answer.Result {
	case sat.Sat:
		q.alarm(answer.Model)
	case sat.Unknown:
		if !a.Config.Stop() {
			q.askExternal()
		}
	}
}

// answer tries the conditions in core, without the assumptions, and then all conditions. It also
// reports whether the answer is no.
func (q *inquiry) answer(core []*term.Term) (answer prove.Answer, no bool) {
	try := firstTry(q.a.Config.Budget)
	answer.Result = q.x.tries.bare
	if !q.x.tries.deferred {
		q.a.found.Tally.Questions++
	}
	if !q.x.tries.deferred && !q.a.memo.relies[q.x.places()] {
		answer = q.checkWithin(try, core)
		q.x.tries.bare = answer.Result
	}
	if answer.Result == sat.Unsat || q.c.unsatisfiable || q.a.memo.excludes(q.c.all) {
		return answer, true
	}
	if answer.Result != sat.Sat || q.x.tries.deferred || !holds(answer.Model, q.c.all) {
		if !q.x.tries.deferrable || q.x.tries.deferred {
			try = q.a.Config.Budget
		}
		answer = q.checkWithin(try, q.c.all)
		q.a.memo.relies[q.x.places()] = answer.Result == sat.Unsat
	}
	return answer, answer.Result == sat.Unsat
}

// sharpen asks again with the facts that were left out because they make questions harder: the
// definitions of bit counts, the limit on block sizes, and the alignment of accesses.
func (q *inquiry) sharpen(answer prove.Answer) prove.Answer {
	defined := false
	for _, r := range q.a.rules.refines {
		defined = r.Define(q.c) || defined
	}
	if defined {
		answer = q.check(q.c.all)
	}
	if answer.Result == sat.Sat && !q.fits(answer.Model) {
		answer = q.fitting()
	}
	if answer.Result == sat.Sat {
		answer = q.onMultiples(answer)
	}
	return answer
}

// firstTry bounds the conflicts of a question before the assumptions are added: products are hard
// without bounds, which are among the assumptions.
func firstTry(budget int) int {
	if most := 2_000; budget == 0 || budget > most {
		return most
	}
	return budget
}

// holds reports whether a model is one of all conditions.
func holds(m *term.Model, conditions []*term.Term) bool {
	return !slices.ContainsFunc(conditions, func(t *term.Term) bool { return m.Eval(t) == 0 })
}

// check asks the solver.
func (q *inquiry) check(conditions []*term.Term) prove.Answer {
	return q.checkWithin(q.a.Config.Budget, conditions)
}

// checkWithin asks the solver, which gives up after a number of conflicts.
func (q *inquiry) checkWithin(budget int, conditions []*term.Term) prove.Answer {
	q.a.prover.Forget()
	answer := q.a.prover.Check(budget, conditions...)
	if answer.Result == sat.Unsat {
		q.a.memo.unsatisfiable[keyOf(conditions)] = true
	}
	if q.a.Config.Dump != nil {
		q.a.memo.dumped++
		name := fmt.Sprintf("%04d-%s", q.a.memo.dumped, q.x.Name)
		err := q.a.Config.Dump(name, func(w io.Writer) error {
			fmt.Fprintf(w, "(set-info :status %s)\n", answer.Result)
			return term.WriteSMTLIB(w, conditions...)
		})
		if err != nil {
			q.a.Open(q.x.First, "", "the question %s is not written: %v", name, err)
		}
	}
	return answer
}

// Check asks the solver whether conditions can hold together. No facts are added.
func (a *Asker) Check(budget int, conditions ...*term.Term) prove.Answer {
	return a.prover.Check(budget, conditions...)
}

// Possible asks whether a question has a model, with a bound on the conflicts of the solver.
func (a *Asker) Possible(x *Question, budget int) (*term.Model, sat.Result) {
	q, ok := a.inquire(x)
	if !ok {
		return nil, sat.Unsat
	}
	if q.assume(); q.c.unsatisfiable {
		return nil, sat.Unsat
	}
	answer := q.checkWithin(budget, q.c.all)
	return answer.Model, answer.Result
}

// PossibleAt asks whether a condition can hold when a thread reaches a point.
func (a *Asker) PossibleAt(at *trace.Point, what *term.Term) (*term.Model, sat.Result) {
	return a.Possible(&Question{Name: "guess", Kind: Assertion, First: at, More: []*term.Term{what}}, GuessBudget)
}

// Never reports whether a condition never holds when a thread reaches a point.
func (a *Asker) Never(at *trace.Point, what *term.Term) bool {
	_, result := a.PossibleAt(at, what)
	return result == sat.Unsat
}

// stopped records the question that was being asked when the time was over.
func (q *inquiry) stopped() {
	source := q.a.Config.Source
	where := source.Where(q.x.First.Instr)
	if q.x.Other != nil && q.x.Other.Instr != q.x.First.Instr {
		where += " and " + source.Where(q.x.Other.Instr)
	}
	q.a.found.Notes = append(q.a.found.Notes, fmt.Sprintf("when that was, the question was whether this can be %s: %s (%s); bounds for the sizes that are open make it easier",
		q.x.Kind.Sentence(), source.Text(q.x.First.Instr), where))
}

// askExternal asks the other solver, if there is one.
func (q *inquiry) askExternal() {
	if q.a.Config.Solver == nil {
		q.a.Open(q.x.First, "--solver z3, or bounds for the sizes that are open", "whether this can be %s is not decided after %d conflicts", q.x.Kind.Sentence(), q.a.Config.Budget)
		return
	}
	switch unsat, err := q.a.Config.Solver(func(w io.Writer) error { return term.WriteSMTLIB(w, q.c.all...) }); {
	case err == nil && unsat:
		q.a.stands.rely(assume.Solver)
	case err == nil:
		q.a.Open(q.x.First, "", "the other solver says that this can be %s, but not how", q.x.Kind.Sentence())
	default:
		q.a.Open(q.x.First, "", "the other solver fails: %v", err)
	}
}
