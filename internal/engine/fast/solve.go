// Package fast is the fast engine: it finds the final states of the consistent executions
// of a program, with their exact counts, visiting few of its candidates.
//
//	Engine   runs a compiled model (package plan) on one structure after another
//	Query    what to observe
//	Stats    what was visited, cut and counted
//
// Package enumerate defines what a candidate execution is and in what order one would write
// them down; this package must find the same. It differs in three ways.
//
// It cuts. Reads choose what they read from one by one (reads.go), and the choices of the
// model, coherence among them, are made pair by pair (choices.go). What is chosen so far is a
// lower bound of what will be; a check that fails for it fails for good.
//
// It forces. A pair of coherence that would make a check fail is known to be the other way
// round before it is chosen (forced.go).
//
// It counts. Where no check depends on the order of writes any more, the orders are counted
// and not visited: linear extensions of what is known (count.go).
package fast

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/flow"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// Query is what to find out about a program.
type Query struct {
	Observe []final.Observable
	Domain  func() []event.Value // the values that may come out of thin air
	Keep    final.Formula        // what a final state that counts satisfies; nil for all
	Asks    final.Formula        // of engine.Verdict: what the state satisfies that is looked for
	Want    engine.Want
	// MaxCandidates bounds how many candidates are visited; 0 for no bound.
	MaxCandidates int
	Guards        plan.Guards
	// Visit, if not nil, is told of each candidate that ends in a state that counts, and of the
	// group that it was forgiven, or 0; none are counted together then. The search ends when it
	// returns false.
	Visit func(end []event.Value, forgiven int, evidence engine.Evidence) bool
	// Meaningless, if not nil, is called for consistent executions in which the program computes
	// what has no meaning, with what that is, and they are left out. Without it, the first one ends
	// the search with an error.
	Meaningless func(error)
	// Tell, if not nil, is told again and again how many states have been found.
	Tell func(states int)
}

// counts reports that a final state counts.
func (q *Query) counts(values []event.Value) bool {
	return q.Keep == nil || final.Holds(q.Keep, values)
}

// Stats counts what was done. Executions are cut or counted without being visited, so
// Candidates says how much work it was, not how many there are.
type Stats struct {
	enumerate.Stats
	Cuts    []int // by check of the plan: how often it failed
	Counted int   // consistent executions that were counted without being visited
	Forced  int   // pairs of choices that were forced
	Steps   int   // runs of a stage, and what takes as long
	Ends    int   // candidates, or sets of them, that ended in a state that counts
}

// Merge adds what another engine has done for the same query.
func (s *Stats) Merge(t *Stats) {
	s.Structures += t.Structures
	s.Candidates += t.Candidates
	s.ThinAir += t.ThinAir
	s.Truncated += t.Truncated
	for i, times := range t.Cuts {
		s.Cuts[i] += times
	}
	s.Counted = engine.Add(s.Counted, t.Counted)
	s.Forced += t.Forced
	s.Steps += t.Steps
}

// Engine runs a plan on structures. It keeps what it has allocated for the next one. It
// belongs to one goroutine.
type Engine struct {
	plan  *plan.Plan
	frame *plan.Frame
	bound inputs

	query *Query
	stats *Stats
	found engine.Table

	arenas struct { // of witnesses
		packed engine.Arena
		fresh  []packed
	}
	packed []byte // the witness that is being put together

	grounds  []flow.Causes  // by check: what it rules out cycles of, besides rf
	causes   flow.Causes    // of a check that is not switched off
	flow     *flow.Flow     // nil until it pays
	raised   []bool         // by report
	anyGuess bool           // a consistent execution has a value out of thin air
	hang     engine.Exhibit // a consistent execution that never ends
	race     engine.Exhibit // a consistent execution that makes the behaviour undefined
	// the number of the structure, or of its part: how many of the program came before it
	at   int
	part int // the part that is explored; or Whole

	structure
	filled     filled
	coherence  int       // which choice is coherence
	arena      []uint64  // memory of posets
	seed       poset     // what the last choice must contain, as far as reads have chosen
	partial    plan.Vars // the variables that are known in part, while reads choose
	lastPlaces places
	components []component
	ways       []int          // see extensions
	lasts      []event.ID     // the last writes of the state that is being put together
	values     []event.Value  // of that state
	budget     *engine.Budget // of the structure
	ended      bool           // the budget has ended
	steps      int            // that the structure has taken
	wanted     bool           // a state that the query asks for has been found
	defined    bool           // of a verdict: the structure stays defined
	done       bool
	err        error
}

