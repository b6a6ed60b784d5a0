package axiomatic

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Switched is structures of which it is asked again and again how a state can be had, with other checks
// switched off each time. The clauses are made once, and what is learnt from one question serves the next.
type Switched struct {
	question
	wanted   sat.Lit
	others   map[string]sat.Lit // by state: the end is another
	spared   []sat.Lit          // by group of Sought.Guards: its checks may fail; nil if groups were not asked for
	spare    sat.Lit            // those of one group may
	cores    [][]sat.Lit        // literals that cannot hold together
	ringless sat.Lit            // has no value depend on itself; 0 if nobody has asked
}

// NewSwitched makes the clauses of structures of a program. The query's guards do not matter. It is nil if
// the structures cannot be united, or hold what is not known here, or the context is done.
func NewSwitched(b *engine.Budget, p *bounds.Program, q *Query, structures ...*event.Structure) *Switched {
	u, ok := unite(structures)
	if !ok {
		return nil
	}
	return newSwitched(b, p, q, u)
}

// NewSwitchedFamily is NewSwitched of the structures of a family that end, of which there are some.
func NewSwitchedFamily(b *engine.Budget, p *bounds.Program, q *Query, f *event.Family) *Switched {
	u, ok := uniteFamily(f, Ending)
	if !ok || u == nil {
		return nil
	}
	return newSwitched(b, p, q, u)
}

func newSwitched(b *engine.Budget, p *bounds.Program, q *Query, u *union) *Switched {
	w, none := &Switched{others: map[string]sat.Lit{}}, make(plan.Guards, len(p.Plan.Checks))
	for i := range none {
		none[i] = plan.Disabled
	}
	e := newEncoding(p, newCircuit(b, p, u).findValues(nil), none) // no check rules out for good what is read, or values out of thin air
	e.on, e.classes = make([]sat.Lit, len(p.Plan.Checks)), q.Classes
	w.question = question{Engine: New(p, q), ends: &ends{encoding: e, observe: q.Observe, of: make([]*domain, len(q.Observe))}}
	if e.beyond {
		return nil
	}
	w.wanted = w.both(w.formula(q.Keep), w.formula(q.Asks))
	for i := range q.Observe {
		if !e.beyond {
			w.value(i)
		}
	}
	if !e.beyond {
		w.model()
	}
	if e.beyond || e.over() {
		return nil
	}
	return w
}

// Conflicts is how many conflicts all questions together have met.
func (w *Switched) Conflicts() int { return w.Solver.Conflicts }

// Sought is what is looked for in structures: candidates that pass all checks but those that are off, and end in states
// that are asked for.
type Sought struct {
	Guards plan.Guards              // with the same groups each time, or without groups
	Enough map[string][]event.Value // states that are not asked for any more, by Key
	End    []event.Value            // the only state that is asked for; nil for all
	Most   int                      // candidates
	// Conflicts is after how many conflicts without one more candidate a search ends.
	Conflicts int
	// Wanted is asked about each before it is put together, by its state and the group that it was forgiven, or 0: none is, where
	// there are enough. If it is nil, all are.
	Wanted func(end []event.Value, forgiven int) bool
	// Visit is told of each that is wanted. Where it returns true, there are enough that end in the state and are forgiven the group.
	Visit func(end []event.Value, forgiven int, w *engine.Witness) (enough bool)
}

// Key is a state as a key of Sought.Enough.
func Key(values []event.Value) string { return fmt.Sprint(values) }

// Find finds candidates no two of which have the same reads-from and end in the same state. complete says that there is a candidate of
// each state in which any ends; where values may come out of thin air, that is not known.
func (w *Switched) Find(b *engine.Budget, s *Sought) (complete bool, err error) {
	w.budget, w.far, w.err = b, engine.Done, nil
	last := w.Solver.Conflicts + s.Conflicts
	fresh := w.NewVar()
	defer func() { w.Add(fresh.Not()) }()
	checks := w.guard(s.Guards)
	ringless, air := w.ringlessly(checks)
	held := slices.Concat(checks, ringless, []sat.Lit{w.wanted, fresh})
	for _, values := range s.Enough {
		held = append(held, w.other(values, 0))
	}
	for i, v := range s.End {
		held = append(held, w.value(i).has(w.circuit, v))
	}
	for range s.Most {
		switch w.next(held, last) {
		case sat.Unsat:
			return !air, nil
		case sat.Unknown:
			return false, b.Err()
		}
		last = w.Solver.Conflicts + s.Conflicts
		values, group, enough := w.finals(), w.forgiven(s), true
		if s.Wanted == nil || s.Wanted(values, group) {
			x := w.witness()
			if x == nil {
				return false, b.Err() // what is not known here is no error
			}
			w.forget(fresh, values)
			enough = s.Visit(values, group, x)
		}
		switch {
		case enough && s.End != nil && group == 0:
			return true, nil
		case enough && group == 0:
			s.Enough[Key(values)] = values
			fallthrough
		case enough:
			held = append(held, w.other(values, group))
		}
	}
	return false, nil
}

