// Package axiomatic is the engine for big programs: it asks a solver of clauses for executions with what
// is wanted of them, and visits no others.
//
//	Engine    runs a compiled model (package plan) on one structure after another
//	Query     what is asked for: one state that satisfies a condition, or all states
//	Stats     how much was done
//
// Which paths threads take (union.go, and family.go where they are too many to list), what a read reads from and what the model chooses are the variables; what
// follows is clauses (encode.go). A pair of a relation that a check forbids, or that depends on what is chosen, is a literal,
// made when it is asked for (circuit.go). So the solver learns from each conflict which few choices
// made a check fail, and never makes them together again: consistency as a theory, as Haas, Meyer and
// Ponce de León have it (OOPSLA 2022), but for cycles by clauses. Cycles are looked for as edges are
// set (graph.go). What clauses alone are bad at is atomics that stand in line, such as those of a counter (line.go).
//
// Package enumerate defines what the answer is. What is not known here, such as values out of thin
// air, is left to others: Explore says so. Each execution that is found is looked at by the plan itself
// (witness.go); that there is none rests on the clauses.
package axiomatic

import (
	"cmp"
	"errors"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Query is what to find out about a program.
type Query struct {
	Observe []final.Observable
	Keep    final.Formula // what a final state that counts satisfies
	Asks    final.Formula // what a state satisfies that is looked for; the search ends with the first
	States  bool          // all states are wanted
	Flags   bool          // which flags are raised is wanted, too; else only what makes the behaviour undefined is
	Most    int           // states of one structure; 0 for no bound
	Guards  plan.Guards
	Hangs   bool // whether an execution never ends is wanted
	// Meaningless leaves structures with a consistent execution in which the program computes what has no
	// meaning to another engine (Unsupported). Without it, such an execution ends the search with an error.
	Meaningless bool
	// LineUpAfter is after how many conflicts of a question more is found out about lines (line.go); 0 for as many as pay, -1 for at once.
	LineUpAfter int
	// SiftAfter is of how many values per access it is found out from which writes reads never read (never.go); 0 for as many as pay, -1 for none.
	SiftAfter int
	// PartsAfter is of how many combinations of the values of its reads an expression is computed in parts (parts.go); 0 for as many as pay.
	PartsAfter int
	// Classes are of threads that may change places as far as Keep and Asks go, or, where States are wanted, Observe.
	Classes symmetry.Classes
	// Tell, if not nil, is told again and again how many conflicts there have been.
	Tell func(conflicts int)
	// Lasts, if not nil, tells which final values a location can have at most in executions of a structure, where somebody
	// knows: that many increments add up is hard to find out from clauses.
	Lasts func(s *event.Structure, l event.Loc) (values []event.Value, known bool)
}

// Stats counts what was done.
type Stats struct {
	Truncated int // combinations of paths cut at the unroll bound that can happen: one is enough
	Conflicts int
	Lines     int // locations whose atomics were found to stand in line
}

// ofConflict is how many steps of a budget a conflict takes: as long as so many runs of a stage of a plan.
const ofConflict = 32

// ErrWrong says that what was found is no execution: a mistake of this package.
var ErrWrong = errors.New("the learning engine has found what is no execution")

// unnumbered is the number of structures that are asked about together: what is found of them is
// preferred to what other engines find.
const unnumbered = -1

// exhibit returns a witness as evidence; none if it is nil.
func exhibit(w *engine.Witness) engine.Exhibit {
	if w == nil {
		return engine.Exhibit{}
	}
	return engine.Exhibit{Evidence: w, At: unnumbered}
}

// Engine runs a plan on structures. It belongs to one goroutine. In its answer, only those reports
// are raised that the query asks for.
type Engine struct {
	engine.Answer
	Stats
	plan      *plan.Plan
	query     *Query
	guards    plan.Guards
	unasked   []bool // the reports that are not asked for
	satisfied bool   // a wanted state has been found, where not all are wanted
}

// New is an engine for a query.
func New(p *plan.Plan, q *Query) *Engine {
	e := &Engine{plan: p, query: q, guards: q.Guards}
	e.Raised, e.unasked = make([]bool, len(p.Reports)), make([]bool, len(p.Reports))
	for i, r := range p.Reports {
		e.unasked[i] = q.Guards.Lenient() || !q.Flags && !r.Undefined
	}
	return e
}

// open is the reports of which it is to be found out whether they are raised.
func (e *Engine) open() (reports []int) {
	for i, raised := range e.Raised {
		if !raised && !e.unasked[i] {
			reports = append(reports, i)
		}
	}
	return reports
}

// Fork is another engine for the same query, which knows what this one does. It may work at the same time.
func (e *Engine) Fork() *Engine {
	f := *e
	f.Answer = engine.Answer{Raised: slices.Clone(e.Raised)}
	f.Stats = Stats{Truncated: e.Truncated}
	return &f
}

// Join adds what a fork has found, of structures that come after those that this engine has explored since.
func (e *Engine) Join(f *Engine) {
	e.Answer = *engine.Merge(false, &e.Answer, &f.Answer)
	e.satisfied = e.satisfied || f.satisfied
	e.Truncated = max(e.Truncated, f.Truncated)
	e.Conflicts += f.Conflicts
	e.Lines += f.Lines
}

// Explore asks about structures of a program, together: about their union. It is Cut if they have more
// states than Query.Most, or the budget ends, of which conflicts take steps. The error is that of the budget; or the fault of a program that the model
// allows to compute what has no meaning (event.Execution.Wrong); or ErrWrong. Where structures are cut
// or unsupported together, some of them may have an answer on their own.
func (e *Engine) Explore(b *engine.Budget, structures ...*event.Structure) (engine.Extent, error) {
	if s := structures[0]; s.Truncated && e.Truncated > 0 || s.Stuck && !s.Truncated && !e.hangs() {
		return engine.Done, nil
	}
	u, ok := unite(structures)
	if !ok {
		return engine.Unsupported, nil
	}
	return e.ask(b, u)
}

// ExploreFamily asks about the structures of a family that end in one way, together. What it returns is as of Explore.
func (e *Engine) ExploreFamily(b *engine.Budget, f *event.Family, of Fate) (engine.Extent, error) {
	if of == CutOff && e.Truncated > 0 || of == Endless && !e.hangs() {
		return engine.Done, nil
	}
	switch u, ok := uniteFamily(f, of); {
	case !ok:
		return engine.Unsupported, nil
	case u == nil:
		return engine.Done, nil
	default:
		return e.ask(b, u)
	}
}

// ask asks about a union.
func (e *Engine) ask(b *engine.Budget, u *union) (engine.Extent, error) {
	enc := encode(b, e.plan, u, e.guards, e.query)
	enc.classes = e.query.Classes
	q := &question{Engine: e, ends: &ends{encoding: enc, observe: e.query.Observe, lasts: e.query.Lasts, of: make([]*domain, len(e.query.Observe))}}
	q.explore()
	e.Conflicts += enc.Conflicts
	if q.far == engine.Done && q.err == nil && !u.Truncated && q.decided() {
		q.far = engine.Decided
	}
	return q.far, q.err
}

// question is the questions about one structure.
type question struct {
	*Engine
	*ends
	far     engine.Extent // how far the question has come
	err     error
	unknown sat.Lit // the state is not known yet
	lined   int     // how often lineUp has been called
}

// ended reports whether nothing more is to be asked.
func (q *question) ended() bool { return q.err != nil || q.far != engine.Done }

// explore asks what is to be asked.
func (q *question) explore() {
	switch {
	case q.beyond:
		q.far = engine.Unsupported
		return
	case q.s.Truncated:
		if q.model(); q.plain() && q.can(q.spins()) {
			q.Truncated++
		}
		return
	case q.s.Stuck:
		q.stuck()
		return
	}
	keep := q.formula(q.query.Keep)
	wanted := keep
	if !q.query.States {
		wanted = q.both(keep, q.formula(q.query.Asks))
	}
	if q.satisfied {
		wanted = q.no
	}
	if q.hopeless(wanted) {
		return
	}
	for i := range q.query.Observe {
		q.value(i)
	}
	if q.ended() {
		return
	}
	if q.model(); !q.plain() {
		return
	}
	q.search(wanted)
	q.reports(keep)
}

// decided reports that a verdict is known, if no more is asked for: the behaviour is undefined, or it cannot be and a wanted state has been found.
func (e *Engine) decided() bool {
	return !e.query.States && (e.satisfied && len(e.open()) == 0 || slices.Contains(e.Raised, true))
}

// hopeless reports that no values are wanted ones, whatever the model says, and that it need not be
// asked about anything else.
func (q *question) hopeless(wanted sat.Lit) bool {
	if len(q.wrong) > 0 || len(q.open()) > 0 {
		return false
	}
	return q.airless(q.rings()) && !q.can(wanted)
}

// hangs reports that somebody wants to know of executions that never end. Where flags are wanted that holds to the end: what is not known
// here may raise others.
func (e *Engine) hangs() bool {
	return e.query.Flags || len(e.open()) > 0 || e.query.Hangs && e.Hang.Evidence == nil
}

// stuck asks whether an execution never ends.
func (q *question) stuck() {
	if q.model(); !q.plain() {
		return
	}
	if spins := q.spins(); q.can(spins) {
		if q.Hang.Evidence == nil {
			q.Hang = exhibit(q.witness())
		}
		q.reports(spins)
	}
}

// search finds wanted states that are not known yet.
func (q *question) search(wanted sat.Lit) {
	q.unknown = q.NewVar()
	known := len(q.States)
	for _, s := range q.States {
		q.exclude(s.Values())
	}
	for q.can(wanted, q.unknown) {
		w := q.witness()
		if w == nil {
			return
		}
		values := q.finals()
		q.States = append(q.States, engine.NewState(values, exhibit(w)))
		switch {
		case !q.query.States:
			q.satisfied = true
			return
		case q.query.Most > 0 && len(q.States) > known+q.query.Most:
			q.far = engine.Cut
			return
		}
		q.exclude(values)
	}
}

// plain makes sure that all values are known here, and all computations have a meaning or none is needed. Where values
// could be out of thin air, others than those that are known here might have a meaning.
func (q *question) plain() bool {
	air := q.air != q.no
	wrong := []sat.Lit{q.loose}
	if !air {
		wrong = append(wrong, q.tight)
	}
	switch {
	case air && q.can(q.air):
		q.far = engine.Unsupported
	case len(q.wrong) > 0 && (air || !q.outside()) && q.canAt(append(wrong, q.any(q.wrong))...):
		if !q.query.Meaningless {
			q.err = q.fault()
		}
		if q.err == nil {
			q.far = engine.Unsupported
		}
	}
	return !q.ended()
}

// outside reports that the model surely does not cover the structure, which excuses computations without meaning, but in
// the beginning of a longer execution.
func (q *question) outside() bool {
	for i := range q.Plan.Reports {
		c := &q.Plan.Reports[i]
		if c.Name == plan.OutsideModel && c.Test == plan.IsEmpty && c.Negated && !c.Undefined && !q.Span(c.X).Lo.Empty() {
			return !q.s.Truncated && q.s.family == nil && len(q.s.members) == 1
		}
	}
	return false
}

// can asks for an execution in which literals hold.
func (q *question) can(lits ...sat.Lit) bool { return q.canAt(append(lits, q.loose.Not())...) }

func (q *question) canAt(lits ...sat.Lit) bool {
	const budget = 250 // of conflicts, until somebody asks whether to go on
	q.drain()
	if q.beyond && !q.ended() {
		q.far = engine.Unsupported
	}
	if !q.ended() {
		q.err = q.budget.Err()
	}
	conflicts := cmp.Or(q.query.LineUpAfter, budget)
	if conflicts < 0 {
		conflicts, q.lined = budget, max(q.lined, linesAfter-1)
		q.lineUp()
	}
	for !q.ended() {
		before := q.Solver.Conflicts
		result := q.Solve(conflicts, lits...)
		if q.query.Tell != nil {
			q.query.Tell(q.Stats.Conflicts + q.Solver.Conflicts)
		}
		if !q.budget.Spend(ofConflict * (q.Solver.Conflicts - before)) {
			q.far, q.err = engine.Cut, q.budget.Err()
		}
		switch result {
		case sat.Sat:
			return true
		case sat.Unsat:
			return false
		}
		q.lineUp()
		q.err = q.budget.Err()
	}
	return false
}

// exclude says that the state is to be another.
func (q *question) exclude(values []event.Value) {
	if !q.query.States {
		return
	}
	var lits []sat.Lit
	for i, v := range values {
		lits = append(lits, q.value(i).has(q.circuit, v).Not())
	}
	q.Add(append(lits, q.unknown.Not())...)
}

// spins is a literal that implies that what the last rounds of spinning threads read is never
// overwritten.
func (q *question) spins() sat.Lit {
	when := q.NewVar()
	for t, paths := range q.s.paths {
		for i := range paths {
			for _, r := range paths[i].spin {
				q.keepsReading(r, when.Not(), q.present.taken[t][i].Not())
			}
		}
	}
	return when
}

// keepsReading says that what a read reads is never overwritten, or else one of some literals holds.
func (q *question) keepsReading(r event.ID, unless ...sat.Lit) {
	for w, l := range q.rf[r] {
		if l == 0 {
			continue
		}
		for after := range q.Span(q.co).Hi.Row(w).All() {
			q.Add(append(unless[:len(unless):len(unless)], l.Not(), q.lit(q.co, w, after, up).Not())...)
		}
	}
}

// reports finds which reports are raised by executions in which a literal holds.
func (q *question) reports(keep sat.Lit) {
	for _, i := range q.open() {
		if !q.ended() {
			q.Raised[i] = q.can(keep, q.raises(&q.Plan.Reports[i]))
		}
		if q.Raised[i] && q.Plan.Reports[i].Undefined && q.Race.Evidence == nil {
			q.Race = exhibit(q.witness())
		}
	}
}

// raises is a literal that implies that a report is raised.
func (q *question) raises(c *plan.Check) sat.Lit {
	if byPairs(c) {
		return q.fails(c)
	}
	when, positive := q.NewVar(), *c
	positive.Negated = false
	q.require(&positive, when)
	return when
}
