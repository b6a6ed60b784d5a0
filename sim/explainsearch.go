package sim

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
)

// A search with axioms off visits what is small. Structures on which all searches together have spent long enough are left
// to the learning engine, which is asked for candidates, and tells at once where there are none.

const (
	// mostLookedAt bounds each search with axioms off: there may be millions of candidates.
	mostLookedAt = 4096
	// mostRuns bounds the runs of the plan of each search. Where all candidates have been counted, more of them are worth
	// it: to visit a candidate takes many times as long as to count it with others.
	mostRuns        = 10_000
	mostRunsListing = 100_000
	// mostToCountAll is after how many runs of the plan, for what is consistent, candidates are not counted: they are many times as many,
	// so that mostRuns would be too few. Then mostRunsOfMany are enough to see in which states they end; so they are where nothing is
	// consistent and the learning engine had to say so.
	mostToCountAll = 4000
	mostRunsOfMany = 1000
	// mostSliceOff bounds the runs of the plan that all searches may spend on a structure before it is left
	// to the learning engine; the bound shrinks to leastSliceOff where structure after structure takes longer.
	mostSliceOff  = 1200
	leastSliceOff = 400
	// mostUnited is how many structures the learning engine is asked about together, mostGroups how many times that it keeps.
	mostUnited = 32
	mostGroups = 100
	// mostKept is how many structures are kept from one search to the next.
	mostKept = 1024
	// mostFound is how many candidates it is asked for in one search; where any one axiom may be off, so many for each.
	mostFound = 200
	// fewConflicts and mostConflicts are how many conflicts a search of a group may take for one more candidate: at first, and where that
	// finds nothing. mostInAll is those of all groups and sets of axioms.
	fewConflicts  = 50
	mostConflicts = 400
	mostInAll     = 3000
)

// search is what is known of structures from earlier searches.
type search struct {
	slice   int         // runs of the plan that all searches may spend on a structure
	spent   map[int]int // by structure: runs of the plan
	groups  []*axiomatic.Switched
	left    map[int]bool // structures that are part of a group
	twins   map[int]bool // structures that differ from others by places of threads alone; nil until they are looked for
	classes symmetry.Classes
	alone   map[int]bool  // structures that the learning engine does not know enough for
	none    map[int][]off // structures without a candidate that ends in a state that is asked for, with these checks off
	misses  []miss        // candidates that have been drawn
	drawn   bool          // they have been
	program *bounds.Program
	budget  int                               // conflicts that are left to all
	done    map[string][]event.Value          // states of which no candidates are wanted
	ends    map[*ExplainedState][]event.Value // what is observed there
}

func newSearch() search {
	return search{
		slice: mostSliceOff, spent: map[int]int{}, left: map[int]bool{}, alone: map[int]bool{}, none: map[int][]off{},
		done: map[string][]event.Value{}, ends: map[*ExplainedState][]event.Value{},
	}
}

// numbered is a structure of a test, by its number.
type numbered struct {
	*event.Structure
	i int
}

// sample is a candidate, and the axiom that it was forgiven, counted from 1; 0 for none.
type sample struct {
	*Witness
	forgiven int
}

// wanted is of which states candidates are wanted, and how many.
type wanted struct {
	of   func(*ExplainedState) bool
	only *ExplainedState // the only state of which candidates are wanted; nil if there may be others
	most int             // for each axiom that may be forgiven
	// tells judges a candidate as soon as it is found, and reports that it tells so much that no other is wanted that was forgiven the same
	// axiom; nil if they are judged together.
	tells func(*ExplainedState, sample) bool
}

// one wants candidates of one state.
func one(s *ExplainedState, most int) wanted {
	return wanted{of: func(of *ExplainedState) bool { return of == s }, only: s, most: most}
}

// samples are some of the candidates that end in each state, as many as are wanted.
type samples struct {
	wanted
	found map[*ExplainedState][]sample
	told  map[forgiven]bool
}