// next asks whether literals can hold, unless some of them are known not to, until there have been so many
// conflicts.
func (w *Switched) next(held []sat.Lit, last int) sat.Result {
	const budget = 100
	for _, core := range w.cores {
		if !slices.ContainsFunc(core, func(l sat.Lit) bool { return !slices.Contains(held, l) }) {
			return sat.Unsat
		}
	}
	w.drain()
	held = append(held[:len(held):len(held)], w.loose.Not())
	for w.budget.Err() == nil && w.Solver.Conflicts < last {
		switch r := w.Solve(min(budget, last-w.Solver.Conflicts), held...); r {
		case sat.Unsat:
			core := slices.DeleteFunc(slices.Clone(w.Core()), func(l sat.Lit) bool { return l == w.loose.Not() })
			w.cores = append(w.cores, core)
			return r
		case sat.Sat:
			return r
		}
	}
	return sat.Unknown
}

// guard returns the literals that have the guards kept.
func (w *Switched) guard(g plan.Guards) (held []sat.Lit) {
	for i, l := range w.on {
		if g.Of(i) == plan.Required {
			held = append(held, l)
		}
	}
	w.encoding.guards, w.Engine.guards = g, g
	if g.Groups() > 0 {
		held = append(held, w.spareOne(g))
	}
	return held
}

// spareOne returns a literal that implies that the checks of all groups but one hold.
func (w *Switched) spareOne(g plan.Guards) sat.Lit {
	if w.spared == nil {
		w.spare, w.spared = w.NewVar(), make([]sat.Lit, g.Groups()+1)
		for group := range w.spared {
			w.spared[group] = w.NewVar()
		}
		w.atMostOne(w.spared[1:])
		for c := range g {
			if group := g.Group(c); group > 0 {
				w.Add(w.spare.Not(), w.on[c], w.spared[group])
			}
		}
	}
	return w.spare
}

// forgiven returns the group that may fail in the execution that was found; 0 for none.
func (w *Switched) forgiven(s *Sought) int {
	for g := 1; s.Guards.Groups() > 0 && g < len(w.spared); g++ {
		if w.Value(w.spared[g]) {
			return g
		}
	}
	return 0
}

// ringlessly is the literals that have no value come out of thin air, and whether one may where the checks hold, whatever
// the state: such a value may be one that nothing here knows.
func (w *Switched) ringlessly(checks []sat.Lit) (lits []sat.Lit, air bool) {
	r := w.rings()
	if w.airless(r) {
		return nil, false
	}
	if w.ringless == 0 {
		w.ringless = w.NewVar()
		g := w.graphs.add(w.N)
		for a, b := range r.pairs.Pairs() {
			g.edge(w.circuit, a, b, w.both(w.dependsOn(a, b), w.ringless))
		}
	}
	return []sat.Lit{w.ringless}, w.canAt(append(slices.Clone(checks), w.air)...) || w.ended()
}

// forget is the clause that the reads read from elsewhere than in the execution that was found, or the end is another, where a
// literal holds.
func (w *Switched) forget(where sat.Lit, values []event.Value) {
	elsewhere := append(w.differs(values), where.Not())
	for _, r := range w.reads {
		for _, l := range w.rf[r] {
			if l != 0 && w.Value(l) {
				elsewhere = append(elsewhere, l.Not())
			}
		}
	}
	w.Add(elsewhere...)
}

// other is a literal that implies that the state is another, or else that a group is not forgiven; 0 for none.
func (w *Switched) other(values []event.Value, group int) sat.Lit {
	key := fmt.Sprint(group, Key(values))
	if l := w.others[key]; l != 0 {
		return l
	}
	when := w.NewVar()
	lits := append(w.differs(values), when.Not())
	if group > 0 {
		lits = append(lits, w.spared[group].Not())
	}
	w.Add(lits...)
	w.others[key] = when
	return when
}

// differs is literals one of which holds if the end is another.
func (w *Switched) differs(values []event.Value) (lits []sat.Lit) {
	for i, v := range values {
		lits = append(lits, w.value(i).has(w.circuit, v).Not())
	}
	return lits
}
