// Package solve is the fast engine: it finds the final states of the consistent executions
// of a program, with their exact counts, visiting few of its candidates.
//
//	Engine   runs a compiled model (package plan) on one structure after another
//	Query    what to observe
//	Answer   states with counts, flags
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
package solve

import (
	"context"
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/final"
	"github.com/muster-gpu/muster/internal/flow"
	"github.com/muster-gpu/muster/internal/plan"
)

// Effort is how much of the answer is wanted.
type Effort uint8

// The efforts.
const (
	Counts Effort = iota // states and how many executions end in each
	States               // states; each counts once
	Quick                // stop at the first state that satisfies Query.Asks, if the behaviour cannot be undefined, or where it is known to be
)

// EffortFor is the effort of a run that is to be quick, or to list states.
func EffortFor(quick, states bool) Effort {
	switch {
	case quick:
		return Quick
	case states:
		return States
	}
	return Counts
}

// Query is what to find out about a program.
type Query struct {
	Observe []final.Observable
	Domain  func() []event.Value // the values that may come out of thin air
	Keep    final.Formula        // what a final state that counts satisfies; nil for all
	Asks    final.Formula        // of Quick: what the state satisfies that is looked for
	Effort  Effort
	// Except, if not nil, tells which final states do not count although they satisfy Keep.
	Except func([]event.Value) bool
	// MaxCandidates bounds how many candidates are visited; 0 for no bound.
	MaxCandidates int
	// MaxSteps bounds how much is done, in runs of a stage; 0 for no bound.
	MaxSteps int
	// Patience is after how many runs of a stage a structure is given up; 0 for never. See GaveUp.
	Patience int
	// Off are checks of the plan, by their numbers, that need not hold. What passes the others is
	// not consistent then, so it raises no flags, and computations without meaning are no error.
	Off []int
	// Forgive, if not nil, is a group for each check: what fails checks of one group only passes, too. Those of group 0 must hold.
	Forgive []int
	// Visit, if not nil, is told of each candidate that ends in a state that counts, and of the group that it was forgiven, or 0; none
	// are counted together then. The search ends when it returns false.
	Visit func(end []event.Value, forgiven int, w *Witness) bool
	// Meaningless, if not nil, is called for consistent executions in which the program computes what has no meaning, with what that
	// is, and they are left out. Without it, the first one ends the search with an error.
	Meaningless func(error)
	// Tell, if not nil, is told again and again how many states have been found.
	Tell func(states int)
}

// lenient reports that what passes need not be consistent.
func (q *Query) lenient() bool { return len(q.Off) > 0 || q.Forgive != nil }

// counts reports that a final state counts.
func (q *Query) counts(values []event.Value) bool {
	return (q.Keep == nil || final.Holds(q.Keep, values)) && (q.Except == nil || !q.Except(values))
}

// required reports that nothing passes that fails a check.
func (q *Query) required(check int) bool {
	return !slices.Contains(q.Off, check) && (q.Forgive == nil || q.Forgive[check] == 0)
}

// State is a final state. There may be a million of them.
type State struct {
	Count   int // ways in which consistent executions end in it; Most if there are more
	Witness Witness
	key     []byte // its values
	at      int32  // the number of the structure of the witness
	kept    bool
}

