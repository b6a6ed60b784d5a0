package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/picture"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/sim"
)

// running is the run verb.
type running struct {
	app   *app
	flags simFlags

	json, show, states, quick, stats bool

	slow  map[string]bool // why tests were left to the slow engine, as far as it has been said
	names namesSeen
}

func (a *app) runCommand() *cobra.Command {
	r := &running{app: a, slow: map[string]bool{}, names: namesSeen{}}
	cmd := &cobra.Command{
		Use:   "run TEST…",
		Short: "Simulate tests and print herd's log",
		Long: `Run simulates each test and prints a record in the form of herd's log, which herd's
tools read: the final states that the model allows, whether the condition holds, and
how many consistent executions satisfy it.

A TEST is a .litmus file, a folder (every test in it), @FILE (a list of tests, one a
line), - (standard input), a file or tar archive of many tests, the name of a shipped test
or folder (muster tests), or a pattern of such names, as 'mp-*' or 'ptx/MP*'.

The states are found without visiting every candidate execution. --states spends no time on
counting: each state counts once. --quick stops at the first execution that decides the
condition, and prints the verdict only. --stats says afterwards, on standard error, what was
visited, what each check of the model cut off, and where the time went.

With several models, each test has a record for each, behind a line "Model NAME"; herd's tools
pass over that line, and want the records of one model at a time.

A limit that cuts an answer short (--timeout, --max-memory, --max-candidates, --unroll) is said in
the record, on standard error and by exit status 3.`,
		Example: `  muster run sb-shared-global
  muster run -m sc tests/ more/mp.litmus
  muster run --json @all.txt | jq .observation
  muster run --quick --stats tests/
  muster run -m ptx-7.5 -m ptx-7.5:dartagnan -m mine.cat -I models/ tests/
  muster run 'mp-*'                          all shipped tests of such names
  cat mp.litmus | muster run -`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.flags.simulator(a, r.effort())
			if err != nil {
				return err
			}
			return r.run(cmd.Context(), s, args)
		},
	}
	f := cmd.Flags()
	r.flags.declareModel(cmd, "a `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file (repeatable; default: by the test's header)", anyNumber)
	r.flags.declareConfig(cmd)
	r.flags.declareEngine(cmd)
	f.BoolVar(&r.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	f.BoolVar(&r.show, "show", false, "draw, after each record, an execution for each final state")
	f.BoolVar(&r.states, "states", false, "find the states, not how many executions end in each")
	f.BoolVar(&r.quick, "quick", false, "find the verdict only: stop at the first execution that decides it")
	f.BoolVar(&r.stats, "stats", false, "say afterwards what was visited, cut and counted, and where the time went")
	cmd.MarkFlagsMutuallyExclusive("json", "show", "quick")
	cmd.MarkFlagsMutuallyExclusive("states", "quick")
	return cmd
}

// effort is how much of the answer is asked for.
func (r *running) effort() solve.Effort {
	switch {
	case r.quick:
		return solve.Quick
	case r.states:
		return solve.States
	}
	return solve.Counts
}

func (r *running) run(ctx context.Context, s *batch.Simulator, args []string) error {
	tests, bar := r.app.finder().Tests(args...), &progressBar{}
	if isTerminal(r.app.err) && !isTerminal(r.app.out) { // there, the records themselves show it
		all, total := r.app.finder().Counted(args...)
		tests, bar = all, r.app.progress("simulating", total)
	}
	defer bar.done()
	work := func(in corpus.Test) []batch.Answer { return s.Run(ctx, in) }
	tally := report.NewTally()
	err := batch.Each(ctx, s.Workers, tests, work, func(answers []batch.Answer) {
		r.names.warn(r.app, answers[0].Result)
		for _, ans := range answers {
			began := time.Now()
			r.print(ans)
			tally.Add(ans.Result, ans.Reading, time.Since(began))
		}
		bar.step()
	})
	if r.stats {
		tally.Print(r.app.err)
	}
	return err
}

// namesSeen is the names of tests so far, with the places of the tests. Tools that read logs take
// two tests of one name for one.
type namesSeen map[string]string

// warn warns of a test whose name another has.
func (n namesSeen) warn(a *app, r *sim.Result) {
	if r == nil {
		return
	}
	name := r.Test.Name
	at := fmt.Sprintf("%s:%d", name.File.Name, name.Pos().Line)
	if first, twice := n[name.Text]; twice {
		a.warn("%s: a test of the name %s is in %s already", at, name.Text, first)
		return
	}
	n[strings.Clone(name.Text)] = at
}

func (r *running) print(ans batch.Answer) {
	a, result := r.app, ans.Result
	if ans.Err != nil {
		a.report(ans.Err)
		return
	}
	a.incomplete(result.Test.Name.Text, result.Incomplete())
	if why := result.Work.Reason; why != "" && !r.slow[why] {
		r.slow[why] = true
		fmt.Fprintf(a.err, "%s: the slow engine runs it: %s\n", result.Test.Name.Text, why)
	}
	if r.json {
		a.printJSON(report.ResultJSON(result, ans.Model.Name))
		return
	}
	if len(r.flags.refs) > 1 {
		fmt.Fprintf(a.out, "Model %s\n", ans.Model.Name)
	}
	_, _ = result.Record().WriteTo(a.out)
	if r.show {
		if err := picture.States(a.out, ans.Model.Model, result); err != nil {
			a.fail(err)
		}
	}
}
