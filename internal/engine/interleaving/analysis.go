package interleaving

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
)

// An interleaving puts all events in an order: initial writes first, each thread in program order, nothing between
// the two accesses of an atomic. A read reads from the last write before it, and coherence is the order of the writes.

// value is what is known of a value of the plan. A set is the identity on its elements.
type value struct {
	bounds.Span
	by basics

	// In an interleaving the value is part of may, and its pairs but those of loose lead forward, or from an
	// event to itself.
	may, loose rel.Rel
}

func (v *value) equal(w *value) bool {
	same := v.may.Equal(w.may) && v.loose.Equal(w.loose)
	for b := range v.by {
		same = same && v.by[b].Equal(w.by[b])
	}
	return same
}

// analysis is what is known of the values of a plan.
type analysis struct {
	*shape
	*bounds.Bounds
	budget  *engine.Budget
	program *bounds.Program
	values  []value // by slot
	first   rel.Rel // pairs that lead forward in every interleaving
	co, rf  plan.Slot
	none    rel.Rel
	beyond  bool // something is not known here, or not in time
	chooses bool // the model chooses more than coherence
}

// newAnalysis looks at all values of a plan. Those of thousands of events take minutes.
func newAnalysis(b *engine.Budget, p *bounds.Program, sh *shape) *analysis {
	a := &analysis{
		budget: b, shape: sh, Bounds: bounds.New(p, sh.N()), program: p, values: make([]value, p.Plan.Slots()),
		first: sh.Po.Plus(), none: rel.New(sh.N()), co: -1, rf: -1,
	}
	for e := range sh.Events {
		for f := range sh.Events {
			if sh.Events[e].IsInit() && !sh.Events[f].IsInit() {
				a.first.Add(e, f)
			}
		}
	}
	a.Input = a.bindInput
	for _, c := range p.Plan.Choices {
		if c.Name == "co" {
			a.co = c.Slot
		}
	}
	for _, in := range p.Plan.Inputs {
		if a.Span(in.Slot); in.Name == "rf" {
			a.rf = in.Slot
		}
		a.values[in.Slot] = a.input(in)
	}
	if !a.beyond {
		a.run(p.Plan.Steps())
	}
	return a
}

// bindInput gives an input its bounds.
func (a *analysis) bindInput(in plan.Input) {
	x := a.execution()
	switch places := plan.VarOf(plan.Places); {
	case in.Name == "rf":
		may := rel.New(a.N)
		for w := range a.Events {
			for r := range a.Events {
				if a.Events[w].Kind == event.Write && a.Events[r].Kind == event.Read && a.loc[w] == a.loc[r] {
					may.Add(w, r)
				}
			}
		}
		a.Bind(in.Slot, bounds.Span{Lo: rel.New(a.N), Hi: may})
	case in.Of&^places != 0:
		a.beyond = true
		a.Bind(in.Slot, bounds.Exact(rel.New(a.N)))
	case in.Set:
		s, _ := x.Set(in.Name)
		a.Bind(in.Slot, bounds.Exact(rel.Identity(s)))
	default:
		r, _ := x.Rel(in.Name)
		a.Bind(in.Slot, bounds.Exact(r))
	}
}

// input is what is known of an input.
func (a *analysis) input(in plan.Input) value {
	v := value{Span: *a.Span(in.Slot), by: a.nothing(), loose: a.none}
	if v.may = v.Hi; in.Name == "rf" {
		v.by[readsFrom] = v.Hi
	} else {
		v.loose = v.Hi
	}
	return a.tidy(v)
}

// run looks at the values of steps, in order.
func (a *analysis) run(steps []plan.Step) {
	for i := range steps {
		if a.beyond = a.beyond || a.budget.Err() != nil; a.beyond {
			return
		}
		switch s := &steps[i]; s.Op {
		case plan.OpFixpoint:
			a.fixpoint(s)
		case plan.OpChoice:
			a.values[s.Dst] = a.choice(s)
		default:
			a.values[s.Dst] = a.step(s)
		}
	}
}

