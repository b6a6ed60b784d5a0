package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// minimization is the minimize verb.
type minimization struct {
	app       *app
	flags     simFlags
	json      bool
	keepFlags bool
	output    string // file; "" for standard output

	sim *batch.Simulator
}

func (a *app) minimizeCommand() *cobra.Command {
	m := &minimization{app: a}
	cmd := &cobra.Command{
		Use:               "minimize TEST…",
		Short:             "Shrink tests while a model's answer stays the same",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.sim, err = m.flags.simulator(a, sim.States); err != nil {
				return err
			}
			return m.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	m.flags.declareModel(cmd,
		"a `MODEL` whose answer stays: NAME or NAME:VARIANT,VARIANT (one or two; default: by the test's header)", 2)
	m.flags.declareConfig(cmd)
	f.BoolVar(&m.keepFlags, "flags", false, "the flags that the models raise stay, too")
	f.StringVarP(&m.output, "output", "o", "", "write the tests to this `FILE`")
	f.BoolVar(&m.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	return cmd
}

func (m *minimization) run(ctx context.Context, args []string) error {
	if m.output == "" {
		return m.minimizeAll(ctx, args, m.app.out)
	}
	f, err := os.Create(m.output)
	if err != nil {
		return err
	}
	file := bufio.NewWriter(f)
	err = m.minimizeAll(ctx, args, file)
	return errors.Join(err, file.Flush(), f.Close())
}

func (m *minimization) minimizeAll(ctx context.Context, args []string, out io.Writer) error {
	tests, total := m.app.finder().Counted(args...)
	bar := m.app.console.Progress("minimizing", total)
	defer bar.Done()
	sink := corpus.NewText(out)
	minimize := func(ctx context.Context, t *sim.Test) (*report.Minimized, error) {
		return report.Minimize(ctx, t, m.sim.ModelsFor(t), m.sim.Config, m.keepFlags)
	}
	return batch.Ask(ctx, m.sim, tests, minimize, func(t *report.Minimized, err error) {
		bar.Next()
		if err == nil {
			err = m.print(t, out, sink)
		}
		if err != nil {
			m.app.report(err)
		}
	})
}

func (m *minimization) print(t *report.Minimized, out io.Writer, sink corpus.Sink) error {
	m.app.incomplete(t.Original.Name.Text, t.Limit)
	if m.json {
		return report.JSON(out, t.JSON())
	}
	m.app.notes().Minimized(t)
	return sink.Write(t.Test.Name.Text, t.Test.String())
}