// For is an engine for a plan, perhaps one that was released. Release it after use. The plan
// has a choice called co.
func For(p *plan.Plan) *Engine {
	if e, ok := p.Pool.Get().(*Engine); ok {
		return e
	}
	e := &Engine{plan: p, frame: p.NewFrame(), bound: bind(p), grounds: grounds(p), raised: make([]bool, len(p.Reports))}
	e.env = e.valueOf
	e.coherence = p.Coherence()
	return e
}

// Release gives the engine back.
func (e *Engine) Release() {
	e.query, e.stats, e.budget, e.structure.Structure, e.settled, e.unfinished = nil, nil, nil, nil, nil, event.Execution{}
	e.forget()
	e.plan.Pool.Put(e)
}

// forget forgets the states that were found, but keeps memory for a few.
func (e *Engine) forget() {
	e.found.Reset()
	e.arenas.fresh, e.flow = nil, nil
}

// Begin starts a query. Structures of its program follow; Answer ends it.
func (e *Engine) Begin(q *Query, stats *Stats) {
	e.query, e.stats = q, stats
	if len(stats.Cuts) != len(e.plan.Checks) {
		stats.Cuts = make([]int, len(e.plan.Checks))
	}
	e.forget()
	e.causes = e.ruledOut(q)
	for i := range e.raised {
		e.raised[i] = q.Guards.Lenient() // lenient queries do not ask for reports
	}
	e.anyGuess, e.hang, e.race = false, engine.Exhibit{}, engine.Exhibit{}
	e.wanted, e.done, e.err = false, false, nil
	e.values = slices.Grow(e.values[:0], len(q.Observe))[:len(q.Observe)]
}

// Explore finds the consistent executions of a structure of at most plan.MaxEvents events. A step
// of the budget is a run of a stage of the plan. The error is that of the budget, an
// *enumerate.LimitError, or a computation without meaning in a consistent execution; what was found
// before it is part of the answer.
func (e *Engine) Explore(b *engine.Budget, s *event.Structure) (engine.Extent, error) {
	return e.ExplorePart(b, e.stats.Structures, Whole, s)
}

// ExplorePart is Explore of one of the Parts of a structure, or of the Whole, where other engines
// explore other parts and structures. Its number is its place in the order of all of them.
func (e *Engine) ExplorePart(b *engine.Budget, number, part int, s *event.Structure) (engine.Extent, error) {
	if part <= 0 {
		e.stats.Structures++
	}
	e.at, e.part, e.budget = number, part, b
	e.ended, e.steps = b.Exhausted(), 0
	known := s.Truncated && e.stats.Truncated > 0 // that some executions are longer
	if !known && e.err == nil && !e.cannotBe(s) {
		e.search(s)
	}
	e.stats.Steps += e.steps
	switch {
	case e.err != nil:
		return engine.Cut, e.err
	case e.done:
		return engine.Decided, nil
	case e.ended:
		return engine.Cut, nil
	}
	return engine.Done, nil
}

// search visits the candidates of a structure.
func (e *Engine) search(s *event.Structure) {
	e.load(s)
	e.observe()
	if e.program() {
		e.defined = e.query.Want == engine.Verdict && e.staysDefined()
		if e.selective = e.maySelect(); !e.wanted || !e.defined {
			e.read(0)
		}
	}
}

// Answer returns what was found in the structures since Begin.
func (e *Engine) Answer() *engine.Answer {
	a := &engine.Answer{States: e.found.Counting(), ThinAir: e.anyGuess, Hang: e.hang, Race: e.race}
	if !e.query.Guards.Lenient() {
		a.Raised = slices.Clone(e.raised)
	}
	return a
}

// halted takes a step and reports whether the search must end.
func (e *Engine) halted() bool {
	e.spend(1)
	return e.over()
}

