// Package picture draws the results of a simulation: an execution with the relations that the model
// shows, and with the evidence against it highlighted.
//
//	Of        the graph of a witness under a model
//	About     the options that all graphs of a test share
//	Telling   the graph of the most informative execution of an explanation
//	Evidence  the steps of a violation as highlighted edges
//	Formats   the text formats of drawings
package picture

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// Of returns the graph of an execution under a model. In addition to opts, it has the relations
// that the model shows, except those that opts hides or excludes by Only, and it lacks those that
// the model unshows.
func Of(m *cat.Model, w *sim.Witness, opts viz.Options) (*viz.Graph, error) {
	shown, err := m.Shows(w.Execution, w.Choices)
	if err != nil {
		return nil, err
	}
	opts.Show = map[string]rel.Rel{}
	for _, s := range shown {
		switch {
		case s.Hidden:
			opts.Hide = append(opts.Hide, s.Name)
		case opts.Only != nil && (!slices.Contains(opts.Only, s.Name) || viz.IsUsual(s.Name)):
		case !slices.Contains(opts.Hide, s.Name):
			opts.Show[s.Name] = s.Rel
		}
	}
	return viz.New(w.Execution, opts), nil
}

// About returns the options that all graphs of a test share. title is the name of the test, which
// may be a translation.
func About(title string, t *sim.Test) viz.Options {
	opts := viz.Options{Title: title, Line: t.Line}
	if t.Format.Unplaced && t.Levels() == nil {
		return opts // the test does not place its threads, so where they stand is made up
	}
	for _, l := range t.Machine.Levels {
		opts.Levels = append(opts.Levels, viz.Level{Name: cmp.Or(l.Title, l.Name), Optional: l.Optional})
	}
	return opts
}

// Evidence returns the steps of a violation as edges to highlight.
func Evidence(v *cat.Violation) []viz.Edge {
	var edges []viz.Edge
	for _, s := range v.Steps {
		e := viz.Edge{From: s.From, To: s.To, Label: s.Label}
		if s.Inverse {
			e.From, e.To = e.To, e.From
		}
		edges = append(edges, e)
	}
	return edges
}

// Drawing is an execution (viz.Graph), or a figure of a race.
type Drawing interface {
	Scene(viz.Style) *viz.Scene
	Text(io.Writer) error
}

// Formats writes drawings in the text formats, by file extension.
var Formats = map[string]func(Drawing, io.Writer, viz.Style) error{
	"svg": func(d Drawing, w io.Writer, s viz.Style) error { return d.Scene(s).SVG(w) },
	"dot": dot,
	"txt": func(d Drawing, w io.Writer, _ viz.Style) error { return d.Text(w) },
}

func dot(d Drawing, w io.Writer, _ viz.Style) error {
	graph, ok := d.(*viz.Graph)
	if !ok {
		return errors.New("only executions are graphs that Graphviz can lay out; draw this one as svg, png, pdf or txt")
	}
	return graph.DOT(w)
}

// ThemeNames are the names of themes.
var ThemeNames = []string{"auto", "light", "dark"}

// Themes are the themes of pictures by their names.
var Themes = map[string]viz.Theme{"auto": viz.Auto, "light": viz.Light, "dark": viz.Dark}
