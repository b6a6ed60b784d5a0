package main

import (
	"context"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// checking is the check verb: it checks a corpus with its tables of expected verdicts and counts,
// or observations.
type checking struct {
	app      *app
	flags    simFlags
	observed observedFlags
	baseline results.Baseline
	json     bool

	sim *batch.Simulator
}

func (a *app) checkCommand() *cobra.Command {
	c := &checking{app: a}
	cmd := &cobra.Command{
		Use:   "check [FOLDER|FILE|NAME] | check --observations FILE [TEST|DIR…]",
		Short: "Check verdicts and hardware counts against a model",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(c.observed.Files) > 0 {
				return nil
			}
			return cobra.MaximumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := c.observed.check(); err != nil {
				return err
			}
			if len(c.observed.Against) > 0 {
				return c.contrast(cmd.Context(), args)
			}
			want, run := sim.Counts, c.corpus
			if len(c.observed.Files) > 0 || c.observed.page != "" {
				want, run = sim.States, c.observations
			}
			if c.sim, err = c.flags.simulator(a, want); err != nil {
				return err
			}
			c.sim.Config.Covered = len(c.observed.Files) > 0
			return run(cmd.Context(), args)
		},
	}
	c.flags.declare(cmd)
	c.flags.declareEngine(cmd)
	cmd.Flags().Var(flags.Word{Text: &c.baseline.Name}, "baseline",
		"list the verdicts that are not those of this `FILE`: results (run -o), a log, or what run --json prints")
	cmd.Flags().BoolVar(&c.json, "json", false,
		"print one JSON object a line for each test, each count and the totals (docs/json.md)")
	c.observed.declare(cmd)
	return cmd
}

// judge simulates tests under the models. It calls take for each answer, with the number of the
// test.
func (c *checking) judge(
	ctx context.Context, tests iter.Seq[corpus.Test], total int, take func(int, *models.Model, *sim.Result) error,
) error {
	bar := c.app.console.Progress("simulating", total)
	defer bar.Done()
	next := 0
	work := func(in corpus.Test) batch.Answer { return c.sim.RunOne(ctx, in) }
	return batch.Each(ctx, c.sim.Workers, tests, work, func(ans batch.Answer) {
		bar.Next()
		n := next
		next++
		if ans.Err != nil {
			c.app.report(ans.Err)
			return
		}
		c.app.reserve(ans.Result.Test, ans.Model.Name, ans.Result.Limit, ans.Result.Vacuous)
		if err := take(n, ans.Model, ans.Result); err != nil {
			c.app.fail(err)
		}
	})
}

// corpus checks the shipped tests, or those that the argument names, against the tables beside
// them.
func (c *checking) corpus(ctx context.Context, args []string) error {
	found, tests, total, err := check.Collection(args, c.app.finder(), c.app.fail)
	if err != nil {
		return err
	}
	if err := c.baseline.Read(); err != nil {
		return err
	}
	err = c.judge(ctx, tests, total, func(_ int, m *models.Model, r *sim.Result) error {
		c.baseline.Add(m.Name, r)
		return found.Add(m, r)
	})
	if err != nil {
		return err
	}
	found.Compare(c.app.fail, c.app.warn)
	if c.json {
		report.VerdictsJSON(found, c.app.printJSON)
	} else {
		c.app.text().Verdicts(found)
	}
	if c.baseline.Name != "" && !c.app.notes().Changed(&c.baseline) {
		c.app.status(exitContradicted)
	}
	if len(found.Unsound()) > 0 ||
		slices.ContainsFunc(found.Tests, func(t *check.Test) bool { return t.Unmet() != "" }) {
		c.app.status(exitContradicted)
	}
	return nil
}
