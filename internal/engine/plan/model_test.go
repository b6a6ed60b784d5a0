package plan

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

// inputs are those of random models: two of each kind that the program decides, and one
// for each other variable.
var inputs = []Input{
	{Name: "po", Of: 0},
	{Name: "ext", Of: 0},
	{Name: "loc", Of: VarOf(Places)},
	{Name: "rf", Of: VarOf(Rf)},
	{Name: "W", Set: true, Of: 0},
	{Name: "F", Set: true, Of: 0},
	{Name: "Global", Set: true, Of: VarOf(Places)},
	{Name: "Read", Set: true, Of: VarOf(Rf)},
}

// A model is a random plan with the terms that it was made from.
type model struct {
	*Plan
	checks, reports []*term
	args            [][2]*term // of the choices
}

// newDrawer is a drawer of terms of the inputs, and the scope in which they have nodes.
func newDrawer(t *rapid.T) (*drawer, *scope) {
	d, s := &drawer{T: t}, &scope{NewBuilder(), map[string]Node{}}
	for _, in := range inputs {
		d.leaves = append(d.leaves, named(in.Name, in.Set))
		s.names[in.Name] = s.Input(in.Name, in.Set, in.Of)
	}
	return d, s
}

// drawModel draws a model with checks and reports before, between and after its choices.
func drawModel(t *rapid.T) *model {
	d, s := newDrawer(t)
	m := &model{}
	m.drawTests(d, s)
	for i := range d.below(3, "choices") {
		m.drawChoice(d, s, i)
		m.drawTests(d, s)
	}
	m.Plan = s.Plan()
	return m
}

func (m *model) drawTests(d *drawer, s *scope) {
	for range d.below(3, "checks") {
		x, test := d.test()
		s.Check(x.text, test, rapid.Bool().Draw(d.T, "negated"), x.node(s))
		m.checks = append(m.checks, x)
	}
	for range d.below(3, "reports") {
		x, test := d.test()
		s.Report(x.text, test, rapid.Bool().Draw(d.T, "negated"), x.node(s), rapid.Bool().Draw(d.T, "undefined"))
		m.reports = append(m.reports, x)
	}
}

// test draws a test and what it is of.
func (d *drawer) test() (*term, Test) {
	test := rapid.SampledFrom([]Test{Acyclic, Irreflexive, IsEmpty}).Draw(d.T, "test")
	return d.term(test == IsEmpty && d.below(3, "of a set") == 0, 4), test
}

// families are those of choices, and whether the second argument is a set.
var families = map[Family]bool{Completions: false, PartialOrders: false, Orientations: false, Linearisations: true}

func (m *model) drawChoice(d *drawer, s *scope, i int) {
	f := rapid.SampledFrom([]Family{Completions, PartialOrders, Orientations, Linearisations}).Draw(d.T, "family")
	args := [2]*term{d.term(false, d.below(3, "depth")), d.term(families[f], d.below(3, "depth"))}
	name := fmt.Sprint("choice", i)
	s.names[name] = s.Choose(name, f, args[0].node(s), args[1].node(s))
	d.leaves = append(d.leaves, named(name, false), named(name, false))
	m.args = append(m.args, args)
}

// drawWorld draws inputs and choices. Of the choices only that matters here that nothing
// can be chosen from nothing.
func (m *model) drawWorld(t *rapid.T, n int) *world {
	w := &world{n, map[string]value{}}
	for v := range m.Stages() {
		m.redraw(t, w, v)
	}
	return w
}

// redraw draws what becomes known when a stage begins.
func (m *model) redraw(t *rapid.T, w *world, stage int) {
	for _, in := range inputs {
		if in.Of.stage() == stage {
			w.values[in.Name] = drawInput(t, w.n, in)
		}
	}
	if i := stage - FirstChoice.Stage(); i >= 0 {
		w.values[m.Choices[i].Name] = relation(m.drawChosen(t, w, i))
	}
}

func drawInput(t *rapid.T, n int, in Input) value {
	switch {
	case rapid.IntRange(0, 2).Draw(t, in.Name+" is empty") == 0:
		return value{rel.New(n), rel.NewSet(n)}
	case in.Set:
		return events(drawSet(t, n, in.Name))
	}
	return relation(drawRel(t, n, in.Name))
}

func (m *model) drawChosen(t *rapid.T, w *world, i int) rel.Rel {
	chosen := drawRel(t, w.n, m.Choices[i].Name)
	x, y := m.args[i][0].value(w), m.args[i][1].value(w)
	switch m.Choices[i].Family {
	case Completions:
		return chosen.Inter(x.rel.Union(x.rel.Inverse()).Union(y.rel).Plus())
	case PartialOrders:
		return chosen.Inter(x.rel.Union(y.rel).Plus())
	case Orientations:
		return chosen.Inter(x.rel.Union(x.rel.Inverse()))
	}
	return chosen
}

// fill puts what a stage needs into a frame.
func (m *model) fill(f *Frame, w *world, stage int) {
	for _, in := range m.Inputs {
		if in.Of.stage() == stage {
			copy(f.value(in.Slot), w.values[in.Name].words(in.Set))
		}
	}
	if i := stage - FirstChoice.Stage(); i >= 0 {
		copy(f.Rel(m.Choices[i].Slot), w.values[m.Choices[i].Name].rel.Words())
	}
}

// compute fills and computes stages.
func (m *model) compute(f *Frame, w *world, from, to int) {
	for stage := from; stage < to; stage++ {
		m.fill(f, w, stage)
		f.Compute(stage)
	}
}

// holds is a check as package rel decides it.
func holds(c *Check, x value) bool {
	var ok bool
	switch {
	case c.Test == Acyclic:
		ok = x.rel.Acyclic()
	case c.Test == Irreflexive:
		ok = x.rel.Irreflexive()
	case c.Set:
		ok = x.set.Empty()
	default:
		ok = x.rel.Empty()
	}
	return ok != c.Negated
}