// fixpoint looks at the values of a fixpoint, from below.
func (a *analysis) fixpoint(s *plan.Step) {
	for _, r := range s.Reached {
		a.values[r] = value{Span: *a.Span(r), by: a.nothing(), may: a.none, loose: a.none}
	}
	for changed := true; changed; {
		changed = false
		if a.run(s.Body); a.beyond {
			return
		}
		for i, r := range s.Reached {
			next := a.values[s.Next[i]]
			changed = changed || !next.equal(&a.values[r])
			a.values[r] = next
		}
	}
}

// choice looks at what the model chooses.
func (a *analysis) choice(s *plan.Step) value {
	v := value{Span: *a.Span(s.Dst), by: a.nothing(), loose: a.none}
	if v.may = v.Hi; s.Dst == a.co {
		v.by[coherence] = v.Hi
	} else {
		a.chooses = a.chooses || !v.Hi.Empty()
	}
	return a.tidy(v)
}

// step looks at the value of an operation.
func (a *analysis) step(s *plan.Step) value {
	v := value{Span: *a.Span(s.Dst)}
	var x, y *value
	if s.X >= 0 {
		x = &a.values[s.X]
	}
	if s.Y >= 0 {
		y = &a.values[s.Y]
	}
	v.by = a.forced(s, x, y)
	if v.Lo.Equal(v.Hi) {
		v.may, v.loose = v.Hi, v.Hi
	} else {
		v.may, v.loose = a.reached(s, &v, x, y)
	}
	return a.tidy(v)
}

// tidy takes out what cannot be: a pair that leads forward, and its inverse does, too.
func (a *analysis) tidy(v value) value {
	v.loose = v.loose.Diff(a.first)
	for e := range a.N {
		v.loose.Remove(e, e)
	}
	v.may = v.may.Inter(v.Hi).Diff(a.first.Inverse().Diff(v.loose))
	v.loose = v.loose.Inter(v.may)
	return v
}

// isFromRead reports that a step is rf^-1; co.
func (a *analysis) isFromRead(s *plan.Step) bool {
	d := a.program.Defs[s.X]
	return s.Op == relop.Seq && s.Y == a.co && a.co >= 0 && d != nil && d.Op == relop.Inverse && d.X == a.rf
}

// raised finds the reports that every interleaving raises, if all raise the same.
func (a *analysis) raised() (raised []bool, ok bool) {
	for i := range a.Plan.Reports {
		c := &a.Plan.Reports[i]
		v := &a.values[c.X]
		passes := a.passes(c)
		if !passes {
			if !v.Lo.Equal(v.Hi) {
				return nil, false
			}
			passes = holds(c, &v.Span)
		}
		raised = append(raised, (passes != c.Negated) != c.Undefined)
	}
	return raised, true
}

// allows reports that every interleaving is consistent, and that there is one way to choose coherence for each
// order of the writes.
func (a *analysis) allows() bool {
	i := slices.IndexFunc(a.Plan.Choices, func(c plan.Choice) bool { return c.Slot == a.co })
	if i < 0 || a.Plan.Choices[i].Family != plan.Completions {
		return false
	}
	here := rel.NewSet(a.N, append(slices.Clone(a.writes), a.init)...)
	for _, arg := range a.Plan.Choices[i].Args {
		if !a.values[arg].may.SubsetOf(rel.Product(here, here).Opt()) {
			return false
		}
	}
	must := &a.values[a.Plan.Choices[i].Args[1]]
	if !must.loose.Empty() || !must.may.Irreflexive() {
		return false
	}
	for i := range a.Plan.Checks {
		if c := &a.Plan.Checks[i]; c.Negated || !a.passes(c) {
			return false
		}
	}
	return true
}

// passes reports that a test passes in every interleaving, without its negation.
func (a *analysis) passes(c *plan.Check) bool {
	v := &a.values[c.X]
	switch c.Test {
	case plan.Acyclic:
		return v.may.Irreflexive() && v.loose.Empty() || v.may.Acyclic()
	case plan.Irreflexive:
		return v.may.Irreflexive()
	}
	return v.may.Empty()
}