// forgiven is an axiom that candidates of a state were forgiven.
type forgiven struct {
	state *ExplainedState
	axiom int
}

func newSamples(want wanted) *samples {
	return &samples{wanted: want, found: map[*ExplainedState][]sample{}, told: map[forgiven]bool{}}
}

// add keeps a candidate.
func (x *samples) add(s *ExplainedState, c sample) {
	x.found[s] = append(x.found[s], c)
	if x.tells != nil && x.tells(s, c) {
		x.told[forgiven{s, c.forgiven}] = true
	}
}

// enough reports that there are enough candidates of a state that were forgiven an axiom, or that none are wanted.
func (x *samples) enough(s *ExplainedState, axiom int) bool {
	n := 0
	for _, c := range x.found[s] {
		if c.forgiven == axiom {
			n++
		}
	}
	return s.Witness != nil || !x.of(s) || n == x.most || x.told[forgiven{s, axiom}]
}

// all reports that there are enough candidates of the only state of which any are wanted.
func (x *samples) all() bool { return x.only != nil && x.enough(x.only, 0) }

// list finds the candidates that pass with checks off, as far as the bounds go: of a state that has few, all or some.
func (f *finder) list(off off) (found map[*ExplainedState][]sample, err error) {
	x := newSamples(wanted{of: func(*ExplainedState) bool { return true }, most: enoughWitnesses})
	_, _, err = f.bounded(f.visiting(off, x), mostRunsListing, off, nil)
	return x.found, err
}

// visiting has some candidates of each state that pass with checks off visited.
func (f *finder) visiting(off off, x *samples) *fast.Query {
	q := f.query()
	q.Guards, q.Want = f.guards(off), engine.States
	q.Visit = func(values []event.Value, forgiven int, w engine.Evidence) bool {
		if s := f.end(values); !x.enough(s, forgiven) {
			x.add(s, sample{witness(f.model, f.plan, w), forgiven})
		}
		return !x.all()
	}
	return q
}

// extent is how far a search has come.
type extent uint8

// The extents.
const (
	unfinished extent = iota // a bound has ended it: with more work it may find more
	exhausted                // there is nothing more to do, but what values out of thin air make possible is not known
	whole                    // a candidate of each state that has any was found
)

// sample finds candidates that are wanted and pass with checks off.
func (f *finder) sample(off off, want wanted) (found map[*ExplainedState][]sample, far extent, err error) {
	x := newSamples(want)
	far = whole
	f.findTwins()
	var big []numbered
	q, steps := f.visiting(off, x), mostRuns
	if off.any { // that is as many searches as there are axioms
		q.MaxCandidates, steps = mostLookedAt*len(f.axioms), mostRunsListing
	}
	all := f.asksFamily()
	if !all {
		_, all, err = f.bounded(q, steps, off, &big)
	}
	if x.all() {
		for _, s := range big {
			delete(f.left, s.i)
		}
		return x.found, whole, err
	}
	if !all {
		far = unfinished
	}
	for len(big) > 0 && err == nil {
		n := min(mostUnited, len(big))
		if !f.unite(big[:n]) {
			far = unfinished
		}
		big = big[n:]
	}
	sought := f.sought(off, x)
	groups := slices.Clone(f.groups)
	for _, most := range []int{fewConflicts, mostConflicts} {
		groups = slices.DeleteFunc(groups, func(g *axiomatic.Switched) bool {
			if err != nil || x.all() {
				return true
			}
			var end extent
			end, err = f.ask(g, sought, most)
			if end == exhausted {
				far = min(far, exhausted)
			}
			return end != unfinished
		})
	}
	if len(groups) > 0 {
		far = unfinished
	}
	err = cmp.Or(err, f.addMisses(off, x))
	return x.found, far, f.Test.failure(f.ctx, err)
}

