package axiomatic

import (
	"cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// encoding is the consistent executions of a structure as clauses. The clauses of reads-from and
// values come first, then those of the model: its choices and checks.
type encoding struct {
	*values
	co     plan.Slot
	guards plan.Guards
	on     []sat.Lit // by check: a literal that implies that it passes; nil if the guards are fixed
	air    sat.Lit   // implied if no value depends on itself: see thinAir
	// grounded caches, by guards, whether the required checks rule out values that depend on
	// themselves (air.go).
	grounded map[string]bool
	later    []func()         // adds clauses that need the literals of co
	classes  symmetry.Classes // of interchangeable threads; nil if the threads must be told apart
}

// encode makes the clauses of the values. It sets beyond if there are too many values.
func encode(b *engine.Budget, p *plan.Plan, u *union, guards plan.Guards, q *Query) *encoding {
	values := func(never *rel.Rel) *values {
		c := newCircuit(b, p, u)
		c.whole = cmp.Or(q.PartsAfter, fewCombinations)
		return c.findValues(never)
	}
	v := values(nil).sifted(p, guards, q.SiftAfter, values)
	return newEncoding(v, guards)
}

// newEncoding is encode after the values have been found.
func newEncoding(v *values, guards plan.Guards) *encoding {
	e := &encoding{values: v, guards: guards}
	e.Input = e.bindInput
	if !e.beyond {
		e.constrain()
	}
	return e
}

// model makes the clauses of the model, then those that had to wait for it.
func (e *encoding) model() {
	e.rules()
	e.thinAir()
	for _, say := range e.later {
		say()
	}
	e.keepPlaces()
	e.drain()
}

// rules makes the clauses of the model's choices and checks.
func (e *encoding) rules() {
	e.co = e.Plan.Choices[e.Plan.Coherence()].Slot
	for i := range e.Plan.Choices {
		e.orders = append(e.orders, e.newOrder(&e.Plan.Choices[i], e.graphs))
	}
	for _, o := range e.orders {
		o.constrain()
	}
	for i := range e.Plan.Checks {
		switch {
		case e.on != nil:
			e.on[i] = e.NewVar()
			e.require(&e.Plan.Checks[i], e.on[i])
		case e.guards.Of(i) == plan.Required:
			e.require(&e.Plan.Checks[i], e.yes)
		}
	}
}

// coherence returns the order of the choice that is coherence.
func (e *encoding) coherence() *order { return e.orders[e.Plan.Def(e.co).X] }

// bindInput makes the literals of an input of the plan and returns its bounds.
func (e *encoding) bindInput(in plan.Input) bounds.Span {
	x := &event.Execution{Structure: e.s.Structure}
	switch {
	case in.Name == "rf":
		return e.bindRel(in.Slot, func(w, r event.ID) sat.Lit { return e.readsFrom(r, w) })
	case in.Of == 0 && in.Set:
		s, _ := x.Set(in.Name)
		return bounds.Exact(rel.Identity(s))
	case in.Of == 0:
		r, _ := x.Rel(in.Name)
		return bounds.Exact(r)
	case in.Set:
		return e.bindSet(in)
	}
	return e.bindRel(in.Slot, e.witnessRel(in.Name))
}

// readsFrom returns the literal that r reads from w.
func (e *encoding) readsFrom(r, w event.ID) sat.Lit {
	if e.rf[r] == nil || e.rf[r][w] == 0 {
		return e.no
	}
	return e.rf[r][w]
}

// bindRel sets the literals of an input and returns its bounds.
func (e *encoding) bindRel(s plan.Slot, f func(a, b event.ID) sat.Lit) bounds.Span {
	lits := make([]sat.Lit, e.N*e.N)
	sp := bounds.Span{Lo: rel.New(e.N), Hi: rel.New(e.N)}
	for a := range e.N {
		for b := range e.N {
			l := f(a, b)
			lits[a*e.N+b] = l
			if l != e.no {
				sp.Hi.Add(a, b)
			}
			if l == e.yes {
				sp.Lo.Add(a, b)
			}
		}
	}
	e.given[s] = func(a, b event.ID) sat.Lit { return lits[a*e.N+b] }
	return sp
}

// witnessRel returns the literals of a relation that depends on locations. It sets beyond for an
// unknown relation.
func (e *encoding) witnessRel(name string) func(a, b event.ID) sat.Lit {
	locs := e.s.Locs
	place := func(same func(x, y event.Loc) bool) func(a, b event.ID) sat.Lit {
		return func(a, b event.ID) sat.Lit {
			switch {
			case !e.s.Events[a].IsMem() || !e.s.Events[b].IsMem():
				return e.no
			case a == b:
				return e.yes
			case b < a:
				a, b = b, a
			}
			if l := e.where(a, b, same); l != e.yes {
				return e.both(l, e.areThere(a, b))
			}
			return e.yes // callers ask only about present events
		}
	}
	physical := func(x, y event.Loc) bool { return event.Physical(locs, x) == event.Physical(locs, y) }
	switch name {
	case "loc":
		return place(physical)
	case "vloc":
		return place(func(x, y event.Loc) bool { return event.Virtual(locs, x) == event.Virtual(locs, y) })
	case "co0":
		at := place(physical)
		return func(a, b event.ID) sat.Lit {
			if !e.s.Events[a].IsInit() || e.s.Events[b].IsInit() || e.s.Events[b].Kind != event.Write {
				return e.no
			}
			return at(a, b)
		}
	}
	if is, ok := e.s.Reach(name); ok {
		return e.reach(is)
	}
	e.beyond = true
	return func(event.ID, event.ID) sat.Lit { return e.no }
}

// reach returns the literals of a relation from events to accesses that depends on the location of
// the access.
func (e *encoding) reach(is event.Reach) func(a, b event.ID) sat.Lit {
	ways := map[[2]event.ID][]sat.Lit{}
	for b := range e.at {
		for i, l := range e.at[b].values {
			for a := range is(e.s.Structure, e.physical(l)).All() {
				ways[[2]event.ID{a, b}] = append(ways[[2]event.ID{a, b}], e.at[b].lits[i])
			}
		}
	}
	return func(a, b event.ID) sat.Lit { return e.any(ways[[2]event.ID{a, b}]) }
}

// bindSet makes the literals of an input that is a set that depends on locations. Membership of an
// access depends on its own location alone.
func (e *encoding) bindSet(in plan.Input) bounds.Span {
	e.beyond = e.beyond || in.Of != plan.VarOf(plan.Places)
	lits := make([]sat.Lit, e.N)
	for a := range e.N {
		lits[a] = e.no
	}
	add := func(a event.ID, l event.Loc, when sat.Lit) {
		x := &event.Execution{Structure: e.s.Structure, Loc: make([]event.Loc, e.N), Rf: make([]event.ID, e.N), Co: rel.New(e.N)}
		for b := range x.Loc {
			x.Loc[b] = event.NoLoc
		}
		x.Loc[a] = l
		if s, ok := x.Set(in.Name); ok && s.Has(a) {
			lits[a] = e.any([]sat.Lit{lits[a], when})
		}
	}
	for a := range e.N {
		if !e.s.Events[a].IsMem() {
			add(a, event.NoLoc, e.yes)
		}
		for i, x := range e.at[a].values {
			add(a, e.physical(x), e.at[a].lits[i])
		}
	}
	return e.bindRel(in.Slot, func(a, b event.ID) sat.Lit {
		if a != b {
			return e.no
		}
		return lits[a]
	})
}

// require adds clauses: the check passes if a literal holds.
func (e *encoding) require(c *plan.Check, when sat.Lit) {
	hi := e.Span(c.X).Hi
	switch {
	case c.Negated:
		e.Add(e.fails(c), when.Not())
	case c.Test == plan.Acyclic:
		e.acyclic(c.X, when)
	default:
		for a, b := range hi.Pairs() {
			if c.Test == plan.IsEmpty || a == b {
				e.Add(e.lit(c.X, a, b, up).Not(), when.Not())
			}
		}
	}
}

// fails returns a literal that implies that the test of a check, without its negation, does not
// hold.
func (e *encoding) fails(c *plan.Check) sat.Lit {
	hi := e.Span(c.X).Hi
	if c.Test == plan.Acyclic {
		return e.cyclic(hi, func(a, b event.ID) sat.Lit { return e.lit(c.X, a, b, down) })
	}
	var some []sat.Lit
	for a, b := range hi.Pairs() {
		if c.Test == plan.IsEmpty || a == b {
			some = append(some, e.lit(c.X, a, b, down))
		}
	}
	return e.any(some)
}

// acyclic makes a value acyclic where a literal holds. Only pairs on a possible cycle get literals.
func (e *encoding) acyclic(x plan.Slot, when sat.Lit) {
	g := e.graphs.add(e.N)
	for a, b := range onCycles(e.Span(x).Hi).Pairs() {
		l := e.lit(x, a, b, up)
		if when != e.yes {
			l = e.both(l, when)
		}
		g.edge(e.circuit, a, b, l)
	}
}

// onCycles returns the pairs of a relation that are part of a cycle.
func onCycles(r rel.Rel) rel.Rel {
	return r.Inter(r.Star().Inverse())
}

// cyclic returns a literal that implies that a relation has a cycle: some pairs are chosen, and
// each chosen pair is followed by another.
func (e *encoding) cyclic(hi rel.Rel, lit func(a, b event.ID) sat.Lit) sat.Lit {
	pairs := onCycles(hi)
	chosen := map[[2]event.ID]sat.Lit{}
	var all []sat.Lit
	for a, b := range pairs.Pairs() {
		l := e.NewVar()
		chosen[[2]event.ID{a, b}] = l
		all = append(all, l)
		e.Add(l.Not(), lit(a, b))
	}
	for a, b := range pairs.Pairs() {
		next := []sat.Lit{chosen[[2]event.ID{a, b}].Not()}
		for d := range pairs.Row(b).All() {
			next = append(next, chosen[[2]event.ID{b, d}])
		}
		e.Add(next...)
	}
	return e.any(all)
}
