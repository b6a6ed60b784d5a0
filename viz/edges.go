package viz

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// defaults are the relations that every picture shows, without the pairs that follow by
// transitivity or by convention.
var defaults = []struct {
	name string
	pick func(*event.Execution) rel.Rel
}{
	{"rf", (*event.Execution).RfRel},
	{"co", coSteps},
	{"fr", frSteps},
	{"addr", func(x *event.Execution) rel.Rel { return x.Addr }},
	{"data", func(x *event.Execution) rel.Rel { return x.Data }},
	{"ctrl", ctrlStarts},
	{"rmw", func(x *event.Execution) rel.Rel { return x.Rmw }},
	{"issue", issueSteps},
	{"within", withinSteps},
	{"complete", completeSteps},
	{meets, meetsOthers},
}

// relationOf returns a relation of the execution by name.
func relationOf(x *event.Execution, name string) rel.Rel {
	r, _ := x.Rel(name)
	return r
}

// withinSteps returns the order within asynchronous operations, where no dependency shows it.
func withinSteps(x *event.Execution) rel.Rel {
	return relationOf(x, "within").Reduction().Diff(x.Data).Diff(x.Rmw)
}

// issueSteps returns the pairs of the last event of a thread before an asynchronous operation and
// the first events of the operation.
func issueSteps(x *event.Execution) rel.Rel {
	issue, within := relationOf(x, "issue"), relationOf(x, "within")
	return issue.Diff(x.Po.Compose(issue)).Diff(issue.Compose(within))
}

// completeSteps returns the pairs of the last events of an asynchronous operation and the first
// event of the thread after waiting for it.
func completeSteps(x *event.Execution) rel.Rel {
	complete, within := relationOf(x, "complete"), relationOf(x, "within")
	return complete.Diff(complete.Compose(x.Po)).Diff(within.Compose(complete))
}

// coSteps returns co between neighbours, without initial writes, which come first by convention.
func coSteps(x *event.Execution) rel.Rel {
	inits := rel.SetOf(x.N(), func(e int) bool { return x.Events[e].IsInit() })
	return x.Co.Reduction().Restrict(inits.Complement(), rel.Universe(x.N()))
}

// frSteps returns fr to the write directly after the one that was read, without atomics that
// overwrite what they read, which rmw shows.
func frSteps(x *event.Execution) rel.Rel {
	return x.RfRel().Inverse().Compose(x.Co.Reduction()).Diff(x.Rmw)
}

// ctrlStarts returns control dependencies without those that follow from others: if all events from
// some point on depend on a read, only the first is kept. An asynchronous operation has none if its
// issue depends on the read; otherwise its first events have.
func ctrlStarts(x *event.Execution) rel.Rel {
	before := x.Po.Union(relationOf(x, "issue")).Inverse()
	within := relationOf(x, "within").Inverse()
	return rel.Where(x.N(), func(read, e int) bool {
		controlled := x.Ctrl.Row(read)
		if !controlled.Has(e) || within.Row(e).Intersects(controlled) {
			return false
		}
		for earlier := range before.Row(e).Inter(controlled).All() {
			if x.Po.Row(earlier).SubsetOf(controlled) {
				return false
			}
		}
		return true
	})
}

// innermost returns the pairs of r ⊆ po that enclose no other pair of r: of the accesses that a
// fence separates, the nearest before and the nearest after it.
func innermost(x *event.Execution, r rel.Rel) rel.Rel {
	after := x.Po.Opt()
	before := after.Inverse()
	return rel.Where(x.N(), func(a, b int) bool {
		return r.Has(a, b) && r.Restrict(after.Row(a), before.Row(b)).Len() == 1
	})
}

// steps returns the transitive reduction of r, or r itself if it has cycles.
func steps(r rel.Rel) rel.Rel {
	if r.Acyclic() {
		return r.Reduction()
	}
	return r
}

// IsUsual reports whether pictures show the relation of that name by default.
func IsUsual(name string) bool {
	for _, d := range defaults {
		if d.name == name {
			return true
		}
	}
	return name == "po"
}

