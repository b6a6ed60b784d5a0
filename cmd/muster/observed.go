package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/render/gallery"
	"github.com/muster-gpu/muster/internal/store/observedreport"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// observedFlags are the flags about observations: their files, and what is made of them.
type observedFlags struct {
	check.Observed
	graphs string // folder for pictures, or ""
	page   string // file for the page, or ""
}

func (o *observedFlags) declare(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.Files, "observations", nil,
		"set what this `FILE` says was seen against the model (repeatable); h100 and h200 are what "+
			"muster has of these chips")
	f.StringArrayVar(&o.Against, "against", nil,
		"with --observations: set it against what this `FILE` says was seen, instead of a model (repeatable)")
	f.StringVar(&o.Anonymous.Name, "device", "",
		"with --observations: the `NAME` of the device that logs are of (default \"unknown\")")
	f.StringVar(&o.Anonymous.Vendor, "vendor", "", "with --observations: the `NAME` of its vendor")
	f.StringVar(&o.graphs, "graph", "",
		"with --observations: draw, into this `FOLDER`, an execution for each outcome that is UNSOUND")
	f.StringVar(&o.page, "report", "",
		"write a page of HTML about the observations to this `FILE`; without --observations, about the counts "+
			"that lie beside the tests")
	_ = cmd.RegisterFlagCompletionFunc("observations", completeChips)
	_ = cmd.RegisterFlagCompletionFunc("against", completeChips)
	for _, other := range []string{"model", "graph", "report", "baseline"} {
		cmd.MarkFlagsMutuallyExclusive("against", other)
	}
}

// check validates the flags.
func (o *observedFlags) check() error {
	if len(o.Files) == 0 && (o.Anonymous.Name+o.Anonymous.Vendor+o.graphs != "" || len(o.Against) > 0) {
		return fmt.Errorf("--device, --vendor, --graph and --against go with --observations FILE")
	}
	return nil
}

// observations checks the observations that the flags name, or else the counts that lie beside the
// tests.
func (c *checking) observations(ctx context.Context, args []string) error {
	o := &c.observed
	if slices.Contains(o.Files, "-") && slices.Contains(args, "-") {
		return fmt.Errorf("standard input holds tests or observations, not both")
	}
	pictures, err := gallery.Folder(o.graphs)
	if err != nil {
		return err
	}
	o.Stdin = c.app.in
	ledger, err := o.Ledger(args, c.app.fail)
	if err != nil {
		return err
	}
	matches, err := c.match(ctx, args, ledger)
	if err != nil {
		return err
	}
	found := observedreport.New(ledger.Devices)
	tests := batch.Map(matches, func(m *check.Match) corpus.Test { return corpus.TestIn(m.File) })
	err = c.judge(ctx, tests, len(matches), func(i int, m *models.Model, r *sim.Result) error {
		return found.Add(m, r, matches[i].Tested)
	})
	if err != nil {
		return err
	}
	if err := c.explainUnsound(ctx, found, pictures); err != nil {
		return err
	}
	if c.json {
		report.ObservedJSON(found, c.app.printJSON)
	} else {
		c.app.text().Observed(found)
	}
	return found.WritePage(ctx, c.sim, o.page, muster.Build())
}

// contrast compares observations with other observations, test by test.
func (c *checking) contrast(ctx context.Context, args []string) error {
	tests, _ := c.app.finder().CountedOr(args...)
	c.observed.Stdin, c.observed.Only = c.app.in, len(args) > 0
	found, err := c.observed.Contrast(ctx, c.flags.workers, tests, c.app.report)
	if err != nil {
		return err
	}
	if found.Count(check.Alone) > 0 {
		c.app.status(exitContradicted)
	}
	if c.json {
		report.ContrastJSON(found, c.app.printJSON)
	} else {
		c.app.text().Contrast(found)
	}
	return nil
}

// match finds the tests that the observations belong to.
func (c *checking) match(ctx context.Context, args []string, ledger *observe.Ledger) ([]*check.Match, error) {
	tests, _ := c.app.finder().CountedOr(args...)
	known, err := check.ReadAll(ctx, c.sim.Workers, tests, c.app.report)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 && len(c.observed.Files) > 0 {
		if err := known.Of(ledger); err != nil {
			return nil, err
		}
	}
	matches, byName := known.Match(ledger.Tests, c.app.fail)
	if len(byName) > 0 {
		c.app.warn("%s taken by name although the hash is another: %s",
			report.Count(len(byName), "test"), corpus.SomeOf(byName))
	}
	return matches, nil
}

// explainUnsound explains why the model forbids each outcome that was seen.
func (c *checking) explainUnsound(ctx context.Context, found *observedreport.Report, pictures *gallery.Gallery) error {
	unsound := found.Unsound()
	if len(unsound) > 0 {
		c.app.status(exitContradicted)
	}
	bar := c.app.console.Progress("explaining", len(unsound))
	defer bar.Done()
	return found.ExplainUnsound(ctx, c.sim, func(out *observedreport.Outcome, err error) {
		bar.Next()
		if err != nil {
			c.app.report(err)
			return
		}
		if why := out.Explanation.Incomplete(); why != "" {
			c.app.status(exitLimit)
			fmt.Fprintf(c.app.err, "%s: the explanation is incomplete: %s\n", out.Test.Name, why)
		}
		g, err := out.Graph()
		if err == nil && g != nil {
			err = pictures.Add(ctx, out.Test.Name, g)
		}
		if err != nil {
			c.app.fail(err)
		}
	})
}
