package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/sim"
)

// tuning is the hw tune verb.
type tuning struct {
	hw    hardware
	draws int
	time  time.Duration // for the search; 0 for as long as it takes
}

func (a *app) hwTuneCommand() *cobra.Command {
	t := &tuning{hw: hardware{app: a}}
	cmd := &cobra.Command{
		Use:               "tune TEST…",
		Short:             "Search the settings with which tests show most weak behaviour",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.draws < 1 || t.time < 0 {
				return fmt.Errorf("--draws must be positive, and --time must not be negative")
			}
			if err := t.hw.open(); err != nil {
				return err
			}
			defer t.hw.close()
			return t.run(cmd.Context(), args)
		},
	}
	t.hw.flags(cmd)
	cmd.Flags().IntVar(&t.draws, "draws", 32, "begin with `N` settings: those of --settings, and others that are drawn")
	cmd.Flags().DurationVar(&t.time, "time", 0, "search for this `TIME`, of which each round has its share; with fewer settings than --draws if there is no time for more")
	return cmd
}

func (t *tuning) run(ctx context.Context, args []string) error {
	var plans []*harness.Plan
	if err := t.hw.eachPlan(ctx, args, func(_ *sim.Test, p *harness.Plan) error {
		plans = append(plans, p)
		return nil
	}); err != nil {
		return err
	}
	found, err := t.hw.rig.Tune(ctx, plans, t.draws, t.time, t.hw.app.err)
	if err = t.hw.ended(err); len(found) == 0 {
		return err
	}
	if !slices.ContainsFunc(found, func(f harness.Tuned) bool { return f.Weak > 0 }) {
		t.hw.app.status(exitContradicted)
		fmt.Fprintln(t.hw.app.err, "nothing weak was seen with any settings")
	}
	t.hw.app.printJSON(harness.BestTunings(plans, found))
	return err // what was found is of use all the same
}

// emission is the hw emit verb.
type emission struct {
	hw         hardware
	targetName string
	ptxOnly    bool
	file       string
}

func (a *app) hwEmitCommand() *cobra.Command {
	e := &emission{hw: hardware{app: a}}
	cmd := &cobra.Command{
		Use:               "emit TEST",
		Short:             "Print a test as a program of its own, for nvcc",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTests,
		RunE:              func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), args) },
	}
	e.hw.config = sim.Defaults()
	e.hw.settingsFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&e.targetName, "target", harness.SM70.String(), "make code for this `TARGET` and newer")
	f.BoolVar(&e.ptxOnly, "ptx", false, "print the kernels only")
	f.StringVarP(&e.file, "out", "o", "", "write to this `FILE` instead of standard output")
	completeWords(cmd, "target", harness.TargetNames())
	return cmd
}

func (e *emission) run(ctx context.Context, args []string) error {
	target, err := harness.ParseTarget(e.targetName)
	if err != nil {
		return err
	}
	if err := e.hw.rig.Settle(e.hw.incantations, e.hw.settingsFile, e.hw.app.in); err != nil {
		return err
	}
	tests := e.hw.tests(args, target)
	tests.Report = e.hw.app.report // one that cannot be run is an error here
	return tests.Each(ctx, func(_ *sim.Test, p *harness.Plan) (err error) {
		s := e.hw.rig.Settings.Of(p)
		text := p.As(s).Kernels()
		if !e.ptxOnly {
			text, err = p.Emit(s)
		}
		if err != nil || e.file == "" {
			fmt.Fprint(e.hw.app.out, text)
			return err
		}
		return os.WriteFile(e.file, []byte(text), 0o666)
	})
}
