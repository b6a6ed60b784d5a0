package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/console"
	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// running is the run verb.
type running struct {
	app    *app
	flags  simFlags
	chosen chosen
	keep   keeping
	watch  console.Watch

	json, show, states, quick, stats bool

	slow  report.Slow
	names batch.Names
}

func (a *app) runCommand() *cobra.Command {
	return (&running{app: a, slow: report.Slow{}, names: batch.NewNames()}).command()
}

func (r *running) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "run TEST…",
		Short:             "Simulate tests and print herd's log",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.check()
			if err == nil {
				err = r.keep.open(r.app, s)
			}
			if err != nil {
				return err
			}
			return r.run(cmd.Context(), s, args)
		},
	}
	f := cmd.Flags()
	r.flags.declareModel(cmd,
		"a `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file (repeatable; default: by "+
			"the test's header)", anyNumber)
	r.flags.declareConfig(cmd)
	r.flags.declareEngine(cmd)
	f.BoolVar(&r.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	f.BoolVar(&r.show, "show", false, "draw, after each record, an execution for each final state")
	f.BoolVar(&r.states, "states", false, "find the states, not how many executions end in each")
	f.BoolVar(&r.quick, "quick", false, "find the verdict only: stop at the first execution that decides it")
	f.BoolVar(&r.stats, "stats", false, "say afterwards what was visited, cut and counted, and where the time went")
	r.chosen.declare(cmd)
	f.Var(&flags.OneOf[console.Watch]{Value: &r.watch, Words: console.Watches}, "progress",
		"`HOW` to say how far the work is, on standard error: bar (on a terminal), json (a line a second), none")
	completeWords(cmd, "progress", console.Watches)
	r.keep.declare(cmd)
	cmd.MarkFlagsMutuallyExclusive("json", "show")
	cmd.MarkFlagsMutuallyExclusive("show", "quick")
	cmd.MarkFlagsMutuallyExclusive("states", "quick")
	return cmd
}

// check validates the flags and loads the models.
func (r *running) check() (*batch.Simulator, error) {
	if err := r.chosen.check(); err != nil {
		return nil, err
	}
	r.flags.config.Hangs = true
	return r.flags.simulator(r.app, sim.WantFor(r.quick, r.states))
}

func (r *running) run(ctx context.Context, s *batch.Simulator, args []string) error {
	tests, bar := r.tests(s, args)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := func(in corpus.Test) []batch.Answer { return s.Run(ctx, in) }
	tally := report.NewTally()
	err := batch.Each(ctx, s.Workers, tests, work, func(answers []batch.Answer) {
		r.names.See(answers[0].Result, r.app.warn)
		for _, ans := range answers {
			began := time.Now()
			if err := r.emit(ctx, ans); err != nil {
				stop(err)
				return
			}
			tally.Add(ans.Result, ans.Reading, time.Since(began))
		}
		bar.Count(batch.Step(answers))
	})
	bar.Done()
	if r.stats {
		tally.Print(r.app.err)
	}
	if err != nil && !errors.Is(context.Cause(ctx), context.Canceled) && !sim.IsLimit(context.Cause(ctx)) {
		err = context.Cause(ctx) // the results could not be kept
	}
	return r.keep.close(r.app, r.chosen.shard, err, bar.State())
}

// tests returns the tests that the arguments name, and the progress bar. The bar watches the
// simulator if it is shown.
func (r *running) tests(s *batch.Simulator, args []string) (iter.Seq[corpus.Test], *console.Bar) {
	if r.app.console.Shows(r.watch) {
		tests, total := r.chosen.of(r.app.finder().Counted(args...))
		bar := r.app.console.ProgressBeside(r.keep.run == nil, r.watch, "simulating", total)
		s.Watch = bar.Begin
		return tests, bar
	}
	tests, total := r.chosen.of(r.app.finder().Tests(args...), corpus.UnknownTotal)
	return tests, console.NoBar(total)
}

// emit prints an answer, or keeps it. It returns an error if the answer could not be kept.
func (r *running) emit(ctx context.Context, ans batch.Answer) error {
	switch {
	case ans.Kept:
		return nil
	case ans.Err != nil:
		if r.keep.run != nil {
			r.keep.run.Failed++
		}
		r.app.report(ans.Err)
		return nil
	}
	result := ans.Result
	r.app.reserve(result.Test, ans.Model.Name, result.Limit, result.Vacuous)
	r.slow.Tell(r.app.err, result.Test, result.Work.Reason)
	if r.keep.run != nil {
		return r.keep.run.Keep(ctx, ans)
	}
	r.print(ans)
	return nil
}

func (r *running) print(ans batch.Answer) {
	a, result := r.app, ans.Result
	if r.keep.noTime {
		result.Elapsed = 0
	}
	if r.json {
		a.printJSON(report.ResultJSON(result, ans.Model.Name))
		return
	}
	if len(r.flags.refs) > 1 {
		fmt.Fprintf(a.out, "Model %s\n", ans.Model.Name)
	}
	rec := result.Record()
	rec.Untimed = r.keep.noTime
	_, _ = rec.WriteTo(a.out)
	if r.show {
		if err := picture.States(a.out, ans.Model.Model, result); err != nil {
			a.fail(err)
		}
	}
}
