// Package viz draws candidate executions: events as nodes in the column of their
// thread, relations as arrows, the scope tree as frames around the columns, threads that
// meet at a barrier on a band, and the cycle that a model rejects as a thick line. The
// conventions are those of ASPLOS 2015, Fig. 14.
//
//	Graph      what is drawn of an execution: columns, frames, meetings, lines
//	Edge       a pair of a relation; Family says which sort of relation
//	Options    title, highlighted cycle, relations to add or leave out
//	Style      how it looks: theme, prefix of ids, legend
//	Scene      the picture before it is in any format: shapes with places and colours
//
// A Graph is written in three ways, with the same content:
//
//	Graph.Scene  a picture: Scene.SVG, and package viz/paint for PNG and PDF
//	Graph.DOT    for Graphviz
//	Graph.Text   for terminals
//
// A scene comes about in stages, each in a file of its own: meetings.go finds who meets,
// rows.go has them lie level, plan.go chooses a way for every line without coordinates
// (lanes, passages, ports), arrange.go gives everything a place, bands.go what is behind
// those who meet, route.go draws the curves, label.go puts labels on them and asks for
// more room where they do not fit, scene.go makes shapes of it all.
//
// The same Graph always gives the same bytes.
package viz

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// Edge is a pair of a relation, under the label by which the picture shows it.
type Edge struct {
	From, To  event.ID
	Label     string
	Family    vocab.Family // of the relation; New fills it in
	Highlight bool
}

// Options say what to draw besides the execution itself.
type Options struct {
	Title    string
	Subtitle string

	// Highlight is the violated cycle, in order, or whatever pairs are the evidence
	// for a verdict. Its edges are drawn even if the picture would leave them out
	// otherwise.
	Highlight []Edge

	// Line, if not nil, is the line of the test that an event comes from; 0 for none.
	Line func(*event.Event) int

	// Levels are those at which threads stand together (event.Thread.At), for frames around them;
	// nil for no frames.
	Levels []Level

	Show map[string]rel.Rel // relations to add, by label
	Hide []string           // labels to leave out; Show and Highlight prevail
	// Only, if not nil, are the labels to draw besides po, Show and Highlight.
	Only []string
}

// hides reports whether a relation is left out that every picture shows otherwise.
func (o *Options) hides(name string) bool {
	return slices.Contains(o.Hide, name) || o.Only != nil && name != "po" && !slices.Contains(o.Only, name)
}

// Graph is what is drawn of an execution.
type Graph struct {
	title, subtitle string

	x        *event.Execution
	names    []string
	origin   func(*event.Event) int // Options.Line
	columns  []column               // left to right
	meetings []*meeting             // top down
	rows     map[event.ID]int       // of what is in columns
	inits    []event.ID             // initial writes that some line touches
	frames   []*frame               // the outermost ones; the others are their kids
	lines    []*line
	cycle    []Edge // the highlighted edges as they were given
}

// column is a thread with the events of it that are drawn, top down, or its agent: what it has done
// asynchronously.
type column struct {
	thread int
	name   string
	events []event.ID
}

// Drawn is a relation that a graph has edges of.
type Drawn struct {
	Label  string
	Family vocab.Family
}

// Drawn lists the relations of the picture, by family and label.
func (g *Graph) Drawn() []Drawn {
	parts := g.parts()
	if len(g.meetings) > 0 {
		parts = append(parts, g.edge(Edge{Label: meets}))
	}
	slices.SortStableFunc(parts, byFamily)
	var all []Drawn
	for _, e := range parts {
		all = append(all, Drawn{e.Label, e.Family})
	}
	return slices.Compact(all)
}

// byFamily orders edges by what is drawn.
func byFamily(a, b Edge) int {
	return cmp.Or(a.Family.Compare(b.Family), cmp.Compare(a.Label, b.Label))
}

// parts returns the edges of all lines.
func (g *Graph) parts() (all []Edge) {
	for _, l := range g.lines {
		all = append(all, l.Parts...)
	}
	return all
}

// Lines returns how many lines the picture has: laying it out takes more than the square of that.
func (g *Graph) Lines() int { return len(g.lines) }

