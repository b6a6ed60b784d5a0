package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/sim"
)

// optchecking is the hw optcheck verb.
type optchecking struct {
	hardware
	checker    optcheck.Checker
	targetName string
}

func (a *app) hwOptcheckCommand() *cobra.Command {
	o := &optchecking{hardware: hardware{app: a, config: sim.Defaults()}, checker: optcheck.Checker{Tools: optcheck.FindTools()}}
	cmd := &cobra.Command{
		Use:               "optcheck TEST…",
		Short:             "Compare the machine code of tests with the tests",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.targetName, "target", harness.SM90.String(), "assemble for this `TARGET`")
	f.IntVar(&o.checker.Optimize, "optimize", 3, "the `LEVEL` of optimization; drivers have 3")
	f.StringVar(&o.checker.Cubins, "cubin", "", "check the machine code in this `FOLDER` (hw record --keep-cubins) instead of assembling")
	o.opaqueFlag(cmd)
	return cmd
}

func (o *optchecking) run(ctx context.Context, args []string) (err error) {
	if o.checker.Target, err = harness.ParseTarget(o.targetName); err != nil {
		return err
	}
	if err := o.checker.Missing(); err != nil {
		return err // before tests are read and laid out, which takes its time
	}
	o.checker.Settings.Opaque = o.rig.Opaque
	tests := o.tests(args, o.checker.Target)
	return tests.Each(ctx, func(t *sim.Test, p *harness.Plan) error {
		report, err := o.checker.Check(ctx, p)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.app.out, "%s, %s: %s\n", t.Name.Text, o.checker.Target, report)
		switch report.Verdict {
		case optcheck.Failed:
			o.app.status(exitContradicted)
		case optcheck.NotChecked:
			o.app.status(exitBadInput)
		}
		return nil
	})
}