// asksFamily reports that the structures are a family, about which the learning engine is asked. If it does not know enough, they are none from now on.
func (f *finder) asksFamily() bool {
	if f.built.family == nil || len(f.groups) > 0 {
		return f.built.family != nil
	}
	if group := axiomatic.NewSwitchedFamily(engine.NewBudget(f.ctx.Err), bounds.NewProgram(f.plan), f.Test.learningQuery(), f.built.family); group != nil {
		f.groups = append(f.groups, group)
		return true
	}
	f.built.family = nil
	return false
}

// ask asks the learning engine about a group, in so many conflicts at most.
func (f *finder) ask(g *axiomatic.Switched, sought *axiomatic.Sought, most int) (far extent, err error) {
	before := g.Conflicts()
	sought.Conflicts = min(most, f.budget)
	all, err := g.Find(engine.NewBudget(f.ctx.Err), sought)
	spent := g.Conflicts() - before
	f.Work.Learnt += spent
	f.budget -= spent
	switch {
	case all:
		return whole, err
	case spent >= sought.Conflicts:
		return unfinished, err
	}
	return exhausted, err
}

// sought is what the learning engine is asked for.
func (f *finder) sought(off off, x *samples) *axiomatic.Sought {
	sought := &axiomatic.Sought{Guards: f.guards(off), Enough: maps.Clone(f.done), Most: mostFound}
	if off.any {
		sought.Most *= len(f.axioms)
	}
	if x.only != nil {
		sought.End = f.ends[x.only]
	}
	sought.Wanted = func(values []event.Value, forgiven int) bool {
		s := f.end(values)
		if s.Witness != nil {
			f.done[axiomatic.Key(values)] = values
		}
		return !x.enough(s, forgiven)
	}
	sought.Visit = func(values []event.Value, forgiven int, w *engine.Witness) bool {
		s := f.end(values)
		x.add(s, sample{witness(f.model, f.plan, w), forgiven})
		return x.enough(s, forgiven)
	}
	return sought
}

// end is the state of the explanation in which candidates with these values end.
func (f *finder) end(values []event.Value) *ExplainedState {
	s := f.state(f.Test.state(values))
	if f.ends[s] == nil {
		f.ends[s] = slices.Clone(values)
	}
	return s
}

// bounded asks the fast engine, within the bounds of a search: candidates, and steps. Structures that
// take it too long are given up if big is not nil, and added to that.
func (f *finder) bounded(q *fast.Query, steps int, off off, big *[]numbered) (a *engine.Answer, complete bool, err error) {
	var stats fast.Stats
	q.MaxCandidates = cmp.Or(q.MaxCandidates, mostLookedAt)
	e, b := fast.For(f.plan), engine.NewBudget(f.ctx.Err).Slice(steps)
	defer e.Release()
	e.Begin(q, &stats)
	for s, failure := range f.structures() {
		more := false
		if err = failure; err == nil {
			more, err = f.explore(e, b, &stats, s, off, big)
		}
		if !more || err != nil {
			break
		}
	}
	f.Work.Steps += stats.Steps
	err = f.Test.failure(f.ctx, err)
	var limit *enumerate.LimitError
	if errors.As(err, &limit) && f.ctx.Err() == nil {
		err = nil
	} else {
		limit = nil
	}
	return e.Answer(), err == nil && limit == nil && !b.Exhausted(), err
}

// built is a program of which some structures have been built: those that end. To build them takes as long as many a search of them, so
// that they are kept, where they are few, from the first search for the others.
type built struct {
	frontend.Program
	ending []numbered
	all    bool
	hard   map[*event.Structure]bool // that were left to the learning engine, or that nobody looked at
	family *event.Family             // the structures, if they are too many to be looked at one by one; else nil
}

func newBuilt(ctx context.Context, p frontend.Program) *built {
	return &built{Program: p, family: manyPaths(ctx, p)}
}

