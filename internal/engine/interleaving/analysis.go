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

// An interleaving puts all events in an order: initial writes first, each thread in program order,
// nothing between the two accesses of an atomic. A read reads from the last write before it, and
// coherence is the order of the writes.

// value is what is known of a value of the plan. A set is the identity on its elements.
type value struct {
	bounds.Span
	by basics

	// In an interleaving the value is part of may, and its pairs but those of loose lead forward,
	// or from an event to itself.
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
	values  *plan.Eval[value]
	first   rel.Rel // pairs that lead forward in every interleaving
	co, rf  plan.Slot
	none    rel.Rel
	beyond  bool // something is not known here, or not in time
	chooses bool // the model chooses more than coherence
}

// newAnalysis looks at all values of a plan. Those of thousands of events take minutes.
func newAnalysis(b *engine.Budget, p *plan.Plan, sh *shape) *analysis {
	a := &analysis{
		budget: b, shape: sh, Bounds: bounds.New(p, sh.N()),
		first: sh.Po.Plus(), none: rel.New(sh.N()), co: -1, rf: -1,
	}
	for e := range sh.Events {
		for f := range sh.Events {
			if sh.Events[e].IsInit() && !sh.Events[f].IsInit() {
				a.first.Add(e, f)
			}
		}
	}
	a.Input = a.inputSpan
	a.values = plan.NewEval(p, plan.Domain[value](domain{a}))
	for _, c := range p.Choices {
		if c.Name == "co" {
			a.co = c.Slot
		}
	}
	for _, in := range p.Inputs {
		if in.Name == "rf" {
			a.rf = in.Slot
		}
	}
	for s := range p.Slots() {
		if !a.over() {
			a.known(plan.Slot(s))
		}
	}
	return a
}

// known is what is known of a value.
func (a *analysis) known(s plan.Slot) *value { return a.values.Value(s) }

// over takes as many steps as there are events, and reports whether what is left of the analysis is
// of no use.
func (a *analysis) over() bool {
	a.beyond = a.beyond || !a.budget.Spend(a.N)
	return a.beyond
}

// inputSpan returns the bounds of an input.
func (a *analysis) inputSpan(in plan.Input) bounds.Span {
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
		return bounds.Span{Lo: rel.New(a.N), Hi: may}
	case in.Of&^places != 0:
		a.beyond = true
		return bounds.Exact(rel.New(a.N))
	case in.Set:
		s, _ := x.Set(in.Name)
		return bounds.Exact(rel.Identity(s))
	}
	r, _ := x.Rel(in.Name)
	return bounds.Exact(r)
}

// domain computes what is known of values.
type domain struct{ *analysis }

func (d domain) Input(in plan.Input) value {
	v := value{Span: *d.Span(in.Slot), by: d.nothing(), loose: d.none}
	if v.may = v.Hi; in.Name == "rf" {
		v.by[readsFrom] = v.Hi
	} else {
		v.loose = v.Hi
	}
	return d.tidy(v)
}

func (d domain) Choice(number int) value {
	slot := d.Plan.Choices[number].Slot
	v := value{Span: *d.Span(slot), by: d.nothing(), loose: d.none}
	if v.may = v.Hi; slot == d.co {
		v.by[coherence] = v.Hi
	} else {
		d.chooses = d.chooses || !v.Hi.Empty()
	}
	return d.tidy(v)
}

func (d domain) Bottom(s plan.Slot) value {
	return value{Span: *d.Span(s), by: d.nothing(), may: d.none, loose: d.none}
}

// Equal ends a fixpoint when the analysis is over, too.
func (d domain) Equal(v, w value) bool { return d.over() || v.equal(&w) }

func (d domain) Apply(s *plan.Step, x, y value) value {
	if d.over() {
		return value{}
	}
	v := value{Span: *d.Span(s.Dst), by: d.forced(s, &x, &y)}
	if v.Lo.Equal(v.Hi) {
		v.may, v.loose = v.Hi, v.Hi
	} else {
		v.may, v.loose = d.reached(s, &v, &x, &y)
	}
	return d.tidy(v)
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
	if s.Op != relop.Seq || s.Y != a.co || a.co < 0 {
		return false
	}
	d := a.Plan.Def(s.X)
	return d != nil && d.Op == relop.Inverse && d.X == a.rf
}

// raised finds the reports that every interleaving raises, if all raise the same.
func (a *analysis) raised() (raised []bool, ok bool) {
	for i := range a.Plan.Reports {
		c := &a.Plan.Reports[i]
		v := a.known(c.X)
		passes := a.passes(c)
		if !passes {
			if !v.Lo.Equal(v.Hi) {
				return nil, false
			}
			passes = c.Test.Holds(v.Hi)
		}
		raised = append(raised, (passes != c.Negated) != c.Undefined)
	}
	return raised, true
}

// allows reports that every interleaving is consistent, and that there is one way to choose
// coherence for each order of the writes.
func (a *analysis) allows() bool {
	i := slices.IndexFunc(a.Plan.Choices, func(c plan.Choice) bool { return c.Slot == a.co })
	if i < 0 || a.Plan.Choices[i].Family != plan.Completions {
		return false
	}
	here := rel.NewSet(a.N, append(slices.Clone(a.writes), a.init)...)
	for _, arg := range a.Plan.Choices[i].Args {
		if !a.known(arg).may.SubsetOf(rel.Product(here, here).Opt()) {
			return false
		}
	}
	must := a.known(a.Plan.Choices[i].Args[1])
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
	v := a.known(c.X)
	switch c.Test {
	case plan.Acyclic:
		return v.may.Irreflexive() && v.loose.Empty() || v.may.Acyclic()
	case plan.Irreflexive:
		return v.may.Irreflexive()
	}
	return v.may.Empty()
}
