package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Session searches the same structures for candidates repeatedly, under different guards. It makes
// the clauses once, and what the solver learns from one search serves the next.
type Session struct {
	question
	wanted sat.Lit
	// by group of the guards: the checks of the group may fail; nil until guards with groups are
	// used
	spared   []sat.Lit
	unless   []sat.Lit // by check: it holds, or its group is spared; 0 until first needed
	ringless sat.Lit   // no value depends on itself; 0 until first needed
}

// NewSession returns a session for structures of a program. It ignores the guards of the query. It
// returns nil if the structures cannot be united or contain what this package does not handle, or
// if the budget has ended.
func NewSession(b *engine.Budget, p *plan.Plan, q *Query, structures ...*event.Structure) *Session {
	u, ok := unite(structures)
	if !ok {
		return nil
	}
	return newSession(b, p, q, u)
}

// NewFamilySession is NewSession for the terminating structures of a family. It returns nil if the
// family has no such structure.
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
	// Each check can be switched off, so no check may remove sources of a read or values out of
	// thin air for good.
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

// Conflicts returns the number of conflicts of all searches together.
func (w *Session) Conflicts() int { return w.Solver.Conflicts }

// Sought describes the candidates to find: they pass the guards and end in states that the query
// asks for.
type Sought struct {
	// a check always has the same group or none; there are at most as many groups as checks
	Guards    plan.Guards
	Most      int // bounds the candidates
	Conflicts int // bounds the conflicts for one more candidate
	// Wants is called with the final state of each candidate and the group of checks that it fails,
	// or 0, before its witness is built. If it returns false, Find skips all candidates with that
	// state and group.
	Wants func(end []event.Value, group int) bool
	// Visit is called with each candidate that is wanted.
	Visit func(end []event.Value, group int, w *engine.Witness)
}

// Find visits candidates that differ in reads-from or in the final state. complete reports whether
// it found all candidates that are wanted. It is false where values may come out of thin air.
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
				return false, b.Err() // a candidate that package enumerate rejects is not an error
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

// next solves for the literals. It returns Unknown when the conflicts reach last or the budget
// ends.
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

// guard returns the literals that enforce the guards.
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

// unlessSpared returns a literal that implies that a check holds or its group is spared.
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

// failing returns the spared group of the solver's solution, or 0.
func (w *Session) failing(g plan.Guards) int {
	for group := 1; g.Groups() > 0 && group < len(w.spared); group++ {
		if w.Value(w.spared[group]) {
			return group
		}
	}
	return 0
}

// ringlessly returns the literals that rule out values out of thin air. air reports whether a
// candidate that passes the checks may have such a value, in whatever state; that value may be
// unknown here.
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

// forget adds a clause: where the literal holds, reads-from or the final state differs from the
// solver's solution.
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

// other adds a clause: where the literal holds, the final state differs or the group (unless 0) is
// not spared.
func (w *Session) other(where sat.Lit, values []event.Value, group int) {
	lits := append(w.differs(values), where.Not())
	if group > 0 {
		lits = append(lits, w.spared[group].Not())
	}
	w.Add(lits...)
}

// differs returns literals; one of them holds if the final state is another.
func (w *Session) differs(values []event.Value) (lits []sat.Lit) {
	for i, v := range values {
		lits = append(lits, w.value(i).has(w.circuit, v).Not())
	}
	return lits
}