// Structures builds the structures, and keeps those that end.
func (b *built) Structures(ctx context.Context) iter.Seq2[*event.Structure, error] {
	return func(yield func(*event.Structure, error) bool) {
		b.ending = nil
		i := 0
		for s, err := range b.Program.Structures(ctx) {
			if err == nil && !s.Truncated && !s.Stuck && len(b.ending) <= mostKept {
				b.ending = append(b.ending, numbered{s, i})
			}
			if !yield(s, err) {
				return
			}
			i++
		}
		if b.all = len(b.ending) <= mostKept; !b.all {
			b.ending = nil
		}
	}
}

// structures yields the structures whose candidates end.
func (f *finder) structures() iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		if f.built.all {
			for _, s := range f.built.ending {
				if !yield(s, nil) {
					return
				}
			}
			return
		}
		i := 0
		for s, err := range f.built.Program.Structures(f.ctx) {
			if err != nil || !s.Truncated && !s.Stuck {
				if !yield(numbered{s, i}, err) || err != nil {
					return
				}
			}
			i++
		}
	}
}

// findTwins finds structures that need not be searched for candidates of states, because others end in the same: by other threads, or without an
// idle round.
func (f *finder) findTwins() {
	if f.twins != nil || !f.built.all || len(f.built.ending) == 0 {
		return
	}
	t := *f.Test
	t.config.Want = States
	f.twins, f.classes = map[int]bool{}, t.classes(f.built.ending[0].Structure)
	seen := symmetry.NewSeen(f.classes)
	for _, s := range f.built.ending {
		f.twins[s.i] = seen.Again(s.Structure) || slices.ContainsFunc(s.Paths, (*event.Path).Idles)
	}
}

// explore explores a structure, unless it is known that no candidate of it is asked for, or it is left to the learning engine.
func (f *finder) explore(
	e *fast.Engine, b *engine.Budget, stats *fast.Stats, s numbered, off off, big *[]numbered,
) (more bool, err error) {
	if slices.ContainsFunc(f.none[s.i], off.within) || big != nil && (f.left[s.i] || f.twins[s.i]) {
		return true, nil
	}
	if s.N() > plan.MaxEvents || big != nil && f.built.hard[s.Structure] && !f.alone[s.i] {
		if big != nil && !f.alone[s.i] {
			f.left[s.i], *big = true, append(*big, s)
		}
		return true, nil
	}
	part := b
	if big != nil && !f.alone[s.i] && len(f.groups) < mostGroups {
		part = b.Try(max(1, f.slice-f.spent[s.i]))
	}
	before, ends := stats.Steps, stats.Ends
	far, err := e.Explore(part, s.Structure)
	f.spent[s.i] += stats.Steps - before
	switch {
	case err != nil:
		return false, err
	case far == engine.Cut && part != b:
		f.slice = max(f.slice*4/5, leastSliceOff)
		f.left[s.i], *big = true, append(*big, s)
	case far == engine.Done && stats.Ends == ends:
		f.none[s.i] = append(f.none[s.i], off)
	}
	return far != engine.Decided && !b.Exhausted(), nil
}

// unite has the learning engine make the clauses of structures, together if it can. It reports that it knows enough for all.
func (f *finder) unite(all []numbered) (known bool) {
	if f.program == nil {
		f.program = bounds.NewProgram(f.plan)
	}
	structures := make([]*event.Structure, len(all))
	for i := range all {
		structures[i] = all[i].Structure
	}
	q := f.Test.learningQuery()
	q.Classes = f.classes
	switch group := axiomatic.NewSwitched(engine.NewBudget(f.ctx.Err), f.program, q, structures...); {
	case group != nil:
		f.groups = append(f.groups, group)
		return true
	case len(all) == 1:
		f.alone[all[0].i] = true
		delete(f.left, all[0].i)
		return false
	}
	half := len(all) / 2
	first, second := f.unite(all[:half]), f.unite(all[half:])
	return first && second
}