// spend takes n steps of the budget.
func (e *Engine) spend(n int) {
	e.steps += n
	if !e.budget.Spend(n) {
		e.ended = true
		e.err = cmp.Or(e.err, e.budget.Err())
	}
	const tellEvery = 64 // steps
	if e.query.Tell != nil && e.budget.Spent()%tellEvery == 0 {
		e.query.Tell(e.found.Len())
	}
}

// over reports whether the search of the structure must end.
func (e *Engine) over() bool { return e.done || e.skip || e.ended || e.err != nil }

// answered reports that the values tell nothing that is not known, where counts are not
// wanted: their state has been found, and every flag raised. They decide the state only if no
// location is observed.
func (e *Engine) answered() bool {
	if e.query.Want == engine.Counts || e.query.Visit != nil || e.Stuck || e.Truncated || e.thinAir || e.settled != nil || slices.Contains(e.raised, false) ||
		slices.ContainsFunc(e.query.Observe, func(o final.Observable) bool { return o.Loc != event.NoLoc }) {
		return false
	}
	return e.found.Find(e.values) != nil
}

// Hung reports whether an execution that never ends has been found.
func (e *Engine) Hung() bool { return e.hang.Evidence != nil }

// visit counts a candidate, or many that are dealt with at once. It returns false if that
// is one too many.
func (e *Engine) visit() bool {
	if e.query.MaxCandidates > 0 && e.stats.Candidates == e.query.MaxCandidates {
		e.err = enumerate.TooManyCandidates(e.query.MaxCandidates)
		return false
	}
	e.stats.Candidates++
	if e.thinAir {
		e.stats.ThinAir++
	}
	return true
}

// passes runs a stage and notes which check fails.
func (e *Engine) passes(stage int, partial plan.Vars) bool {
	e.spend(1)
	check := e.frame.Run(stage, partial)
	if check != plan.Passed {
		e.stats.Cuts[check]++
	}
	return check == plan.Passed
}

// end notes that count consistent executions end in the values of e.values. It returns
// whether the state counts.
func (e *Engine) end(count int) bool {
	s, added := e.found.FindOrAdd(e.values)
	if added && e.query.counts(e.values) {
		s.Exhibit = e.exhibit()
		e.wanted = e.wanted || e.query.Want == engine.Verdict && final.Holds(e.query.Asks, e.values)
		e.done = e.done || e.decided()
	}
	kept := s.Evidence != nil
	if kept {
		e.stats.Ends++
	}
	if kept && e.query.Visit != nil {
		e.done = e.done || !e.query.Visit(s.Values(), e.frame.Forgiven(), e.exhibit())
	}
	if e.query.Want == engine.Counts {
		s.Count = engine.Add(s.Count, count)
	} else {
		s.Count = 1
	}
	return kept
}

// consistent notes what is true of a consistent execution, or of each of those that are
// dealt with at once.
func (e *Engine) consistent() {
	e.anyGuess = e.anyGuess || e.thinAir
	if e.Stuck && e.hang.Evidence == nil {
		e.hang = e.exhibit()
	}
	for i, raised := range e.raised {
		if raised {
			continue
		}
		e.raised[i] = e.frame.Raised(i)
		if e.raised[i] && e.plan.Reports[i].Undefined && e.race.Evidence == nil {
			e.race = e.exhibit()
		}
	}
	e.done = e.done || e.decided()
}

// decided reports that a verdict is known: the behaviour is undefined, or it cannot be and what the
// query asks for has been found.
func (e *Engine) decided() bool {
	may := false
	for i := range e.plan.Reports {
		if r := &e.plan.Reports[i]; r.Undefined && e.query.Want == engine.Verdict && !e.query.Guards.Lenient() {
			if e.raised[i] {
				return true
			}
			may = true
		}
	}
	e.skip = e.skip || e.wanted && e.defined
	return e.wanted && !may
}

// staysDefined reports that no execution of the structure makes the behaviour undefined that is not
// known to be.
func (e *Engine) staysDefined() bool {
	for i := range e.plan.Reports {
		if e.plan.Reports[i].Undefined && !e.raised[i] && !e.frame.Silent(i) {
			return false
		}
	}
	return true
}
