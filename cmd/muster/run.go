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
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

func (a *app) runCommand() *cobra.Command {
	s := &simulation{app: a, slow: map[string]bool{}}
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
			if err := s.check(); err != nil {
				return err
			}
			return s.run(cmd.Context(), args)
		},
	}
	s.modelFlag(cmd, "a `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file (repeatable; default: by the test's header)", anyNumber)
	s.configFlags(cmd)
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
	inputs, bar := s.app.finder().Tests(args...), &progressBar{}
	if isTerminal(s.app.err) && !isTerminal(s.app.out) { // there, the records themselves show it
		all, total := s.app.finder().Counted(args...)
		inputs, bar = all, s.app.progress("simulating", total)
	}
	defer bar.done()
	work := func(in corpus.Test) []answer { return s.simulateAll(ctx, in) }
	t := newTally()
	names := namesSeen{}
	err := batch.Each(ctx, s.workers, inputs, work, func(answers []answer) {
		names.warn(s.app, answers[0])
		for _, ans := range answers {
			began := time.Now()
			s.print(ans)
			t.add(ans, time.Since(began))
		}
		bar.step()
	})
	if s.stats {
		t.print(s.app.err)
	}
	return err
}

// simulateAll reads a test and runs it under each of its models.
func (s *simulation) simulateAll(ctx context.Context, in corpus.Test) []answer {
	began := time.Now()
	t, err := s.load(ctx, in)
	reading := time.Since(began)
	if err != nil {
		return []answer{{err: err, reading: reading}}
	}
	var all []answer
	for _, m := range s.modelsFor(t) {
		r, err := t.Run(ctx, m.Model)
		all = append(all, answer{r, m, err, reading})
		reading = 0
	}
	return all
}

// simulate is simulateAll, for a verb that asks one model.
func (s *simulation) simulate(ctx context.Context, in corpus.Test) answer {
	return s.simulateAll(ctx, in)[0]
}

// namesSeen is the names of tests so far, with the places of the tests. Tools that read logs take
// two tests of one name for one.
type namesSeen map[string]string

// warn warns of a test whose name another has.
func (n namesSeen) warn(a *app, ans answer) {
	if ans.result == nil {
		return
	}
	name := ans.result.Test.Name
	at := fmt.Sprintf("%s:%d", name.File.Name, name.Pos().Line)
	if first, twice := n[name.Text]; twice {
		fmt.Fprintf(a.err, "warning: %s: a test of the name %s is in %s already\n", at, name.Text, first)
		return
	}
	n[strings.Clone(name.Text)] = at
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
	if why := r.Work.Reason; why != "" && !s.slow[why] {
		s.slow[why] = true
		fmt.Fprintf(a.err, "%s: the slow engine runs it: %s\n", r.Test.Name.Text, why)
	}
	if s.json {
		a.printJSON(report.ResultJSON(r, ans.model.Name))
		return
	}
	if len(s.models) > 1 {
		fmt.Fprintf(a.out, "Model %s\n", ans.model.Name)
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