// Answer is what was found out.
type Answer struct {
	States    []*State
	Flags     []string // in the order of the model
	Undefined []string
	ThinAir   bool     // a consistent execution has a value out of thin air
	Hang      *Witness // a consistent execution that never ends; nil if there is none
	hangAt    int      // the number of its structure
	Race      *Witness // a consistent execution that makes the behaviour undefined, as a race does; nil if there is none
	raceAt    int      // the number of its structure
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

// Engine runs a plan on structures. It keeps what it has allocated for the next one. It
// belongs to one goroutine.
type Engine struct {
	plan  *plan.Plan
	frame *plan.Frame
	bound inputs

	ctx   context.Context
	query *Query
	stats *Stats
	found []*State // in the order in which they were found
	fresh []State  // for those that will be
	table table    // of the same
	key   []byte   // of the values that are looked for

	supply supply // of what states and witnesses are made of
	packed []byte // the witness that is being put together

	grounds  []flow.Causes // by check: what it rules out cycles of, besides rf
	causes   flow.Causes   // of a check that is not switched off
	flow     *flow.Flow    // nil until it pays
	raised   []bool        // by report
	anyGuess bool          // a consistent execution has a value out of thin air
	hang     *Witness      // a consistent execution that never ends
	hangAt   int           // the number of its structure
	race     *Witness      // a consistent execution that makes the behaviour undefined
	raceAt   int           // the number of its structure
	at       int           // the number of the structure, or of its part: how many of the program came before it
	part     int           // the part that is explored; or Whole

	structure
	filled     filled
	coherence  int       // which choice is coherence
	arena      []uint64  // memory of posets
	seed       poset     // what the last choice must contain, as far as reads have chosen
	partial    plan.Vars // the variables that are known in part, while reads choose
	lastPlaces places
	components []component
	ways       []int         // see extensions
	lasts      []event.ID    // the last writes of the state that is being put together
	values     []event.Value // of that state
	steps      int
	began      int  // the number of steps when the structure came
	gaveUp     bool // the structure takes too long
	wanted     bool // a state that the query asks for has been found
	defined    bool // in Quick: the structure stays defined
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
	e.ctx, e.query, e.stats, e.structure.Structure, e.settled, e.unfinished = nil, nil, nil, nil, nil, event.Execution{}
	e.forget()
	e.plan.Pool.Put(e)
}

// forget forgets the states that were found, but keeps memory for a few.
func (e *Engine) forget() {
	clear(e.found)
	if e.found = e.found[:0]; cap(e.found) > 8*fewStates {
		e.found = nil
	}
	e.table, e.fresh, e.flow = table{}, nil, nil
}

// Begin starts a query. Structures of its program follow; Answer ends it.
func (e *Engine) Begin(ctx context.Context, q *Query, stats *Stats) {
	e.ctx, e.query, e.stats = ctx, q, stats
	if len(stats.Cuts) != len(e.plan.Checks) {
		stats.Cuts = make([]int, len(e.plan.Checks))
	}
	e.forget()
	e.causes = e.ruledOut(q)
	for i := range e.raised {
		e.raised[i] = q.lenient() // nobody asks for them
	}
	e.anyGuess, e.hang, e.race, e.wanted, e.done, e.err = false, nil, nil, false, false, ctx.Err()
	e.values = slices.Grow(e.values[:0], len(q.Observe))[:len(q.Observe)]
}

// Explore finds the consistent executions of a structure of at most plan.MaxEvents events.
// It returns false when nothing more is to be found: enough is known, or there is an error.
func (e *Engine) Explore(s *event.Structure) bool { return e.ExploreNth(e.stats.Structures, s) }

// ExploreNth is Explore of a structure of which the program has so many before it, where other engines explore some of them.
func (e *Engine) ExploreNth(number int, s *event.Structure) bool {
	return e.ExplorePart(number, Whole, s)
}

// ExplorePart is ExploreNth of one of the Parts of a structure, where its parts are numbered instead, or of the Whole.
func (e *Engine) ExplorePart(number, part int, s *event.Structure) bool {
	if part <= 0 {
		e.stats.Structures++
	}
	e.at, e.part = number, part
	e.began, e.gaveUp = e.steps, false
	if s.Truncated && e.stats.Truncated > 0 {
		return true // it is known already that some executions are longer
	}
	if e.cannotBe(s) {
		return true
	}
	e.load(s)
	e.observe()
	if e.program() {
		e.defined = e.query.Effort == Quick && e.staysDefined()
		if e.selective = e.maySelect(); !e.wanted || !e.defined {
			e.read(0)
		}
	}
	e.stats.Steps += e.steps - e.began
	return !e.done && e.err == nil
}

// Answer is what the structures since Begin have told. The error is that of the context, an
// *enumerate.LimitError, or a computation without meaning in a consistent execution; what is
// known by then is part of the answer.
func (e *Engine) Answer() (*Answer, error) {
	a := &Answer{ThinAir: e.anyGuess, Hang: e.hang, hangAt: e.hangAt, Race: e.race, raceAt: e.raceAt, States: make([]*State, 0, len(e.found))}
	for _, s := range e.found {
		if s.kept {
			a.States = append(a.States, s)
		}
	}
	for i, r := range e.plan.Reports {
		switch {
		case !e.raised[i] || e.query.lenient():
		case r.Undefined:
			a.Undefined = append(a.Undefined, r.Name)
		default:
			a.Flags = append(a.Flags, r.Name)
		}
	}
	return a, e.err
}

// halted reports that the search must end.
func (e *Engine) halted() bool {
	e.ask()
	return e.over()
}

// ask asks the context, after a number of steps, whether to stop.
func (e *Engine) ask() {
	const askEvery = 64
	if e.steps++; e.steps%askEvery == 0 && e.err == nil {
		e.err = e.ctx.Err()
		if e.query.Tell != nil {
			e.query.Tell(len(e.found))
		}
	}
	spent := e.steps - e.began
	if e.query.Patience > 0 && spent > e.query.Patience {
		e.gaveUp = true
	}
	if e.query.MaxSteps > 0 && e.stats.Steps+spent > e.query.MaxSteps && e.err == nil {
		e.err = enumerate.TooManySteps(e.query.MaxSteps)
	}
}

func (e *Engine) over() bool { return e.done || e.skip || e.gaveUp || e.err != nil }

// GaveUp reports that the structure which was explored last took longer than Query.Patience: there may
// be more states than were found.
func (e *Engine) GaveUp() bool { return e.gaveUp }

// answered reports that the values tell nothing that is not known, where counts are not
// wanted: their state has been found, and every flag raised. They decide the state only if no
// location is observed.
func (e *Engine) answered() bool {
	if e.query.Effort == Counts || e.query.Visit != nil || e.Stuck || e.Truncated || e.thinAir || e.settled != nil || slices.Contains(e.raised, false) ||
		slices.ContainsFunc(e.query.Observe, func(o final.Observable) bool { return o.Loc != event.NoLoc }) {
		return false
	}
	return e.state() != nil
}

// state is the state with the values of e.values; nil if it has not been found.
func (e *Engine) state() *State {
	e.key = appendKey(e.key[:0], e.values)
	return e.table.find(e.found, e.key)
}

// add adds the state whose key is e.key, which has not been found.
func (e *Engine) add() *State {
	if len(e.fresh) == 0 {
		const most = 1024
		e.fresh = make([]State, min(max(len(e.found), fewStates/2), most))
	}
	s := &e.fresh[0]
	e.fresh, s.key = e.fresh[1:], e.supply.keep(e.key)
	e.found = append(e.found, s)
	e.table.add(e.found)
	return s
}

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
	e.ask()
	check := e.frame.Run(stage, partial)
	if check != plan.Passed {
		e.stats.Cuts[check]++
	}
	return check == plan.Passed
}

