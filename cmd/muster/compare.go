package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/render/gallery"
	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/sim"
)

// comparison is the compare verb.
type comparison struct {
	app    *app
	flags  simFlags
	json   bool
	states bool   // final states count too
	maps   bool   // compare tests with their translations
	graphs string // folder for pictures, or ""

	sim      *batch.Simulator
	pictures *gallery.Gallery // or nil
	found    *report.Differences
}

func (a *app) compareCommand() *cobra.Command {
	c := &comparison{app: a}
	cmd := &cobra.Command{
		Use:               "compare -m MODEL -m MODEL [TEST…] | compare A.log B.log",
		Short:             "List the tests on which models, or two logs, differ",
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.maps {
				return c.compareMapping(cmd.Context(), args)
			}
			if len(c.flags.refs) == 0 && len(args) == 2 {
				return c.compareLogs(args[0], args[1])
			}
			if err := c.check(); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	c.flags.declareModel(cmd, "a `MODEL` to compare: NAME or NAME:VARIANT,VARIANT (two or more)", anyNumber)
	c.flags.declareConfig(cmd)
	c.flags.declareEngine(cmd)
	f.BoolVar(&c.states, "states", false, "list also the tests that differ in their final states only")
	f.BoolVar(&c.maps, "mapping", false, "list tests in C that do translated what the model of the source forbids")
	f.StringVar(&c.graphs, "graph", "", "draw, into this `FOLDER`, an execution for each outcome that only some allow")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each difference and the totals (docs/json.md)")
	cmd.MarkFlagsMutuallyExclusive("mapping", "states")
	cmd.MarkFlagsMutuallyExclusive("mapping", "graph")
	return cmd
}

// check validates the flags and loads the models.
func (c *comparison) check() (err error) {
	if len(c.flags.refs) < 2 {
		return fmt.Errorf("compare takes two models or more: -m MODEL -m MODEL; or two logs")
	}
	want := sim.Verdict
	if c.states {
		want = sim.States
	}
	if c.sim, err = c.flags.simulator(c.app, want); err != nil {
		return err
	}
	c.found = report.NewDifferences(c.flags.refs, c.states)
	c.pictures, err = gallery.Folder(c.graphs)
	return err
}

func (c *comparison) run(ctx context.Context, args []string) error {
	tests, total := c.app.finder().CountedOr(args...)
	bar := c.app.console.Progress("comparing", total)
	ask := func(ctx context.Context, t *sim.Test) (*probe.Comparison, error) {
		return probe.Compare(ctx, t, c.sim.Models...)
	}
	err := batch.Ask(ctx, c.sim, tests, ask, func(t *probe.Comparison, err error) {
		bar.Next()
		c.add(ctx, t, err)
	})
	bar.Done()
	switch {
	case err != nil:
		return err
	case c.json:
		c.app.printJSON(c.found.TotalsJSON())
	default:
		c.app.text().Differences(c.found)
	}
	return nil
}

// add records the answers of the models about one test.
func (c *comparison) add(ctx context.Context, t *probe.Comparison, err error) {
	if err != nil {
		c.app.report(err)
		return
	}
	for _, r := range t.Results {
		c.app.incomplete(t.Test.Name.Text, r.Limit)
	}
	kind := c.found.Add(t)
	if kind != "" && c.json {
		c.app.printJSON(c.found.DifferenceJSON(t, kind))
	}
	if kind == report.Difference {
		c.app.status(exitContradicted)
		if err := c.draw(ctx, t); err != nil {
			c.app.fail(err)
		}
	}
}

// draw draws an execution by which a model allows the outcome that others forbid.
func (c *comparison) draw(ctx context.Context, t *probe.Comparison) error {
	if c.pictures == nil {
		return nil
	}
	g, err := c.found.Graph(t, c.sim.Models)
	if err != nil || g == nil {
		return err
	}
	return c.pictures.Add(ctx, t.Test.Name.Text, g)
}

// compareLogs lists what differs between two logs or files of results.
func (c *comparison) compareLogs(first, second string) error {
	found, err := results.CompareFiles(first, second, c.app.fail)
	switch {
	case err != nil:
		return err
	case c.json:
		report.ComparedJSON(found, c.app.printJSON)
	default:
		c.app.text().Compared(found)
	}
	if len(found.Differences) > 0 {
		c.app.status(exitContradicted)
	}
	return nil
}
