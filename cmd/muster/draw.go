package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/picture"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// drawing is the draw verb: simulations, what to draw of them, and where to.
type drawing struct {
	simulation
	gallery
	axiom string
}

func (a *app) drawCommand() *cobra.Command {
	d := &drawing{simulation: simulation{app: a}, gallery: gallery{stdout: a.out, stderr: a.err}}
	cmd := &cobra.Command{
		Use:   "draw TEST…",
		Short: "Draw an execution of a test",
		Long: `Draw shows the execution that the condition of the test is about, or --state. If the model
allows the outcome, it is a consistent execution; if not, a candidate that the model rejects,
with the cycle that it violates highlighted. --execution draws any of those that explain
lists, and --show other relations than the usual ones.

The format follows from the name of the output file: .svg, .png, .pdf, .dot or .txt.
Without one, a plain-text drawing goes to standard output. Of many tests, a PDF has a page
each; a FOLDER (a name that ends in /, or that exists) gets a file for each, in the
format of -T.

jpg, and svg and png with --engine graphviz, are laid out by the command
muster-graphviz:  go install github.com/muster-gpu/muster/cmd/muster-graphviz@latest`,
		Example: `  muster draw mp-inter-cta
  muster draw -o fig14.svg mp+membar.cta+membar.gl-intra-cta
  muster draw -o pictures/ -T png asplos15
  muster draw -o handout.pdf --paper a4 mp-inter-cta sb-inter-cta
  muster draw -m sc --axiom sc -T dot sb-shared-global | dot -Tpdf > sb.pdf`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(d.evidence.check(), d.check()); err != nil {
				return err
			}
			return d.draw(cmd.Context(), args)
		},
	}
	d.simulation.flags(cmd)
	d.gallery.flags(cmd)
	d.evidenceFlags(cmd)
	cmd.Flags().StringVar(&d.axiom, "axiom", "", "draw a candidate that the axiom of this `NAME` rejects")
	return cmd
}

// check validates the flags.
func (d *drawing) check() error {
	if err := d.gallery.check(); err != nil {
		return err
	}
	return d.simulation.check()
}

// drawn is a test with its drawing, or why there is none.
type drawn struct {
	test    string
	graph   *viz.Graph
	picture []byte // of the drawing, if it has a file of its own
	limit   error  // why the drawing may not be the best there is
	err     error
}

// draw draws tests. What is wrong with one does not keep the others.
func (d *drawing) draw(ctx context.Context, args []string) error {
	tests, total := d.app.finder().Counted(args...)
	if !d.takesMany() {
		only := slices.Collect(first(2, tests))
		if len(only) > 1 {
			return fmt.Errorf("%s stands for several tests: draw them into a folder, -o pictures/, or as pages, -o pictures.pdf", strings.Join(args, " "))
		}
		tests, total = slices.Values(only), len(only)
	}
	bar := d.app.progress("drawing", total)
	work := func(in corpus.Test) drawn { return d.drawOne(ctx, in) }
	err := batch.Each(ctx, d.workers, tests, work, func(one drawn) {
		bar.step()
		if one.limit != nil {
			d.app.report(fmt.Errorf("%s: incomplete: %w", one.test, one.limit))
		}
		if one.err == nil {
			one.err = d.hang(one)
		}
		if one.err != nil {
			d.app.report(one.err)
		}
	})
	bar.done()
	if err != nil {
		return err
	}
	return d.close(ctx)
}

// first is the first n of some inputs.
func first(n int, inputs iter.Seq[corpus.Test]) iter.Seq[corpus.Test] {
	return func(yield func(corpus.Test) bool) {
		left := n
		for in := range inputs {
			if left--; !yield(in) || left == 0 {
				return
			}
		}
	}
}

// drawOne reads a test, chooses what to draw of it, and draws it.
func (d *drawing) drawOne(ctx context.Context, in corpus.Test) drawn {
	t, err := d.load(ctx, in)
	if err != nil {
		return drawn{err: err}
	}
	m := d.modelFor(t)
	e, err := t.Explain(ctx, m.Model)
	if err != nil {
		return drawn{err: err}
	}
	one := drawn{test: t.Name.Text, limit: e.Limit}
	if one.graph, one.err = d.choose(e, m); one.err == nil && d.folder {
		one.picture, one.err = d.render(ctx, one.graph)
	}
	return one
}

// choose picks the execution to draw: one that the axiom asked for rejects, else one
// that the model allows, else one that it rejects.
func (d *drawing) choose(e *sim.Explanation, m *models.Model) (*viz.Graph, error) {
	e, err := d.evidence.pick(e)
	if err != nil {
		return nil, err
	}
	x, err := d.execution(e)
	if err != nil {
		return nil, err
	}
	opts := viz.Options{Title: e.Test.Name.Text}
	switch {
	case x.State == nil:
		opts.Subtitle = fmt.Sprintf("allowed by %s, never ends: %s", m.Name, sim.Hanging(x.Execution))
	case x.Reason == nil:
		opts.Subtitle = fmt.Sprintf("%s allowed by %s", x.State.State.Format(e.Refs), m.Name)
	default:
		opts.Subtitle = fmt.Sprintf("%s forbidden by %s of %s", x.State.State.Format(e.Refs), x.Reason.Name, m.Name)
		opts.Highlight = picture.Evidence(&x.Reason.Violation)
	}
	showing, only, err := d.evidence.showing(m.Model)
	if err != nil {
		return nil, err
	}
	opts.Only = only
	return picture.Of(showing, x.Witness, opts)
}

// execution is the execution to draw.
func (d *drawing) execution(e *sim.Explanation) (sim.Shown, error) {
	if d.axiom != "" {
		return d.rejected(e)
	}
	all := e.Executions()
	switch {
	case len(all) > 0:
	case e.Limit != nil:
		return sim.Shown{}, fmt.Errorf("%s: nothing to draw was found: %w", e.Test.Name.Text, e.Limit)
	default:
		return sim.Shown{}, fmt.Errorf("%s: no candidate execution ends in a state that the condition asks for", e.Test.Name.Text)
	}
	allowed := slices.IndexFunc(all, func(x sim.Shown) bool { return x.State != nil && x.Reason == nil })
	return all[max(0, allowed)], nil
}

// rejected is an execution that the axiom asked for rejects.
func (d *drawing) rejected(e *sim.Explanation) (sim.Shown, error) {
	name := e.Test.Name.Text
	var axioms []string
	for i := range e.Outcomes {
		for _, r := range e.Outcomes[i].Reasons {
			if r.Name == d.axiom {
				return sim.Shown{Witness: &r.Witness, State: &e.Outcomes[i], Reason: r}, nil
			}
			axioms = append(axioms, r.Name)
		}
	}
	if len(axioms) == 0 {
		return sim.Shown{}, fmt.Errorf("%s: the model allows what the condition asks for, so no axiom forbids it", name)
	}
	slices.Sort(axioms)
	return sim.Shown{}, fmt.Errorf("%s: no axiom %s forbids this; those that do: %s",
		name, d.axiom, strings.Join(slices.Compact(axioms), ", "))
}
