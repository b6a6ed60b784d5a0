package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/probe"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// minimization is the minimize verb.
type minimization struct {
	simulation
	keepFlags bool
	output    string // file, or "" for standard output
	printed   int
}

func (a *app) minimizeCommand() *cobra.Command {
	m := &minimization{simulation: simulation{app: a}}
	cmd := &cobra.Command{
		Use:   "minimize TEST…",
		Short: "Shrink tests while what a model says of them stays",
		Long: `Minimize drops threads, instructions and parts of the condition of a test, cuts
dependencies, and puts weaker instructions in the place of others: narrower scopes, weaker
orders, plain accesses for atomics. It does so one step at a time, as long as the model
says the same of the outcome that the condition asks for. Of the result no step is left.

  forbidden  stays forbidden, while some candidate execution has the outcome; and, if it
             was so before, not merely because of coherence, atomicity or values out of
             thin air
  allowed    stays allowed, and forbidden by sequential consistency if it was so before:
             a weak outcome stays weak
  unknown    because a loop goes on after --unroll rounds: stays unknown, or becomes
             forbidden

With two models, what each of them says stays: of a test on which they differ, that leaves
the part on which they differ.

Standard output has the small tests, with the suffix -min, in canonical form; standard error
has the steps of each test and a summary.

Exit status 3 if a limit ends it early; the test is then as small as it is by then.`,
		Example: `  muster minimize -m ptx spinlock-cbe+fences
  muster minimize -m ptx-6.0 -m ptx -o small.litmus MP+alias+rel+acq+fence-after-release
  muster minimize -m mymodel.cat --flags failing.litmus | muster explain -m mymodel.cat -`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			return m.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	m.modelFlag(cmd, "a `MODEL` whose answer stays: NAME or NAME:VARIANT,VARIANT (one or two; default: by the test's header)", 2)
	m.configFlags(cmd)
	f.BoolVar(&m.keepFlags, "flags", false, "the flags that the models raise stay, too")
	f.StringVarP(&m.output, "output", "o", "", "write the tests to this `FILE`")
	f.BoolVar(&m.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	return cmd
}

// check validates the flags and loads the models.
func (m *minimization) check() error {
	if err := m.simulation.check(); err != nil {
		return err
	}
	m.config.Effort = solve.States
	return nil
}

// minimized is a test that has been shrunk, or why not.
type minimized struct {
	*probe.Minimized
	original *sim.Test
	kept     *probe.Kept
	models   []string // names
	err      error
}

func (m *minimization) run(ctx context.Context, args []string) error {
	if m.output == "" {
		return m.minimizeAll(ctx, args)
	}
	f, err := os.Create(m.output)
	if err != nil {
		return err
	}
	file := bufio.NewWriter(f)
	m.app.out = file
	err = m.minimizeAll(ctx, args)
	return errors.Join(err, file.Flush(), f.Close())
}

func (m *minimization) minimizeAll(ctx context.Context, args []string) error {
	tests, total := m.app.finder().Counted(args...)
	bar := m.app.progress("minimizing", total)
	defer bar.done()
	work := func(in corpus.Test) minimized { return m.minimize(ctx, in) }
	return batch.Each(ctx, m.workers, tests, work, func(t minimized) {
		bar.step()
		m.print(t)
	})
}

// minimize shrinks one test.
func (m *minimization) minimize(ctx context.Context, in corpus.Test) minimized {
	t, err := m.load(ctx, in)
	if err != nil {
		return minimized{err: err}
	}
	var models []*cat.Model
	var names []string
	for _, model := range m.modelsFor(t) {
		models, names = append(models, model.Model), append(names, model.Name)
	}
	kept, err := probe.Keep(ctx, t, m.config, m.keepFlags, models...)
	if err != nil {
		return minimized{err: err}
	}
	small, err := probe.Minimize(ctx, t.Test, m.config, kept.By)
	return minimized{small, t, kept, names, err}
}

func (m *minimization) print(t minimized) {
	a := m.app
	if t.err != nil {
		a.report(t.err)
		return
	}
	if t.Limit != nil {
		a.status(exitLimit)
		fmt.Fprintf(a.err, "%s: incomplete: %v\n", t.original.Name.Text, t.Limit)
	}
	if m.json {
		a.printJSON(t.json())
		return
	}
	for _, s := range t.Steps {
		fmt.Fprintf(a.err, "  %s\n", s)
	}
	fmt.Fprintf(a.err, "%s: %s, %s\n", t.original.Name.Text, t.size(), t.says())
	if m.printed++; m.printed > 1 {
		fmt.Fprintln(a.out)
	}
	fmt.Fprint(a.out, t.Test.String())
}

// size says how much smaller the test has become.
func (t minimized) size() string {
	if len(t.Steps) == 0 {
		return count(t.Before, "instruction") + ", nothing to drop"
	}
	return fmt.Sprintf("%s → %d", count(t.Before, "instruction"), t.After)
}

// judgements are what a model does with an outcome.
var judgements = map[sim.Outcome]string{sim.Allowed: "allowed", sim.Forbidden: "forbidden", sim.Unknown: "not decided"}

// says is what stays: "forbidden by ptx-7.5, allowed by ptx".
func (t minimized) says() string {
	var words []string
	for i, o := range t.kept.Outcomes {
		if i > 0 && o == t.kept.Outcomes[i-1] {
			words[len(words)-1] += " and " + t.models[i]
			continue
		}
		words = append(words, fmt.Sprintf("%s by %s", judgements[o], t.models[i]))
	}
	switch {
	case t.kept.Weak:
		words = append(words, "forbidden by sequential consistency")
	case t.kept.Impossible:
		words = append(words, "and no candidate execution has it")
	}
	return strings.Join(words, ", ")
}

func (t minimized) json() wire.Minimized {
	j := wire.Minimized{
		Test: t.original.Name.Text, File: t.original.File.Name, Outcomes: map[string]string{}, Weak: t.kept.Weak,
		Steps: append([]string{}, t.Steps...), Tried: t.Tried, Instructions: wire.Sizes{Before: t.Before, After: t.After},
		Text: t.Test.String(), Hash: t.Test.Hash(),
	}
	for i, o := range t.kept.Outcomes {
		j.Outcomes[t.models[i]] = o.String()
	}
	if t.Limit != nil {
		j.Incomplete = t.Limit.Error()
	}
	return j
}
