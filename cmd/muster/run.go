package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/picture"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

func (a *app) runCommand() *cobra.Command {
	s := &simulation{app: a}
	cmd := &cobra.Command{
		Use:   "run TEST…",
		Short: "Simulate tests and print herd's log",
		Long: `Run simulates each test and prints a record in the form of herd's log, which herd's
tools read: the final states that the model allows, whether the condition holds, and
how many consistent executions satisfy it.

A TEST is a .litmus file, a folder (every test in it), @FILE (a list of tests, one a
line), - (standard input), or the name of a shipped test or folder (muster tests).

The states are found without visiting every candidate execution. --states spends no time on
counting: each state counts once. --quick stops at the first execution that decides the
condition, and prints the verdict only. --stats says afterwards, on standard error, what was
visited, what each check of the model cut off, and where the time went.

A limit that cuts an answer short (--timeout, --max-candidates, --unroll) is said in
the record, on standard error and by exit status 3.`,
		Example: `  muster run sb-shared-global
  muster run -m sc tests/ more/mp.litmus
  muster run --json @all.txt | jq .observation
  muster run --quick --stats tests/
  cat mp.litmus | muster run -`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return s.run(cmd.Context(), args)
		},
	}
	s.flags(cmd)
	s.engineFlag(cmd)
	cmd.Flags().BoolVar(&s.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	cmd.Flags().BoolVar(&s.show, "show", false, "draw, after each record, an execution for each final state")
	cmd.Flags().BoolVar(&s.states, "states", false, "find the states, not how many executions end in each")
	cmd.Flags().BoolVar(&s.quick, "quick", false, "find the verdict only: stop at the first execution that decides it")
	cmd.Flags().BoolVar(&s.stats, "stats", false, "say afterwards what was visited, cut and counted, and where the time went")
	cmd.MarkFlagsMutuallyExclusive("json", "show", "quick")
	cmd.MarkFlagsMutuallyExclusive("states", "quick")
	return cmd
}

// answer is the result of one test, or why there is none.
type answer struct {
	result  *sim.Result
	model   *models.Model
	err     error
	reading time.Duration
}

func (s *simulation) run(ctx context.Context, args []string) error {
	tests, bar := s.app.inputs(args), &progressBar{}
	if isTerminal(s.app.err) && !isTerminal(s.app.out) { // there, the records themselves show it
		all := slices.Collect(tests)
		tests, bar = slices.Values(all), s.app.progress("simulating", len(all))
	}
	defer bar.done()
	work := func(in input) answer { return s.simulate(ctx, in) }
	t := newTally()
	err := each(ctx, s.workers, tests, work, func(ans answer) {
		began := time.Now()
		s.print(ans)
		t.add(ans, time.Since(began))
		bar.step()
	})
	if s.stats {
		t.print(s.app.err)
	}
	return err
}

// simulate reads and runs a test.
func (s *simulation) simulate(ctx context.Context, in input) answer {
	began := time.Now()
	t, err := s.load(ctx, in)
	reading := time.Since(began)
	if err != nil {
		return answer{err: err, reading: reading}
	}
	m := s.modelFor(t)
	r, err := t.Run(ctx, m.Model)
	return answer{r, m, err, reading}
}

func (s *simulation) print(ans answer) {
	a := s.app
	if ans.err != nil {
		a.report(ans.err)
		return
	}
	r := ans.result
	if why := r.Incomplete(); why != "" {
		a.status(exitLimit)
		fmt.Fprintf(a.err, "%s: incomplete: %s\n", r.Test.Name.Text, why)
	}
	if s.json {
		a.printJSON(resultJSON(r, ans.model.Name))
		return
	}
	_, _ = r.Record().WriteTo(a.out)
	if s.show {
		a.showStates(ans)
	}
}

// showStates draws a consistent execution for each final state.
func (a *app) showStates(ans answer) {
	refs := ans.result.Test.Observables()
	for _, state := range ans.result.States {
		g, err := picture.Of(ans.model.Model, state.Witness(), viz.Options{
			Title: ans.result.Test.Name.Text, Subtitle: state.State.Format(refs),
		})
		if err != nil {
			a.fail(err)
			continue
		}
		_ = g.Text(a.out)
		fmt.Fprintln(a.out)
	}
}
