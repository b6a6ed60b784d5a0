package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// explaining is the explain verb.
type explaining struct {
	app   *app
	flags simFlags
	shown shownFlags
	json  bool
	slow  report.Slow
}

func (a *app) explainCommand() *cobra.Command {
	x := &explaining{app: a, slow: report.Slow{}}
	cmd := &cobra.Command{
		Use:               "explain TEST…",
		Short:             "Say why the model forbids what a condition asks for",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := x.shown.Check(); err != nil {
				return err
			}
			s, err := x.flags.simulator(a, sim.Counts)
			if err != nil {
				return err
			}
			return x.run(cmd.Context(), s, args)
		},
	}
	x.flags.declare(cmd)
	x.flags.declareEngine(cmd)
	x.shown.declare(cmd, &x.flags)
	cmd.Flags().BoolVar(&x.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	return cmd
}

// explained is the explanation of one test, or the error that prevented it.
type explained struct {
	batch.Explained
	listed map[*sim.Witness][]string // the relations to show, by execution
}

func (x *explaining) run(ctx context.Context, s *batch.Simulator, args []string) error {
	work := func(in corpus.Test) explained { return x.explain(ctx, s, in) }
	return batch.Each(ctx, s.Workers, x.app.finder().Tests(args...), work, x.print)
}

// explain reads and explains a test.
func (x *explaining) explain(ctx context.Context, s *batch.Simulator, in corpus.Test) explained {
	e := explained{Explained: s.Explain(ctx, in)}
	if e.Err != nil {
		return e
	}
	showing, names, err := x.shown.Model(e.Model.Model)
	if err == nil {
		e.Explanation, err = x.shown.Pick(e.Explanation)
	}
	if err == nil {
		e.listed, err = report.Relations(showing, names, e.Explanation)
	}
	e.Err = err
	return e
}

func (x *explaining) print(e explained) {
	a := x.app
	if e.Err != nil {
		a.report(e.Err)
		return
	}
	a.reserve(e.Test, e.Model.Name, e.Limit, e.Vacuous)
	x.slow.Tell(a.err, e.Test, e.Reason)
	if x.json {
		a.printJSON(report.ExplanationJSON(e.Explanation, e.Model.Name))
		return
	}
	a.text().Explanation(
		&report.Explained{Explanation: e.Explanation, Model: e.Model.Name, Details: func(w *sim.Witness) []string {
			if x.shown.Execution > 0 {
				return append([]string{sim.Communication(w.Execution)}, e.listed[w]...)
			}
			return e.listed[w]
		}})
}

// shownFlags are the flags of explain and draw that choose a final state, an execution, and
// relations to show.
type shownFlags struct{ report.Shown }

func (v *shownFlags) declare(cmd *cobra.Command, flags *simFlags) {
	f := cmd.Flags()
	f.StringVar(&flags.config.State, "state", "",
		"ask about this final `STATE` in place of the condition: a proposition, or as run prints it")
	f.IntVar(&v.Execution, "execution", 0,
		"only the `N`-th execution that explain lists: one for each allowed state, one for each axiom")
	f.StringVar(&v.Relations, "show", "", "show these `RELATIONS`, such as rf,co,fr or what the model defines")
}
