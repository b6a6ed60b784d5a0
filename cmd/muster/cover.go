package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// covering is the cover verb.
type covering struct {
	app      *app
	flags    simFlags
	json     bool
	byStates bool // final states count, too
	all      bool // the table has every mutant
	// bound on the edges of the cycles among which a test that kills a survivor is sought; 0 to
	// seek none
	size int

	sim   *batch.Simulator
	found *probe.Coverage
}

func (a *app) coverCommand() *cobra.Command {
	c := &covering{app: a}
	cmd := &cobra.Command{
		Use:               "cover -m MODEL [TEST…]",
		Short:             "Say which parts of a model the tests depend on",
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd.Context()); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	c.flags.declareModel(cmd,
		"the `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file", 1)
	c.flags.declareConfig(cmd)
	c.flags.declareEngine(cmd)
	timeout := f.Lookup("timeout")
	timeout.Usage, timeout.DefValue = "stop a test under a mutant after this `TIME`; 0 for no limit", "2s"
	_ = timeout.Value.Set(timeout.DefValue)
	f.BoolVar(&c.byStates, "states", false, "a test also depends on what changes its final states")
	f.BoolVar(&c.all, "all", false, "list every mutant, in the order of the text")
	f.IntVar(&c.size, "size", 4, "look for a test that kills a survivor among cycles of up to `N` edges; 0 for not")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each mutant and the totals (docs/json.md)")
	return cmd
}

// check validates the flags and makes the mutants. It asks for states without counts: cover needs
// no numbers of executions.
func (c *covering) check(ctx context.Context) (err error) {
	if len(c.flags.refs) == 0 {
		return fmt.Errorf("cover takes a model: -m MODEL")
	}
	if c.sim, err = c.flags.simulator(c.app, sim.States); err != nil {
		return err
	}
	name, reading := models.Ref(c.flags.refs[0], c.flags.reading)
	mutation, err := probe.Mutate(ctx, name, reading)
	if err != nil {
		return err
	}
	c.found = probe.NewCoverage(mutation, c.byStates)
	return nil
}

func (c *covering) run(ctx context.Context, args []string) error {
	meant := func(*sim.Test) bool { return true }
	if len(args) == 0 {
		meant = batch.Suited(c.flags.refs[0], c.found.Model.Info)
	}
	tests, total := c.app.finder().CountedOr(args...)
	bar := c.app.console.Progress("running mutants", total*len(c.found.Mutants))
	try := func(ctx context.Context, t *sim.Test) (*probe.Trial, error) {
		if !meant(t) {
			for range c.found.Mutants {
				bar.Next()
			}
			return nil, nil
		}
		return c.found.Try(ctx, t, bar.Next)
	}
	err := batch.Ask(ctx, c.sim, tests, try, c.add)
	bar.Done()
	if err != nil {
		return err
	}
	c.settleStatus()
	suggest, reach := c.suggestion(ctx), fmt.Sprintf("from a cycle of up to %d edges", c.size)
	if c.json {
		return report.CoverageJSON(c.found, suggest, c.app.printJSON)
	}
	c.app.text().Coverage(c.found, c.all)
	return c.app.text().Survivors(c.found, c.all, suggest, reach)
}

// add records the answers about one test. The trial is nil if the test is not to be counted.
func (c *covering) add(t *probe.Trial, err error) {
	switch {
	case err != nil:
		c.app.report(err)
	case t != nil:
		c.app.incomplete(t.Test.Name.Text, t.Limit)
		c.found.Add(t)
	}
}

// settleStatus derives the exit status from the mutants' standing, and reports the mutants whose
// standing is unknown.
func (c *covering) settleStatus() {
	for i := range c.found.Entries {
		if c.found.Standing(i) == probe.Survives {
			c.app.status(exitContradicted)
		}
		if why := report.UnknownMutant(c.found, i); why != "" {
			c.app.status(exitLimit)
			fmt.Fprintln(c.app.err, why)
		}
	}
}

// suggestion returns a function that seeks a test that kills a mutant. A limit ends the search for
// that mutant only.
func (c *covering) suggestion(ctx context.Context) report.Suggest {
	return func(m *probe.Mutant) (text string, looked bool, err error) {
		if c.size == 0 {
			return "", false, nil
		}
		text, err = probe.Killer(ctx, c.found.Model, m.Model, c.size, c.sim.Config, c.sim.Workers)
		if sim.IsLimit(err) && ctx.Err() == nil {
			c.app.report(err)
			return "", false, nil
		}
		return strings.TrimRight(text, "\n"), err == nil, err
	}
}
