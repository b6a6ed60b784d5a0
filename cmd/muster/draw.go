package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/render/gallery"
	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/verify/figure"
	"github.com/muster-gpu/muster/verify/modules"
	"github.com/muster-gpu/muster/viz"
)

// drawing is the draw verb.
type drawing struct {
	app     *app
	flags   simFlags
	shown   shownFlags
	gallery gallery.Gallery
	axiom   string
	alarm   int // number of the alarm to draw of a kernel; 0 to draw executions
	words   modules.Words
	in      modules.Input
}

func (a *app) drawCommand() *cobra.Command {
	d := &drawing{app: a, gallery: gallery.Usual(), words: modules.UsualWords()}
	cmd := &cobra.Command{
		Use:               "draw TEST…|--alarm N KERNEL.ptx",
		Short:             "Draw an execution of a test, or a race of a kernel",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			d.gallery.Stdout, d.gallery.Stderr, d.gallery.Given = a.out, a.err, cmd.Flags().Changed
			if err := cmp.Or(d.shown.Check(), d.gallery.Open()); err != nil {
				return err
			}
			if cmd.Flags().Changed("alarm") {
				return d.figure(cmd.Context(), args)
			}
			for _, name := range launchFlags {
				if cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s is about kernels: give --alarm N, too, and a kernel", name)
				}
			}
			s, err := d.flags.simulator(a, sim.Counts)
			if err != nil {
				return err
			}
			return d.run(cmd.Context(), s, args)
		},
	}
	d.flags.declare(cmd)
	d.shown.declare(cmd, &d.flags)
	f, g := cmd.Flags(), &d.gallery
	f.StringVarP(&g.Output, "output", "o", "", "write to this `FILE`, or a file for each test into this FOLDER")
	f.StringVarP(&g.Format, "format", "T", "", "svg, png, pdf, dot or txt; with graphviz svg, png and jpg")
	f.StringVar(&g.Engine, "engine", "", "the layout engine: muster or graphviz (default: graphviz for jpg)")
	f.StringVar(&g.Theme, "theme", g.Theme,
		"colours: light, dark, or auto (in an SVG as the viewer prefers, else light)")
	f.StringVar(&g.Paper, "paper", "",
		"size of the pages of a PDF: "+strings.Join(gallery.Papers(), ", ")+" (default: as large as each picture)")
	f.Float64Var(&g.Scale, "scale", g.Scale, "pixels of a PNG for each of an SVG; less if the image would be too large")
	f.StringVar(&d.axiom, "axiom", "", "draw a candidate that the axiom of this `NAME` rejects")
	f.IntVar(&d.alarm, "alarm", 0,
		"draw the `N`-th alarm that verify has about a kernel (with --grid, --block, --kernel, --param)")
	flags.Complete(cmd, gallery.Choices())
	declareLaunch(f, &d.in, &d.words)
	return cmd
}

// figure draws one alarm of a kernel.
func (d *drawing) figure(ctx context.Context, args []string) error {
	if err := d.words.Configure(&d.in.Config); err != nil {
		return err
	}
	if len(args) > 1 {
		return fmt.Errorf("an alarm is of one module, not of %s", strings.Join(args, " "))
	}
	d.in.Stdin = d.app.in
	one, err := figure.Find(ctx, &d.in, args[0], d.alarm)
	if err == nil {
		err = d.gallery.Add(ctx, args[0], one)
	}
	if err != nil {
		return err
	}
	return d.gallery.Close(ctx)
}

// drawn is a test with its drawing, or with the reason why it has no drawing.
type drawn struct {
	test    string
	graph   *viz.Graph
	picture []byte // the drawing as a file's bytes, if each drawing has a file of its own
	limit   error  // why a better drawing may exist; or nil
	err     error
}

// run draws tests. A test that fails does not stop the others.
func (d *drawing) run(ctx context.Context, s *batch.Simulator, args []string) error {
	tests, total := d.app.finder().Counted(args...)
	if !d.gallery.TakesMany() {
		only := corpus.First(2, tests)
		if len(only) > 1 {
			return fmt.Errorf(
				"%s stands for several tests: draw them into a folder, -o pictures/, or as pages, -o pictures.pdf",
				strings.Join(args, " "))
		}
		tests, total = slices.Values(only), len(only)
	}
	bar := d.app.console.Progress("drawing", total)
	work := func(in corpus.Test) drawn { return d.draw(ctx, s, in) }
	err := batch.Each(ctx, s.Workers, tests, work, func(one drawn) {
		bar.Next()
		d.app.incomplete(one.test, one.limit)
		if one.err == nil {
			one.err = d.gallery.Hang(one.test, one.graph, one.picture)
		}
		if one.err != nil {
			d.app.report(one.err)
		}
	})
	bar.Done()
	if err != nil {
		return err
	}
	return d.gallery.Close(ctx)
}

// draw reads a test, chooses the execution to draw, and draws it.
func (d *drawing) draw(ctx context.Context, s *batch.Simulator, in corpus.Test) drawn {
	e := s.Explain(ctx, in)
	if e.Err != nil {
		return drawn{err: e.Err}
	}
	one := drawn{test: e.Test.Name.Text, limit: e.Limit}
	var picked *sim.Explanation
	if picked, one.err = d.shown.Pick(e.Explanation); one.err != nil {
		return one
	}
	showing, only, err := d.shown.Model(e.Model.Model)
	if err == nil {
		one.graph, err = picture.Telling(picked, e.Model.Name, d.axiom, showing, only)
	}
	if err == nil {
		one.picture, err = d.gallery.Prepare(ctx, one.graph)
	}
	one.err = err
	return one
}
