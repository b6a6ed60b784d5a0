package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Session is structures of which candidates are asked for again and again, under other guards each
// time. The clauses are made once, and what the solver learns from one question serves the next.
type Session struct {
	question
	wanted   sat.Lit
	spared   []sat.Lit // by group of the guards: its checks may fail; nil until groups are asked for
	unless   []sat.Lit // by check: it holds, or its group is spared; 0 until that is asked for
	ringless sat.Lit   // no value depends on itself; 0 until that is asked for
}

// NewSession makes the clauses of structures of a program. The query's guards do not matter. It is nil
// if the structures cannot be united, or hold what is not known here, or the budget has ended.
func NewSession(b *engine.Budget, p *plan.Plan, q *Query, structures ...*event.Structure) *Session {
	u, ok := unite(structures)
	if !ok {
		return nil
	}
	return newSession(b, p, q, u)
}

// NewFamilySession is NewSession for the structures of a family that end. It is nil if none does.
func NewFamilySession(b *engine.Budget, p *plan.Plan, q *Query, f *event.Family) *Session {
	u, ok := uniteFamily(f, Ending)
	if !ok || u == nil {
		return nil
	}
	return newSession(b, p, q, u)
}

func newSession(b *engine.Budget, p *plan.Plan, q *Query, u *union) *Session {
	none := make(plan.Guards, len(p.Checks))
	for i := range none {
		none[i] = plan.Disabled
	}
	// No check rules out for good what is read, or values out of thin air.
	e := newEncoding(newCircuit(b, p, u).findValues(nil), none)
	e.on, e.classes = make([]sat.Lit, len(p.Checks)), q.Classes
	w := &Session{question: question{
		Engine: New(p, q),
		ends:   &ends{encoding: e, observe: q.Observe, of: make([]*domain, len(q.Observe))},
	}}
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

// Conflicts returns how many conflicts all questions together have met.
func (w *Session) Conflicts() int { return w.Solver.Conflicts }

// Sought is candidates that are looked for: they pass the guards, and end in states that the query asks
// for.
type Sought struct {
	Guards    plan.Guards // a check has the same group each time, or none; groups are no more than checks
	Most      int         // candidates
	Conflicts int         // bounds the conflicts for one more candidate
	// Wants is asked about each candidate before it is put together, by its state and the group of the
	// checks that it fails, or 0. If it returns false, no others of the state and the group are looked for.
	Wants func(end []event.Value, group int) bool
	// Visit is told of each candidate that is wanted.
	Visit func(end []event.Value, group int, w *engine.Witness)
}

// Find finds candidates no two of which have the same reads-from and end in the same state. complete
// says that there are no others but those that are not wanted; where values may come out of thin air,
// that is not known.
func (w *Session) Find(b *engine.Budget, s *Sought) (complete bool, err error) {
	w.budget, w.far, w.err = b, engine.Done, nil
	last := w.Solver.Conflicts + s.Conflicts
	fresh := w.NewVar()
	defer func() { w.Add(fresh.Not()) }()
	checks := w.guard(s.Guards)
	ringless, air := w.ringlessly(checks)
	held := slices.Concat(checks, ringless, []sat.Lit{w.wanted, fresh})
	for range s.Most {
		switch w.next(held, last) {
		case sat.Unsat:
			return !air, nil
		case sat.Unknown:
			return false, b.Err()
		}
		last = w.Solver.Conflicts + s.Conflicts
		values, group := w.finals(), w.failing(s.Guards)
		if s.Wants(values, group) {
			x := w.witness()
			if x == nil {
				return false, b.Err() // what is not known here is no error
			}
			w.forget(fresh, values)
			s.Visit(values, group, x)
		}
		if !s.Wants(values, group) {
			w.other(fresh, values, group)
		}
	}
	return false, nil
}

// next asks whether literals can hold. It gives up after a number of conflicts.
func (w *Session) next(held []sat.Lit, last int) sat.Result {
	const budget = 100
	w.drain()
	held = append(held[:len(held):len(held)], w.loose.Not())
	for w.budget.Err() == nil && w.Solver.Conflicts < last {
		if r := w.Solve(min(budget, last-w.Solver.Conflicts), held...); r != sat.Unknown {
			return r
		}
	}
	return sat.Unknown
}

// guard returns the literals that have the guards kept.
func (w *Session) guard(g plan.Guards) (held []sat.Lit) {
	for c, l := range w.on {
		switch group := g.Group(c); {
		case group > 0:
			held = append(held, w.unlessSpared(c, group))
		case g.Of(c) == plan.Required:
			held = append(held, l)
		}
	}
	w.encoding.guards, w.Engine.guards = g, g
	return held
}

// unlessSpared returns a literal that implies that a check holds, unless its group is the one that may
// fail.
func (w *Session) unlessSpared(check, group int) sat.Lit {
	if w.spared == nil {
		w.spared, w.unless = make([]sat.Lit, len(w.on)+1), make([]sat.Lit, len(w.on))
		for i := range w.spared {
			w.spared[i] = w.NewVar()
		}
		w.atMostOne(w.spared[1:])
	}
	if w.unless[check] == 0 {
		w.unless[check] = w.NewVar()
		w.Add(w.unless[check].Not(), w.on[check], w.spared[group])
	}
	return w.unless[check]
}

// failing returns the group that may fail in the execution that was found; 0 for none.
func (w *Session) failing(g plan.Guards) int {
	for group := 1; g.Groups() > 0 && group < len(w.spared); group++ {
		if w.Value(w.spared[group]) {
			return group
		}
	}
	return 0
}

// ringlessly returns the literals that have no value come out of thin air. air says that one may, where
// the checks hold, whatever the state: it may be one that is not known here.
func (w *Session) ringlessly(checks []sat.Lit) (lits []sat.Lit, air bool) {
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

// forget says that reads read from elsewhere than in the execution that was found, or the end is
// another, where a literal holds.
func (w *Session) forget(where sat.Lit, values []event.Value) {
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

// other says that the state is another, or that the group, unless it is 0, does not fail, where a
// literal holds.
func (w *Session) other(where sat.Lit, values []event.Value, group int) {
	lits := append(w.differs(values), where.Not())
	if group > 0 {
		lits = append(lits, w.spared[group].Not())
	}
	w.Add(lits...)
}

// differs returns literals one of which holds if the end is another.
func (w *Session) differs(values []event.Value) (lits []sat.Lit) {
	for i, v := range values {
		lits = append(lits, w.value(i).has(w.circuit, v).Not())
	}
	return lits
}
