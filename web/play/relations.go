package play

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/wire"
)

// relations lists the relations in a picture, then those that the request hides, then all others
// that can be shown.
func relations(g *viz.Graph, m *loadedModel, r *request) []wire.Relation {
	var all []wire.Relation
	add := func(name string, drawn bool) {
		if !slices.ContainsFunc(all, func(x wire.Relation) bool { return x.Name == name }) {
			x := m.relation(name)
			x.Drawn = drawn
			all = append(all, x)
		}
	}
	for _, d := range g.Drawn() {
		add(d.Label, true)
	}
	for _, name := range r.Hide {
		add(name, false)
	}
	for _, d := range m.summary.Definitions {
		if m.canShow(d.Name) {
			add(d.Name, false)
		}
	}
	for _, name := range sim.Vocabulary().Rels() {
		if m.canShow(name) {
			add(name, false)
		}
	}
	return all
}

// relation describes a relation: by the model's definition, or else by the meaning of a base name.
func (m *loadedModel) relation(name string) wire.Relation {
	known := sim.Vocabulary().Get(name)
	x := wire.Relation{Name: name, Kind: known.Family.String(), Definition: known.Meaning}
	for _, d := range m.summary.Definitions {
		if d.Name == name {
			at := rangeOf(d.At)
			x.Definition, x.File, x.Line = name+" = "+body(d.At.Text()), at.File, at.Line
		}
	}
	return x
}

// body returns the right side of a definition, on one line.
func body(definition string) string {
	_, b, ok := strings.Cut(definition, "=")
	if !ok {
		b = definition
	}
	return strings.Join(strings.Fields(b), " ")
}

// canShow reports whether a name is a relation that the model defines or may use.
func (m *loadedModel) canShow(name string) bool {
	for _, d := range m.summary.Definitions {
		if d.Name == name {
			return d.Type == "a relation" || d.Type == "a set of events"
		}
	}
	isChosen := slices.Contains(m.summary.Choices, name)
	n := sim.Vocabulary().Find(name)
	return n != nil && !n.Set && !n.Chosen && (isChosen || !m.Lacks(*n))
}