// New chooses what to draw of x.
func New(x *event.Execution, opts Options) *Graph {
	g := &Graph{title: opts.Title, subtitle: opts.Subtitle, x: x, names: x.Names(), origin: opts.Line}
	for _, e := range opts.Highlight {
		e.Highlight = true
		g.cycle = append(g.cycle, g.edge(e))
	}
	g.columns = g.chooseEvents(columnOrder(x.Threads))
	above := g.above()
	if !opts.hides(meets) {
		g.meetings = g.chooseMeetings(above)
	}
	g.rows = g.chooseRows(above)
	g.numberRounds()
	var order []int
	for _, c := range g.columns {
		order = append(order, c.thread)
	}
	g.frames = framesOf(x.Threads, order, opts.Levels)
	g.lines = mergeEdges(x, g.chooseEdges(opts))
	g.inits = g.chooseInits()
	return g
}

// chooseEvents fills the columns: every event but the fences that appear as edges,
// unless the highlighted edges end at them.
func (g *Graph) chooseEvents(order []int) []column {
	wanted := rel.SetOf(g.x.N(), func(e int) bool { return !g.isEdge(&g.x.Events[e]) })
	for _, e := range g.cycle {
		wanted.Add(e.From)
		wanted.Add(e.To)
	}
	var columns []column
	for _, thread := range order {
		own, agent := column{thread: thread, name: g.x.Threads[thread].Name}, column{thread: thread}
		for e := range wanted.All() {
			switch ev := &g.x.Events[e]; {
			case ev.Thread != thread:
			case ev.Agent != 0:
				agent.events = append(agent.events, e)
			default:
				own.events = append(own.events, e)
			}
		}
		columns = append(columns, own)
		if len(agent.events) > 0 {
			agent.name = own.name + " async"
			columns = append(columns, agent)
		}
	}
	return columns
}

// isEdge reports whether an event appears as the edge of the accesses that it separates: a fence
// whose relation models know by its name.
func (g *Graph) isEdge(e *event.Event) bool {
	return e.Kind == event.Fence && g.x.Vocab().Get(e.Mnemonic).Family == vocab.Fence
}

// chooseInits picks the initial writes that some line touches.
func (g *Graph) chooseInits() []event.ID {
	var inits []event.ID
	for _, l := range g.lines {
		for _, e := range []event.ID{l.From, l.To} {
			if g.x.Events[e].IsInit() && !slices.Contains(inits, e) {
				inits = append(inits, e)
			}
		}
	}
	slices.Sort(inits)
	return inits
}

// events returns all nodes: the initial writes, then column by column.
func (g *Graph) events() []event.ID {
	all := slices.Clone(g.inits)
	for _, c := range g.columns {
		all = append(all, c.events...)
	}
	return all
}

// label returns what stands in the node of e.
func (g *Graph) label(e event.ID) string {
	label := g.names[e] + ": " + g.x.Label(e)
	if g.origin == nil {
		return label
	}
	if n := g.origin(&g.x.Events[e]); n > 0 {
		label += fmt.Sprintf(", line %d", n)
	}
	return label
}

// ref names e in a line of text. Initial writes share a name, so theirs gets the
// location.
func (g *Graph) ref(e event.ID) string {
	if g.x.Events[e].IsInit() {
		return g.names[e] + "[" + g.location(e) + "]"
	}
	return g.names[e]
}

// location returns the name of the location of e; "" for a fence.
func (g *Graph) location(e event.ID) string {
	if g.x.Loc[e] == event.NoLoc {
		return ""
	}
	return g.x.Locs[g.x.Loc[e]].Name
}

// onCycle holds the events that a highlighted edge touches.
func (g *Graph) onCycle() rel.Set {
	s := rel.NewSet(g.x.N())
	for _, e := range g.cycle {
		s.Add(e.From)
		s.Add(e.To)
	}
	return s
}

// families returns those of the edges drawn, each once, in their order.
func (g *Graph) families() []vocab.Family {
	parts := g.parts()
	slices.SortStableFunc(parts, byFamily)
	var all []vocab.Family
	for _, e := range parts {
		all = append(all, e.Family)
	}
	return slices.Compact(all)
}
