package observedreport

import (
	"slices"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/viz"
)

// String returns the state as logs write it, or the condition.
func (o *Outcome) String() string {
	if o.Condition {
		return o.Test.Condition
	}
	return o.State.String()
}

// Unsound reports whether a chip showed the outcome although the model forbids it.
func (o *Outcome) Unsound() bool {
	return slices.ContainsFunc(o.Cells, func(c Cell) bool { return c.Standing == observe.Unsound })
}

// Counted returns how often chips that the model covers showed the outcome, and in how many
// instances.
func (o *Outcome) Counted() (seen, instances int64) {
	for _, c := range o.Cells {
		if c.Standing != observe.Outside {
			seen += c.Count
			instances += c.Instances
		}
	}
	return seen, instances
}

// Unseen reports whether the model allows the outcome and no chip that it covers has shown it,
// although some ran the test.
func (o *Outcome) Unseen() bool {
	seen, instances := o.Counted()
	return o.Says == sim.Allowed && seen == 0 && instances > 0
}

// Refused reports whether the model forbids the outcome and no chip that it covers has shown it,
// although some ran the test.
func (o *Outcome) Refused() bool {
	seen, instances := o.Counted()
	return o.Says == sim.Forbidden && seen == 0 && instances > 0
}

// Upper returns the upper bound of the rate of the outcome on the chips that ran the test.
func (o *Outcome) Upper() float64 {
	seen, instances := o.Counted()
	return observe.UpperBound(seen, instances, observe.Confidence)
}

// Question returns a test that asks for this outcome alone, in order to explain it.
func (o *Outcome) Question() (*src.File, error) {
	if o.Condition {
		return o.Test.Source, nil
	}
	t, err := frontends.Shipped().Parse(o.Test.Source)
	if err != nil {
		return nil, err
	}
	refs := t.Observables()
	t.Cond = litmus.Cond{Prop: litmus.Truth(true)}
	for i, r := range refs {
		var is litmus.Prop = litmus.Atom{X: litmus.Operand{Ref: &r}, Y: litmus.Operand{Const: o.State.Values[i].Value}}
		if i > 0 {
			is = litmus.Binary{Op: litmus.And, X: t.Cond.Prop, Y: is}
		}
		t.Cond.Prop = is
	}
	return src.NewFile(t.File.Name, t.String()), nil
}

// Graph returns an execution that ends in the outcome, which the model forbids and an explanation
// covers, or nil.
func (o *Outcome) Graph() (*viz.Graph, error) {
	if len(o.Explanation.Outcomes) == 0 {
		return nil, nil
	}
	m := o.Test.Model
	return picture.Telling(o.Explanation, m.Name, "", m.Model, nil)
}

// Unsound lists the outcomes that were seen and the model forbids.
func (r *Report) Unsound() []*Outcome {
	return r.outcomes((*Outcome).Unsound)
}

// Unseen lists the outcomes that the model allows and that were not seen.
func (r *Report) Unseen() []*Outcome {
	return r.outcomes((*Outcome).Unseen)
}

// Tally counts the outcomes seen on chips that a model covers, by their standing.
func (r *Report) Tally(m *models.Model) map[observe.Standing]int {
	n := map[observe.Standing]int{}
	says := map[sim.Outcome]observe.Standing{
		sim.Allowed:   observe.Sound,
		sim.Forbidden: observe.Unsound,
		sim.Unknown:   observe.Unknown,
		sim.Undefined: observe.Outside,
	}
	for _, o := range r.outcomes(func(o *Outcome) bool { return o.Test.Model == m }) {
		if seen, _ := o.Counted(); seen > 0 {
			n[says[o.Says]]++
		}
	}
	return n
}

func (r *Report) outcomes(which func(*Outcome) bool) []*Outcome {
	var all []*Outcome
	for _, t := range r.Tests {
		for _, o := range t.Outcomes {
			if which(o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// Sighting is the count of an outcome on one chip.
type Sighting struct {
	*Cell
	Device *Device
	Later  bool // not the first in its list
}

// Sightings lists the chips that showed the outcome.
func (o *Outcome) Sightings(devices []*Device) []Sighting {
	var all []Sighting
	for i := range o.Cells {
		if o.Cells[i].Count > 0 {
			all = append(all, Sighting{&o.Cells[i], devices[i], len(all) > 0})
		}
	}
	return all
}

// Family sums up, for the tests of one shape that chips ran, what models allow and what chips have
// shown.
type Family struct {
	Name    string
	Members []*Test
	Allowed int        // outcomes that the model allows
	Unseen  []*Outcome // the part of them that no chip has shown
	// of Allowed, the outcomes that conditions ask for; and of these, those that were seen
	Asked, AskedSeen int
	Looked           // for Unseen
	// outcomes that conditions ask for and the model forbids, and no chip has shown
	Refused       []*Outcome
	RefusedLooked Looked // for Refused
}

// Looked is how thoroughly unseen outcomes were looked for.
type Looked struct {
	Runs  int64   // the fewest instances in which one was not seen, or 0
	Upper float64 // the upper bound of the rate of that outcome, or 0
}

func (l *Looked) add(o *Outcome) {
	_, instances := o.Counted()
	l.Upper = max(l.Upper, o.Upper())
	if l.Runs == 0 || instances < l.Runs {
		l.Runs = instances
	}
}

// Families lists the families of the tests, in the order of their first tests.
func (r *Report) Families() []*Family {
	var all []*Family
	index := map[string]*Family{}
	for _, t := range r.Tests {
		f := index[t.Family]
		if f == nil {
			f = &Family{Name: t.Family}
			index[t.Family] = f
			all = append(all, f)
		}
		f.take(t)
	}
	return all
}

// take adds a test. It ignores outcomes that no chip looked for, and outcomes that the model does
// not cover.
func (f *Family) take(t *Test) {
	f.Members = append(f.Members, t)
	for _, o := range t.Outcomes {
		if o.AskedFor && o.Refused() {
			f.Refused = append(f.Refused, o)
			f.RefusedLooked.add(o)
		}
		seen, instances := o.Counted()
		if o.Says != sim.Allowed || instances == 0 {
			continue
		}
		f.Allowed++
		if o.AskedFor {
			f.Asked++
		}
		switch {
		case seen == 0:
			f.Unseen = append(f.Unseen, o)
			f.Looked.add(o)
		case o.AskedFor:
			f.AskedSeen++
		}
	}
}

// Example returns the test that represents the family: the first whose weak outcome was seen, or
// else the first.
func (f *Family) Example() *Test {
	i := slices.IndexFunc(f.Members, func(t *Test) bool {
		return slices.ContainsFunc(t.Outcomes, func(out *Outcome) bool {
			seen, _ := out.Counted()
			return out.AskedFor && seen > 0 && out.Says == sim.Allowed
		})
	})
	return f.Members[max(i, 0)]
}
