// Package axiomatic is the engine for large programs. It encodes the consistent executions of a
// program as clauses and asks a SAT solver for executions that satisfy the query; it does not
// enumerate the others.
//
//	Engine    runs a compiled model (package plan) on one structure after another
//	Query     is the question: one state that satisfies a condition, or all states
//	Stats     counts the work done
//
// The variables are the control path of each thread (union.go; family.go where there are too many
// combinations to list), the write that each read reads from, and the choices of the model.
// Everything else follows by clauses (encode.go). A pair of a relation gets a literal when a check
// or a choice first needs it (circuit.go). From each conflict the solver learns the few choices
// that made a check fail, and never repeats them: consistency as a theory, after Haas, Meyer and
// Ponce de León (OOPSLA 2022), but all of it except acyclicity is clauses. Cycles are detected as
// edges are set (graph.go). Clauses alone are slow on atomics that form a line, such as the
// increments of a counter (line.go).
//
// Package enumerate defines the right answer. Explore returns Unsupported for what this package
// does not handle, such as values out of thin air; another engine then answers. The plan itself
// checks each execution found (witness.go). A negative answer rests on the clauses alone.
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

// Query is a question about a program.
type Query struct {
	Observe []final.Observable
	Keep    final.Formula // final states that do not satisfy it are ignored
	Asks    final.Formula // the state to find; the search ends with the first
	States  bool          // find all states
	// find the raised flags, too; otherwise only those that make the behaviour undefined
	Flags  bool
	Most   int // bounds the states of one structure; 0 for no bound
	Guards plan.Guards
	Hangs  bool // find whether an execution never ends
	// Meaningless makes Explore return Unsupported for structures with a consistent execution in
	// which a computation has no meaning. Otherwise such an execution ends the search with an
	// error.
	Meaningless bool
	// LineUpAfter is the number of conflicts of a question between two calls of lineUp (line.go); 0
	// is the default, -1 calls it at once.
	LineUpAfter int
	// SiftAfter is the average number of values per access above which writes that a read can never
	// read are removed (never.go); 0 is the default, -1 always removes them.
	SiftAfter int
	// PartsAfter is the number of combinations of read values above which an expression is computed
	// in parts (parts.go); 0 is the default.
	PartsAfter int
	// Classes are classes of threads that are interchangeable in Keep and Asks, or, with States, in
	// Observe.
	Classes symmetry.Classes
	// Tell, if not nil, is called regularly with the number of conflicts so far.
	Tell func(conflicts int)
	// Lasts, if not nil, returns the possible final values of a location in executions of a
	// structure, if they are known. Clauses alone are slow to find, for example, the sum of many
	// increments.
	Lasts func(s *event.Structure, l event.Loc) (values []event.Value, known bool)
}

// Stats counts the work done.
type Stats struct {
	// combinations of paths cut at the unroll bound that are possible; the search stops at one
	Truncated int
	Conflicts int
	Lines     int // locations whose atomics form a line (line.go)
}

// ofConflict is the number of budget steps that a conflict costs. It takes about as long as 32 runs
// of a stage of a plan.
const ofConflict = 32

// ErrWrong reports that a solution of the clauses is not a consistent execution: a bug of this
// package.
var ErrWrong = errors.New("the learning engine has found what is no execution")

// unnumbered is the structure number (Exhibit.At) of evidence found in a union. It sorts before the
// evidence of other engines.
const unnumbered = -1

// exhibit returns a witness as evidence, or no evidence for nil.
func exhibit(w *engine.Witness) engine.Exhibit {
	if w == nil {
		return engine.Exhibit{}
	}
	return engine.Exhibit{Evidence: w, At: unnumbered}
}

// Engine runs a plan on structures. It is not safe for concurrent use. Its answer raises only the
// reports that the query asks for.
type Engine struct {
	engine.Answer
	Stats
	plan      *plan.Plan
	query     *Query
	guards    plan.Guards
	unasked   []bool // by report: whether the query does not ask for it
	satisfied bool   // a wanted state has been found (without Query.States)
}

// New returns an engine for a query.
func New(p *plan.Plan, q *Query) *Engine {
	e := &Engine{plan: p, query: q, guards: q.Guards}
	e.Raised, e.unasked = make([]bool, len(p.Reports)), make([]bool, len(p.Reports))
	for i, r := range p.Reports {
		e.unasked[i] = q.Guards.Lenient() || !q.Flags && !r.Undefined
	}
	return e
}

