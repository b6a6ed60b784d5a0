// Package viz draws candidate executions: events as nodes in the column of their thread, relations
// as arrows, the scope tree as frames around the columns, a band behind threads that meet at a
// barrier, and the cycle that a model rejects as a thick line. The conventions are those of ASPLOS
// 2015, Fig. 14.
//
//	Graph      the contents of a picture: columns, frames, meetings, lines
//	Edge       a pair of a relation; Family is the kind of the relation
//	Options    title, highlighted cycle, relations to add or leave out
//	Style      the look: theme and prefix of ids
//	Scene      the picture independent of its format: shapes with positions and colours
//
// A Graph is written in three ways, with the same content:
//
//	Graph.Scene  a picture: Scene.SVG, and package viz/paint for PNG and PDF
//	Graph.DOT    for Graphviz
//	Graph.Text   for terminals
//
// A scene is made in stages, each in a file of its own: meetings.go finds the threads that meet,
// rows.go assigns rows, plan.go chooses a path for every line without coordinates (lanes, passages,
// ports), arrange.go computes positions, bands.go places the bands, route.go draws the curves,
// label.go places labels and asks for more room where they do not fit, and scene.go makes shapes.
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

// Edge is a pair of a relation, with its label in the picture.
type Edge struct {
	From, To  event.ID
	Label     string
	Family    vocab.Family // of the relation; New fills it in
	Highlight bool
}

// Options select what to draw besides the execution itself.
type Options struct {
	Title    string
	Subtitle string

	// Highlight is the violated cycle, in order, or other pairs that are evidence for a verdict.
	// Its edges are drawn even if the picture would otherwise omit them.
	Highlight []Edge

	// Line, if not nil, returns the line of the test that an event comes from; 0 for none.
	Line func(*event.Event) int

	// Levels are the levels of the thread hierarchy (event.Thread.At), for frames around them; nil
	// for no frames.
	Levels []Level

	Show map[string]rel.Rel // relations to add, by label
	Hide []string           // labels to leave out; Show and Highlight prevail
	// Only, if not nil, are the labels to draw in addition to po, Show and Highlight.
	Only []string
}

// hides reports whether the options leave out a relation that every picture shows by default.
func (o *Options) hides(name string) bool {
	return slices.Contains(o.Hide, name) || o.Only != nil && name != "po" && !slices.Contains(o.Only, name)
}

// Graph is the contents of a picture of an execution.
type Graph struct {
	title, subtitle string

	x        *event.Execution
	names    []string
	origin   func(*event.Event) int // Options.Line
	columns  []column               // left to right
	meetings []*meeting             // top down
	rows     map[event.ID]int       // rows of the events in columns
	inits    []event.ID             // initial writes with a line
	frames   []*frame               // outermost frames; the others are their kids
	lines    []*line
	cycle    []Edge // highlighted edges, as given
}

// column is a thread, or the agent of its asynchronous operations, with its drawn events from the
// top down.
type column struct {
	thread int
	name   string
	events []event.ID
}

// Drawn is a relation with edges in a graph.
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

// byFamily orders edges by family and label.
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

// Lines returns the number of lines. Laying out the picture takes more than quadratic time in it.
func (g *Graph) Lines() int { return len(g.lines) }

// New chooses the contents of a picture of x.
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

// chooseEvents fills the columns: every event except the fences that appear as edges, unless a
// highlighted edge ends at them.
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

// isEdge reports whether an event appears as an edge between the accesses that it separates: a
// fence whose relation models name.
func (g *Graph) isEdge(e *event.Event) bool {
	return e.Kind == event.Fence && g.x.Vocab().Get(e.Mnemonic).Family == vocab.Fence
}

// chooseInits returns the initial writes with a line.
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

// label returns the text in the node of e.
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

// ref returns the name of e in a line of text. Initial writes share a name, so theirs includes the
// location.
func (g *Graph) ref(e event.ID) string {
	if g.x.Events[e].IsInit() {
		return g.names[e] + "[" + g.location(e) + "]"
	}
	return g.names[e]
}

// location returns the name of the location of e, or "" for a fence.
func (g *Graph) location(e event.ID) string {
	if g.x.Loc[e] == event.NoLoc {
		return ""
	}
	return g.x.Locs[g.x.Loc[e]].Name
}

// onCycle returns the events that a highlighted edge touches.
func (g *Graph) onCycle() rel.Set {
	s := rel.NewSet(g.x.N())
	for _, e := range g.cycle {
		s.Add(e.From)
		s.Add(e.To)
	}
	return s
}

// families returns the families of the drawn edges, each once, in order.
func (g *Graph) families() []vocab.Family {
	parts := g.parts()
	slices.SortStableFunc(parts, byFamily)
	var all []vocab.Family
	for _, e := range parts {
		all = append(all, e.Family)
	}
	return slices.Compact(all)
}