// chooseEdges collects the edges of the default relations, the fences, the options and the
// highlighted cycle.
func (g *Graph) chooseEdges(opts Options) []Edge {
	edges := slices.Clone(g.cycle)
	add := func(name string, r rel.Rel) {
		for a, b := range r.Pairs() {
			edges = append(edges, g.edge(Edge{From: a, To: b, Label: name}))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(opts.Show)) {
		add(name, steps(opts.Show[name]))
	}
	if !opts.hides("po") {
		add("po", g.poSteps())
	}
	for _, d := range defaults {
		if !opts.hides(d.name) {
			add(d.name, d.pick(g.x))
		}
	}
	for _, name := range g.fences() {
		if r, ok := g.x.Rel(name); ok && !opts.hides(name) {
			add(name, innermost(g.x, r))
		}
	}
	return slices.DeleteFunc(edges, func(e Edge) bool { return !g.drawn(e.From) || !g.drawn(e.To) || g.isBand(e) })
}

// fences lists the relations of the fences that appear as edges, sorted.
func (g *Graph) fences() []string {
	var names []string
	for i := range g.x.Events {
		if e := &g.x.Events[i]; g.isEdge(e) {
			names = append(names, e.Mnemonic)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// edge returns an edge with the family of its relation.
func (g *Graph) edge(e Edge) Edge {
	e.Family = g.x.Vocab().Get(e.Label).Family
	return e
}

// poSteps returns po between events of the columns, transitively reduced.
func (g *Graph) poSteps() rel.Rel {
	all := rel.SetOf(g.x.N(), g.drawn)
	return g.x.Po.Restrict(all, all).Reduction()
}

// drawn reports whether e can have edges: all events except the omitted fences can.
func (g *Graph) drawn(e event.ID) bool {
	if g.x.Events[e].IsMem() {
		return true
	}
	return slices.ContainsFunc(g.columns, func(c column) bool { return slices.Contains(c.events, e) })
}

// line is an arrow of the picture. It stands for all edges between two events that are drawn alike.
type line struct {
	From, To event.ID
	Parts    []Edge // highlighted ones first, then by family
	label    string // labels of the edges
	ordering bool   // the edges are part of program order
}

func newLine(from, to event.ID, ordering bool, edges []Edge) *line {
	l := &line{From: from, To: to, ordering: ordering, Parts: distinct(edges)}
	labels := make([]string, len(l.Parts))
	for i, e := range l.Parts {
		labels[i] = e.Label
	}
	l.label = strings.Join(labels, ", ")
	return l
}

func (l *line) family() vocab.Family { return l.Parts[0].Family }
func (l *line) highlighted() bool    { return l.Parts[0].Highlight }

// isOrdering reports whether an edge is part of program order (fences, dependencies, …) and so runs
// down a column, unlike communication.
func isOrdering(x *event.Execution, e Edge) bool {
	switch {
	case e.Family.Communicates():
		return false
	case e.Family == vocab.Other, e.Family == vocab.Sync:
		return x.Po.Has(e.From, e.To)
	case e.Family == vocab.Async:
		return x.Events[e.From].Agent == x.Events[e.To].Agent
	}
	return true
}

// mergeEdges groups the edges into lines.
func mergeEdges(x *event.Execution, edges []Edge) []*line {
	type key struct {
		from, to event.ID
		ordering bool
	}
	groups := map[key][]Edge{}
	for _, e := range edges {
		k := key{e.From, e.To, isOrdering(x, e)}
		groups[k] = append(groups[k], e)
	}
	var lines []*line
	for k, parts := range groups {
		lines = append(lines, newLine(k.from, k.to, k.ordering, parts))
	}
	slices.SortStableFunc(lines, func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), a.family().Compare(b.family()))
	})
	return lines
}

// distinct sorts the edges of a line and drops redundant ones.
func distinct(parts []Edge) []Edge {
	slices.SortStableFunc(parts, func(a, b Edge) int {
		if a.Highlight != b.Highlight {
			if a.Highlight {
				return -1
			}
			return 1
		}
		return cmp.Or(a.Family.Compare(b.Family), cmp.Compare(a.Label, b.Label))
	})
	var kept []Edge
	for _, e := range parts {
		if !slices.ContainsFunc(kept, func(k Edge) bool { return says(k, e) }) {
			kept = append(kept, e)
		}
	}
	// A fence or a dependency between neighbours replaces po.
	isPlainPo := func(e Edge) bool { return e.Family == vocab.ProgramOrder && !e.Highlight }
	if slices.ContainsFunc(kept, func(e Edge) bool { return !isPlainPo(e) }) {
		kept = slices.DeleteFunc(kept, isPlainPo)
	}
	return kept
}

// says reports whether edge a makes edge b redundant: they have the same label, or both are po, rf,
// co or fr, where one edge between two events suffices, whatever its label (rfe is an rf).
func says(a, b Edge) bool {
	return a.Label == b.Label || a.Family == b.Family && (a.Family == vocab.ProgramOrder || a.Family.Communicates())
}