// open returns the reports that the query asks for and that are not raised yet.
func (e *Engine) open() (reports []int) {
	for i, raised := range e.Raised {
		if !raised && !e.unasked[i] {
			reports = append(reports, i)
		}
	}
	return reports
}

// Fork returns an engine for the same query that starts with the raised reports of this one. It may
// run concurrently.
func (e *Engine) Fork() *Engine {
	f := *e
	f.Answer = engine.Answer{Raised: slices.Clone(e.Raised)}
	f.Stats = Stats{Truncated: e.Truncated}
	return &f
}

// Join adds the answer of a fork. The fork's structures must come after those that this engine has
// explored.
func (e *Engine) Join(f *Engine) {
	e.Answer = *engine.Merge(false, &e.Answer, &f.Answer)
	e.satisfied = e.satisfied || f.satisfied
	e.Truncated = max(e.Truncated, f.Truncated)
	e.Conflicts += f.Conflicts
	e.Lines += f.Lines
}

// Explore answers the query for the union of structures of one program. It returns Cut if they have
// more states than Query.Most or the budget ends; conflicts take steps of the budget. It returns
// Unsupported if the structures cannot be united or contain what this package does not handle. If
// structures are cut or unsupported together, the caller may still explore them one by one. The
// error is that of the budget, or the fault of a program with a meaningless computation
// (event.Execution.Wrong), or ErrWrong.
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

// ExploreFamily answers the query for the structures of a family with one fate. Its results are
// those of Explore.
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

// ask answers the query for a union.
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

// question is the sequence of solver queries about one union.
type question struct {
	*Engine
	*ends
	far     engine.Extent // Done until the query cannot be answered
	err     error
	unknown sat.Lit // assumed to ask for a state that is not in States yet
	lined   int     // the number of calls of lineUp
}

// ended reports whether the question is over: by an error, or cut or unsupported.
func (q *question) ended() bool { return q.err != nil || q.far != engine.Done }

// explore answers the query for the union.
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

// decided reports whether the verdict is known, if the query does not ask for all states: a report
// is raised, or a wanted state has been found and no report is open.
func (e *Engine) decided() bool {
	return !e.query.States && (e.satisfied && len(e.open()) == 0 || slices.Contains(e.Raised, true))
}

// hopeless reports whether no assignment of values is a wanted state, without the clauses of the
// model. It reports false if the query needs the model for something else.
func (q *question) hopeless(wanted sat.Lit) bool {
	if len(q.wrong) > 0 || len(q.open()) > 0 {
		return false
	}
	return q.airless(q.rings()) && !q.can(wanted)
}

// hangs reports whether the query asks for executions that never end. If it asks for flags, it asks
// for all such executions: one of them may raise a flag.
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

// search adds the wanted states that are not in States yet.
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

// plain reports whether no value comes out of thin air and each computation of a consistent
// execution has a meaning. Otherwise it ends the question. A value out of thin air might give a
// computation a meaning that the known values do not.
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

// outside reports whether the model certainly does not cover the structure. Such a structure may
// have computations without meaning, unless it is the prefix of a longer execution.
func (q *question) outside() bool {
	for i := range q.Plan.Reports {
		c := &q.Plan.Reports[i]
		if c.Name == plan.OutsideModel && c.Test == plan.IsEmpty && c.Negated && !c.Undefined && !q.Span(c.X).Lo.Empty() {
			return !q.s.Truncated && q.s.family == nil && len(q.s.members) == 1
		}
	}
	return false
}

// can reports whether the solver finds an execution in which the literals hold. A false result
// means nothing once the question has ended.
func (q *question) can(lits ...sat.Lit) bool { return q.canAt(append(lits, q.loose.Not())...) }

func (q *question) canAt(lits ...sat.Lit) bool {
	const budget = 250 // of conflicts between two looks at the budget
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

// exclude adds the clause that, under unknown, the final state is not this one.
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

// spins returns a literal that implies that no write follows in coherence the write that the last
// iteration of a spinning thread reads.
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

// keepsReading adds clauses: no write follows the write that r reads from, or one of the literals
// in unless holds.
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

// reports finds the reports that executions with a literal raise.
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

// raises returns a literal that implies that a report is raised.
func (q *question) raises(c *plan.Check) sat.Lit {
	if byPairs(c) {
		return q.fails(c)
	}
	when, positive := q.NewVar(), *c
	positive.Negated = false
	q.require(&positive, when)
	return when
}