// end notes that count consistent executions end in the values of e.values. It returns
// whether the state counts.
func (e *Engine) end(count int) bool {
	s := e.state()
	if s == nil {
		s = e.add()
		s.kept = e.query.counts(e.values)
		if s.kept {
			s.Witness, s.at = e.witness(), int32(e.at)
			e.wanted = e.wanted || e.query.Effort == Quick && final.Holds(e.query.Asks, e.values)
			e.done = e.done || e.decided()
		}
	}
	if s.kept {
		e.stats.Ends++
	}
	if s.kept && e.query.Visit != nil {
		w := e.witness()
		e.done = e.done || !e.query.Visit(s.Values(), e.frame.Forgiven(), &w)
	}
	if e.query.Effort == Counts {
		s.Count = Add(s.Count, count)
	} else {
		s.Count = 1
	}
	return s.kept
}

// consistent notes what is true of a consistent execution, or of each of those that are
// dealt with at once.
func (e *Engine) consistent() {
	e.anyGuess = e.anyGuess || e.thinAir
	if e.Stuck && e.hang == nil {
		w := e.witness()
		e.hang, e.hangAt = &w, e.at
	}
	for i, raised := range e.raised {
		if raised {
			continue
		}
		e.raised[i] = e.frame.Raised(i)
		if e.raised[i] && e.plan.Reports[i].Undefined && e.race == nil {
			w := e.witness()
			e.race, e.raceAt = &w, e.at
		}
	}
	e.done = e.done || e.decided()
}

// decided reports that a verdict is known: the behaviour is undefined, or it cannot be and what the query asks for has been found.
func (e *Engine) decided() bool {
	may := false
	for i := range e.plan.Reports {
		if r := &e.plan.Reports[i]; r.Undefined && e.query.Effort == Quick && !e.query.lenient() {
			if e.raised[i] {
				return true
			}
			may = true
		}
	}
	e.skip = e.skip || e.wanted && e.defined
	return e.wanted && !may
}

// staysDefined reports that no execution of the structure makes the behaviour undefined that is not known to be.
func (e *Engine) staysDefined() bool {
	for i := range e.plan.Reports {
		if e.plan.Reports[i].Undefined && !e.raised[i] && !e.frame.Silent(i) {
			return false
		}
	}
	return true
}
